"""States and results for the self-test of a module, frozen: what each function must return, and how far off it may be.

Results are those of the module's NumPy form in double precision. The same form in single precision shows how rounding
grows on the way to each result, and by that how far a compiler, a library and a processor may depart from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.description import ModuleDescription, Real, Tolerance
from mbsym.codegen.interface import render
from mbsym.codegen.load import LoadedFunction, LoadedModule, numpy_module
from mbsym.codegen.lowered_module import LoweredModule, lower_module
from mbsym.embedded.planted import MOST, judged, with_faults
from mbsym.errors import DerivationError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.tolerances import REGULAR

Array = NDArray[Any]

STATES: Final = 3
"""At least."""
MOST_STATES: Final = 8
CANDIDATES: Final = 40
ATTEMPTS: Final = 40
"""Drawings for one state; near singular positions of loops the precisions do not agree about statuses."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Where a state lies.

    Attributes:
        spread: of coordinates about the initial ones [rad, m].
        speed: of speeds.
        other: of all else.
        closed: loops are closed again, from the least spread of all kinds.
        quarters: coordinates are whole quarters of a turn instead, where rows depend on each other and divisors vanish.
    """

    spread: float
    speed: float
    other: float
    closed: bool = True
    quarters: bool = False


KINDS: Final = (
    Kind(0.4, 1.0, 1.0),
    Kind(3.2, 3.0, 1.0),
    Kind(1.5, 30.0, 300.0),
    # What vanishes in all closed positions shows nowhere else.
    Kind(400.0, 3.0, 30.0, closed=False),
    Kind(3.2, 3.0, 1.0, closed=False, quarters=True),
)
"""Of states, in turn."""

QUARTER: Final = np.pi / 2

SPARSE: Final = 0.1
"""Chance of an entry not to be zero, but for coordinates, in half of the candidates: what one body adds to an energy
would otherwise drown in what all others do."""

NEIGHBOURS: Final = 24
NEARBY: Final = 2.0**-18
"""How far from a state its neighbours are, relative: the rounding is another there, and how it grows is not."""

GROWTH: Final = 8.0
"""Times the mean error (root of squares) of single precision at neighbours of a state: of 1e5 normal errors the largest
is 4.4 times that, and libraries, fused products and vectors round otherwise."""

LEAST: Final = 4.0
"""Roundings of an entry that are allowed at least: libraries of sine and cosine err by as many units at most."""

LEAST_OF_ALL: Final = 1.0
"""Roundings of the largest entry likewise: where terms cancel altogether they leave nothing in one library or compiler,
and in another, whose sines or products round otherwise, half a unit of terms that are larger than any entry."""

OFF: Final[Mapping[str, float]] = {"float": 0.01, "double": 0.0001}
"""Part by which constants are off when faults are planted."""

EXACT: Final = 64 * 2.0**-52
"""Times its allowance by which an entry changes, in double precision, where a fault changes results at all: some turn
signs of what only decides on statuses."""

CERTAIN: Final = 1.5
"""Times its allowance an entry has to be wrong by, for a fault to count as seen whatever rounding does."""

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


@dataclass(frozen=True, slots=True)
class Strength:
    """Faults planted in what is derived, one at a time, and those of them that the self-test sees.

    Attributes:
        off: part by which constants were off.
        constants, seen_constants, signs, seen_signs: counts; faults that change no result at any of the candidates
            for states are not among them.
        without: derived functions in which none were planted, since their steps are shared.
    """

    off: float
    constants: int
    seen_constants: int
    signs: int
    seen_signs: int
    without: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What they say."""
        shared = f" None were planted in {', '.join(self.without)}: their steps are shared." if self.without else ""
        return (
            f"Planted one at a time in the derived functions, {self.seen_constants} of {self.constants} constants that "
            f"were off by {100 * self.off:g} % and {self.seen_signs} of {self.signs} turned signs are seen at these "
            f"states. Faults that change no result at any of {CANDIDATES} candidates for states are left out; of more "
            f"than {MOST} in a function some are taken.{shared}"
        )

    def as_manifest(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "planted": self.sentence,
            "off": self.off,
            "constants": {"planted": self.constants, "seen": self.seen_constants},
            "signs": {"planted": self.signs, "seen": self.seen_signs},
            **({"without": list(self.without)} if self.without else {}),
        }


@dataclass(frozen=True, slots=True)
class Frozen:
    """States, and what all functions return there.

    Attributes:
        inputs: by the names of arguments, (states, size), numbers of single precision.
        functions: in the order of the module.
        strength: how many faults were planted in derived functions, and how many are seen.
    """

    inputs: Mapping[str, Array]
    functions: tuple[FrozenFunction, ...]
    strength: Strength


