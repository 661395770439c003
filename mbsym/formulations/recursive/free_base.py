"""The six freedoms of a free base at once: two blocks of three by their adjugates, one division behind the other.

With [[A, B], [B^T, C]] the articulated inertia and C^-1 = adj C / det C, the block of the angular acceleration is
S = A - B C^-1 B^T. Six pivots one after the other take fewer operations and six divisions, each waiting for the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.joints.motion import six
from mbsym.kinematics.mechanism import TreeBody
from mbsym.spatial.inertia import ArticulatedInertia
from mbsym.spatial.vector import (
    Symmetric3,
    Vector3,
    dot,
    multiply,
    scale,
    subtract,
    symmetric_multiply,
    transpose,
)
from mbsym.symbolic.scalar import Scalar

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def is_free_base(body: TreeBody) -> bool:
    """True where each speed is a component of the body's own twist, in order, and nothing carries it."""
    units = [[x.ref for x in six(column)] for column in body.columns]
    return not body.parent and units == [[int(k == m) for m in range(6)] for k in range(6)] and not any(body.armature)


def base_acceleration(inertia: ArticulatedInertia, wrench: Sequence[Scalar]) -> list[Scalar]:
    """[angular; linear] under a wrench, of an inertia that is regular in every state."""
    moment: Vector3 = (wrench[0], wrench[1], wrench[2])
    force: Vector3 = (wrench[3], wrench[4], wrench[5])
    linear = _inverse(inertia.linear)
    rows = inertia.coupling
    gains = tuple(symmetric_multiply(linear, row) for row in rows)
    entries = [entry - dot(gains[i], rows[k]) for entry, (i, k) in zip(inertia.angular, PAIRS, strict=True)]
    schur = (entries[0], entries[1], entries[2], entries[3], entries[4], entries[5])
    coupled = (gains[0], gains[1], gains[2])
    angular = _solved(schur, subtract(moment, multiply(coupled, force)))
    return [*angular, *subtract(symmetric_multiply(linear, force), multiply(transpose(coupled), angular))]


def _adjugate(s: Symmetric3) -> tuple[Symmetric3, Scalar]:
    """With the inverse of the determinant."""
    xx, yy, zz, xy, xz, yz = s
    found = (
        yy * zz - yz * yz,
        xx * zz - xz * xz,
        xx * yy - xy * xy,
        xz * yz - xy * zz,
        xy * yz - xz * yy,
        xy * xz - xx * yz,
    )
    determinant = xx * found[0] + (xy * found[3] + xz * found[4])
    return found, 1 / determinant.never_zero()


def _inverse(s: Symmetric3) -> Symmetric3:
    adjugate, inverse = _adjugate(s)
    a, b, c, d, e, f = (entry * inverse for entry in adjugate)
    return a, b, c, d, e, f


def _solved(s: Symmetric3, right: Vector3) -> Vector3:
    adjugate, inverse = _adjugate(s)
    return scale(symmetric_multiply(adjugate, right), inverse)
