"""What functions return at states of a self-test, and how far off they may be.

Results are those of the NumPy form in double precision. The same form in single precision shows how rounding grows on
the way to each result, and by that how far a compiler, a library and a processor may depart from it. So does the same
text with each operation rounded at random: where one is exact by chance, single precision shows nothing of what fused
products leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.codegen.load import LoadedFunction
from mbsym.doors import Array
from mbsym.embedded.states import NEIGHBOURS, State, called, neighbours

GROWTH: Final = 8.0
"""Times the mean error (root of squares) at neighbours of a state: of 1e5 normal errors the largest is 4.4 times that,
and libraries, fused products and vectors round otherwise."""

JUMP: Final = 0.5
"""Part of the largest entry by which a result that is compared does not change next to a state."""

LEAST: Final = 4.0
"""Roundings of an entry that are allowed at least: libraries of sine and cosine err by as many units at most."""

LEAST_OF_ALL: Final = 1.0
"""Roundings of the largest entry likewise: where terms cancel altogether they leave nothing in one library or compiler,
and in another, whose sines or products round otherwise, half a unit of terms that are larger than any entry."""

LINEAR: Final = 2.0**-10
"""Part of a result's largest entry that single precision may lose of what is solved for, where double precision is
judged by it. Where it loses more, as beside a point hundreds of metres from the joint that turns it, its roundings meet
each other, and how those of double precision grow cannot be read from them."""

UNCALLED: Final = -1
"""In the place of a status: the function is not called at that state."""


UNCOMPARED: Final = ("steps",)
"""Results that the last bit decides: the steps of an iteration."""


@dataclass(frozen=True, slots=True)
class FrozenResult:
    """An output of a function at all states.

    Attributes:
        name: of the output.
        kind: "real" or "int".
        values: by state, (states, size).
        allowed: how far off each may be, in units of the target's epsilon; below zero where nothing is compared.
    """

    name: str
    kind: str
    values: Array
    allowed: Array


@dataclass(frozen=True, slots=True)
class FrozenFunction:
    """What a function returns at all states.

    Attributes:
        name: of the function.
        statuses: by state, or ``UNCALLED``; None if it cannot fail.
        results: that are compared, one for each output that is.
    """

    name: str
    statuses: tuple[int, ...] | None
    results: tuple[FrozenResult, ...]


def frozen_function(
    double: LoadedFunction,
    single: LoadedFunction,
    rounded: LoadedFunction,
    states: Sequence[State],
    generator: np.random.Generator,
    left: Array | None = None,
    most: float | None = None,
) -> FrozenFunction:
    """What a function returns at all states, with allowances from what is lost next to them.

    Args:
        double, single, rounded: the function in both precisions, and with each operation rounded at random.
        states: at which.
        generator: of neighbours.
        left: of each state, whether the function is not called there; it is everywhere if not given.
        most: part of a result's largest entry that single precision may lose; nothing is compared at a state where it
            loses more of one. It may lose all if not given.
    """
    given = {
        item.name: np.array([state.values[item.name].reshape(item.shape) for state in states]) for item in double.inputs
    }
    around, count = neighbours(given, generator), len(states)
    exact, status = called(double, given)
    status = np.broadcast_to(status, (count,))
    if double.statuses and left is not None:
        status = np.where(left, UNCALLED, status)
    good = status == 0
    near = called(double, around)
    losses = [_Loss(double, near, called(other, around), count) for other in (single, rounded)]
    results = []
    every = [_rows(array, item.shape, count) for item, array in zip(double.outputs, exact, strict=True)]
    drowned = np.zeros(count, dtype=bool)
    for place, (item, values) in enumerate(zip(double.outputs, every, strict=True)):
        if item.kind != "int" and most is not None:
            drowned |= losses[0].largest(place) > most * _largest(values)[:, 0]
    for place, (item, values) in enumerate(zip(double.outputs, every, strict=True)):
        if item.name in UNCOMPARED or not item.size or not good.any():
            continue
        allowed = np.zeros(values.shape)
        if item.kind != "int":
            allowed = _allowed(values, [loss.mean(place) for loss in losses])
            moved = _rows(near[0][place], item.shape, NEIGHBOURS, count)
            allowed[_jumps(values, moved, losses[0].counted)] = -1.0
            allowed[drowned] = -1.0
        # Nothing is compared where the function says that it has no result.
        values[~good], allowed[~good] = 0.0, -1.0
        results.append(FrozenResult(item.name, item.kind, values, allowed))
    return FrozenFunction(double.name, tuple(map(int, status)) if double.statuses else None, tuple(results))


class _Loss:
    """By how much results are off at neighbours of states, in one way to compute them.

    Attributes:
        counted: at which neighbours there are results, (neighbours, states, 1).
    """

    def __init__(
        self,
        function: LoadedFunction,
        exact: tuple[tuple[Array, ...], Array],
        found: tuple[tuple[Array, ...], Array],
        count: int,
    ) -> None:
        good = [np.broadcast_to(status == 0, (NEIGHBOURS, count))[..., None] for _, status in (exact, found)]
        self.counted: Array = np.logical_and(*good)
        self._lost = [
            np.where(self.counted, _rows(a - b, item.shape, NEIGHBOURS, count), 0.0)
            for item, a, b in zip(function.outputs, exact[0], found[0], strict=True)
        ]

    def largest(self, place: int) -> Array:
        """Of an output, by state."""
        largest: Array = np.abs(self._lost[place]).max(axis=(0, 2), initial=0.0)
        return largest

    def mean(self, place: int) -> Array:
        """Of an output the root of the mean square of each entry, (states, size), in units of single precision."""
        among = np.maximum(self.counted.sum(axis=0), 1)
        mean: Array = np.sqrt((self._lost[place] ** 2).sum(axis=0) / among) / np.finfo(np.float32).eps
        return mean


def _rows(array: Array, shape: tuple[int, ...], *leading: int) -> Array:
    """An array whose leading axes are those, and entries behind them in a row."""
    return np.broadcast_to(array, (*leading, *shape)).reshape(*leading, -1).astype(float)


def _largest(values: Array) -> Array:
    """The size of the largest entry at each state, (states, 1)."""
    largest: Array = np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    return largest


def _jumps(values: Array, moved: Array, counted: Array) -> Array:
    """Which results are elsewhere next to a state, such as angles at half a turn: rounding decides between both."""
    jumps: Array = ((np.abs(moved - values) > JUMP * _largest(values)) & counted).any(axis=0)
    return jumps


def _allowed(values: Array, means: Sequence[Array]) -> Array:
    """How far off results may be, (states, size), by the mean errors in several ways to compute them."""
    allowed = np.maximum(GROWTH * np.max(means, axis=0), LEAST * np.abs(values))
    least: Array = np.maximum(allowed, LEAST_OF_ALL * _largest(values))
    return least