def freeze(description: ModuleDescription, mechanism: Mechanism) -> Frozen:
    """States of a mechanism and the results of its module's functions.

    Of many states those are taken, one after the other, at which most of the planted faults show that did not before.

    Raises:
        DerivationError: the module steps by transfer matrices, whose functions take states of their own, or no state
            was found at which single and double precision agree about statuses.
    """
    if "transfer_matrix" in description.manifest:
        raise DerivationError(
            "stepping code has no self-test: its functions take states that only its own steps make",
            where=description.name,
            remedy="generate another formulation, or check the steps with mbsym verify",
        )
    alike = replace(
        description, tolerances=tuple(_as_on_target(item, description.real) for item in description.tolerances)
    )
    double, single = (_loaded(alike, real) for real in ("double", "float"))
    generator = np.random.default_rng(20)
    states = [_state(description, mechanism, double, single, generator, k) for k in range(CANDIDATES)]
    iterating = {function.name for function in description.runtime}
    functions = [
        _frozen(double.functions[name], single.functions[name], states, generator, iterates=name in iterating)
        for name in double.functions
    ]
    module = lower_module(replace(description, batch=()))
    visible, is_sign = _visible(module, functions, states, description.real)
    kept = _chosen(visible)
    seen = visible[:, kept].any(axis=1)
    strength = Strength(
        off=OFF[description.real],
        constants=int(np.sum(~is_sign)),
        seen_constants=int(np.sum(seen & ~is_sign)),
        signs=int(np.sum(is_sign)),
        seen_signs=int(np.sum(seen & is_sign)),
        without=tuple(function.name for function in module.functions if function.steps),
    )
    return Frozen(
        {name: np.array([states[k][name].ravel() for k in kept]) for name in states[0]},
        tuple(_at(function, kept) for function in functions),
        strength,
    )


def _chosen(visible: Array) -> list[int]:
    """Places of the states to keep: the first one, and then whichever shows most of what no other has shown."""
    kept = [0]
    while len(kept) < MOST_STATES:
        new = visible & ~visible[:, kept].any(axis=1, keepdims=True)
        gains = new.sum(axis=0)
        gains[kept] = -1
        best = int(np.argmax(gains))
        if gains[best] == 0 and len(kept) >= STATES:
            break
        kept.append(best)
    return kept


def _visible(
    module: LoweredModule, functions: Sequence[FrozenFunction], states: Sequence[Mapping[str, Array]], real: Real
) -> tuple[Array, Array]:
    """At which states each planted fault that changes results shows, (faults, states), and whether it is a sign."""
    frozen = {function.name: function for function in functions}
    epsilon = float(np.finfo(np.float32 if real == "float" else np.float64).eps)
    shown, signs = [np.zeros((0, len(states)), dtype=bool)], [np.zeros(0, dtype=bool)]
    parameters = {module.names.parameters[item.name]: float(item.default) for item in module.parameters}
    for function in module.functions:
        if function.body is None or function.steps:
            continue
        own = dict(zip([item.name for item in function.arguments], function.identifiers, strict=True))
        inputs = [item.name for item in function.arguments if item.direction == "in" and item.size]
        values = {own[name]: np.array([state[name].ravel() for state in states]) for name in inputs}
        if not values:
            continue
        faults = with_faults(function.body, values, parameters, OFF[real])
        here = np.zeros((len(faults.is_sign), len(states)), dtype=bool)
        counts = np.zeros(len(faults.is_sign), dtype=bool)
        for result in frozen[function.name].results:
            bound = np.where(result.allowed < 0, np.inf, CERTAIN * epsilon * result.allowed)
            difference = np.abs(faults.wrong[own[result.name]] - faults.right[own[result.name]])
            counts |= (difference > np.where(result.allowed < 0, np.inf, EXACT * result.allowed)).any(axis=(1, 2))
            here |= ((difference > bound) | (np.isnan(difference) & np.isfinite(bound))).any(axis=2)
        if function.guards:
            guarded = function.body.results[-1].identifier
            right, wrong = (judged(function.guards, each[guarded], real) for each in (faults.right, faults.wrong))
            here |= (wrong != right) & (right == np.array(frozen[function.name].statuses))
        counts |= here.any(axis=1)
        shown.append(here[counts])
        signs.append(faults.is_sign[counts])
    return np.concatenate(shown), np.concatenate(signs)


def _at(function: FrozenFunction, kept: Sequence[int]) -> FrozenFunction:
    """The function at some of the states."""
    statuses = None if function.statuses is None else tuple(function.statuses[k] for k in kept)
    results = (replace(item, values=item.values[kept], allowed=item.allowed[kept]) for item in function.results)
    return FrozenFunction(function.name, statuses, tuple(results))


def _as_on_target(tolerance: Tolerance, real: Real) -> Tolerance:
    """The tolerance; both precisions go the way that the target takes, for errors grow otherwise on another."""
    if tolerance.name != REGULAR.name:
        return tolerance
    value = tolerance.of(real)
    return replace(tolerance, double=value, single=value)


def _loaded(description: ModuleDescription, real: Any) -> LoadedModule:
    return numpy_module(*render(replace(description, real=real, batch=()), ("numpy",)))


