"""Each force element in the sense in which it is written."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mbsym.errors import MbsymError
from mbsym.forces import (
    Actuator,
    AppliedWrench,
    ForceElement,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    PointSpringDamper,
)
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.values.parameter import ControlInput, Parameter

Q, V, TIME, U = [0.3, 0.5], [2.0, -1.0], 0.7, [4.0]


def slider_crank_arm(*forces: ForceElement) -> Reference:
    """A slider along x that carries an arm turning about z."""
    bodies = (Body("slider", 2), Body("arm", 1, (0.5, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)))
    joints = (
        Joint("rail", "prismatic", "ground", "slider", axis=(1, 0, 0)),
        Joint("pin", "revolute", "slider", "arm", coordinates=("phi",)),
    )
    return Reference(
        Model(
            "m",
            bodies,
            joints,
            forces,
            parameters=(Parameter("k", 3, symbolic=True),),
            inputs=(ControlInput("push"),),
            gravity=(0, 0, 0),
        )
    )


def forces_of(*elements: ForceElement) -> np.ndarray:
    """What elements add to tau."""
    plain = slider_crank_arm().bias_force(Q, V)
    found: np.ndarray = plain - slider_crank_arm(*elements).bias_force(Q, V, TIME, U)
    return found


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        (JointSpring("f", "rail", "2*k", 0.1), [-6 * (0.3 - 0.1), 0]),
        (JointDamper("f", "pin", "k"), [0, 3.0]),
        (JointFriction("f", "rail", 5, 0.5), [-5 * math.tanh(4), 0]),
        (Actuator("f", "pin", "push", 0.5), [0, 2.0]),
        (JointForce("f", "pin", "k*sin(phi)*v_rail + push*t - v_pin**2"), [0, 3 * math.sin(0.5) * 2 + 2.8 - 1]),
        (AppliedWrench("f", "slider", force=("k", 5, 7)), [3, 0]),
        (AppliedWrench("f", "arm", moment=(1, 2, 3)), [0, 3]),
        (AppliedWrench("f", "arm", force=(0, "4*t", 0), point=(2, 0, 0)), [0, 2.8 * 2 * math.cos(0.5)]),
        (AppliedWrench("f", "arm", force=(0, 1, 0), point=(2, 0, 0), axes="body"), [-math.sin(0.5), 2]),
    ],
)
def test_generalised_forces(element: ForceElement, expected: list[float]) -> None:
    assert forces_of(element) == pytest.approx(expected, abs=1e-14)


def test_a_point_spring_pulls_its_ends_together() -> None:
    spring = PointSpringDamper(
        "f", "ground", "slider", stiffness=10, damping=2, free_length=0.5, first_point=(-1, 0, 0)
    )
    tension = 10 * (1.3 - 0.5) + 2 * 2.0
    assert forces_of(spring) == pytest.approx([-tension, 0])
    assert slider_crank_arm(spring).potential_energy(Q) == pytest.approx(0.5 * 10 * 0.8**2)
    touching = PointSpringDamper("f", "ground", "slider", stiffness=1, first_point=(0.3, 0, 0))
    with pytest.raises(MbsymError, match="coincide"):
        forces_of(touching)


def test_a_spring_between_bodies_does_no_work_on_common_motion() -> None:
    spring = PointSpringDamper("f", "slider", "arm", stiffness=10, first_point=(0, 1, 0), second_point=(1, 0, 0))
    found = forces_of(spring)
    assert found[0] == pytest.approx(0, abs=1e-14)
    assert abs(found[1]) > 1


def test_power_counts_all_but_springs() -> None:
    spring = JointSpring("s", "rail", 3)
    damper = JointDamper("d", "rail", 0.5)
    motor = Actuator("a", "pin", "push", 2)
    reference = slider_crank_arm(spring, damper, motor)
    assert reference.power(Q, V, [1, 1], TIME, U) == pytest.approx(2 - 1 - 0.5 * 4 + 2 * 4 * -1)


def test_forces_at_a_flipped_joint_act_in_the_users_sense() -> None:
    """The same spring, damper and tau on a joint written the other way round."""
    body = Body("arm", 1, (0.5, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    outward = Joint("pin", "revolute", "ground", "arm", successor_placement=Placement((0.1, 0, 0)))
    inward = replace(
        outward,
        predecessor="arm",
        successor="ground",
        predecessor_placement=outward.successor_placement,
        successor_placement=outward.predecessor_placement,
    )
    forces = (JointSpring("s", "pin", 3, 0.2), JointDamper("d", "pin", 0.7), JointForce("f", "pin", "q_pin**3"))
    mirrored = (replace(forces[0], reference=-0.2), *forces[1:])
    one = Reference(Model("m", (body,), (outward,), forces))
    other = Reference(Model("m", (body,), (inward,), mirrored))
    assert other.mechanism.joints[0].flipped
    assert other.forward_dynamics([-0.4], [-1.5], [-0.6]) == pytest.approx(-one.forward_dynamics([0.4], [1.5], [0.6]))
    # The wrench acts on the user's successor, at the frame there: here on ground.
    wrench, reaction = one.joint_wrenches([0.4], [1.5], [0.6])[0], other.joint_wrenches([-0.4], [-1.5], [-0.6])[0]
    turn = np.array([[math.cos(0.4), -math.sin(0.4), 0], [math.sin(0.4), math.cos(0.4), 0], [0, 0, 1]])
    assert reaction[:3] == pytest.approx(-turn @ wrench[:3])
    assert reaction[3:] == pytest.approx(-turn @ wrench[3:])
