"""States and results for the self-test of a module, frozen: what each function must return, and how far off it may be.

Results are those of the module's NumPy form in double precision. The same form in single precision shows how rounding
grows on the way to each result, and by that how far a compiler, a library and a processor may depart from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.interface import render
from mbsym.codegen.load import LoadedFunction, LoadedModule, numpy_module
from mbsym.errors import DerivationError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism

Array = NDArray[Any]

STATES: Final = 3
ATTEMPTS: Final = 40
"""Drawings for one state; near singular positions of loops the precisions do not agree about statuses."""

SPREAD: Final = 0.4
"""Of coordinates [rad, m] about the initial ones, from which loops close again."""

GROWTH: Final = 16.0
"""Times what single precision loses against double: libraries of sine and cosine err by some units of the last place
more than NumPy's, fused operations round otherwise, and one state is no bound for its rounding."""

LEAST: Final = 8.0
"""Roundings of the largest entry that are allowed at least, where single precision lost less by chance."""

UNCOMPARED: Final = ("steps",)
"""Results that the last bit decides: the steps of an iteration."""


@dataclass(frozen=True, slots=True)
class FrozenResult:
    """An output of a function at all states.

    Attributes:
        name: of the output.
        kind: "real" or "int".
        values: by state, (STATES, size).
        allowed: how far off it may be at each state, in units of the target's epsilon.
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
        statuses: by state; None if it cannot fail.
        results: that are compared, one for each output that is.
    """

    name: str
    statuses: tuple[int, ...] | None
    results: tuple[FrozenResult, ...]


@dataclass(frozen=True, slots=True)
class Frozen:
    """States, and what all functions return there.

    Attributes:
        inputs: by the names of arguments, (STATES, size), numbers of single precision.
        functions: in the order of the module.
    """

    inputs: Mapping[str, Array]
    functions: tuple[FrozenFunction, ...]


def freeze(description: ModuleDescription, mechanism: Mechanism) -> Frozen:
    """States of a mechanism and the results of its module's functions.

    Raises:
        DerivationError: no state was found at which single and double precision agree about statuses.
    """
    double, single = (_loaded(description, real) for real in ("double", "float"))
    generator = np.random.default_rng(20)
    states: list[Mapping[str, Array]] = []
    for _ in range(STATES):
        states.append(_state(description, mechanism, double, single, generator))
    inputs = {name: np.array([state[name].ravel() for state in states]) for name in states[0]}
    functions = tuple(_frozen(double.functions[name], single.functions[name], states) for name in double.functions)
    return Frozen(inputs, functions)


def _loaded(description: ModuleDescription, real: Any) -> LoadedModule:
    return numpy_module(*render(replace(description, real=real, batch=()), ("numpy",)))


def _state(
    description: ModuleDescription,
    mechanism: Mechanism,
    double: LoadedModule,
    single: LoadedModule,
    generator: np.random.Generator,
) -> Mapping[str, Array]:
    """A state with closed loops at which all functions return the same statuses in both precisions."""
    items = {item.name: item for function in double.functions.values() for item in function.inputs}
    start = np.array(initial_coordinates(mechanism), dtype=float)
    project = double.functions.get("project_position")
    for attempt in range(ATTEMPTS):
        q = _unit(start + generator.uniform(-1, 1, len(start)) * SPREAD * 0.9**attempt, mechanism.q.quaternions)
        if project is not None:
            found, status = project.with_status(q)
            if int(status) != 0:
                continue
            q = np.asarray(found[0] if isinstance(found, tuple) else found)
        state = {name: generator.uniform(-1, 1, item.shape) for name, item in items.items()}
        state |= {"q": q} | {name: np.ones(()) for name in ("branch",) if name in items}
        state = {name: np.asarray(value, dtype=np.float32).astype(float) for name, value in state.items()}
        if all(_agree(function, single.functions[name], state) for name, function in double.functions.items()):
            return state
    raise DerivationError(
        f"no state was found in {ATTEMPTS} trials at which single and double precision agree about statuses",
        where=description.name,
        remedy="give joints initial coordinates away from singular positions",
    )


def _unit(q: Array, quaternions: tuple[int, ...]) -> Array:
    for start in quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


def _called(function: LoadedFunction, state: Mapping[str, Array]) -> tuple[tuple[Array, ...], int]:
    with np.errstate(all="ignore"):
        found, status = function.with_status(*(state[item.name] for item in function.inputs))
    return found if isinstance(found, tuple) else (found,), int(status)


def _agree(double: LoadedFunction, single: LoadedFunction, state: Mapping[str, Array]) -> bool:
    results, status = _called(double, state)
    rounded, found = _called(single, state)
    if status != found:
        return False
    whole = all(np.all(np.isfinite(array)) for array in (*results, *rounded))
    return whole or status != 0


def _frozen(double: LoadedFunction, single: LoadedFunction, states: list[Mapping[str, Array]]) -> FrozenFunction:
    exact = [_called(double, state) for state in states]
    rounded = [_called(single, state) for state in states]
    good = [status == 0 for _, status in exact]
    results = []
    for place, item in enumerate(double.outputs):
        if item.name in UNCOMPARED or not item.size or not any(good):
            continue
        values = np.array([np.ravel(found[place]) for found, _ in exact], dtype=float)
        lost = np.array([np.ravel(found[place]) for found, _ in rounded], dtype=float)
        error = np.abs(values - lost)[good].max(initial=0.0) / np.finfo(np.float32).eps
        largest = np.abs(values)[good].max(axis=1, initial=0.0)
        allowed = np.full(len(states), -1.0)  # nothing is compared where the function says that it has no result
        allowed[good] = 0.0 if item.kind == "int" else np.maximum(GROWTH * error, LEAST * largest)
        results.append(FrozenResult(item.name, item.kind, values, allowed))
    statuses = tuple(status for _, status in exact) if double.statuses else None
    return FrozenFunction(double.name, statuses, tuple(results))
