"""Constraints that depend on time: against motions that say the same, closed forms, and numbers of other languages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym.constraints import ExpressionConstraint, VelocityConstraint
from mbsym.errors import AnalysisError, DerivationError, SimulationError
from mbsym.model.body import Body, Placement
from mbsym.model.clock import CLOCK, needs_clock, with_clock
from mbsym.model.frame import Frame
from mbsym.model.joint import Joint
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.pipeline import read
from mbsym.reference import Reference
from mbsym.simulation.equations import Equations, prepare
from mbsym.simulation.options import Accuracy, Preparation
from mbsym.values.parameter import Parameter
from mbsym.values.table import Table
from mbsym.visualisation.skeleton import skeleton
from mechanisms.mechanism import mechanism_of

PLAIN = Preparation(language="numpy")
FINE = Accuracy(rtol=1e-10, atol=1e-12)

SHAKEN = Model(
    "shaken",
    bodies=(Body("pivot", 0.7), Body("rod", 0.2, (0, 0, -0.3), (1e-3, 1e-3, 0, 0, 0, 0))),
    joints=(
        Joint("shake", "prismatic", "ground", "pivot", axis="x"),
        Joint("swing", "revolute", "pivot", "rod", axis="y"),
    ),
    parameters=(Parameter("a", "0.05", "m", symbolic=True), Parameter("w", 3, "rad/s")),
)
"""A pendulum whose pivot slides."""

BY_MOTION = replace(SHAKEN, name="by_motion", motions=(PrescribedMotion("shaker", "shake", "a*cos(w*t)"),))
BY_PLACE = replace(SHAKEN, name="by_place", constraints=(ExpressionConstraint("at", "position(pivot).x - a*cos(w*t)"),))
BY_SPEED = replace(SHAKEN, name="by_speed", constraints=(VelocityConstraint("at", "velocity(pivot).x + a*w*sin(w*t)"),))

PUCK = Model(
    "puck",
    bodies=(Body("slide"), Body("puck", 2, inertia=(0, 0, "0.1", 0, 0, 0))),
    joints=(
        Joint("x", "prismatic", "ground", "slide", axis="x"),
        Joint("y", "prismatic", "slide", "puck", axis="y"),
    ),
    gravity=(0, 0, 0),
)
"""A point in a plane."""

ARM = Model(
    "arm",
    bodies=(
        Body("upper", 2, (0.4, 0, 0), (0.01, 0.03, 0.03, 0, 0, 0)),
        Body("lower", 1, (0.3, 0, 0), (0, 0.02, 0.02, 0, 0, 0)),
    ),
    joints=(
        Joint("A", "revolute", "ground", "upper", axis="y", initial=(-0.9,)),
        Joint("B", "revolute", "upper", "lower", predecessor_placement=(0.8, 0, 0), axis="y", initial=(1.2,)),
    ),
    frames=(Frame("tip", "lower", Placement((0.6, 0, 0))),),
)  # fmt: skip
"""Two links in a plane."""


@cache
def equations(model: Model, language: str = "numpy") -> Equations:
    return prepare(read(model), Preparation(language=language))


def with_time(values: object, last: float) -> np.ndarray:
    """What is of the clock stands behind all else."""
    return np.append(values, last)


@pytest.mark.parametrize("held", [BY_PLACE, BY_SPEED], ids=lambda model: model.name)
def test_accelerations_forces_and_power_are_those_of_a_motion(held: Model) -> None:
    own, other = (equations(model).module.functions for model in (held, BY_MOTION))
    rng = np.random.default_rng(3)
    for t, angle, spin, torque in rng.uniform(-1, 1, (4, 4)):
        q, v = np.array([0.05 * np.cos(3 * t), angle]), np.array([-0.15 * np.sin(3 * t), spin])
        tau = np.array([0.0, torque])
        state, at = (q, v, tau, t, []), (with_time(q, t), with_time(v, 1), with_time(tau, 0), t, [])
        expected, force = other["forward_dynamics"](*state), other["driving_forces"](*state)[0]
        vdot, multipliers = own["constrained_dynamics"](*at)
        np.testing.assert_allclose(vdot, with_time(expected, 0), atol=1e-13)
        np.testing.assert_allclose(multipliers, [force], rtol=1e-12)
        np.testing.assert_allclose(own["driving_forces"](*at), [0, 0, force * v[0]], atol=1e-13)


def test_the_linear_system_is_that_of_a_motion() -> None:
    own, other = (mbsym.linearise(model, {"q_swing": 0.2, "v_swing": 0.4}) for model in (BY_PLACE, BY_MOTION))
    np.testing.assert_allclose(own.A, other.A, rtol=1e-12, atol=1e-12)
    with pytest.raises(AnalysisError, match="a constraint depends on time or gives a speed: nothing rests"):
        mbsym.equilibrium(BY_PLACE)


def test_a_bead_on_a_turning_wire() -> None:
    """r'' = w^2 r, so that r = cosh(w t); the wire pushes with 2 m w r' and does the work that the bead gains."""
    wire = ExpressionConstraint("wire", "position(puck).y*cos(w*t) - position(puck).x*sin(w*t)")
    model = replace(PUCK, constraints=(wire,), parameters=(Parameter("w", 1.5, "rad/s", symbolic=True),))
    start = {"q_x": 1.0, "v_x": 0.0}
    motion = mbsym.simulate(equations(model), 1.0, initial=start, output_step=0.25, accuracy=FINE)
    t, r = motion.t, np.cosh(1.5 * motion.t)
    # Errors of steps are those that are asked for, times a growth of cosh.
    np.testing.assert_allclose(motion.q, np.stack([r * np.cos(1.5 * t), r * np.sin(1.5 * t), t], axis=1), atol=1e-8)
    rate = 1.5 * np.sinh(1.5 * t)
    pushes = [
        motion.equations.module.functions["constrained_dynamics"](q, v, np.zeros(3), at, [])[1][0]
        for q, v, at in zip(motion.q, motion.v, t, strict=True)
    ]
    np.testing.assert_allclose(pushes, 2 * 2 * 1.5 * rate, atol=1e-6)
    gained = (rate**2 + (1.5 * r) ** 2) - 1.5**2
    np.testing.assert_allclose(motion.monitors.work, gained, atol=1e-6)
    assert abs(motion.monitors.energy_drift).max() < 1e-6
    assert motion.y.shape == (5, 0), "the clock is no output"


