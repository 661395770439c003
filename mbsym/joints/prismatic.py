"""Prismatic joint: translation along the frame's z axis."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import ClosureGap, RowDraft, equal_attitude, point_on_planes
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import LENGTH, JointType, shape_of_rates
from mbsym.joints.subspaces import selected
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import vector, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (displacement), v = (rate)."""
    zero = zero_vector(graph)
    return JointMotion(
        Transform(Rotation(graph), (zero[0], zero[1], q[0])), ((zero, vector(graph, (0, 0, 1))),), (zero, zero), v
    )


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """Equal attitude, and no distance along x or y."""
    return [*equal_attitude(gap), *point_on_planes(gap, (0, 1))]


PRISMATIC: Final = JointType(
    name="prismatic",
    sentence="translation along an axis",
    shape=shape_of_rates(("", LENGTH)),
    entries=("axis",),
    turning="never",
    slides=True,
    motion=motion,
    subspaces=selected(0, 1, 2, 3, 4),
    closure_rows=closure_rows,
    unfelt=("second moments",),
    sliding=(0, 1, 2),
    likelihood=3,
)
