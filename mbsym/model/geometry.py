"""Small vector arithmetic in floats or fractions, before anything is derived."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar, cast

from mbsym.model.body import Placement
from mbsym.values.parameter import Value

Number = TypeVar("Number", float, Fraction)
Vector3: TypeAlias = tuple[Number, Number, Number]
Matrix3: TypeAlias = tuple[Vector3[Number], Vector3[Number], Vector3[Number]]
Triple: TypeAlias = Vector3[float]
Rotation: TypeAlias = Matrix3[float]

IDENTITY: Rotation = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """a . b."""
    return cast("Number", sum(x * y for x, y in zip(a, b, strict=True)))


def cross(a: Triple, b: Triple) -> Triple:
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a: Sequence[float]) -> float:
    """Length of a."""
    return math.sqrt(dot(a, a))


def sum_of(a: Vector3[Number], b: Vector3[Number]) -> Vector3[Number]:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def times(R: Matrix3[Number], a: Vector3[Number]) -> Vector3[Number]:
    """R a."""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


def transposed(R: Matrix3[Number]) -> Matrix3[Number]:
    """R^T."""
    return ((R[0][0], R[1][0], R[2][0]), (R[0][1], R[1][1], R[2][1]), (R[0][2], R[1][2], R[2][2]))


def product(A: Matrix3[Number], B: Matrix3[Number]) -> Matrix3[Number]:
    """A B."""
    columns = transposed(B)
    return (times(columns, A[0]), times(columns, A[1]), times(columns, A[2]))


def matrix_sum(A: Matrix3[Number], B: Matrix3[Number]) -> Matrix3[Number]:
    """A + B."""
    return (sum_of(A[0], B[0]), sum_of(A[1], B[1]), sum_of(A[2], B[2]))


def turned_inertia(J: Matrix3[Number], R: Matrix3[Number]) -> Matrix3[Number]:
    """R J R^T."""
    return product(product(R, J), transposed(R))


def inertia_of_point(mass: Number, r: Vector3[Number]) -> Matrix3[Number]:
    """Inertia about the origin of a point mass at r."""
    x, y, z = r
    xy, xz, yz = -mass * (x * y), -mass * (x * z), -mass * (y * z)
    return (mass * (y * y + z * z), xy, xz), (xy, mass * (x * x + z * z), yz), (xz, yz, mass * (x * x + y * y))


def elementary(axis: str, angle: float) -> Rotation:
    """Rotation about a coordinate axis; takes coordinates in the turned axes to those in the fixed axes."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == "x":
        return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
    if axis == "y":
        return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def from_quaternion(w: float, x: float, y: float, z: float) -> Rotation:
    """Rotation of a quaternion of any length but zero."""
    n = w * w + x * x + y * y + z * z
    s = 2.0 / n
    return (
        (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )


def placement_numbers(placement: Placement, number: Callable[[Value], float]) -> tuple[Rotation, Triple]:
    """Rotation and translation of a placement.

    Args:
        placement: translation and rotation as values.
        number: how a value becomes a number.
    """
    x, y, z = (number(value) for value in placement.translation)
    if placement.quaternion is not None:
        return from_quaternion(*(number(value) for value in placement.quaternion)), (x, y, z)
    R = IDENTITY
    for axis, angle in placement.rotation:
        R = product(R, elementary(axis, number(angle)))
    return R, (x, y, z)


def principal_moments(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Triple:
    """Eigenvalues of a symmetric 3 x 3 matrix, ascending, by Jacobi's method, which keeps small ones accurate."""
    A = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    for _ in range(50):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda entry: abs(A[entry[0]][entry[1]]))
        if abs(A[p][q]) <= 1e-17 * max(abs(A[k][k]) for k in range(3)):
            break
        ratio = (A[q][q] - A[p][p]) / (2 * A[p][q])
        t = math.copysign(1.0, ratio) / (abs(ratio) + math.hypot(ratio, 1.0))
        c = 1 / math.hypot(t, 1.0)
        s = t * c
        for k in range(3):
            A[k][p], A[k][q] = c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]
        for k in range(3):
            A[p][k], A[q][k] = c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]
    least, middle, largest = sorted(A[k][k] for k in range(3))
    return (least, middle, largest)
