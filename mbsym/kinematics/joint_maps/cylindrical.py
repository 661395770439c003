"""Cylindrical joint: translation along the frame's z axis and rotation about it, independent of each other."""

from __future__ import annotations

from mbsym.kinematics.joint_motion import JointMotion
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import vector, zero_vector
from mbsym.symbolic.scalar import Scalar


def motion(q: tuple[Scalar, ...], v: tuple[Scalar, ...], pitch: Scalar) -> JointMotion:
    """q = (displacement, angle), v = their rates."""
    graph = pitch.graph
    zero, axis = zero_vector(graph), vector(graph, (0, 0, 1))
    return JointMotion(
        Transform(about_axis(2, q[1]), (zero[0], zero[1], q[0])), ((zero, axis), (axis, zero)), (zero, zero), v
    )
