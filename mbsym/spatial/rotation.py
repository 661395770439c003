"""Rotations kept as products of plane rotations and fixed matrices, so that applying one costs what it must.

A rotation takes components in a child frame to components in the parent frame: r_parent = R r_child.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import hypot, lcm
from typing import TypeAlias

from mbsym.errors import ModelError
from mbsym.spatial.vector import Matrix3, Symmetric3, Vector3, multiply, product, symmetric_matrix, transpose
from mbsym.symbolic.graph import Graph, exact
from mbsym.symbolic.scalar import Scalar, constant

Quaternion: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]

_PLANE = ((1, 2), (2, 0), (0, 1))


@dataclass(frozen=True, slots=True)
class PlaneRotation:
    """A rotation about coordinate axis 0, 1 or 2 by an angle given by its cosine and sine."""

    axis: int
    cosine: Scalar
    sine: Scalar

    def turn(self, a: Vector3) -> Vector3:
        """R a: four products and two sums."""
        i, j = _PLANE[self.axis]
        out = list(a)
        out[i] = self.cosine * a[i] - self.sine * a[j]
        out[j] = self.sine * a[i] + self.cosine * a[j]
        return out[0], out[1], out[2]

    def inverse(self) -> PlaneRotation:
        """The rotation back."""
        return PlaneRotation(self.axis, self.cosine, -self.sine)

    def matrix(self) -> Matrix3:
        """Rotation matrix."""
        graph = self.cosine.graph
        zero, one = Scalar(graph, 0), Scalar(graph, 1)
        i, j = _PLANE[self.axis]
        rows = [[one if r == c else zero for c in range(3)] for r in range(3)]
        rows[i][i] = rows[j][j] = self.cosine
        rows[i][j], rows[j][i] = -self.sine, self.sine
        return _rows(rows)

    def congruent(self, b: Matrix3) -> Matrix3:
        """R B R^T by c^2 + s^2 = 1: with t = c (b_ii - b_jj) - s (b_ij + b_ji) the plane's block is
        [[b_jj + c t, b_ij + s t], [b_ji + s t, b_ii - c t]]."""
        i, j = _PLANE[self.axis]
        k = self.axis
        c, s = self.cosine, self.sine
        out = [list(row) for row in b]
        t = c * (b[i][i] - b[j][j]) - s * (b[i][j] + b[j][i])
        ct, st = c * t, s * t
        out[i][i], out[j][j] = b[j][j] + ct, b[i][i] - ct
        out[i][j], out[j][i] = b[i][j] + st, b[j][i] + st
        out[i][k], out[j][k] = c * b[i][k] - s * b[j][k], s * b[i][k] + c * b[j][k]
        out[k][i], out[k][j] = c * b[k][i] - s * b[k][j], s * b[k][i] + c * b[k][j]
        return _rows(out)


@dataclass(frozen=True, slots=True)
class MatrixRotation:
    """A rotation given by its orthogonal matrix."""

    rows: Matrix3

    def turn(self, a: Vector3) -> Vector3:
        """R a."""
        return multiply(self.rows, a)

    def inverse(self) -> MatrixRotation:
        """The rotation back."""
        return MatrixRotation(transpose(self.rows))

    def matrix(self) -> Matrix3:
        """Rotation matrix."""
        return self.rows

    def congruent(self, b: Matrix3) -> Matrix3:
        """R B R^T."""
        return product(product(self.rows, b), transpose(self.rows))


Factor: TypeAlias = PlaneRotation | MatrixRotation


@dataclass(frozen=True, slots=True)
class Rotation:
    """A product of factors, leftmost outermost."""

    graph: Graph
    factors: tuple[Factor, ...] = ()

    def to_parent(self, a: Vector3) -> Vector3:
        """R a."""
        for factor in reversed(self.factors):
            a = factor.turn(a)
        return a

    def to_child(self, a: Vector3) -> Vector3:
        """R^T a."""
        for factor in self.factors:
            a = factor.inverse().turn(a)
        return a

    def congruent(self, b: Matrix3) -> Matrix3:
        """R B R^T."""
        for factor in reversed(self.factors):
            b = factor.congruent(b)
        return b

    def symmetric_to_parent(self, s: Symmetric3) -> Symmetric3:
        """R S R^T of a symmetric matrix."""
        m = self.congruent(symmetric_matrix(s))
        return m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]

    def inverse(self) -> Rotation:
        """The rotation back."""
        return Rotation(self.graph, tuple(factor.inverse() for factor in reversed(self.factors)))

    def then(self, inner: Rotation) -> Rotation:
        """This rotation after ``inner``: R_self R_inner; neighbouring constant matrices are multiplied out."""
        left, right = list(self.factors), list(inner.factors)
        while left and right and _is_constant(left[-1]) and _is_constant(right[0]):
            merged = product(left.pop().matrix(), right.pop(0).matrix())
            if not _is_identity(merged):
                left.append(MatrixRotation(merged))
        return Rotation(self.graph, (*left, *right))

    def matrix(self) -> Matrix3:
        """Rotation matrix."""
        total: Matrix3 | None = None
        for factor in self.factors:
            total = factor.matrix() if total is None else product(total, factor.matrix())
        return identity_matrix(self.graph) if total is None else total

    @property
    def is_identity(self) -> bool:
        """True where there is nothing to turn."""
        return not self.factors


def _rows(rows: list[list[Scalar]]) -> Matrix3:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (a, b, c), (d, e, f), (g, h, i)


def _is_constant(factor: Factor) -> bool:
    return all(entry.constant is not None for row in factor.matrix() for entry in row)


def _is_identity(m: Matrix3) -> bool:
    return all(m[r][c].ref == (1 if r == c else 0) for r in range(3) for c in range(3))


def identity_matrix(graph: Graph) -> Matrix3:
    """The unit matrix."""
    zero, one = Scalar(graph, 0), Scalar(graph, 1)
    return (one, zero, zero), (zero, one, zero), (zero, zero, one)


def about_axis(axis: int, angle: Scalar) -> Rotation:
    """Rotation about a coordinate axis by a value of the graph; right angles become exact permutations."""
    cosine, sine = angle.apply("cos"), angle.apply("sin")
    plane = PlaneRotation(axis, cosine, sine)
    if cosine.ref == 1:
        return Rotation(angle.graph)
    if _is_constant(plane):
        return Rotation(angle.graph, (MatrixRotation(plane.matrix()),))
    return Rotation(angle.graph, (plane,))


def from_quaternion(q: Quaternion) -> Rotation:
    """Rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    wx, wy, wz = w * x, w * y, w * z
    xy, xz, yz = x * y, x * z, y * z
    xx, yy, zz = x * x, y * y, z * z
    rows = (
        (1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)),
        (2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)),
        (2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)),
    )
    return Rotation(w.graph, (MatrixRotation(rows),))


def from_constant_quaternion(graph: Graph, q: tuple[Fraction, Fraction, Fraction, Fraction]) -> Rotation:
    """Exactly orthogonal rational rotation of a quaternion of any length but zero."""
    scale = lcm(*(component.denominator for component in q))
    w, x, y, z = (component.numerator * (scale // component.denominator) for component in q)
    s = w * w + x * x + y * y + z * z
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    if all(rows[r][c] == (s if r == c else 0) for r in range(3) for c in range(3)):
        return Rotation(graph)
    matrix = _rows([[constant(graph, Fraction(entry, s)) for entry in row] for row in rows])
    return Rotation(graph, (MatrixRotation(matrix),))


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
