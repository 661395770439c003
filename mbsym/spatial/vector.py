"""Three-component vectors and 3 x 3 matrices of graph scalars, as plain tuples.

Zeros and ones fold as nodes are made, so dense formulas cost only what their non-zero entries cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mbsym.symbolic.graph import Graph, Number
from mbsym.symbolic.scalar import Scalar, constant

Vector3: TypeAlias = tuple[Scalar, Scalar, Scalar]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]
Symmetric3: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
"""(xx, yy, zz, xy, xz, yz)."""


def vector(graph: Graph, components: Sequence[Number]) -> Vector3:
    """A constant vector."""
    x, y, z = components
    return constant(graph, x), constant(graph, y), constant(graph, z)


def zero_vector(graph: Graph) -> Vector3:
    """The zero vector."""
    zero = Scalar(graph, 0)
    return zero, zero, zero


def is_zero(a: Sequence[Scalar]) -> bool:
    """True where every component is the constant zero."""
    return not any(a)


def add(a: Vector3, b: Vector3) -> Vector3:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def negate(a: Vector3) -> Vector3:
    """-a."""
    return -a[0], -a[1], -a[2]


def scale(a: Vector3, factor: Scalar) -> Vector3:
    """factor * a."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Scalar product of two sequences of equal length."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        if x and y:
            total = total + x * y
    return total


def cross(a: Vector3, b: Vector3) -> Vector3:
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def across(a: Vector3, axis: Vector3) -> Vector3:
    """The part of a vector across a unit vector."""
    return subtract(a, scale(axis, dot(axis, a)))


def multiply(m: Matrix3, a: Vector3) -> Vector3:
    """m a."""
    return dot(m[0], a), dot(m[1], a), dot(m[2], a)


def add_matrices(a: Matrix3, b: Matrix3) -> Matrix3:
    """a + b."""
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])


def negate_matrix(m: Matrix3) -> Matrix3:
    """-m."""
    return negate(m[0]), negate(m[1]), negate(m[2])


def transpose(m: Matrix3) -> Matrix3:
    """Transposed matrix."""
    return (m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2])


def product(a: Matrix3, b: Matrix3) -> Matrix3:
    """a b."""
    columns = transpose(b)
    return multiply(columns, a[0]), multiply(columns, a[1]), multiply(columns, a[2])


def symmetric_multiply(s: Symmetric3, a: Vector3) -> Vector3:
    """S a."""
    xx, yy, zz, xy, xz, yz = s
    return dot((xx, xy, xz), a), dot((xy, yy, yz), a), dot((xz, yz, zz), a)


def symmetric_matrix(s: Symmetric3) -> Matrix3:
    """A symmetric matrix written out."""
    xx, yy, zz, xy, xz, yz = s
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def skew(a: Vector3) -> Matrix3:
    """The matrix of a x."""
    zero = Scalar(a[0].graph, 0)
    return (zero, -a[2], a[1]), (a[2], zero, -a[0]), (-a[1], a[0], zero)


def name_components(a: Vector3, name: str) -> Vector3:
    """Names the components NAME_x, NAME_y, NAME_z and returns the vector."""
    for component, suffix in zip(a, "xyz", strict=True):
        component.named(f"{name}_{suffix}")
    return a