def test_a_blade_that_is_steered_and_a_speed_that_is_given() -> None:
    """A blade along (cos t, sin t) keeps its speed s: x = s sin t, y = s (1 - cos t). A belt at 3 t^2 moves t^3."""
    blade = VelocityConstraint("blade", "velocity(puck).x*sin(t) - velocity(puck).y*cos(t)")
    start = {"v_x": 0.4}
    motion = mbsym.simulate(replace(PUCK, constraints=(blade,)), 2.0, initial=start, preparation=PLAIN, output_step=0.5)
    t = motion.t
    np.testing.assert_allclose(motion.q[:, 0], 0.4 * np.sin(t), atol=1e-6)
    np.testing.assert_allclose(motion.q[:, 1], 0.4 * (1 - np.cos(t)), atol=1e-6)
    assert abs(motion.monitors.work).max() < 1e-9, "it acts across its way"
    belt = VelocityConstraint("belt", "3*(v_x + v_y) - 9*t**2 if t > -1 else v_x - v_y")
    motion = mbsym.simulate(replace(PUCK, constraints=(belt,)), 2.0, preparation=PLAIN, output_step=0.5)
    np.testing.assert_allclose(motion.q[:, 0] + motion.q[:, 1], t**3, atol=1e-6)


LIFT = Table("lift", x=(0, 1, 2, 3, 4), y=(0, "0.1", "0.15", "0.05", 0), between="spline")


