"""Loops that stay closed while their joints turn and travel without end: one for each way to close a loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Any

import numpy as np

import mbsym
from mbsym.constraints import CONSTRAINTS
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Placement

Array = np.ndarray[Any, Any]

BOX = (0.1, 0.2, 0.15, 0.01, 0.02, -0.01)
START = np.array([0.3, 0.4, 0.5, -0.2])
"""Travel and turn of both carriages."""


@dataclass(frozen=True)
class FarLoop:
    """A mechanism with closed coordinates and the way to others.

    Attributes:
        name: of what closes the loop.
        model: the mechanism.
        q: where the loops are closed.
        turns: change of q for one turn, after which they are closed again.
        travels: change of q for one metre.
    """

    name: str
    model: mbsym.Model
    q: Array
    turns: Array
    travels: Array

    def at(self, turns: int, metres: float) -> Array:
        """Coordinates so many turns and metres away."""
        return self.q + turns * self.turns + metres * self.travels


def carriages() -> tuple[tuple[mbsym.Body, ...], tuple[mbsym.Joint, ...]]:
    """Two carriages on rails along x, each with a disc that turns about z."""
    bodies = tuple(mbsym.Body(f"{kind}_{side}", 1, (0.1, 0.05, 0.02), BOX) for side in "ab" for kind in ("car", "disc"))
    joints = []
    for side, place in (("a", (0.0, 0.0, 0.0)), ("b", (0.4, 0.7, 0.1))):
        joints.append(
            mbsym.Joint(
                f"rail_{side}", "prismatic", "ground", f"car_{side}", axis=(1, 0, 0),
                predecessor_placement=Placement(place), cut="tree",
            )
        )  # fmt: skip
        joints.append(mbsym.Joint(f"pivot_{side}", "revolute", f"car_{side}", f"disc_{side}", cut="tree"))
    return bodies, tuple(joints)


def far_loops() -> Iterator[FarLoop]:
    """For each type of joint that closes loops, each closure constraint, and a coupling in a loop."""
    bodies, joints = carriages()
    turn, travel = 2 * pi * np.array([0, 1, 0, 1]), np.array([1.0, 0, 1, 0])
    initial = dict(zip((joint.name for joint in joints), START, strict=True))
    joints = tuple(_with_initial(joint, initial[joint.name]) for joint in joints)
    # The second disc as seen from the first.
    shift, angle = np.array([0.4 + START[2] - START[0], 0.7]), START[3] - START[1]
    c, s = cos(START[1]), sin(START[1])
    seen = Placement((c * shift[0] + s * shift[1], c * shift[1] - s * shift[0], 0.1), (("z", angle),))
    for name, kind in JOINT_TYPES.items():
        if kind.is_unbound:
            continue
        numbers = {number.name: 0.05 for number in kind.numbers}
        lock = mbsym.Joint(
            "lock", name, "disc_a", "disc_b", axis=(0, 0, 1), predecessor_placement=seen, cut="cut", numbers=numbers
        )
        yield FarLoop(name, mbsym.Model(f"far_{name}", bodies=bodies, joints=(*joints, lock)), START, turn, travel)
    gap = float(np.linalg.norm((*shift, 0.1)))
    direction = (seen.translation[0], seen.translation[1], seen.translation[2])
    closures = {
        "distance": (mbsym.DistanceConstraint("rod", "disc_a", "disc_b", gap),),
        "point_on_line": (mbsym.PointOnLineConstraint("slot", "disc_a", "disc_b", line_direction=direction),),
        "gear": (
            mbsym.GearConstraint("wheels", "pivot_a", "pivot_b", -2.5, START[1] + 2.5 * START[3]),
            mbsym.GearConstraint("belt", "rail_a", "rail_b", 3, START[0] - 3 * START[2]),
        ),
        "linear_coupling": (
            mbsym.LinearCoupling(
                "tendon", ("pivot_a", "pivot_b", "rail_a", "rail_b"), (0.7, -0.3, 2, -1.4),
                0.7 * START[1] - 0.3 * START[3] + 2 * START[0] - 1.4 * START[2],
            ),
        ),
        "expression": (mbsym.ExpressionConstraint("held", f"distance(disc_a, disc_b) - {gap!r}"),),
        "rolling": (
            mbsym.RollingConstraint(
                "wheel", "disc_b", "disc_a", float(np.linalg.norm(shift)), axis=(0, 0, 1),
                normal=(direction[0], direction[1], 0),
            ),
        ),
    }  # fmt: skip
    # What holds speeds closes nothing.
    assert closures.keys() == CONSTRAINTS.keys() - {"velocity"}
    ways = {
        "gear": (2 * pi * np.array([0, -2.5, 0, 1]), np.array([1.0, 0, 1 / 3, 0])),
        "linear_coupling": (2 * pi * np.array([0, 3, 0, 7]), np.array([1.0, 0, 2 / 1.4, 0])),
    }
    for name, constraints in closures.items():
        model = mbsym.Model(f"far_{name}", bodies=bodies, joints=joints, constraints=constraints)
        yield FarLoop(name, model, START, *ways.get(name, (turn, travel)))
    lock = mbsym.Joint("lock", "planar", "disc_a", "disc_b", predecessor_placement=seen, cut="cut")
    offset = START[3] - 2 * START[1]
    coupled = mbsym.Model(
        "far_coupled",
        bodies=bodies,
        joints=(*(_with_initial(joint, 0) if joint.name == "pivot_b" else joint for joint in joints), lock),
        constraints=(mbsym.DistanceConstraint("rod", "disc_a", "disc_b", gap),),
        couplings=(mbsym.Coupling("pivot_b", "pivot_a", 2, offset),),
    )
    yield FarLoop("coupled", coupled, START[:3], turn[:3], travel[:3])


def _with_initial(joint: mbsym.Joint, value: float) -> mbsym.Joint:
    return replace(joint, initial=(float(value),) if value else ())


@dataclass(frozen=True)
class Judged:
    """Loops closed far away beside the same loops closed near the start.

    Attributes:
        open: states that were not closed.
        gap: largest residual that is left, in epsilon of the largest coordinate [m, rad].
        apart: largest difference of coordinates from those near the start, likewise.
        steps: most Newton steps.
    """

    open: int
    gap: float
    apart: float
    steps: int


def judged(loop: FarLoop, report: Any, epsilon: float, turns: int, metres: float, states: int = 12) -> Judged:
    """What ``project_position_report`` makes of loops that are opened a little, here and far away.

    Args:
        loop: the mechanism.
        report: the function for many states, which gives results and statuses.
        epsilon: distance from 1 to the next number of the type.
        turns, metres: even numbers of turns, and how far away.
        states: how many.
    """
    kind = np.float32 if epsilon > 1e-10 else np.float64
    opened = loop.q + np.random.default_rng(3).uniform(-1e-3, 1e-3, (states, len(loop.q)))
    there = loop.at(turns, metres) - loop.q
    (near, _, _), before = report(opened.astype(kind))
    (far, gap, steps), after = report((opened + there).astype(kind))
    unit = epsilon * np.abs(far).max()
    failed = int(np.count_nonzero(before) + np.count_nonzero(after))
    apart = np.abs(far.astype(float) - near - there).max()
    return Judged(failed, float(np.max(gap) / unit), float(apart / unit), int(np.max(steps)))
