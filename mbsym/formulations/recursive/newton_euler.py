"""Recursive Newton-Euler algorithm: inverse dynamics, bias and gravity forces, joint wrenches.

Source: J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme for mechanical manipulators, 1980, in
body frames, with the turning matrix U of recursion.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.formulations.applied_forces import AppliedForces, applied_forces
from mbsym.joints.motion import Motion, difference_of, motion_of, power, six, sum_of
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import Speeds, accelerations, joint_speeds, joints_at_rest
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.vector import (
    Matrix3,
    Vector3,
    add,
    cross,
    multiply,
    name_components,
    negate,
    scale,
    subtract,
    zero_vector,
)
from mbsym.symbolic.scalar import Scalar


@dataclass(frozen=True, slots=True)
class InverseDynamics:
    """Generalised forces by joint, and the wrench on each body by its parent at its internal frame's origin."""

    forces: Speeds
    wrenches: tuple[Motion, ...]


def inertial_wrench(inertia: RigidInertia, omega: Vector3, alpha: Vector3, turning: Matrix3, a: Vector3) -> Motion:
    """[moment; force] that moves a body so: f = m a + U h, n = I alpha + omega x I omega + h x a."""
    ixx, iyy, izz, ixy, ixz, iyz = inertia.about_origin
    x, y, z = omega
    u = turning
    moment = (
        ixx * alpha[0] + (izz - iyy) * (y * z) + iyz * (y * y - z * z) + (ixz * u[1][0] - ixy * u[2][0]),
        iyy * alpha[1] + (ixx - izz) * (x * z) + ixz * (z * z - x * x) + (ixy * u[2][1] - iyz * u[0][1]),
        izz * alpha[2] + (iyy - ixx) * (x * y) + ixy * (x * x - y * y) + (iyz * u[0][2] - ixz * u[1][2]),
    )
    h = inertia.first_moment
    return add(moment, cross(h, a)), add(scale(a, inertia.mass), multiply(u, h))


def newton_euler(
    mechanism: Mechanism,
    speeds: Speeds,
    rates: Speeds,
    gravity: Vector3,
    applied: AppliedForces | None = None,
) -> InverseDynamics:
    """Forces that produce the given rates of the speeds.

    Args:
        mechanism: of any tree joints; cut joints are left open.
        speeds, rates: v and vdot by joint.
        gravity: in base axes.
        applied: force elements, which take their share of the forces.
    """
    graph = mechanism.graph
    zero = zero_vector(graph)
    wrenches: list[Motion] = [(zero, zero)]
    with graph.section("accelerations and inertial wrenches, outward"):
        for body, moved in accelerations(mechanism, speeds, rates, negate(gravity)):
            wrench = inertial_wrench(body.inertia, moved.omega, moved.angular, moved.turning, moved.linear)
            if applied is not None and body.label in applied.wrenches:
                wrench = difference_of(wrench, applied.wrenches[body.label])
            wrenches.append(wrench)
    forces: list[tuple[Scalar, ...]] = []
    with graph.section("joint wrenches and generalised forces, inward"):
        for body, joint_rates in zip(reversed(mechanism.bodies), reversed(rates), strict=True):
            wrench = wrenches[body.label]
            name_components(wrench[0], f"n{body.label}")
            name_components(wrench[1], f"f{body.label}")
            own = applied.joints[body.label - 1] if applied is not None else ()
            forces.append(joint_forces(body, wrench, joint_rates, own))
            if body.parent:
                handed = mechanism.handed(body, six(body.placement.wrench_to_parent(*wrench)))
                wrenches[body.parent] = sum_of(wrenches[body.parent], motion_of(handed))
    return InverseDynamics(tuple(reversed(forces)), tuple(wrenches))


def dynamics_at(mechanism: Mechanism, rates: Speeds) -> InverseDynamics:
    """What produces the given rates at the input v: with velocity, gravity and force element terms."""
    speeds = joint_speeds(mechanism)
    return newton_euler(mechanism, speeds, rates, mechanism.gravity, applied_forces(mechanism, speeds))


def steady_dynamics(mechanism: Mechanism) -> InverseDynamics:
    """What keeps the speeds constant."""
    return dynamics_at(mechanism, joints_at_rest(mechanism))


def joint_forces(
    body: TreeBody, wrench: Motion, rates: tuple[Scalar, ...], applied: tuple[Scalar, ...] = ()
) -> tuple[Scalar, ...]:
    """Generalised forces of a body's joint, through which the wrench passes: H^T f + armature vdot, less what acts."""
    return tuple(
        power(column, wrench) + armature * rate - (applied[k] if applied else 0)
        for k, (column, armature, rate) in enumerate(zip(body.columns, body.armature, rates, strict=True))
    )


def superposed(first: tuple[Motion, ...], second: tuple[Motion, ...]) -> tuple[Motion, ...]:
    """Sums of wrenches body by body."""
    return tuple(map(sum_of, first, second))


def user_wrenches(mechanism: Mechanism, wrenches: tuple[Motion, ...]) -> list[Scalar]:
    """Joint wrenches in the user's sense and frame, six entries per tree joint in label order.

    On the joint's successor by its predecessor, at and in the joint frame on the successor.
    """
    rows: list[Scalar] = []
    with mechanism.graph.section("joint wrenches in the joints' frames"):
        for body in mechanism.bodies:
            rows += six(user_wrench(body, wrenches[body.label]))
    return rows


def user_wrench(body: TreeBody, wrench: Motion) -> Motion:
    """Of the wrench on a body by its parent, what the user's inboard joint transmits, as in ``user_wrenches``."""
    moment, force = wrench
    if body.flipped:
        moment, force = body.placement.wrench_to_parent(negate(moment), negate(force))
    frame = body.wrench_frame
    at_frame = subtract(moment, cross(frame.translation, force))
    return frame.rotation.to_child(at_frame), frame.rotation.to_child(force)
