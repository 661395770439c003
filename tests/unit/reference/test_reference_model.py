"""Parameters, couplings, inertia points, added joints, massless bodies, and wrong arguments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbsym.constraints import GearConstraint
from mbsym.errors import ModelError
from mbsym.forces import Actuator
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.values.parameter import ControlInput, Parameter


def pendulum(length: str | float = "l") -> Model:
    return Model(
        "pendulum",
        (Body("bob", "m", ("l", 0, 0), (0, 0, 0, 0, 0, 0)),),
        (Joint("pin", "revolute", "ground", "bob", axis=(0, 0, 1)),),
        parameters=(Parameter("m", 2), Parameter("l", "m/4", symbolic=True)),
        gravity=(0, -10, 0),
    )


def test_parameters_have_numbers_that_can_be_replaced() -> None:
    assert Reference(pendulum()).gravity_force([0.0]) == pytest.approx([2 * 10 * 0.5])
    assert Reference(pendulum(), parameters={"m": 3.0}).gravity_force([0.0]) == pytest.approx([3 * 10 * 0.75])
    with pytest.raises(ModelError, match="no parameter"):
        Reference(pendulum(), parameters={"mass": 3.0})


def test_inertia_about_the_frame_or_the_centre_is_the_same_body() -> None:
    about_center = Body("b", 2, (0.1, 0.2, -0.3), (0.5, 0.6, 0.7, 0.01, -0.02, 0.03))
    s = np.array([0.1, 0.2, -0.3])
    J = np.array([[0.5, 0.01, -0.02], [0.01, 0.6, 0.03], [-0.02, 0.03, 0.7]])
    J = J + 2 * (s @ s * np.eye(3) - np.outer(s, s))
    moved = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    about_frame = replace(about_center, inertia=moved, inertia_about="frame")
    joint = Joint("j", "free", "ground", "b")
    q = [0.5, 0.5, -0.5, 0.5, 1, 2, 3]
    M, other = (Reference(Model("m", (body,), (joint,))).mass_matrix(q) for body in (about_center, about_frame))
    assert other == pytest.approx(M, abs=1e-15)
    assert M[:3, :3] == pytest.approx(J, abs=1e-15)


def gear_pair(ratio: float, offset: float) -> Model:
    bodies = tuple(Body(name, 1, (0, 0, 0), (1, 1, inertia, 0, 0, 0)) for name, inertia in (("a", 0.5), ("b", 0.2)))
    joints = (
        Joint("slow", "revolute", "ground", "a", armature=0.1),
        Joint("fast", "revolute", "ground", "b", armature=0.01),
    )
    return Model("gears", bodies, joints, couplings=(Coupling("fast", "slow", ratio, offset),))


def test_a_coupled_joint_follows_and_adds_its_inertia() -> None:
    reference = Reference(gear_pair(-3, 0.25))
    assert (reference.nq, reference.nv) == (1, 1)
    assert reference.joint_coordinates([0.5])["fast"] == pytest.approx([-1.25])
    assert reference.mass_matrix([0.5]) == pytest.approx(np.array([[0.6 + 9 * 0.21]]))
    assert reference.forward_dynamics([0.5], [1.0], [2.0]) == pytest.approx([2 / (0.6 + 9 * 0.21)])
    # The joint's own wrench is what turns its body; the rotor takes the rest of the gear's moment.
    wrenches = reference.joint_wrenches([0.5], [1.0], [2.0])
    fast = reference.mechanism.joint_labels["fast"]
    assert wrenches[fast - 1, 2] == pytest.approx(-3 * 0.2 * 2 / (0.6 + 9 * 0.21))


def test_couplings_of_couplings_multiply() -> None:
    model = gear_pair(2, 0.5)
    third = Body("c", 1, (0, 0, 0), (1, 1, 0.3, 0, 0, 0))
    joint = Joint("third", "revolute", "ground", "c")
    model = replace(
        model,
        bodies=(*model.bodies, third),
        joints=(joint, *model.joints),
        couplings=(Coupling("third", "fast", 4, 1), *model.couplings),
    )
    assert Reference(model).joint_coordinates([1.0])["third"] == pytest.approx([4 * 2.5 + 1])
    circle = replace(model, couplings=(*model.couplings, Coupling("slow", "third")))
    with pytest.raises(ModelError, match="circle"):
        Reference(circle)


def test_a_gear_constraint_is_the_coupling_as_a_closure() -> None:
    coupled = gear_pair(-3, 0.25)
    closed = replace(coupled, couplings=(), constraints=(GearConstraint("gear", "fast", "slow", -3, 0.25),))
    reference = Reference(closed)
    by_name = {"slow": 0.5, "fast": -1.25}
    q = [by_name[joint.name] for joint in reference.mechanism.joints]
    assert reference.closure_gap(q) == pytest.approx([0], abs=1e-15)
    tau = [2.0 if joint.name == "slow" else 0.0 for joint in reference.mechanism.joints]
    speeds = reference.consistent_velocity(q, [1.0, 0.5])
    vdot = dict(zip([j.name for j in reference.mechanism.joints], reference.solve(q, speeds, tau).vdot, strict=True))
    expected = Reference(coupled).forward_dynamics([0.5], [1.0], [2.0])[0]
    assert vdot["slow"] == pytest.approx(expected)
    assert vdot["fast"] == pytest.approx(-3 * expected)


def test_an_added_free_joint_is_like_a_written_one() -> None:
    body = Body("drone", 2, (0.1, 0, 0), (0.1, 0.2, 0.25, 0, 0, 0))
    added = Reference(Model("m", (body,), (), free_roots=True))
    written = Reference(Model("m", (body,), (Joint("any", "free", "ground", "drone"),)))
    q, v, tau = [0.5, 0.5, -0.5, 0.5, 1, 2, 3], np.arange(6.0), np.ones(6)
    assert added.forward_dynamics(q, v, tau) == pytest.approx(written.forward_dynamics(q, v, tau))


def test_massless_bodies_are_tolerated_where_something_resists() -> None:
    """A point mass on two crossed hinges, the first of them on a massless ring: both equations are those of a
    spherical pendulum."""
    ring = Body("ring", 0)
    bob = Body("bob", 2, (0, 0, -0.5))
    joints = (
        Joint("outer", "revolute", "ground", "ring", axis=(1, 0, 0)),
        Joint("inner", "revolute", "ring", "bob", axis=(0, 1, 0)),
    )
    reference = Reference(Model("gimbal", (ring, bob), joints))
    q, v, tau = np.array([0.3, -0.4]), np.array([0.5, 0.7]), np.array([0.1, 0.2])
    vdot = reference.forward_dynamics(q, v, tau)
    assert reference.inverse_dynamics(q, v, vdot) == pytest.approx(tau)
    assert reference.mass_matrix(q)[1, 1] == pytest.approx(2 * 0.25)
    hanging = Model("m", (bob, ring), (joints[0], Joint("end", "revolute", "ring", "bob", axis=(0, 0, 1))))
    with pytest.raises(ModelError, match="not determined"):
        Reference(replace(hanging, bodies=(Body("bob", 0), ring))).forward_dynamics(q, v, tau)


def test_control_inputs_default_to_zero() -> None:
    model = replace(
        gear_pair(1, 0), inputs=(ControlInput("u1"), ControlInput("u2")), forces=(Actuator("a", "slow", "u2", 5),)
    )
    reference = Reference(model)
    assert reference.bias_force([0.0], [0.0]) == pytest.approx([0])
    assert reference.bias_force([0.0], [0.0], u=[7.0, 2.0]) == pytest.approx([-10])
    with pytest.raises(ModelError, match="3 control inputs"):
        reference.bias_force([0.0], [0.0], u=[1, 2, 3])


def test_arguments_of_the_wrong_shape_are_refused() -> None:
    reference = Reference(pendulum())
    with pytest.raises(ModelError, match="q has the shape"):
        reference.poses([1.0, 2.0])
    with pytest.raises(ModelError, match="tau has the shape"):
        reference.forward_dynamics([1.0], [1.0], [])
    with pytest.raises(ModelError, match="nothing has mass"):
        Reference(Model("m", (Body("b"),), (Joint("j", "fixed", "ground", "b"),))).center_of_mass([])


def test_placement_translation_may_be_an_expression() -> None:
    model = replace(
        pendulum(),
        joints=(Joint("pin", "revolute", "ground", "bob", predecessor_placement=Placement(("2*l", 0, "-m/4"))),),
    )
    assert Reference(model).poses([0.0])[0, :3, 3] == pytest.approx([1, 0, -0.5])
