"""Helical joint: rotation about the frame's z axis with ``pitch`` metres of translation per radian."""

from __future__ import annotations

from typing import Final

from mbsym.joints import revolute
from mbsym.joints.closure_rows import ClosureGap, RowDraft, aligned_axes, point_on_axis, translation_row
from mbsym.joints.motion import JointMotion
from mbsym.joints.record import ANGLE, JointNumber, JointType, shape_of_rates
from mbsym.joints.subspaces import about_one_axis
from mbsym.spatial.rotation import about_axis
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import add, cross, dot, negate, scale, subtract, vector, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar

PITCH: Final = JointNumber(
    "pitch", "translation per turn of one radian", "m/rad", "give pitch: metres per radian, or make the joint revolute"
)


def motion(graph: Graph, q: tuple[Scalar, ...], v: tuple[Scalar, ...], numbers: tuple[Scalar, ...]) -> JointMotion:
    """q = (angle), v = (rate)."""
    (pitch,) = numbers
    zero = zero_vector(graph)
    return JointMotion(
        Transform(about_axis(2, q[0]), (zero[0], zero[1], pitch * q[0])),
        ((vector(graph, (0, 0, 1)), (zero[0], zero[1], pitch)),),
        (zero, zero),
        v,
    )


def closure_rows(gap: ClosureGap) -> list[RowDraft]:
    """Equal axes, and the axial gap to the nearest turn of the thread. A thread cannot tell its turns apart."""
    if not gap.numbers[0]:
        return revolute.closure_rows(gap)
    return [*aligned_axes(gap), *point_on_axis(gap), _advance(gap)]


def _advance(gap: ClosureGap) -> RowDraft:
    """pitch (advance/pitch - angle), wrapped to half a turn either way."""
    matrix, unit, pitch, axis = gap.matrix, gap.unit, gap.numbers[0], gap.axis(2)
    sine = matrix[0][1] - matrix[1][0]
    cosine = matrix[0][0] + matrix[1][1]
    turned = -dot(axis, gap.place) / pitch
    s, c = turned.apply("sin"), turned.apply("cos")
    residual = pitch * (s * cosine - c * sine).apply("atan2", c * cosine + s * sine)
    first, second = gap.axis(0), gap.axis(1)
    # Rates of the columns of the matrix are w x column.
    sine_rate = subtract(cross(second, unit[0]), cross(first, unit[1]))
    cosine_rate = add(cross(first, unit[0]), cross(second, unit[1]))
    square = sine * sine + cosine * cosine
    angle_rate = scale(subtract(scale(sine_rate, cosine), scale(cosine_rate, sine)), 1 / square)
    rate = (negate(scale(angle_rate, pitch)), negate(axis))
    return translation_row("advance of the thread", residual, rate, (scale(unit[2], pitch), negate(unit[2])))


HELICAL: Final = JointType(
    name="helical",
    sentence="rotation about an axis with a pitch of translation along it, in metres per radian",
    shape=shape_of_rates(("", ANGLE)),
    entries=("axis",),
    numbers=(PITCH,),
    turning="about its axis",
    slides=True,
    motion=motion,
    subspaces=about_one_axis,
    closure_rows=closure_rows,
    unfelt=("second moment zz",),
    sliding=(2,),
    tie_break=3,
)
