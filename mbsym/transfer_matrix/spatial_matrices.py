"""Matrices of spatial kernels, and the arguments that several of them take."""

from __future__ import annotations

from typing import Final

from mbsym.spatial.rotation import Quaternion
from mbsym.spatial.vector import Matrix3, Symmetric3, Vector3, cross, dot, scale, subtract
from mbsym.symbolic.scalar import Scalar
from mbsym.transfer_matrix.kernel import Kernel, entries_of, rows_of
from mbsym.transfer_matrix.layout import LAYOUTS

LAYOUT: Final = LAYOUTS["incremental"]


def minus(a: Matrix3, b: Matrix3) -> Matrix3:
    """a - b."""
    return subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2])


def times(a: Matrix3, factor: Scalar) -> Matrix3:
    """A multiple of a matrix."""
    return scale(a[0], factor), scale(a[1], factor), scale(a[2], factor)


def diagonal(value: Scalar) -> Matrix3:
    """A multiple of the unit matrix."""
    zero = Scalar(value.graph, 0)
    return (value, zero, zero), (zero, value, zero), (zero, zero, value)


def inverse_of(m: Matrix3) -> Matrix3:
    """By cofactors."""
    rows = cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])
    factor = 1 / dot(m[0], rows[0])
    return (
        (rows[0][0] * factor, rows[1][0] * factor, rows[2][0] * factor),
        (rows[0][1] * factor, rows[1][1] * factor, rows[2][1] * factor),
        (rows[0][2] * factor, rows[1][2] * factor, rows[2][2] * factor),
    )


class MotionParts:
    """Parts of the motion array."""

    def __init__(self, k: Kernel) -> None:
        m = k.array(
            "motion",
            LAYOUT.motion,
            "R, inverse of G, levers, inertia torque, its derivative by a rotation, angular velocity",
        )
        self.R, self.G_inverse, self.X = rows_of(m[0:9]), rows_of(m[9:18]), rows_of(m[18:27])
        self.torque: Vector3 = (m[27], m[28], m[29])
        self.P = rows_of(m[30:39])
        self.omega: Vector3 = (m[39], m[40], m[41])


def motion_entries(
    R: Matrix3, G_inverse: Matrix3, X: Matrix3, torque: Vector3, P: Matrix3, omega: Vector3
) -> tuple[Scalar, ...]:
    """The motion array, in the order in which ``MotionParts`` takes it apart."""
    return (*entries_of(R), *entries_of(G_inverse), *entries_of(X), *torque, *entries_of(P), *omega)


def rigid_body(k: Kernel) -> tuple[Scalar, Vector3, Symmetric3]:
    """Mass, centre of mass and inertia from the row of the body table."""
    m, cx, cy, cz, xx, yy, zz, xy, xz, yz = k.array("body", LAYOUT.body, "row of the body table")
    return m, (cx, cy, cz), (xx, yy, zz, xy, xz, yz)


def attitude_base(k: Kernel) -> Quaternion:
    """Attitude at the start of the step."""
    w, x, y, z = k.array("base", LAYOUT.base, "quaternion at the start of the step")
    return w, x, y, z


def scheme_inputs(k: Kernel) -> tuple[Scalar, Scalar, Vector3, Vector3, Vector3, Vector3]:
    """A, C, B, D, and the shares of the past rotations in B and D."""
    A, C = k.scalar("A", "of the scheme"), k.scalar("C", "of the scheme")
    B, D = k.vector3("B", "of the rotation"), k.vector3("D", "of the rotation")
    return A, C, B, D, k.vector3("B_past", "share of x2, x3 in B"), k.vector3("D_past", "share of x2, x3 in D")
