"""Checks of a motion say what they are named after, in states that fail them."""

from __future__ import annotations

import numpy as np

import mbsym
from mbsym.forces.applied_wrench import AppliedWrench
from mbsym.simulation.equations import prepare
from mbsym.simulation.monitors import floats_freely, monitor
from mbsym.simulation.trajectory import Trajectory


def test_gaps_are_those_of_open_loops_and_of_speeds_that_open_them() -> None:
    equations = prepare(mbsym.load("four_bar"), mbsym.Preparation("numpy"))
    layout, gap = equations.layout, equations.module.functions["closure_gap"]
    q, v = np.array([0.4, 0.3, -0.5]), np.array([1.0, -2.0, 0.5])
    checks = monitor(equations, Trajectory(np.zeros(1), layout.state(q, v)[None], 0, 0, False), True)
    assert checks.closure_gap is not None and checks.speed_gap is not None
    residual = np.asarray(gap(q))
    assert checks.closure_gap[0] == np.max(np.abs(residual)) > 0.01
    # Speeds of the four-bar are the rates of its coordinates; a central difference of step h errs by h^2.
    h = 1e-5
    rate = (np.asarray(gap(q + h * v)) - np.asarray(gap(q - h * v))) / (2.0 * h)
    assert np.max(np.abs(rate)) > 0.1
    np.testing.assert_allclose(checks.speed_gap[0], np.max(np.abs(rate)), rtol=1e-8)


def test_forces_between_bodies_leave_a_mechanism_floating_and_those_from_outside_do_not() -> None:
    bodies = tuple(mbsym.Body(name, 1, inertia=(1, 1, 1, 0, 0, 0)) for name in ("a", "b"))
    joints = (mbsym.Joint("fly", "free", "ground", "a"), mbsym.Joint("turn", "revolute", "a", "b"))
    between = mbsym.JointForce("motor", "turn", "3")
    outside = mbsym.JointForce("thrust", "fly", "3", index=5)
    wrench = AppliedWrench("push", "b", force=("1", "0", "0"))
    assert floats_freely(mbsym.Model("free", bodies, joints, (between,)))
    assert not floats_freely(mbsym.Model("driven", bodies, joints, (between, outside)))
    assert not floats_freely(mbsym.Model("pushed", bodies, joints, (wrench,)))
