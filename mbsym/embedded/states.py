"""States for self-tests: near and far, slow and fast, sparse, at whole quarters of a turn, loops closed or open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.codegen.load import LoadedFunction, LoadedModule
from mbsym.doors import Array
from mbsym.errors import DerivationError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism

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
"""Chance of an entry not to be zero, but for coordinates, in half of the states: what one body adds to an energy
would otherwise drown in what all others do."""

DECADES: Final = (-1, 3)
"""In every other round each argument is larger or smaller by such a power of ten, for what only shows beside a small
other one."""


NEIGHBOURS: Final = 24
NEARBY: Final = 2.0**-18
"""How far from a state its neighbours are, relative: the rounding is another there, and how it grows is not."""


@dataclass(frozen=True, slots=True)
class State:
    """Arguments of all functions.

    Attributes:
        values: by name, numbers of single precision.
        quarters: coordinates are whole quarters of a turn.
        unsure: and functions with fixed text have other statuses or ranks next to the state.
    """

    values: Mapping[str, Array]
    quarters: bool = False
    unsure: bool = False


class Drawing:
    """Draws states with closed loops at which all functions return the same statuses in both precisions."""

    def __init__(
        self, mechanism: Mechanism, double: LoadedModule, single: LoadedModule, fixed: Mapping[str, bool]
    ) -> None:
        """Nothing is drawn yet.

        Args:
            mechanism: whose states they are.
            double, single: its functions.
            fixed: those with fixed text, which need not agree at quarters of a turn, and whether they iterate.
        """
        self._generator = np.random.default_rng(20)
        self._items = {item.name: item for function in double.functions.values() for item in function.inputs}
        self._start = np.array(initial_coordinates(mechanism), dtype=float)
        self._quaternions = mechanism.q.quaternions
        self._has_loops = bool(mechanism.cut_joints or mechanism.model.constraints)
        self._project = double.functions.get("project_position")
        self._pairs = {name: (double.functions[name], single.functions[name]) for name in double.functions}
        self._fixed = fixed
        self._name = mechanism.model.name

    def state(self, number: int, *, scaled: bool) -> State:
        """The state of a number, which says its kind.

        Raises:
            DerivationError: none was found.
        """
        kind = KINDS[number % len(KINDS)]
        left = self._fixed if kind.quarters else ()
        called = [pair for name, pair in self._pairs.items() if name not in left]
        for q in self._positions(kind):
            drawn = self._arguments(kind, scaled=scaled)
            if number // len(KINDS) % 2:
                drawn = {name: value * (self._generator.random(value.shape) < SPARSE) for name, value in drawn.items()}
            drawn |= {"q": q} | {name: np.ones(()) for name in ("branch",) if name in self._items}
            values = {name: np.asarray(value, dtype=np.float32).astype(float) for name, value in drawn.items()}
            if all(agree(*pair, values) for pair in called):
                return State(values, kind.quarters, kind.quarters and not self._is_sure(values))
        raise DerivationError(
            f"no state was found in {ATTEMPTS} trials at which single and double precision agree about statuses",
            where=self._name,
            remedy="give joints initial coordinates away from singular positions",
        )

    def _is_sure(self, values: Mapping[str, Array]) -> bool:
        """Whether what does not iterate has the same statuses and ranks, in both precisions, next to a state."""
        given = {name: array[None] for name, array in values.items()}
        around = neighbours(given, self._generator)
        telling = False
        for name in (name for name, iterates in self._fixed.items() if not iterates):
            double, single = self._pairs[name]
            results, status = called(double, given)
            for found, statuses in (called(double, around), called(single, around), called(single, given)):
                ranks = [
                    (a, b) for item, a, b in zip(double.outputs, results, found, strict=True) if item.kind == "int"
                ]
                if not (statuses == status).all() or not all((a == b).all() for a, b in ranks):
                    return False
                telling |= bool(ranks)
        return telling

    def _arguments(self, kind: Kind, *, scaled: bool) -> dict[str, Array]:
        """All of them, coordinates included."""
        found = {}
        for name, item in self._items.items():
            decade = 10.0 ** self._generator.integers(*DECADES) if scaled else 1.0
            size = kind.speed if name == "v" else kind.other
            found[name] = self._generator.uniform(-1, 1, item.shape) * size * decade
        return found

    def _positions(self, kind: Kind) -> Iterator[Array]:
        """Ever nearer to the initial one."""
        spread = min(each.spread for each in KINDS) if self._has_loops and not kind.quarters else kind.spread
        for attempt in range(ATTEMPTS):
            moved = self._generator.uniform(-1, 1, len(self._start)) * spread * 0.9**attempt
            q = np.round(moved / QUARTER) * QUARTER if kind.quarters else self._start + moved
            for start in self._quaternions:
                quaternion = q[start : start + 4]
                # Quarters may all be zero, which is no orientation.
                q[start : start + 4] = quaternion / np.linalg.norm(quaternion) if quaternion.any() else (1, 0, 0, 0)
            if self._project is None or not kind.closed:
                yield q
                continue
            found, status = self._project.with_status(q)
            if int(status) == 0:
                yield np.asarray(found[0] if isinstance(found, tuple) else found)


def called(function: LoadedFunction, values: Mapping[str, Array]) -> tuple[tuple[Array, ...], Array]:
    """Results and statuses of a function."""
    with np.errstate(all="ignore"):
        found, status = function.with_status(*(values[item.name] for item in function.inputs))
    return found if isinstance(found, tuple) else (found,), np.asarray(status)


def neighbours(state: Mapping[str, Array], generator: np.random.Generator) -> dict[str, Array]:
    """Neighbours of states, one behind the other, numbers of single precision."""
    moved = {
        name: array[None] * (1 + NEARBY * generator.uniform(-1, 1, (NEIGHBOURS, *array.shape)))
        for name, array in state.items()
    }
    return {name: array.astype(np.float32).astype(float) for name, array in moved.items()}


def agree(double: LoadedFunction, single: LoadedFunction, values: Mapping[str, Array]) -> bool:
    results, status = called(double, values)
    rounded, found = called(single, values)
    if int(status) != int(found):
        return False
    whole = all(np.all(np.isfinite(array)) for array in (*results, *rounded))
    return whole or int(status) != 0
