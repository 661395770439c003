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
    length = hypot(*axis)
    if not length > 0:
        raise ValueError("an axis of length zero has no direction")
    x, y, z = (entry / length for entry in axis)
    across = x * x + y * y
    if across == 0:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)) if z > 0 else (
            (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
        )  # fmt: skip
    # 1/(1+z), without cancellation when the axis points down.
    k = 1 / (1 + z) if z > 0 else (1 - z) / across
    return ((1 - k * x * x, -k * x * y, x), (-k * x * y, 1 - k * y * y, y), (-x, -y, z))
