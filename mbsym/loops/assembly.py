"""Assembly: a consistent configuration and consistent speeds from a guess that need not be near.

Damped Newton steps from the guess come first, then from places ever farther from it, so that the nearest configuration
is found first. Coordinates can be held; the model's initial values are held where they fit together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array, one_thread
from mbsym.errors import SimulationError
from mbsym.kinematics.initial_coordinates import initial_coordinates, normalised
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.closing import close_from_anywhere, closing_problem, largest, still_open
from mbsym.loops.constraints import closures
from mbsym.loops.looped_system import LoopedSystem
from mbsym.loops.start import Contradiction, close_near, given_joints, held_cuts, off_initial
from mbsym.loops.tolerances import CLOSED, DEPENDENT
from mbsym.model.names import expression_names
from mbsym.model.own_units import length_unit
from mbsym.model.system import Model
from mbsym.symbolic.differentiate import gradient

MOST_MOVED: Final = 8
"""Joints that are named where the assembly moved them."""


@dataclass(frozen=True, slots=True)
class MovedJoint:
    """A joint that closing the loops has moved.

    Attributes:
        joint: its name.
        by: largest change of a coordinate; of a cut joint, the angle or distance from its initial value.
        unit: of that change.
        given: True where its value was given.
    """

    joint: str
    by: float
    unit: str
    given: bool


@dataclass(frozen=True, slots=True, repr=False)
class Assembly:
    """A configuration with closed loops.

    Attributes:
        q: coordinates (nq,).
        gap: largest closure residual that remains [m, rad].
        moved: largest change of a coordinate of the guess.
        iterations: Newton steps taken.
        joints: those that were moved, where the joints are known: first those whose values were given.
        contradiction: what does not fit together in what was given, None if nothing.
        speeds: names, values and units of speeds that nobody gave, that could be others, and that are not zero.
    """

    q: Array
    gap: float
    moved: float
    iterations: int
    joints: tuple[MovedJoint, ...] = ()
    contradiction: Contradiction | None = None
    speeds: tuple[tuple[str, float, str], ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was moved from where it was given, and which speeds were chosen; nothing where the loops were closed."""
        found = []
        if self.joints:
            found += [] if self.contradiction is None else [self.contradiction.sentence]
            moved = [f"{item.joint} by {item.by:.3g} {item.unit}".rstrip() for item in self.joints]
            found.append(f"closing the loops moved {_first_of(moved)}")
        if self.speeds:
            told = [f"{name} = {value:.3g} {unit}" for name, value, unit in self.speeds]
            found.append(f"speeds that nothing gives, as near to zero as the loops allow: {_first_of(told)}")
        return tuple(found)

    def __repr__(self) -> str:
        return f"<Assembly: gap {self.gap:.1e}, {len(self.joints)} joints moved, {self.iterations} iterations>"


def _first_of(told: list[str]) -> str:
    rest = f" and {len(told) - MOST_MOVED} more" if len(told) > MOST_MOVED else ""
    return f"{', '.join(told[:MOST_MOVED])}{rest}"


@one_thread()
def assemble(
    source: Model | Mechanism,
    q_guess: Array | Sequence[float] | None = None,
    *,
    fixed: Sequence[str] = (),
    wanted: Sequence[str] | None = None,
) -> Assembly:
    """Finds a configuration in which all loops are closed.

    Args:
        source: a model or its mechanism.
        q_guess: where to start (nq,), default the model's initial coordinates.
        fixed: names of joints whose coordinates stay as they are, or of coordinates; where speeds are no rates, what
            moves a coordinate stays.
        wanted: names of joints whose coordinates in the guess, or where they are cut, whose initial values stay as they
            are if they fit together; default all of which the model gives initial values, none where a guess is given.

    Raises:
        SimulationError: the guess has the wrong size, a name is unknown, or the loops cannot be closed; the error names
            the loop with the widest gap and says how wide it is.
    """
    mechanism = build_mechanism(source, source.label()) if isinstance(source, Model) else source
    guess = _guess(mechanism, q_guess)
    found = closures(mechanism)
    if not any(closure.rows for closure in found):
        return Assembly(guess, 0.0, 0.0, 0)
    held = _held(mechanism, fixed)
    if wanted is None:
        wanted = given_joints(mechanism) if q_guess is None else ()
    start = close_near(mechanism, found, guess, (*fixed, *wanted), held)
    done = start.closing
    if not done.closed:
        remedy = "check the lengths and placements around that loop, or give a better guess"
        if held and close_from_anywhere(closing_problem(mechanism, found), done.q).closed:
            remedy = f"it closes if {', '.join(fixed)} may move: hold other coordinates, or give them other values"
        raise SimulationError(still_open(found, done), where=mechanism.model.name, remedy=remedy)
    moved = _moved(mechanism, guess, done.q, wanted)
    return Assembly(
        done.q, done.gap, float(np.max(np.abs(done.q - guess))), done.iterations, moved, start.contradiction
    )


@dataclass(frozen=True, slots=True)
class ConsistentSpeeds:
    """Speeds that keep the loops closed.

    Attributes:
        v: (nv,).
        chosen: columns of those that were not given, are not zero, and could have other values.
    """

    v: Array
    chosen: tuple[int, ...]


