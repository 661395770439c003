"""Universal joint: rotation about the inboard frame's x axis, then about the outboard frame's y axis."""

from __future__ import annotations

from mbsym.kinematics.joint_motion import JointMotion
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import scale, vector, zero_vector
from mbsym.symbolic.scalar import Scalar, cos, sin


def motion(q: tuple[Scalar, ...], v: tuple[Scalar, ...], pitch: Scalar) -> JointMotion:
    """q = (first angle, second angle), v = their rates."""
    graph = pitch.graph
    zero = zero_vector(graph)
    s, c = sin(q[1]), cos(q[1])
    first = (c, zero[0], s)
    bias = scale((-s, zero[0], c), v[0] * v[1])
    return JointMotion(
        Transform(about_axis(0, q[0]).then(about_axis(1, q[1])), zero),
        ((first, zero), (vector(graph, (0, 1, 0)), zero)),
        (bias, zero),
        v,
    )
