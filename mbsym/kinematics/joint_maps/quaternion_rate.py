"""Rate of a unit quaternion."""

from __future__ import annotations

from fractions import Fraction

from mbsym.spatial.vector import Vector3
from mbsym.symbolic.scalar import Scalar


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
