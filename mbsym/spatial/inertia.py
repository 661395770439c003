"""Inertia of rigid and of articulated bodies about a frame's origin.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 2.8 and 7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mbsym.spatial.rotation import Rotation
from mbsym.spatial.vector import (
    Matrix3,
    Symmetric3,
    Vector3,
    add,
    cross,
    multiply,
    scale,
    skew,
    symmetric_matrix,
    symmetric_multiply,
    transpose,
)
from mbsym.symbolic.scalar import Scalar

RIGID_ENTRIES: Final = 10
"""Of the inertia of a rigid body."""


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass, first moment (mass times centre of mass) and inertia about the origin, in one frame."""

    mass: Scalar
    first_moment: Vector3
    about_origin: Symmetric3

    def entries(self) -> list[Scalar]:
        """What makes it up: mass, first moment and inertia about the origin, ``RIGID_ENTRIES`` of them."""
        return [self.mass, *self.first_moment, *self.about_origin]

    @classmethod
    def of_entries(cls, entries: Sequence[Scalar]) -> RigidInertia:
        """The inertia with those ``entries``."""
        mass, x, y, z, xx, yy, zz, xy, xz, yz = entries
        return cls(mass, (x, y, z), (xx, yy, zz, xy, xz, yz))

    @property
    def is_anything(self) -> bool:
        """True where the mass or a moment of inertia is not the constant zero."""
        return bool(self.mass) or any(self.about_origin)

    def __add__(self, other: RigidInertia) -> RigidInertia:
        a, b = self.about_origin, other.about_origin
        total = (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])
        return RigidInertia(self.mass + other.mass, add(self.first_moment, other.first_moment), total)

    def to_parent(self, rotation: Rotation, translation: Vector3) -> RigidInertia:
        """The same body seen from the parent frame; ``translation`` is the child's origin in parent components."""
        turned = rotation.symmetric_to_parent(self.about_origin)
        h = rotation.to_parent(self.first_moment)
        p = translation
        shifted = add(h, scale(p, self.mass))
        both = add(h, shifted)
        x, y, z = p[0] * both[0], p[1] * both[1], p[2] * both[2]
        xx, yy, zz, xy, xz, yz = turned
        return RigidInertia(
            self.mass,
            shifted,
            (
                xx + (y + z),
                yy + (x + z),
                zz + (x + y),
                xy - (shifted[0] * p[1] + p[0] * h[1]),
                xz - (shifted[0] * p[2] + p[0] * h[2]),
                yz - (shifted[1] * p[2] + p[1] * h[2]),
            ),
        )

    def times(self, angular: Vector3, linear: Vector3) -> tuple[Vector3, Vector3]:
        """I [angular; linear] = [I_O angular + h x linear; mass linear - h x angular]."""
        h = self.first_moment
        return (
            add(symmetric_multiply(self.about_origin, angular), cross(h, linear)),
            add(scale(linear, self.mass), cross(angular, h)),
        )


INERTIA_ENTRIES: Final = 21
"""Of a symmetric 6 x 6 matrix."""


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """A symmetric 6 x 6 inertia [[A, B], [B^T, C]]."""

    angular: Symmetric3
    coupling: Matrix3
    linear: Symmetric3

    @classmethod
    def of_rigid(cls, inertia: RigidInertia) -> ArticulatedInertia:
        """The inertia of a body with nothing attached."""
        zero = Scalar(inertia.mass.graph, 0)
        m = inertia.mass
        return cls(inertia.about_origin, skew(inertia.first_moment), (m, m, m, zero, zero, zero))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        a, b = self.angular, other.angular
        c, d = self.linear, other.linear
        rows = tuple(add(x, y) for x, y in zip(self.coupling, other.coupling, strict=True))
        return ArticulatedInertia(
            (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]),
            (rows[0], rows[1], rows[2]),
            (c[0] + d[0], c[1] + d[1], c[2] + d[2], c[3] + d[3], c[4] + d[4], c[5] + d[5]),
        )

    def entries(self) -> list[Scalar]:
        """What makes it up: A, B by rows and C, ``INERTIA_ENTRIES`` of them."""
        return [*self.angular, *(entry for row in self.coupling for entry in row), *self.linear]

    @classmethod
    def of_entries(cls, entries: Sequence[Scalar]) -> ArticulatedInertia:
        """The inertia with those ``entries``."""
        e = entries
        return cls(
            (e[0], e[1], e[2], e[3], e[4], e[5]),
            ((e[6], e[7], e[8]), (e[9], e[10], e[11]), (e[12], e[13], e[14])),
            (e[15], e[16], e[17], e[18], e[19], e[20]),
        )

    def rows(self) -> list[list[Scalar]]:
        """The 6 x 6 matrix."""
        a, b, c = symmetric_matrix(self.angular), self.coupling, symmetric_matrix(self.linear)
        upper = [[*a[i], *b[i]] for i in range(3)]
        lower = [[b[0][i], b[1][i], b[2][i], *c[i]] for i in range(3)]
        return upper + lower

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[Scalar]]) -> ArticulatedInertia:
        """From the upper triangle of a 6 x 6 matrix."""
        r = rows
        return cls(
            (r[0][0], r[1][1], r[2][2], r[0][1], r[0][2], r[1][2]),
            ((r[0][3], r[0][4], r[0][5]), (r[1][3], r[1][4], r[1][5]), (r[2][3], r[2][4], r[2][5])),
            (r[3][3], r[4][4], r[5][5], r[3][4], r[3][5], r[4][5]),
        )

    def to_parent(self, rotation: Rotation, translation: Vector3) -> ArticulatedInertia:
        """X I X^T with X the force transform from child to parent; ``translation`` in parent components.

        With p~ the matrix of p x: B' = B + p~ C and A' = A + p~ B^T - B' p~.
        """
        a = symmetric_matrix(rotation.symmetric_to_parent(self.angular))
        b = rotation.congruent(self.coupling)
        c = rotation.symmetric_to_parent(self.linear)
        p = translation
        columns = [cross(p, column) for column in symmetric_matrix(c)]
        shifted: list[list[Scalar]] = [[b[i][k] + columns[k][i] for k in range(3)] for i in range(3)]
        left = [cross(p, row) for row in b]
        right = [cross(p, (row[0], row[1], row[2])) for row in shifted]

        def entry(i: int, k: int) -> Scalar:
            return a[i][k] + (left[k][i] + right[i][k])

        angular = (entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2))
        coupling = tuple((row[0], row[1], row[2]) for row in shifted)
        return ArticulatedInertia(angular, (coupling[0], coupling[1], coupling[2]), c)

    def times(self, angular: Vector3, linear: Vector3) -> tuple[Vector3, Vector3]:
        """I [angular; linear]."""
        turned = multiply(transpose(self.coupling), angular)
        return (
            add(symmetric_multiply(self.angular, angular), multiply(self.coupling, linear)),
            add(turned, symmetric_multiply(self.linear, linear)),
        )
