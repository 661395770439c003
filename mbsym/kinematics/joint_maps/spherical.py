"""Spherical joint: a unit quaternion, its speeds the relative angular velocity in outboard axes."""

from __future__ import annotations

from mbsym.kinematics.joint_maps.quaternion_rate import quaternion_rate
from mbsym.kinematics.joint_motion import JointMotion
from mbsym.spatial.rotation import from_quaternion
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import vector, zero_vector
from mbsym.symbolic.scalar import Scalar


def motion(q: tuple[Scalar, ...], v: tuple[Scalar, ...], pitch: Scalar) -> JointMotion:
    """q = (w, x, y, z), v = omega."""
    graph = pitch.graph
    zero = zero_vector(graph)
    axes = (vector(graph, (1, 0, 0)), vector(graph, (0, 1, 0)), vector(graph, (0, 0, 1)))
    return JointMotion(
        Transform(from_quaternion((q[0], q[1], q[2], q[3])), zero),
        tuple((axis, zero) for axis in axes),
        (zero, zero),
        quaternion_rate(q, (v[0], v[1], v[2])),
    )
