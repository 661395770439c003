"""Spherical joint: a unit quaternion, its speeds the relative angular velocity in outboard axes."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import same_point
from mbsym.joints.coordinate_groups import CoordinateGroup, quaternion_rate
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import JointShape, JointType
from mbsym.joints.subspaces import selected
from mbsym.spatial.rotation import from_quaternion, identity_matrix
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (w, x, y, z), v = omega."""
    zero = zero_vector(graph)
    axes = identity_matrix(graph)
    return JointMotion(
        Transform(from_quaternion((q[0], q[1], q[2], q[3])), zero),
        tuple((axis, zero) for axis in axes),
        (zero, zero),
        quaternion_rate(q, (v[0], v[1], v[2])),
    )


SPHERICAL: Final = JointType(
    name="spherical",
    sentence="rotation about a point in every direction, by a unit quaternion",
    shape=JointShape(
        coordinates=("w", "x", "y", "z"),
        coordinate_units=("1",) * 4,
        speeds=("x", "y", "z"),
        speed_units=("rad/s",) * 3,
        force_units=("N m",) * 3,
        neutral=(1, 0, 0, 0),
    ),
    entries=(),
    turning="in space",
    slides=False,
    motion=motion,
    subspaces=selected(3, 4, 5),
    closure_rows=same_point,
    unfelt=("mass",),
    group=CoordinateGroup.ROTATIONS,
    tie_break=5,
    convention=(
        "Spherical joint: v is the successor's angular velocity relative to the predecessor, in the successor's axes."
    ),
)
