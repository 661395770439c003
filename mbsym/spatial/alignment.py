"""Rotations that turn coordinate axes to given directions, with exactly orthogonal rational matrices."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import hypot

from mbsym.errors import ModelError
from mbsym.spatial.rotation import Rotation, from_constant_quaternion
from mbsym.symbolic.graph import Graph, exact


def rational_quaternion(components: Sequence[float]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """A quaternion scaled to a largest component of one, its ratios rational; 0 and +-1 where they are that to 1e-12.

    Raises:
        ModelError: all components are zero.
    """
    largest = max(components, key=abs)
    if largest == 0:
        raise ModelError("a quaternion of zeros is no rotation", remedy="give (1, 0, 0, 0) for none")

    def ratio(component: float) -> Fraction:
        value = component / largest
        nearest = round(value)
        return Fraction(nearest) if abs(value - nearest) <= 1e-12 else exact(value)

    w, x, y, z = (ratio(component) for component in components)
    return w, x, y, z


def align_z(graph: Graph, axis: Sequence[float]) -> Rotation:
    """The smallest rotation that takes z to ``axis``; a half turn about x for -z."""
    length = hypot(*axis)
    x, y, z = (component / length for component in axis)
    if x == 0 and y == 0 and z < 0:
        return from_constant_quaternion(graph, (Fraction(0), Fraction(1), Fraction(0), Fraction(0)))
    return from_constant_quaternion(graph, rational_quaternion((1 + z, -y, x, 0.0)))


def align_xy(graph: Graph, first: Sequence[float], second: Sequence[float]) -> Rotation:
    """The rotation that takes x to ``first`` and y to ``second``, which are perpendicular."""
    a = [component / hypot(*first) for component in first]
    b = [component / hypot(*second) for component in second]
    c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    m = [[a[i], b[i], c[i]] for i in range(3)]
    # The row of q q^T with the largest diagonal is the quaternion times a number that drops out.
    trace = m[0][0] + m[1][1] + m[2][2]
    rows = (
        (1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]),
        (m[2][1] - m[1][2], 1 + 2 * m[0][0] - trace, m[0][1] + m[1][0], m[0][2] + m[2][0]),
        (m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace, m[1][2] + m[2][1]),
        (m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + 2 * m[2][2] - trace),
    )
    best = max(range(4), key=lambda k: rows[k][k])
    return from_constant_quaternion(graph, rational_quaternion(rows[best]))