def consistent_velocity(
    mechanism: Mechanism, system: LoopedSystem, q: Array, speeds: Mapping[str, float]
) -> ConsistentSpeeds:
    """Speeds that keep the loops closed at q, those of the given names as they are given.

    Of several, those nearest to zero, in lengths of the mechanism's own size; so what no loop moves stands still.

    Raises:
        SimulationError: the given speeds contradict the closed loops.
    """
    names = mechanism.speed_names
    v = np.zeros(system.nv)
    for name, value in speeds.items():
        v[names.index(name)] = value
    free = np.array([name not in speeds for name in names])
    units = [unit for body in mechanism.bodies_by_coordinates for unit in body.joint.shape.speed_units]
    length = length_unit(mechanism.model)
    lengths = np.array([length if unit == "m/s" else 1.0 for unit in units])
    rows = system.closure_rows(q) * lengths
    asked = rows @ (v / lengths)
    inverse = np.linalg.pinv(rows[:, free], rcond=DEPENDENT.double)
    found = -inverse @ asked
    v[free] = lengths[free] * found
    missing, fastest = largest(rows @ (v / lengths)), largest(v / lengths)
    if missing > CLOSED * largest(rows) * fastest:
        raise SimulationError(
            f"the given speeds of {', '.join(speeds)} contradict the closed loops by {missing:.3g}",
            where=mechanism.model.name,
            remedy="give fewer of them, and the others are made to fit",
        )
    settled = np.zeros(system.nv)
    settled[free] = np.einsum("ij,ji->i", inverse, rows[:, free])
    could_differ = free & (settled < 1.0 - CLOSED) & (np.abs(v / lengths) > CLOSED * fastest)
    return ConsistentSpeeds(v, tuple(np.flatnonzero(could_differ).tolist()))


def _guess(mechanism: Mechanism, given: Array | Sequence[float] | None) -> Array:
    if given is None:
        return initial_coordinates(mechanism)
    guess = np.array(given, dtype=float)
    if guess.shape != (mechanism.nq,):
        raise SimulationError(
            f"the guess has the shape {guess.shape}",
            where=mechanism.model.name,
            remedy=f"give {mechanism.nq} coordinates",
        )
    if not np.all(np.isfinite(guess)):
        raise SimulationError(
            "the guess holds infinite or missing numbers", where=mechanism.model.name, remedy="give finite ones"
        )
    return normalised(guess, mechanism.q.quaternions)


def _held(mechanism: Mechanism, fixed: Sequence[str]) -> tuple[int, ...]:
    bodies = {body.joint.name: body for body in mechanism.bodies}
    moving = _columns_by_coordinate(mechanism) if fixed else {}
    held: list[int] = []
    for name in fixed:
        if name in moving:
            held.extend(moving[name])
            continue
        if name not in bodies:
            cut = any(item.joint.name == name for item in mechanism.cut_joints)
            raise SimulationError(
                f"joint {name} is cut, so it has no coordinates" if cut else f"there is no joint {name!r}",
                where=mechanism.model.name,
                remedy=f"keep joint {name} in the tree (cut: tree)" if cut else f"known: {', '.join(bodies)}",
            )
        held.extend(column for column, _ in mechanism.speed_of[bodies[name].label - 1])
    return tuple(sorted(set(held)))


def _columns_by_coordinate(mechanism: Mechanism) -> dict[str, list[int]]:
    """The columns of v on which the rate of each coordinate depends."""
    table, graph = expression_names(mechanism.model).coordinates, mechanism.graph
    found = {}
    for body in mechanism.bodies_by_coordinates:
        for name, rate in zip(table[body.joint.name], body.motion.position_rate, strict=True):
            slopes = gradient(graph, rate.ref, [x.ref for x in body.v])
            found[name] = [column for column, slope in zip(range(*body.v_range), slopes, strict=True) if slope]
    return found


def _moved(mechanism: Mechanism, guess: Array, q: Array, wanted: Sequence[str]) -> tuple[MovedJoint, ...]:
    """The joints that closing has moved by more than counts as closed."""
    found: list[MovedJoint] = []
    for body in mechanism.bodies:
        start, stop = body.q_range
        change = np.abs(q[start:stop] - guess[start:stop])
        if len(change):
            k = int(np.argmax(change))
            unit = body.joint.shape.coordinate_units[k]
            found.append(MovedJoint(body.joint.name, float(change[k]), unit, body.joint.name in wanted))
    rigid = held_cuts(mechanism, wanted)
    names = [cut.joint.name for cut in mechanism.cut_joints if cut.joint.name in wanted]
    if rigid:
        problem = closing_problem(mechanism, rigid)
        residual = (problem.gap(q)[0] * problem.rows).reshape(-1, 6)
        for name, closure, gaps in zip(names, rigid, residual, strict=True):
            found.append(MovedJoint(name, *off_initial(closure, gaps), True))
    length = length_unit(mechanism.model)
    far = (item for item in found if item.by > CLOSED * (length if item.unit == "m" else 1.0))
    return tuple(sorted(far, key=lambda item: not item.given))
