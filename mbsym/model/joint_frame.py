"""The rule that completes an axis to a frame."""

from __future__ import annotations

from math import hypot
from typing import TypeAlias

Matrix3: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


def aligning_rotation(axis: tuple[float, float, float]) -> Matrix3:
    """The smallest rotation that turns z to the axis: 1 + k~ + k~ k~ / (1 + a_z) with k = z x a, |a| = 1.

    Its first two columns are the directions of x and y of a planar joint whose normal is the axis. For an axis along
    -z, where the smallest rotation is not unique, it is the half turn about x.

    Args:
        axis: of any length but zero.

    Returns:
        The 3x3 matrix by rows; its third column is the axis at unit length.

    Raises:
        ValueError: the axis is zero.
    """
    x, y, z = _unit(axis)
    across = x * x + y * y
    if across == 0:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)) if z > 0 else (
            (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
        )  # fmt: skip
    # 1/(1+z), without cancellation when the axis points down.
    k = 1 / (1 + z) if z > 0 else (1 - z) / across
    return ((1 - k * x * x, -k * x * y, x), (-k * x * y, 1 - k * y * y, y), (-x, -y, z))


def default_second_axis(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    """The second axis of a universal joint that names none: the coordinate axis that follows the one nearest to the
    first axis (x, y, z, x), made perpendicular to it; at unit length.

    Raises:
        ValueError: the axis is zero.
    """
    a = _unit(axis)
    follower = (max(range(3), key=lambda k: abs(a[k])) + 1) % 3
    b = [(1.0 if k == follower else 0.0) - a[follower] * a[k] for k in range(3)]
    return _unit((b[0], b[1], b[2]))


def _unit(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    length = hypot(*axis)
    if not length > 0:
        raise ValueError("an axis of length zero has no direction")
    return axis[0] / length, axis[1] / length, axis[2] / length
