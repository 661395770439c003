"""Cylindrical joint: translation along the frame's z axis and rotation about it, independent of each other."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import ClosureGap, RowDraft, aligned_axes, point_on_axis
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import ANGLE, LENGTH, JointType, shape_of_rates
from mbsym.joints.subspaces import selected
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import vector, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (displacement, angle), v = their rates."""
    zero, axis = zero_vector(graph), vector(graph, (0, 0, 1))
    return JointMotion(
        Transform(about_axis(2, q[1]), (zero[0], zero[1], q[0])), ((zero, axis), (axis, zero)), (zero, zero), v
    )


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """Equal axes."""
    return [*aligned_axes(gap), *point_on_axis(gap)]


CYLINDRICAL: Final = JointType(
    name="cylindrical",
    sentence="translation along an axis and rotation about it, independent of each other",
    shape=shape_of_rates(("z", LENGTH), ("angle", ANGLE)),
    entries=("axis",),
    turning="about its axis",
    slides=True,
    motion=motion,
    subspaces=selected(0, 1, 3, 4),
    closure_rows=closure_rows,
    unfelt=("second moment zz",),
    sliding=(2,),
    convention="Cylindrical joint: q = (translation, angle).",
)
