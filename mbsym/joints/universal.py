"""Universal joint: rotation about the inboard frame's x axis, then about the outboard frame's y axis."""

from __future__ import annotations

from typing import Final

from mbsym.joints.closure_rows import ClosureGap, RowDraft, rotation_row, same_point
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import ANGLE, JointType, shape_of_rates
from mbsym.joints.subspaces import Column, JointSubspaces, freedoms, unit_columns
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import cross, scale, vector, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, cos, sin


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (first angle, second angle), v = their rates."""
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


def subspaces(motion: JointMotion, q: tuple[Scalar, ...], flipped: bool) -> JointSubspaces:
    """The cross of the joint: its third direction is the one constrained moment."""
    graph = motion.graph
    zero, one = Scalar(graph, 0), Scalar(graph, 1)
    if flipped:
        # Walked backwards the joint turns about -(0, cos q1, sin q1), then about -x.
        s, c = sin(q[0]), cos(q[0])
        columns: tuple[Column, ...] = ((-one, *[zero] * 5), (zero, -c, -s, zero, zero, zero))
        third = (zero, -s, c, zero, zero, zero)
    else:
        columns = freedoms(motion)
        third = (-columns[0][2], zero, columns[0][0], zero, zero, zero)
    return JointSubspaces(columns, columns, (third, *unit_columns(graph, (3, 4, 5))))


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """The first axis in P stays perpendicular to the second one, y of S; both meet in one point."""
    zero = gap.zero[0]
    a, b, c = first = gap.axis(0)
    moment = (c, zero, -a)
    turning = cross(gap.twist[0], first)
    change = (turning[2], zero, -turning[0])
    return [rotation_row("rotation about the normal of both axes", -b, moment, moment, change), *same_point(gap)]


UNIVERSAL: Final = JointType(
    name="universal",
    sentence="rotation about an axis of the predecessor, then about a second one of the successor",
    shape=shape_of_rates(("1", ANGLE), ("2", ANGLE)),
    entries=("axis", "second_axis"),
    turning="in space",
    slides=False,
    motion=motion,
    subspaces=subspaces,
    closure_rows=closure_rows,
    unfelt=("mass",),
    tie_break=5,
    convention="Universal: q = (first, second angle).",
)
