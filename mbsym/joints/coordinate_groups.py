"""What the coordinates of a joint are: numbers that add up, a rotation, or a pose."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from fractions import Fraction

from mbsym.spatial.vector import Vector3, add, cross, dot
from mbsym.symbolic.scalar import Scalar


class CoordinateGroup(IntEnum):
    """How q exp(h v) moves the coordinates; the text of the time steps knows the groups by these numbers."""

    SUMS = 0
    """q + h v: speeds are the rates of the coordinates."""

    ROTATIONS = 1
    """q = (w, x, y, z) of unit length, v = omega in the outboard frame's axes."""

    POSES = 2
    """q = (w, x, y, z, px, py, pz), v = [omega; v_O] in the outboard frame's axes."""

    @property
    def quaternion(self) -> int | None:
        """Where the unit quaternion starts among the coordinates, None where there is none."""
        return None if self is CoordinateGroup.SUMS else 0


def quaternion_rate(q: tuple[Scalar, ...], omega: Vector3) -> tuple[Scalar, ...]:
    """qdot = q (0, omega) / 2 for omega in the turned frame's components."""
    w, x, y, z = q
    a, b, c = (component * Fraction(1, 2) for component in omega)
    return (
        -(x * a + y * b + z * c),
        w * a + (y * c - z * b),
        w * b + (z * a - x * c),
        w * c + (x * b - y * a),
    )


def momentum_bracket(group: CoordinateGroup, v: Sequence[Scalar], p: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Terms of Lagrange's equations beside dp/dt for speeds v that are no rates, with p = dL/dv.

    omega x p of a rotation, [omega x p_omega + v_O x p_v; omega x p_v] of a pose; none of what adds up.
    """
    if group is CoordinateGroup.SUMS:
        return ()
    omega, turning = (v[0], v[1], v[2]), (p[0], p[1], p[2])
    turned = cross(omega, turning)
    if group is CoordinateGroup.ROTATIONS:
        return turned
    linear, moving = (v[3], v[4], v[5]), (p[3], p[4], p[5])
    return (*add(turned, cross(linear, moving)), *cross(omega, moving))


def connection(group: CoordinateGroup, v: Sequence[Scalar], w: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """C(v) w of the energy v.v / 2, with C(v) v = ``momentum_bracket`` of v and v, and C(v) skew as Mdot = 0 is.

    (b(v, w) + b(w, v) + [v, w]) / 2, which is Christoffel's for speeds that are no rates; their commutator [v, w] is
    what the bracket's power is made of, b(v, p).w = -p.[v, w].
    """
    if group is CoordinateGroup.SUMS:
        return ()
    zero, one = Scalar(v[0].graph, 0), Scalar(v[0].graph, 1)
    units = ([one if row == k else zero for row in range(len(v))] for k in range(len(v)))
    commutator = (-dot(momentum_bracket(group, v, unit), tuple(w)) for unit in units)
    parts = zip(momentum_bracket(group, v, w), momentum_bracket(group, w, v), commutator, strict=True)
    return tuple((a + b + c) * Fraction(1, 2) for a, b, c in parts)