def _state(
    description: ModuleDescription,
    mechanism: Mechanism,
    double: LoadedModule,
    single: LoadedModule,
    generator: np.random.Generator,
    number: int,
) -> Mapping[str, Array]:
    """A state with closed loops at which all functions return the same statuses in both precisions."""
    items = {item.name: item for function in double.functions.values() for item in function.inputs}
    start = np.array(initial_coordinates(mechanism), dtype=float)
    project = double.functions.get("project_position")
    kind = KINDS[number % len(KINDS)]
    has_loops = bool(mechanism.cut_joints or mechanism.model.constraints)
    project = project if kind.closed else None
    spread = min(each.spread for each in KINDS) if has_loops and not kind.quarters else kind.spread
    for attempt in range(ATTEMPTS):
        moved = generator.uniform(-1, 1, len(start)) * spread * 0.9**attempt
        moved = np.round(moved / QUARTER) * QUARTER if kind.quarters else start + moved
        q = _unit(moved, mechanism.q.quaternions)
        if project is not None:
            found, status = project.with_status(q)
            if int(status) != 0:
                continue
            q = np.asarray(found[0] if isinstance(found, tuple) else found)
        sizes = {name: kind.speed if name == "v" else kind.other for name in items}
        state = {name: generator.uniform(-1, 1, item.shape) * sizes[name] for name, item in items.items()}
        if number // len(KINDS) % 2:
            state = {name: value * (generator.random(value.shape) < SPARSE) for name, value in state.items()}
        state |= {"q": q} | {name: np.ones(()) for name in ("branch",) if name in items}
        state = {name: np.asarray(value, dtype=np.float32).astype(float) for name, value in state.items()}
        uncalled = [function.name for function in description.runtime] if kind.quarters else []
        called = [name for name in double.functions if name not in uncalled]
        if all(_agree(double.functions[name], single.functions[name], state) for name in called):
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


def _called(function: LoadedFunction, state: Mapping[str, Array]) -> tuple[tuple[Array, ...], Array]:
    with np.errstate(all="ignore"):
        found, status = function.with_status(*(state[item.name] for item in function.inputs))
    return found if isinstance(found, tuple) else (found,), np.asarray(status)


def _agree(double: LoadedFunction, single: LoadedFunction, state: Mapping[str, Array]) -> bool:
    results, status = _called(double, state)
    rounded, found = _called(single, state)
    if int(status) != int(found):
        return False
    whole = all(np.all(np.isfinite(array)) for array in (*results, *rounded))
    return whole or int(status) != 0


def _around(state: Mapping[str, Array], generator: np.random.Generator) -> dict[str, Array]:
    """Neighbours of states, one behind the other, numbers of single precision."""
    moved = {
        name: array[None] * (1 + NEARBY * generator.uniform(-1, 1, (NEIGHBOURS, *array.shape)))
        for name, array in state.items()
    }
    return {name: array.astype(np.float32).astype(float) for name, array in moved.items()}


def _frozen(
    double: LoadedFunction,
    single: LoadedFunction,
    states: Sequence[Mapping[str, Array]],
    generator: np.random.Generator,
    *,
    iterates: bool,
) -> FrozenFunction:
    """What a function returns at all states, with allowances from what single precision loses next to them.

    One that iterates is not called where rows depend on each other: rounding decides which of them it takes.
    """
    shapes = {item.name: item.shape for item in double.inputs}
    given = {name: np.array([state[name].reshape(shape) for state in states]) for name, shape in shapes.items()}
    around = _around(given, generator)
    exact, status = _called(double, given)
    near, near_status = _called(double, around)
    rounded, found_status = _called(single, around)
    status = np.broadcast_to(status, (len(states),))
    if iterates and double.statuses:
        uncalled = [KINDS[number % len(KINDS)].quarters for number in range(len(states))]
        status = np.where(uncalled, UNCALLED, status)
    good = status == 0
    counted = np.broadcast_to((near_status == 0) & (found_status == 0), (NEIGHBOURS, len(states)))[..., None]
    results = []
    for place, item in enumerate(double.outputs):
        if item.name in UNCOMPARED or not item.size or not good.any():
            continue
        values = np.broadcast_to(exact[place], (len(states), *item.shape)).reshape(len(states), -1).astype(float)
        allowed = np.zeros(values.shape)
        if item.kind != "int":
            lost = np.broadcast_to(near[place] - rounded[place], (NEIGHBOURS, len(states), *item.shape))
            lost = np.where(counted, lost.reshape(NEIGHBOURS, len(states), -1), 0.0)
            mean = np.sqrt((lost**2).sum(axis=0) / np.maximum(counted.sum(axis=0), 1)) / np.finfo(np.float32).eps
            size = np.abs(values)
            allowed = np.maximum(GROWTH * mean, LEAST * size)
            allowed = np.maximum(allowed, LEAST_OF_ALL * size.max(axis=1, initial=0.0, keepdims=True))
        # Nothing is compared where the function says that it has no result.
        values[~good], allowed[~good] = 0.0, -1.0
        results.append(FrozenResult(item.name, item.kind, values, allowed))
    statuses = tuple(map(int, status)) if double.statuses else None
    return FrozenFunction(double.name, statuses, tuple(results))
