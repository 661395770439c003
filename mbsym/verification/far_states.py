"""States at which random ones do not arrive: far, fast, heavily loaded, tiny, zero of either sign, right angles.

They are arguments of one function, whatever a mechanism makes of them: a generated text must do there what its Program
does. Only unit quaternions stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.codegen.description import Argument
from mbsym.doors import Array
from mbsym.passes.given_sines import COORDINATES
from mbsym.symbolic.program import Input

States: TypeAlias = dict[str, Array]
Sizes: TypeAlias = Mapping[str, Array]
"""What arguments of a mechanism of that size are counted in, entry by entry [SI]; what is not there in ones."""

ORDINARY: Final = 3.0
"""Half the range of ordinary states, in units of the mechanism's own size."""

PLAIN: Final = 5
"""Ordinary states, as many as one more than what batches of four leave over."""

FAR: Final = tuple(10.0 ** (k / 2) for k in range(2, 19))
"""Magnitudes of coordinates up to 1e9: each reduction of angles ends somewhere between them."""

FAR_SINGLE: Final = tuple(10.0 ** (k / 2) for k in range(2, 9))
"""The same for single precision, in which an angle of 1e5 rad says nothing of its sine."""

FAST: Final = (1e3, 1e6)
"""Factors of speeds, forces, accelerations and whatever else is not a coordinate."""

TINY: Final = (1e-3, 1e-9, 1e-30)
"""Factors of everything."""

FAST_SINGLE: Final = (1e3,)
TINY_SINGLE: Final = (1e-2, 1e-4)
"""The same for single precision, whose fourth powers and reciprocal squares of these are numbers still."""

MOST_ALONE: Final = 24
"""Entries that are taken far, or to zero, one by one."""

NOT_FINITE: Final = (np.nan, np.inf, -np.inf)


def precision(single: bool) -> np.finfo[Any]:
    """What is known of the numbers of single or double precision."""
    return np.finfo(np.float32 if single else np.float64)


def sized(states: Mapping[str, Array], sizes: Sizes) -> States:
    """States in units of a mechanism's own size, in SI."""
    return {name: array * sizes.get(name, 1.0) for name, array in states.items()}


def by_name(inputs: Sequence[Argument | Input], rows: Array) -> States:
    """Inputs that stand one after the other in each row."""
    if not inputs:
        return {}
    ends = np.cumsum([prod(item.shape) for item in inputs])
    parts = np.split(rows, ends[:-1], axis=1)
    return {item.name: part.reshape(len(rows), *item.shape) for item, part in zip(inputs, parts, strict=True)}


def far_states(inputs: Sequence[Argument], rng: np.random.Generator, single: bool = False) -> States:
    """All these states for a function with those inputs, one after the other."""
    named = np.array([item.name == COORDINATES for item in inputs], dtype=bool)
    is_coordinate = np.repeat(named, np.array([item.size for item in inputs], dtype=int))
    total = len(is_coordinate)

    def ordinary(count: int) -> Array:
        return rng.uniform(-ORDINARY, ORDINARY, (count, total))

    magnitudes = np.array(FAR_SINGLE if single else FAR)
    far = ordinary(len(magnitudes))
    far[:, is_coordinate] *= magnitudes[:, None] / ORDINARY
    # One entry that is far among others that are near shows that each is looked at.
    entries = np.flatnonzero(is_coordinate)
    alone = _thinned(entries)
    one = ordinary(len(alone))
    largest = magnitudes[-1] / ORDINARY
    one[np.arange(len(alone)), alone] *= largest
    factors, parts = (FAST_SINGLE, TINY_SINGLE) if single else (FAST, TINY)
    fast = ordinary(len(factors))
    fast[:, ~is_coordinate] *= np.array(factors)[:, None]
    tiny = ordinary(len(parts)) * np.array(parts)[:, None]
    zeros = np.zeros((2, total))
    zeros[1] = -0.0
    without = _thinned(np.arange(total))
    nearly = ordinary(2 * len(without))
    nearly[np.arange(len(without)), without] = 0.0
    nearly[np.arange(len(without)) + len(without), without] = -0.0
    right = ordinary(3)
    right[:, is_coordinate] = rng.integers(-4, 5, (3, len(entries))) * (np.pi / 2)
    rows = np.concatenate([ordinary(PLAIN), far, one, fast, tiny, zeros, nearly, right])
    return with_unit_quaternions(inputs, by_name(inputs, rows))


def not_finite_states(inputs: Sequence[Argument], rng: np.random.Generator) -> States:
    """Ordinary states in which one entry of one argument is infinite or not a number: each kind in each argument."""
    sizes = [item.size for item in inputs]
    rows = []
    for start, size in zip(np.cumsum([0, *sizes]), sizes, strict=False):
        for place in sorted({0, size - 1}) if size else ():
            for value in NOT_FINITE:
                rows.append(rng.uniform(-ORDINARY, ORDINARY, sum(sizes)))
                rows[-1][start + place] = value
    return with_unit_quaternions(inputs, by_name(inputs, np.array(rows).reshape(len(rows), sum(sizes))))


def spoilt_states(inputs: Sequence[Argument], states: States) -> States:
    """The last of some states, once with each argument that is not a number."""
    found = {item.name: np.repeat(states[item.name][-1:], len(inputs), axis=0) for item in inputs}
    for place, item in enumerate(inputs):
        found[item.name][place : place + 1] = np.nan
    return found


def _thinned(places: Array) -> Array:
    """So many of some places, evenly spread."""
    if len(places) <= MOST_ALONE:
        return places
    return np.asarray(places[np.linspace(0, len(places) - 1, MOST_ALONE).astype(int)])


def with_unit_quaternions(inputs: Sequence[Argument], states: States) -> States:
    """The states with each quaternion made one; what is not finite stays, and no rotation is none."""
    found = dict(states)
    for item in inputs:
        for place in item.quaternions:
            array = found[item.name] = found[item.name].copy()
            four = array[..., place : place + 4]
            size = np.sqrt((four * four).sum(axis=-1, keepdims=True))
            with np.errstate(invalid="ignore"):
                unit = np.where(size > 0, four / np.where(size > 0, size, 1.0), [1.0, 0.0, 0.0, 0.0])
            array[..., place : place + 4] = np.where(np.isfinite(size), unit, four)
    return found
