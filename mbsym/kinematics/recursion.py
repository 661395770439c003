"""Outward recursions: angular velocities, velocities, poses, and the terms of acceleration that speeds cause.

Accelerations are those of points (d/dt of the origin's velocity), not spatial ones: then no linear velocity is needed,
and gravity enters as an acceleration of the base.

Source: W. Khalil, E. Dombre, Modeling, Identification and Control of Robots, 2002, section 9.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.spatial.rotation import MatrixRotation, Rotation
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.spatial.vector import (
    Matrix3,
    Vector3,
    add,
    cross,
    is_zero,
    multiply,
    name_components,
    zero_vector,
)
from mbsym.symbolic.scalar import Scalar

Speeds = tuple[tuple[Scalar, ...], ...]
"""Speeds by tree joint, in label order."""

AXES: Final = "axes"
"""Name of the simplification by which angular accelerations follow from those of points on joint axes."""


def joint_speeds(mechanism: Mechanism) -> Speeds:
    """v by tree joint."""
    return tuple(body.v for body in mechanism.bodies)


def joints_at_rest(mechanism: Mechanism) -> Speeds:
    """Zeros by tree joint."""
    zero = Scalar(mechanism.graph, 0)
    return tuple((zero,) * len(body.v) for body in mechanism.bodies)


@dataclass(frozen=True, slots=True)
class VelocityTerms:
    """What speeds contribute, per body label (entry 0 is the base).

    Attributes:
        angular: omega of the body in its own components.
        relative: twist of the inboard joint, H v.
        angular_bias: angular acceleration but for R^T alpha_parent + H vdot, in the body's components.
        linear_bias: acceleration of the origin but for R^T (a_parent + U_parent p) + H vdot.
    """

    angular: tuple[Vector3, ...]
    relative: tuple[Motion, ...]
    angular_bias: tuple[Vector3, ...]
    linear_bias: tuple[Vector3, ...]


@dataclass(frozen=True, slots=True)
class BodyAcceleration:
    """How a body accelerates, in the components of its internal frame.

    Attributes:
        omega: angular velocity.
        angular: angular acceleration.
        linear: of the frame's origin.
        turning: U, which takes a body-fixed point to its acceleration relative to the origin.
    """

    omega: Vector3
    angular: Vector3
    linear: Vector3
    turning: Matrix3


@dataclass(frozen=True, slots=True)
class BodyVelocity:
    """What speeds contribute to one body; entries as in ``VelocityTerms``."""

    angular: Vector3
    relative: Motion
    angular_bias: Vector3
    linear_bias: Vector3


def body_velocity(body: TreeBody, rates: tuple[Scalar, ...], carrier: Vector3) -> BodyVelocity:
    """What the speeds of a body's joint contribute, on a carrier of that angular velocity in its own components.

    omega_i = R^T omega_c + Omega, alpha_i = R^T alpha_c + H vdot + H-dot v + (R^T omega_c) x Omega, and
    a_i = R^T (a_c + U_c p) + H vdot + H-dot v + (omega_i + R^T omega_c) x u with [Omega; u] = H v.
    """
    zero = zero_vector(body.motion.graph)
    carried = body.rotation.to_child(carrier)
    spin, slide = body.motion.twist(rates)
    omega = name_components(add(carried, spin), f"w{body.label}")
    bias_angular, bias_linear = body.motion.bias if any(rate.ref for rate in rates) else (zero, zero)
    return BodyVelocity(
        omega,
        (spin, slide),
        add(bias_angular, cross(carried, spin)),
        bias_linear if is_zero(slide) else add(bias_linear, cross(add(omega, carried), slide)),
    )


def velocity_terms(mechanism: Mechanism, speeds: Speeds) -> VelocityTerms:
    """Angular velocities and velocity-dependent accelerations of all bodies, by ``body_velocity``."""
    zero = zero_vector(mechanism.graph)
    found = [BodyVelocity(zero, (zero, zero), zero, zero)]
    with mechanism.graph.section("angular velocities and velocity-dependent accelerations, outward"):
        for body, rates in zip(mechanism.bodies, speeds, strict=True):
            found.append(body_velocity(body, rates, found[body.parent].angular))
    return VelocityTerms(
        tuple(each.angular for each in found),
        tuple(each.relative for each in found),
        tuple(each.angular_bias for each in found),
        tuple(each.linear_bias for each in found),
    )


def turning_matrix(omega: Vector3, alpha: Vector3) -> Matrix3:
    """U = alpha~ + omega~ omega~: the acceleration of a body-fixed point r relative to the origin is U r."""
    x, y, z = omega
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    return (
        (-(yy + zz), xy - alpha[2], xz + alpha[1]),
        (xy + alpha[2], -(xx + zz), yz - alpha[0]),
        (xz - alpha[1], yz + alpha[0], -(xx + yy)),
    )


def carried_acceleration(body: TreeBody, turning: Matrix3, linear: Vector3) -> Vector3:
    """R^T (a_parent + U_parent p)."""
    return body.rotation.to_child(add(linear, multiply(turning, body.translation)))


def accelerations(
    mechanism: Mechanism, speeds: Speeds, rates: Speeds, base: Vector3
) -> Iterator[tuple[TreeBody, BodyAcceleration]]:
    """How each body accelerates, outward.

    Args:
        mechanism: of any tree joints.
        speeds, rates: v and vdot by joint.
        base: acceleration of the base in its axes; the opposite of gravity makes weights inertial forces.
    """
    zero = zero_vector(mechanism.graph)
    by_axes = AXES in mechanism.ways
    terms = velocity_terms(mechanism, speeds)
    found = [BodyAcceleration(zero, zero, base, turning_matrix(zero, zero))]
    for body, joint_rates in zip(mechanism.bodies, rates, strict=True):
        i = body.label
        bias = terms.angular_bias[i], terms.linear_bias[i]
        axis = _axis_to_follow(mechanism, body, found[body.parent]) if by_axes else None
        found.append(body_acceleration(body, joint_rates, found[body.parent], terms.angular[i], bias, axis))
        yield body, found[-1]


def body_acceleration(
    body: TreeBody,
    rates: tuple[Scalar, ...],
    carrier: BodyAcceleration,
    omega: Vector3,
    bias: Motion,
    axis: Vector3 | None = None,
) -> BodyAcceleration:
    """How a body accelerates on its carrier.

    Args:
        body: with its joint.
        rates: vdot of the joint.
        carrier: how the body inboard of it accelerates.
        omega: angular velocity of the body.
        bias: what speeds contribute, angular and linear.
        axis: of the joint in the carrier's components, where the angular acceleration follows from the axis's own.
    """
    push_angular, push_linear = body.motion.twist(rates)
    alpha = add(add(body.rotation.to_child(carrier.angular), bias[0]), push_angular)
    if axis is not None:
        # U e of the axis e, which stands still in both bodies, is the same vector in both.
        x, y, _ = body.rotation.to_child(multiply(carrier.turning, axis))
        alpha = (omega[1] * omega[2] - y, x - omega[0] * omega[2], alpha[2])
    carried = carried_acceleration(body, carrier.turning, carrier.linear)
    a = add(add(carried, bias[1]), push_linear)
    turning = turning_matrix(omega, alpha)
    name_components(alpha, f"alpha{body.label}")
    name_components(a, f"a{body.label}")
    return BodyAcceleration(omega, alpha, a, turning)


def _axis_to_follow(mechanism: Mechanism, body: TreeBody, carrier: BodyAcceleration) -> Vector3 | None:
    """The joint's axis in the carrier's components, if U e is shorter to turn than alpha with what that takes.

    U takes most of what makes alpha of it, the products of omega. The column U e has to be there without it, for points
    of the carrier or for its moment, and its components have to be entries of U. A carrier that turns in space without
    angular acceleration has nothing in alpha to be turned.
    """
    if body.joint.kind.turning != "about its axis" or not (any(carrier.angular) or not all(carrier.omega)):
        return None
    x, y, z = (row[2] for row in body.inboard.rotation.matrix())
    along = [k for k, entry in enumerate((x, y, z)) if entry]
    if len(along) > 1:
        return None
    if body.parent:
        inner = mechanism.body(body.parent)
        points = [inner.inertia.first_moment, *(mechanism.body(label).translation for label in inner.children)]
        xx, yy, zz, *_ = inner.inertia.about_origin
        if not any(point[along[0]] for point in points) and xx + yy != zz:
            return None
    return x, y, z


def poses(mechanism: Mechanism) -> tuple[Transform, ...]:
    """Internal frame of each body in the base frame, by label (entry 0 is the base)."""
    graph = mechanism.graph
    result = [identity_transform(graph)]
    with graph.section("poses, outward"):
        for body in mechanism.bodies:
            rotation = body.rotation
            parent = result[body.parent]
            if body.parent and not rotation.is_identity:
                # One matrix per body: products of factors would be applied again for every vector.
                matrix = parent.rotation.then(rotation).matrix()
                rotation = Rotation(graph, (MatrixRotation(matrix),))
            elif body.parent:
                rotation = parent.rotation
            result.append(Transform(rotation, parent.point_to_parent(body.translation)))
    return tuple(result)


def velocities(mechanism: Mechanism, speeds: Speeds, letters: tuple[str, str] = ("w", "v")) -> tuple[Motion, ...]:
    """Twist [omega; v_O] of each internal frame in its own components, by label (entry 0 is the base)."""
    zero = zero_vector(mechanism.graph)
    result: list[Motion] = [(zero, zero)]
    with mechanism.graph.section("velocities, outward"):
        for body, rates in zip(mechanism.bodies, speeds, strict=True):
            angular, linear = body.placement.twist_to_child(*result[body.parent])
            spin, slide = body.motion.twist(rates)
            omega = name_components(add(angular, spin), f"{letters[0]}{body.label}")
            result.append((omega, name_components(add(linear, slide), f"{letters[1]}{body.label}")))
    return tuple(result)