def test_code_in_c_is_that_in_numpy_and_the_reference_agrees() -> None:
    held = ExpressionConstraint("held", "position(tip).z - depth*sin(2*t)*cos(q_A) - lift(t)")
    model = replace(ARM, constraints=(held,), tables=(LIFT,), parameters=(Parameter("depth", "0.2", "m"),))
    plain, compiled = (equations(model, language).module.functions for language in ("numpy", "c"))
    reference, rng = Reference(model), np.random.default_rng(0)
    for t in (0.3, 1.1, 2.6):
        q = compiled["project_position"](with_time(rng.uniform(-1, 1, 2), t))
        v = compiled["project_velocity"](q, with_time(rng.normal(size=2), 1))
        assert q[2] == t and v[2] == 1, "projections leave the time"
        tau = with_time(rng.normal(size=2), 0)
        found = compiled["constrained_dynamics"](q, v, tau, t, [])
        for one, other in zip(found, plain["constrained_dynamics"](q, v, tau, t, []), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(found[0], reference.forward_dynamics(q, v, tau, t=t), rtol=1e-9, atol=1e-9)
        # The tip keeps to the target: its place at t + h, by a series, leaves the third order.
        h = 1e-4
        ahead = q + h * np.asarray(v) + h * h / 2 * np.asarray(found[0])
        assert abs(compiled["constraint_residual"](ahead)).max() < 100 * h**3


def test_what_stands_for_the_time_is_one_clock_behind_all_joints() -> None:
    assert not needs_clock(SHAKEN) and with_clock(SHAKEN) is SHAKEN
    assert not needs_clock(replace(SHAKEN, constraints=(VelocityConstraint("at", "v_shake*q_swing"),)))
    grown = with_clock(BY_PLACE)
    assert [joint.name for joint in grown.joints] == ["shake", "swing", CLOCK]
    assert grown.constraints[0].expressions == (f"position(pivot).x - a*cos(w*q_{CLOCK})",)
    assert with_clock(grown) is grown and not validate(grown)
    again = with_clock(replace(grown, constraints=(*grown.constraints, VelocityConstraint("too", "v_swing - t"))))
    assert len(again.joints) == 3, "one clock is enough"
    both = mbsym.with_submodel(mbsym.with_submodel(Model("both"), BY_PLACE, "left_"), BY_PLACE, "right_")
    assert [joint.name for joint in with_clock(both).joints][-2:] == ["right_swing", CLOCK]


def test_sympy_expressions_hold_time_too() -> None:
    t, x, v = sp.symbols("t q_shake v_shake")
    for held in (ExpressionConstraint("at", x - sp.cos(t) / 20), VelocityConstraint("at", v + sp.sin(t) / 20)):
        (own,) = with_clock(replace(SHAKEN, constraints=(held,))).constraints
        time, rate = sp.symbols(f"q_{CLOCK} v_{CLOCK}")
        given = sp.sin(time) / 20
        expected = x - sp.cos(time) / 20 if held.type == "expression" else v + given * rate
        assert sp.expand(own.expressions[0] - expected) == 0
    of_time = sp.Function("q_shake")(t)  # the time is the argument of a function alone
    assert not needs_clock(replace(SHAKEN, constraints=(ExpressionConstraint("at", of_time - 1),)))


def test_the_clock_is_not_drawn_and_not_written() -> None:
    drawn = skeleton(mechanism_of(with_clock(BY_PLACE)))
    assert [body.name for body in drawn.bodies if body.is_drawn] == ["pivot", "rod"]
    assert CLOCK not in {mark.joint for mark in drawn.marks} | {link.name for link in drawn.links}
    motion = mbsym.simulate(equations(BY_PLACE), 0.1, output_step=0.1)
    assert not [column.name for column in motion.columns if column.name.startswith("force")]


def test_mistakes() -> None:
    for kind in ("bodies", "joints"):
        taken = tuple(replace(item, name=CLOCK) if k == 0 else item for k, item in enumerate(getattr(PUCK, kind)))
        faults = validate(replace(PUCK, **{kind: taken}))
        assert any(fault.path == (kind, 0, "name") and "is that of the clock" in fault.what for fault in faults)
    with pytest.raises(SimulationError, match=f"q_{CLOCK} is given, which motion {CLOCK} prescribes"):
        mbsym.simulate(equations(BY_PLACE), 0.1, initial={f"q_{CLOCK}": 1.0})
    stuck = (ExpressionConstraint("one", "q_x - t"), ExpressionConstraint("two", "q_x + q_y"))
    with pytest.raises(DerivationError, match="contradict what holds the mechanism"):
        mbsym.simulate(replace(PUCK, constraints=(*stuck, ExpressionConstraint("three", "q_y"))), 0.1)
