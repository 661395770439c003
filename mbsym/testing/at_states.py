"""A user's function at random states in double precision, beside mbsym's generated NumPy function.

What an entry may be off by is measured: mbsym's function is asked again at arguments that differ by some units of
rounding, and the largest change that this makes is allowed a few times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import CodegenError, MbsymError
from mbsym.testing.subject import PROJECTION, Subject
from mbsym.testing.users_function import UsersFunction

CHANGE: Final = 2.0**-48
"""Relative change of arguments, 32 units of rounding: what hundreds of operations in another order may come to."""

DRAWS: Final = 4
FACTOR: Final = 8.0
"""Times what the change does: draws seldom meet the worst direction."""

FLOOR: Final = 2.0**-44
"""Of a result's largest entry, some 500 units of rounding: for terms that cancel and do not depend on arguments."""

_TRIES: Final = 10
"""For each state that is wanted: closing loops fails now and then."""


@dataclass(frozen=True, slots=True)
class StateVerdict:
    """What was found at random states.

    Attributes:
        states: at which both were evaluated.
        position: of the first entry that differs, None where none does.
        values: of that entry, the user's and mbsym's.
        allowed: what it may be off by.
        state: arguments and parameters by name at which it differs.
        worst: the largest difference of all, in units of what is allowed.
    """

    states: int
    position: int | None = None
    values: tuple[float, float] = (0.0, 0.0)
    allowed: float = 0.0
    state: Mapping[str, Any] | None = None
    worst: float = 0.0


def at_states(users: UsersFunction, names: Sequence[str], subject: Subject, count: int, seed: int) -> StateVerdict:
    """Compares both at random states, up to the first that shows a difference.

    Raises:
        CodegenError: at no state mbsym's function has a result.
        ToolchainError: the user's function is C, and there is no compiler.
    """
    rng, seen, worst = np.random.default_rng(seed), 0, 0.0
    shapes = [item.shape for item in subject.function.outputs]
    for _ in range(_TRIES * count):
        drawn = _drawn(subject, rng)
        expected = None if drawn is None else _expected(subject, *drawn)
        if drawn is None or expected is None:
            continue
        values, parameters = drawn
        allowed = _allowed(subject, values, parameters, expected, rng)
        given = [subject.value(name, {**values, **parameters}) for name in names]
        found = _numbers(users.title, users.over_doubles(given, shapes))
        seen += 1
        with np.errstate(all="ignore"):
            off = np.abs(found - expected)
            worst = max(worst, float(np.nanmax(off / allowed, initial=0.0)))
        bad = np.flatnonzero(~(off <= allowed))
        if bad.size:
            k = int(bad[0])
            pair = float(found[k]), float(expected[k])
            return StateVerdict(seen, k, pair, float(allowed[k]), {**values, **parameters}, worst)
        if seen == count:
            break
    if not seen:
        raise CodegenError(
            f"{subject.name} has no result at any state that was drawn", where=subject.mechanism.model.name
        )
    return StateVerdict(seen, worst=worst)


def _numbers(title: str, entries: Sequence[Any]) -> Array:
    try:
        return np.array(entries, dtype=float)
    except (TypeError, ValueError):
        raise CodegenError(f"{title} returns what are no numbers", remedy="return numbers, or arrays of them") from None


def _drawn(subject: Subject, rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, float]] | None:
    """Arguments of mbsym's function, and parameters; None where loops cannot be closed."""
    q = random_coordinates(subject, rng)
    parameters = {name: value * float(rng.uniform(0.7, 1.3)) for name, value in subject.defaults.items()}
    closed = closed_coordinates(subject, q, parameters)
    if closed is None:
        return None
    values: dict[str, Any] = {"q": closed}
    for name, shape in subject.shapes.items():
        if name not in values:
            drawn = rng.uniform(-1, 1, shape)
            values[name] = drawn if shape else float(drawn)
    return {name: values[name] for name in subject.shapes}, parameters


def random_coordinates(subject: Subject, rng: np.random.Generator) -> Array:
    """q (nq,): angles within half a turn, lengths within half a metre, quaternions of length one."""
    ranges = {"rad": 3.0, "m": 0.5}
    units = [item["unit"] for item in subject.module.manifest["coordinates"]]
    q = np.array([rng.uniform(-ranges.get(unit, 1.0), ranges.get(unit, 1.0)) for unit in units])
    for start in subject.mechanism.q.quaternions:
        q[start : start + 4] = rng.normal(size=4)
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


def closed_coordinates(subject: Subject, q: Array, parameters: Mapping[str, float]) -> Array | None:
    """Coordinates near those that are given at which loops are closed, None where none are found."""
    projection = subject.module.functions.get(PROJECTION)
    if projection is None:
        return q
    own = [q if item.name == "q" else np.zeros(item.shape) for item in projection.inputs]
    results, status = projection.with_status(*own, parameters=parameters if projection.parameters else None)
    return np.asarray(results[0] if isinstance(results, tuple) else results) if status == Status.OK else None


def _expected(subject: Subject, values: Mapping[str, Any], parameters: Mapping[str, float]) -> Array | None:
    """All results one after the other, None where there are none."""
    function = subject.function
    given = parameters if function.parameters else None
    try:
        results, status = function.with_status(*(values[name] for name in subject.shapes), parameters=given)
    except MbsymError:
        return None
    found = subject.flat(results)
    return found if status == Status.OK and np.isfinite(found).all() else None


def _allowed(
    subject: Subject,
    values: Mapping[str, Any],
    parameters: Mapping[str, float],
    expected: Array,
    rng: np.random.Generator,
) -> Array:
    """What each entry may be off by."""
    allowed = FLOOR * float(np.abs(expected).max(initial=0.0)) + np.zeros_like(expected) + np.finfo(float).tiny
    for _ in range(DRAWS):
        near = {name: value * (1 + CHANGE * rng.uniform(-1, 1, np.shape(value))) for name, value in values.items()}
        changed = {name: value * (1 + CHANGE * float(rng.uniform(-1, 1))) for name, value in parameters.items()}
        moved = _expected(subject, near, changed)
        if moved is not None:
            allowed = np.maximum(allowed, FACTOR * np.abs(moved - expected))
    return allowed
