"""Bodies with all that hang on them, and the wrenches that changes of their motion ask for.

A change is a spatial acceleration beta of all bodies and a turning w that meets their velocities: the wrench of the
forces beta dm + 2 w x xdot dm. p = integral of xdot dm and D = integral of xdot r^T dm say all that is needed of the
velocities, however many bodies they are of: 12 numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import (
    Matrix3,
    Vector3,
    add,
    add_matrices,
    cross,
    multiply,
    negate,
    scale,
    symmetric_matrix,
    transpose,
)


@dataclass(frozen=True, slots=True)
class Change:
    """How a rigid motion of all bodies changes, in components of one of them.

    Attributes:
        acceleration: beta.
        turning: w.
    """

    acceleration: Motion
    turning: Vector3


@dataclass(frozen=True, slots=True)
class Composite:
    """A body with all that hang on it, in its internal frame.

    Attributes:
        inertia: of all.
        flow: 2 D.
        momentum: 2 p.
    """

    inertia: RigidInertia
    flow: Matrix3
    momentum: Vector3

    @classmethod
    def of_body(cls, inertia: RigidInertia, omega: Vector3, velocity: Vector3) -> Composite:
        """One body alone: 2 D = 2 u h^T + omega~ 2 J with J the second moments, 2 J = tr(I) 1 - 2 I."""
        xx, yy, zz, xy, xz, yz = inertia.about_origin
        second = symmetric_matrix((yy + zz - xx, xx + zz - yy, xx + yy - zz, -2 * xy, -2 * xz, -2 * yz))
        h = inertia.first_moment
        doubled = twice(velocity)
        columns = transpose(tuple(cross(omega, row) for row in second))  # type: ignore[arg-type]
        flow = tuple(add(column, scale(h, u)) for column, u in zip(columns, doubled, strict=True))
        momentum = add(scale(doubled, inertia.mass), cross(twice(omega), h))
        return cls(inertia, (flow[0], flow[1], flow[2]), momentum)

    def __add__(self, other: Composite) -> Composite:
        return Composite(
            self.inertia + other.inertia, add_matrices(self.flow, other.flow), add(self.momentum, other.momentum)
        )

    def to_parent(self, placement: Transform) -> Composite:
        """The same bodies seen from the parent frame: D' = D + p d^T."""
        rotation, d = placement.rotation, placement.translation
        momentum = rotation.to_parent(self.momentum)
        turned = rotation.congruent(self.flow)
        flow = tuple(add(row, scale(d, p)) for row, p in zip(turned, momentum, strict=True))
        return Composite(self.inertia.to_parent(rotation, d), (flow[0], flow[1], flow[2]), momentum)

    def wrench(self, change: Change) -> Motion:
        """I beta + 2 B w, where 2 B w = [tr(2 D) w - 2 D w; w x 2 p]."""
        moment, force = self.inertia.times(*change.acceleration)
        w = change.turning
        return add(moment, multiply(_less_trace(self.flow), w)), add(force, cross(w, self.momentum))

    def row(self, direction: Motion) -> Vector3:
        """direction^T 2 B, which takes w."""
        angular, linear = direction
        return add(multiply(transpose(_less_trace(self.flow)), angular), cross(self.momentum, linear))


def _less_trace(d: Matrix3) -> Matrix3:
    """tr(D) 1 - D."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = d
    return (yy + zz, -xy, -xz), (-yx, xx + zz, -yz), (-zx, -zy, xx + yy)


def composites(mechanism: Mechanism, twists: Sequence[Motion]) -> list[Composite]:
    """By label - 1, of bodies that move with the given twists."""
    found = []
    with mechanism.graph.section("composite bodies, inward"):
        for body in mechanism.bodies:
            found.append(Composite.of_body(body.inertia, *twists[body.label]))
        for body in reversed(mechanism.bodies):
            if body.parent:
                found[body.parent - 1] = found[body.parent - 1] + found[body.label - 1].to_parent(body.placement)
    return found


def flow_along(composite: Composite, w: Vector3, *, transposed: bool = False) -> Vector3:
    """(2 D^T - tr(2 D) 1) w = 2 integral of (w x r) x xdot dm; transposed (tr(2 D) 1 - 2 D) w."""
    matrix = _less_trace(composite.flow)
    return multiply(matrix, w) if transposed else negate(multiply(transpose(matrix), w))


def twice(a: Vector3) -> Vector3:
    """2 a."""
    return 2 * a[0], 2 * a[1], 2 * a[2]
