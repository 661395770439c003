"""What functions return at states of a self-test, and how far off they may be.

Results are those of the NumPy form in double precision. The same form in single precision shows how rounding grows on
the way to each result, and by that how far a compiler, a library and a processor may depart from it. So does the same
text with each operation rounded at random, of functions that are derived: where one is exact by chance, single
precision shows nothing of what fused products leave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from mbsym.codegen.load import LoadedFunction
from mbsym.doors import Array
from mbsym.embedded.states import NEIGHBOURS, State, called, neighbours

GROWTH: Final = 8.0
"""Times the mean error (root of squares) at neighbours of a state: of 1e5 normal errors the largest is 4.4 times that,
and libraries, fused products and vectors round otherwise."""

AT_QUARTERS: Final = 2.0
"""Times as much is allowed of fixed text at quarters of a turn: what is zero there is so at all neighbours, whose errors
are few, unless operations are rounded at random."""

SOLVED: Final = 2.0
"""Times as much is allowed of what fixed text solves for, where double precision is judged: products that are rounded
apart cancel there, and leave a rounding each where they are fused, of which single precision shows nothing (9.5 mean
errors have been seen), and which nobody rounds at random."""

Rounded: TypeAlias = Callable[[Mapping[str, Array]], tuple[Array, ...]]
"""Results of a function whose operations are rounded at random, (rows, size), of arguments along a first axis."""

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
    states: Sequence[State],
    generator: np.random.Generator,
    left: Array | None = None,
    most: float | None = None,
    rounded: Rounded | None = None,
) -> FrozenFunction:
    """What a function returns at all states, with allowances from what single precision loses next to them.

    Args:
        double, single: the function in both precisions.
        states: at which.
        generator: of neighbours.
        left: of each state, whether the function is not called there; it is everywhere if not given.
        most: part of a result's largest entry that single precision may lose; nothing is compared at a state where it
            loses more of one. It may lose all if not given.
        rounded: the function with roundings at random, if it can be had.
    """
    given = {
        item.name: np.array([state.values[item.name].reshape(item.shape) for state in states]) for item in double.inputs
    }
    around = neighbours(given, generator)
    exact, status = called(double, given)
    near, single_near = called(double, around), called(single, around)
    status = np.broadcast_to(status, (len(states),))
    statuses = [np.broadcast_to(each[1], (NEIGHBOURS, len(states))) for each in (near, single_near)]
    if double.statuses and left is not None:
        status = np.where(left, UNCALLED, status)
    good = status == 0
    counted = np.logical_and(*(each == 0 for each in statuses))[..., None]
    count = len(states)
    every = [_rows(array, item.shape, count) for item, array in zip(double.outputs, exact, strict=True)]
    losses = [
        np.where(counted, _rows(a - b, item.shape, NEIGHBOURS, count), 0.0)
        for item, a, b in zip(double.outputs, near[0], single_near[0], strict=True)
    ]
    others: list[Array | None] = [None] * len(losses)
    if rounded is not None:
        flat = {name: array.reshape(NEIGHBOURS * count, -1) for name, array in around.items()}
        for place, (item, exactly, found) in enumerate(zip(double.outputs, near[0], rounded(flat), strict=True)):
            lost = found.reshape(NEIGHBOURS, count, item.size) - _rows(exactly, item.shape, NEIGHBOURS, count)
            others[place] = np.where(counted & np.isfinite(lost), lost, 0.0)
    drowned = np.zeros(count, dtype=bool)
    for item, values, lost in zip(double.outputs, every, losses, strict=True):
        if item.kind != "int" and most is not None:
            drowned |= np.abs(lost).max(axis=(0, 2), initial=0.0) > most * _largest(values)[:, 0]
    results = []
    growth = GROWTH if most is None or rounded is not None else GROWTH * SOLVED
    for item, values, lost, other, moved in zip(double.outputs, every, losses, others, near[0], strict=True):
        if item.name in UNCOMPARED or not item.size or not good.any():
            continue
        allowed = np.zeros(values.shape)
        if item.kind != "int":
            allowed = _allowed(values, [lost] if other is None else [lost, other], counted, growth)
            allowed[[state.quarters and other is None for state in states]] *= AT_QUARTERS
            allowed[_jumps(values, _rows(moved, item.shape, NEIGHBOURS, count), counted)] = -1.0
            allowed[drowned] = -1.0
        # Nothing is compared where the function says that it has no result.
        values[~good], allowed[~good] = 0.0, -1.0
        results.append(FrozenResult(item.name, item.kind, values, allowed))
    return FrozenFunction(double.name, tuple(map(int, status)) if double.statuses else None, tuple(results))


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


def _allowed(values: Array, losses: Sequence[Array], counted: Array, growth: float) -> Array:
    """How far off results may be, (states, size), by what is lost at neighbours of which some are counted."""
    among = np.maximum(counted.sum(axis=0), 1)
    means = [np.sqrt((lost**2).sum(axis=0) / among) / np.finfo(np.float32).eps for lost in losses]
    allowed = np.maximum(growth * np.max(means, axis=0), LEAST * np.abs(values))
    least: Array = np.maximum(allowed, LEAST_OF_ALL * _largest(values))
    return least
