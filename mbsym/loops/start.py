"""From where loops are closed: all initial values that a model gives count, those of joints that are cut as well.

A coordinate of the tree stands in q and can be held there. A joint that is cut has none, so that its initial value is
held as if the joint were rigid where that value puts it. If the loops do not close with all that is held, the nearest
configuration found without it is taken, and how far apart what was given is is told. Beams are straight where loops can
close with straight beams, which comes before what was given: beams bent by rounded initial values would vibrate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.joints.closure_rows import ClosureGap
from mbsym.joints.fixed import FIXED
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.mechanism import CutJoint, Mechanism
from mbsym.kinematics.placement import scalars
from mbsym.loops.closing import Closing, close, close_from_anywhere, closing_problem, largest
from mbsym.loops.closure_row import Closure, ClosureRow
from mbsym.loops.constraints import closure_of
from mbsym.loops.motion import loop_motion
from mbsym.model.beam_parts import parts_of
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.values.numbers import evaluate, parameter_values

_RESTARTS: Final = 12
"""Places from which the loops are closed with all given values held, fewer than without: there may be no such
configuration."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Initial values that do not fit together.

    Attributes:
        joints: whose values they are, in the model's order.
        gap: the smallest found with all of them.
        row: where it is widest.
        beams: whether beams were to be straight.
    """

    joints: tuple[str, ...]
    gap: float
    row: ClosureRow
    beams: bool = False

    @property
    def sentence(self) -> str:
        """What is told of it."""
        return (
            f"the initial values of {', '.join(self.joints)} do not fit together"
            f"{' with straight beams' if self.beams else ''}: with all of them the smallest gap "
            f"found is {self.gap:.3g} {self.row.unit} ({self.row.closure}, {self.row.quantity})"
        )


@dataclass(frozen=True, slots=True)
class Start:
    """Closed loops near what was given.

    Attributes:
        closing: where closing ended.
        contradiction: of initial values, None where all of them hold.
    """

    closing: Closing
    contradiction: Contradiction | None


def given_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Joints of which the model gives initial values, in its order."""
    return tuple(joint.name for joint in mechanism.model.joints if joint.initial)


def close_near(
    mechanism: Mechanism,
    found: Sequence[Closure],
    guess: Array,
    wanted: Sequence[str],
    held: Sequence[int] = (),
) -> Start:
    """Closes the loops with the given values held if they fit together, else from the nearest place that was found.

    Args:
        mechanism: of any tree and loops.
        found: its closure equations, not none.
        guess: coordinates to start from (nq,), given values among them.
        wanted: joints whose values in the guess or, where they are cut, whose initial values are given.
        held: speeds whose coordinates stay in any case, besides those whose positions motions prescribe.
    """
    held = sorted({*held, *(each.column for each in driven_speeds(mechanism) if each.coordinate is not None)})
    straight = _straight_beams(mechanism, guess, {*wanted}, {*held})
    if straight:
        found_straight = _close_near(mechanism, found, guess, wanted, [*held, *straight])
        if found_straight.closing.closed:
            told = found_straight.contradiction
            return found_straight if told is None else replace(found_straight, contradiction=replace(told, beams=True))
    return _close_near(mechanism, found, guess, wanted, held)


def _straight_beams(mechanism: Mechanism, guess: Array, wanted: set[str], held: set[int]) -> list[int]:
    """Speeds along which beams bend that the guess has straight, but for beams of which anything is given."""
    columns: list[int] = []
    for beam in mechanism.model.beams:
        inside = {joint.name for joint in parts_of(beam).joints} - {*beam.ends}
        own = [body for body in mechanism.bodies if body.joint.name in inside]
        moving = {column for body in own for column in range(*body.v_range)}
        bent = any(np.any(guess[slice(*body.q_range)]) for body in own)
        if not bent and not inside & wanted and not moving & held:
            columns += sorted(moving)
    return columns


def _close_near(
    mechanism: Mechanism, found: Sequence[Closure], guess: Array, wanted: Sequence[str], held: Sequence[int]
) -> Start:
    """As ``close_near``, whatever bends."""
    problem = closing_problem(mechanism, found)
    rigid = held_cuts(mechanism, wanted)
    kept = {column for body in mechanism.bodies if body.joint.name in wanted for column in range(*body.v_range)}
    if not rigid and kept <= set(held):
        return Start(close_from_anywhere(problem, guess, held), None)
    every = (*found, *rigid)
    both = closing_problem(mechanism, every) if rigid else problem
    tried = close_from_anywhere(both, guess, sorted({*held, *kept}), _RESTARTS)
    if tried.closed:
        # What is held may be off by what counts as closed.
        return Start(close(problem, tried.q, held), None)
    near = close(both, tried.q, held) if rigid else tried
    rows = [row for closure in every for row in closure.rows]
    worst = max(range(len(rows)), key=lambda k: abs(float(tried.residual[k])))
    names = tuple(joint.name for joint in mechanism.model.joints if joint.name in wanted)
    told = Contradiction(names, tried.gap, rows[worst])
    return Start(close_from_anywhere(problem, near.q, held), told)


def held_cuts(mechanism: Mechanism, names: Sequence[str]) -> tuple[Closure, ...]:
    """Closure equations that hold cut joints of those names where their initial values put them."""
    return tuple(
        _rigid(mechanism, cut) for cut in mechanism.cut_joints if cut.joint.name in names and cut.joint.initial
    )


def off_initial(closure: Closure, residual: Array) -> tuple[float, str]:
    """How far a cut joint is from its initial value, by the residuals of its rows of ``held_cuts``, and the unit."""
    angle = 2.0 * float(np.arctan(float(np.linalg.norm(residual[:3])) / 2.0))
    distance = largest(residual[3:])
    return (angle, closure.rows[0].unit) if angle >= distance else (distance, closure.rows[3].unit)


def _rigid(mechanism: Mechanism, cut: CutJoint) -> Closure:
    joint, graph = cut.joint, mechanism.graph
    known = parameter_values(mechanism.model)
    values = [evaluate(value, known) for value in joint.initial]
    start = joint.kind.quaternion
    if start is not None:
        length = sum(value * value for value in values[start : start + 4]) ** 0.5
        values[start : start + 4] = [value / length for value in values[start : start + 4]]
    rest = (Scalar(graph, 0),) * joint.shape.nv
    numbers = scalars(joint.values, graph, mechanism.names)
    motion = joint.kind.motion(graph, tuple(constant(graph, value) for value in values), rest, numbers)
    frame = cut.predecessor_frame.then(motion.placement)
    moved = loop_motion(mechanism, cut.successor, cut.successor_frame, cut.predecessor, frame, at_end=True)
    gap = ClosureGap(moved.placement.rotation.matrix(), moved.placement.translation, moved.twist, numbers)
    name = f"joint {joint.name} at its initial value"
    return closure_of(mechanism, name, FIXED.name, FIXED.closure_rows(gap), moved)
