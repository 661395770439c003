"""Planar joint: translation in the inboard frame's x-y plane, then rotation about z."""

from __future__ import annotations

from mbsym.kinematics.joint_motion import JointMotion
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import cross, negate, vector, zero_vector
from mbsym.symbolic.scalar import Scalar


def motion(q: tuple[Scalar, ...], v: tuple[Scalar, ...], pitch: Scalar) -> JointMotion:
    """q = (x, y, angle), v = their rates; H depends on the angle, so the bias is -omega x R^T (vx, vy, 0)."""
    graph = pitch.graph
    zero = zero_vector(graph)
    rotation = about_axis(2, q[2])
    axes = (vector(graph, (1, 0, 0)), vector(graph, (0, 1, 0)), vector(graph, (0, 0, 1)))
    linear = rotation.to_child((v[0], v[1], zero[2]))
    bias = negate(cross((zero[0], zero[1], v[2]), linear))
    return JointMotion(
        Transform(rotation, (q[0], q[1], zero[2])),
        ((zero, rotation.to_child(axes[0])), (zero, rotation.to_child(axes[1])), (axes[2], zero)),
        (zero, bias),
        v,
    )
