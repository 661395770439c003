"""Small mechanisms that have a state in which something that is divided by vanishes, or that a root does not reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import pi

import mbsym
from mbsym.codegen.statuses import Status
from mbsym.loops.assembly import assemble

BOX = (0.1, 0.2, 0.15, 0, 0, 0)
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


@dataclass(frozen=True)
class Case:
    """A mechanism with coordinates at which each status is due.

    Attributes:
        model: the mechanism.
        states: coordinates by status; those of OK are there, and all are finite.
        regular: functions that can be singular, but are not in the state that has that status: they divide by other
            things, which do not vanish there.
    """

    model: mbsym.Model
    states: Mapping[Status, tuple[float, ...]]
    regular: frozenset[str] = frozenset()


def gimbal() -> Case:
    """A ball joint of three hinges with massless links; where the middle one is at 90 degrees, two axes coincide."""
    names = ("outer", "inner", "body")
    joints = tuple(
        mbsym.Joint(f"hinge_{axis}", "revolute", before, name, axis=AXES[axis])
        for axis, before, name in zip("zyx", ("ground", *names), names, strict=False)
    )
    bodies = (mbsym.Body("outer", 0), mbsym.Body("inner", 0), mbsym.Body("body", 2, (0, 0, 0.3), BOX))
    model = mbsym.Model("gimbal", bodies=bodies, joints=joints)
    return Case(model, {Status.OK: (0.3, 0.2, 0.1), Status.SINGULAR: (0.3, pi / 2, 0.1)})


def driven_gimbal() -> Case:
    """The same with a driven middle hinge: the two that are free coincide where the motion brings them."""
    case = gimbal()
    motion = mbsym.PrescribedMotion("tilt", "hinge_y", "0.2 + t")
    return Case(replace(case.model, name="driven_gimbal", motions=(motion,)), case.states)


def rod_on_a_universal_joint() -> Case:
    """A rod along z without inertia about itself; turned by 90 degrees the first axis of the joint is along it."""
    rod = mbsym.Body("rod", 1, (0, 0, 0.5), ("1/12", "1/12", 0, 0, 0, 0))
    joint = mbsym.Joint("cross", "universal", "ground", "rod", axis=(1, 0, 0), second_axis=(0, 1, 0))
    model = mbsym.Model("rod", bodies=(rod,), joints=(joint,))
    return Case(model, {Status.OK: (0.3, 0.2), Status.SINGULAR: (0.3, pi / 2)})


def mass_on_a_spring() -> Case:
    """A mass in the plane on a spring of half a metre; where it is at its anchor, the spring has no direction."""
    slide = mbsym.Joint("slide", "planar", "ground", "mass", axis=(0, 0, 1))
    spring = mbsym.PointSpringDamper("spring", "ground", "mass", 20, 2, 0.5)
    body = mbsym.Body("mass", 1, (0, 0, 0), BOX)
    model = mbsym.Model("spring", bodies=(body,), joints=(slide,), forces=(spring,))
    return Case(model, {Status.OK: (0.3, 0.2, 0.1), Status.SINGULAR: (0, 0, 0)})


def own_law() -> Case:
    """A slide with a force sqrt(x) / (1 - x), which ends at zero and at one."""
    force = mbsym.JointForce("law", "slide", "sqrt(q_slide) / (1 - q_slide)")
    slide = mbsym.Joint("slide", "prismatic", "ground", "mass", axis=(1, 0, 0))
    body = mbsym.Body("mass", 1, (0, 0, 0), BOX)
    model = mbsym.Model("law", bodies=(body,), joints=(slide,), forces=(force,))
    return Case(model, {Status.OK: (0.5,), Status.SINGULAR: (1,), Status.OUT_OF_REACH: (-0.5,)})


def parallel_cranks(apart: float = 1) -> mbsym.Model:
    """Two cranks and a coupler of one metre; on pivots one metre apart it lies flat where two branches meet."""
    bar = ((0.5, 0, 0), ("1/12", "1/12", "1/12", 0, 0, 0))
    end, pivot = mbsym.Placement((1, 0, 0)), mbsym.Placement((apart, 0, 0))
    return mbsym.Model(
        "cranks",
        bodies=tuple(mbsym.Body(name, 1, *bar) for name in ("left", "right", "coupler")),
        joints=(
            mbsym.Joint("A", "revolute", "ground", "left", actuated=True, initial=("0.7",)),
            mbsym.Joint("B", "revolute", "ground", "right", predecessor_placement=pivot, initial=("0.7",)),
            mbsym.Joint("C", "revolute", "left", "coupler", predecessor_placement=end, initial=("-0.7",)),
            mbsym.Joint("D", "revolute", "coupler", "right", predecessor_placement=end, successor_placement=end),
        ),
    )


def flat_loop() -> Case:
    """Parallel cranks (A, C, D): flat, and folded so that no small motion brings the open ends together."""
    states = {Status.OK: (0.7, -0.7, 0.7), Status.SINGULAR: (0, 0, 0), Status.NOT_CLOSED: (0, 0, pi)}
    return Case(parallel_cranks(), states, regular=frozenset({"assembly_terms"}))


def wide_loop() -> Case:
    """The same on pivots too far apart for a turn of the crank."""
    model = parallel_cranks(2.5)
    return Case(model, {Status.OK: tuple(assemble(model).q), Status.OUT_OF_REACH: (2, 0, 0)})


def crane() -> Case:
    """A mass on two slides that hangs on a rod of one metre; at its anchor the rod has no direction."""
    slides = (
        mbsym.Joint("across", "prismatic", "ground", "bridge", axis=(1, 0, 0), initial=("0.6",)),
        mbsym.Joint("down", "prismatic", "bridge", "mass", axis=(0, 1, 0), initial=("0.8",)),
    )
    bodies = (mbsym.Body("bridge", 1, (0, 0, 0), BOX), mbsym.Body("mass", 1, (0, 0, 0), BOX))
    rod = mbsym.DistanceConstraint("rod", "ground", "mass", 1)
    model = mbsym.Model("crane", bodies=bodies, joints=slides, constraints=(rod,))
    return Case(model, {Status.OK: (0.6, 0.8), Status.SINGULAR: (0, 0), Status.NOT_CLOSED: (0, 0)})


def stretched_arm() -> Case:
    """Three bars in a plane with a tool at their end, which cannot be drawn outward where they are stretched."""
    bodies = tuple(mbsym.Body(f"bar{k}", 1, (0.5, 0, 0), BOX) for k in range(3))
    joints = tuple(
        mbsym.Joint(
            f"hinge{k}",
            "revolute",
            f"bar{k - 1}" if k else "ground",
            f"bar{k}",
            predecessor_placement=mbsym.Placement((1, 0, 0) if k else (0, 0, 0)),
        )
        for k in range(3)
    )
    model = mbsym.Model("arm", bodies=bodies, joints=joints, frames=(mbsym.Frame("tool", "bar2"),))
    return Case(model, {Status.OK: (0.3, 0.7, -0.5), Status.SINGULAR: (0.3, 0, 0)})


CASES = {
    case.__name__: case
    for case in (
        gimbal, driven_gimbal, rod_on_a_universal_joint, mass_on_a_spring, own_law, flat_loop, wide_loop, crane,
        stretched_arm,
    )
}  # fmt: skip
"""By what they are."""
