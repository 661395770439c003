"""Revolute joint: rotation about the frame's z axis."""

from __future__ import annotations

from mbsym.kinematics.joint_motion import JointMotion
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import vector, zero_vector
from mbsym.symbolic.scalar import Scalar


def motion(q: tuple[Scalar, ...], v: tuple[Scalar, ...], pitch: Scalar) -> JointMotion:
    """q = (angle), v = (rate)."""
    graph = pitch.graph
    zero = zero_vector(graph)
    return JointMotion(Transform(about_axis(2, q[0]), zero), ((vector(graph, (0, 0, 1)), zero),), (zero, zero), v)
