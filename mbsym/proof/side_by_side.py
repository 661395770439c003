"""Residues at many places at once, for what many pairs of items take: opened where there are such pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import SymbolicError
from mbsym.symbolic.finite_field import PRIME

_HALF: Final = 31
_LOW: Final = np.uint64((1 << _HALF) - 1)
_REST: Final = np.uint64((1 << 30) - 1)
_PRIME: Final = np.uint64(PRIME)
_LARGE: Final = np.uint64(4 * PRIME)
_BITS, _UP, _DOWN = (np.uint64(bits) for bits in (61, _HALF, 30))


class Residues:
    """Residues at many places, side by side; they may be up to seven more than PRIME.

    2^61 is one here, so that a product of halves of 31 and 30 bits is put together by shifting.
    """

    __slots__ = ("array",)

    def __init__(self, array: NDArray[np.uint64]) -> None:
        self.array = array

    def __add__(self, other: Residues | int) -> Residues:
        return Residues(_reduced(self.array + _array(other)))

    def __sub__(self, other: Residues | int) -> Residues:
        return Residues(_reduced(self.array + (_LARGE - _array(other))))

    def __rsub__(self, other: int) -> Residues:
        return -self + other

    def __mul__(self, other: Residues | int) -> Residues:
        a, b = self.array, _array(other)
        a_high, a_low, b_high, b_low = a >> _UP, a & _LOW, b >> _UP, b & _LOW
        middle, low = a_high * b_low + a_low * b_high, a_low * b_low
        high = a_high * b_high
        return Residues(_reduced(high + high + (middle >> _DOWN) + ((middle & _REST) << _UP) + _reduced(low)))

    def __mod__(self, _: int) -> Residues:
        return self

    def __neg__(self) -> Residues:
        return Residues(_reduced(_LARGE - self.array))

    def __pow__(self, *_: int) -> Residues:
        raise SymbolicError("residues side by side are not divided by")

    def __pos__(self) -> Residues:
        return self

    __radd__, __rmul__ = __add__, __mul__


def _array(value: Residues | int) -> Any:
    return value.array if isinstance(value, Residues) else np.uint64(value % PRIME)


def _reduced(values: Any) -> Any:
    """Numbers of 64 bits as ones of little more than 61: what stands above is added below."""
    return (values & _PRIME) + (values >> _BITS)


def side_by_side(blocks: Sequence[Sequence[int]], order: Sequence[int]) -> list[Residues]:
    """Entry by entry, those of all blocks of a list, in an order in which they may come again."""
    return [
        Residues(np.array([entry % PRIME for entry in column], dtype=np.uint64)[order])
        for column in zip(*blocks, strict=True)
    ]


def at_each(entry: Residues | int, count: int) -> list[int]:
    """The residue at each place, of one that may be the same at all."""
    return entry.array.tolist() if isinstance(entry, Residues) else [entry] * count
