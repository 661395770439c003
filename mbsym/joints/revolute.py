"""Revolute joint: rotation about the frame's z axis."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import ClosureGap, RowDraft, aligned_axes, same_point
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import ANGLE, JointType, shape_of_rates
from mbsym.joints.subspaces import selected
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import vector, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (angle), v = (rate)."""
    zero = zero_vector(graph)
    return JointMotion(Transform(about_axis(2, q[0]), zero), ((vector(graph, (0, 0, 1)), zero),), (zero, zero), v)


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """Equal axes through one point."""
    return [*aligned_axes(gap), *same_point(gap)]


REVOLUTE: Final = JointType(
    name="revolute",
    sentence="rotation about an axis",
    shape=shape_of_rates(("", ANGLE)),
    entries=("axis",),
    turning="about its axis",
    slides=False,
    motion=motion,
    subspaces=selected(0, 1, 3, 4, 5),
    closure_rows=closure_rows,
    unfelt=("mass", "first moment z", "second moment zz"),
    sliding=(2,),
    tie_break=5,
    likelihood=6,
)
