"""Bodies as Python functions of residues: what is called ten thousand times, or once for as many places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.evaluation import Arithmetic, evaluated
from mbsym.codegen.lower import PI
from mbsym.codegen.lowered import LoweredFunction
from mbsym.errors import SymbolicError
from mbsym.symbolic.finite_field import PRIME, inverse

LONGEST_TURN: Final = 64
"""Bits of the fraction of pi that a constant may be: longer ones are decimals."""

_CIRCLE: Final = {"sin": 0, "cos": 1}


def residue(value: Fraction, inverses: dict[int, int]) -> int:
    """A rational number in the field; inverses of denominators are kept."""
    if value.denominator not in inverses:
        inverses[value.denominator] = pow(value.denominator, -1, PRIME)
    return value.numerator * inverses[value.denominator] % PRIME


def is_turn(value: Fraction) -> bool:
    """Whether a constant stands for a fraction of pi."""
    return bool(value) and (value / PI).denominator.bit_length() <= LONGEST_TURN


def residues_of(
    body: LoweredFunction, given: Sequence[tuple[str, bool]], parameters: Sequence[str]
) -> Callable[..., tuple[list[Any], ...]]:
    """The entries of a body's results, of a circle, parameters by name, and its arguments in order.

    A circle has sine and cosine by the residue of an angle, and no other angle may occur; parameters are residues;
    an argument is a sequence of residues, or of ``Residues``.

    Args:
        body: what is computed.
        given: identifiers of its arguments, and which are arrays; others are their first entry.
        parameters: identifiers of these.

    Raises:
        SymbolicError: it has another function than sine and cosine, or a fraction of pi.
    """
    names = {identifier: f"parameters[{identifier!r}]" for identifier in parameters}
    names |= {identifier: f"x{place}{'' if is_array else '[0]'}" for place, (identifier, is_array) in enumerate(given)}
    text = _Text(names)
    lines = [f"def evaluate(circle, parameters, {', '.join(f'x{place}' for place in range(len(given)))}):"]
    for block in body.blocks:
        for item in block.assignments:
            found = evaluated(item.expression, text)
            names[item.identifier] = f"t{len(names)}"
            lines.append(f"    {names[item.identifier]} = ({found}) % {PRIME}")
    results = [
        f"[{', '.join(f'({evaluated(entry, text)}) % {PRIME}' for entry in each.entries)}]" for each in body.results
    ]
    lines.append(f"    return ({', '.join(results)},)")
    return _compiled("\n".join(lines))


@cache
def _compiled(text: str) -> Callable[..., tuple[list[Any], ...]]:
    scene: dict[str, Callable[..., tuple[list[Any], ...]]] = {}
    exec(text, {"inverse": inverse}, scene)
    return scene["evaluate"]


class _Text(Arithmetic[str]):
    """Python for whole numbers, which stay a few residues long."""

    __slots__ = ("_inverses", "_names")

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._inverses: dict[int, int] = {}

    def constant(self, value: Fraction) -> str:
        if is_turn(value):
            raise SymbolicError("a fraction of pi is looked at in a graph alone")
        return str(residue(value, self._inverses))

    def variable(self, identifier: str) -> str:
        return self._names[identifier]

    def element(self, array: str, index: int) -> str:
        return f"{self._names[array]}[{index}]"

    def total(self, terms: Iterator[tuple[bool, str]]) -> str:
        return "".join(f"-({term})" if minus else f"+{term}" for minus, term in terms)

    def product(self, factors: Iterator[str]) -> str:
        # Reduced before each factor behind the first two, lest numbers grow long.
        text = f"({next(factors)})"
        for place, factor in enumerate(factors):
            text = f"({text}%{PRIME})*({factor})" if place else f"{text}*({factor})"
        return text

    def quotient(self, numerator: str, denominator: str) -> str:
        return f"({numerator})*inverse(({denominator})%{PRIME})"

    def call(self, function: str, arguments: Sequence[str]) -> str:
        if function not in _CIRCLE:
            raise SymbolicError("a step has a function that is looked at in a graph alone")
        return f"circle[({arguments[0]})%{PRIME}][{_CIRCLE[function]}]"

    def select(self, condition: str, positive: str, otherwise: str) -> str:
        raise SymbolicError("a choice is looked at in a graph alone")

    def negative(self, operand: str) -> str:
        return f"-({operand})"


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
