"""Planar joint: translation in the inboard frame's x-y plane, then rotation about z."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import ClosureGap, RowDraft, aligned_axes, point_on_planes
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import ANGLE, LENGTH, JointType, shape_of_rates
from mbsym.joints.subspaces import JointSubspaces, freedoms, unit_columns
from mbsym.spatial.rotation import about_axis, identity_matrix
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import cross, negate, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (x, y, angle), v = their rates; H depends on the angle, so the bias is -omega x R^T (vx, vy, 0)."""
    zero = zero_vector(graph)
    rotation = about_axis(2, q[2])
    axes = identity_matrix(graph)
    linear = rotation.to_child((v[0], v[1], zero[2]))
    bias = negate(cross((zero[0], zero[1], v[2]), linear))
    return JointMotion(
        Transform(rotation, (q[0], q[1], zero[2])),
        ((zero, rotation.to_child(axes[0])), (zero, rotation.to_child(axes[1])), (axes[2], zero)),
        (zero, bias),
        v,
    )


def subspaces(motion: JointMotion, q: tuple[Scalar, ...], flipped: bool) -> JointSubspaces:
    """Walked backwards: translations along the fixed axes, and a turn about the moved point (x, y)."""
    graph = motion.graph
    held = unit_columns(graph, (0, 1, 5))
    if not flipped:
        columns = freedoms(motion)
        return JointSubspaces(columns, columns, held)
    x, y = q[0], q[1]
    zero, one = Scalar(graph, 0), Scalar(graph, 1)
    slides = ((zero, zero, zero, -one, zero, zero), (zero, zero, zero, zero, -one, zero))
    forces = (
        (zero, zero, y, -one, zero, zero),
        (zero, zero, -x, zero, -one, zero),
        (zero, zero, -one, zero, zero, zero),
    )
    return JointSubspaces((*slides, (zero, zero, -one, -y, x, zero)), forces, held)


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """Equal normals, and no distance along them."""
    return [*aligned_axes(gap), *point_on_planes(gap, (2,))]


PLANAR: Final = JointType(
    name="planar",
    sentence="translation in a plane and rotation about its normal, the axis",
    shape=shape_of_rates(("x", LENGTH), ("y", LENGTH), ("angle", ANGLE)),
    entries=("axis",),
    turning="about its axis",
    slides=True,
    motion=motion,
    subspaces=subspaces,
    closure_rows=closure_rows,
    unfelt=("second moment zz",),
    sliding=(2,),
    convention="Planar: q = (x, y, angle).",
)
