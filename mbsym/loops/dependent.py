"""Which columns of a constraint Jacobian to solve for."""

from __future__ import annotations

from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np

EQUAL: Final = 1.0 - 1e-6
"""Part of the largest from which on numbers count as equal: round-off is 1e-14 of them, that of closed loops 1e-10."""


def dependent_columns(jacobian: Array) -> tuple[list[int], float]:
    """Columns of G to be solved for, by pivots of largest size, and the smallest singular value they give.

    Of columns that are as large but for round-off the first is taken, so that symmetric mechanisms do not leave the
    choice to it.
    """
    rest = np.array(jacobian, dtype=float)
    chosen: list[int] = []
    for _ in range(jacobian.shape[0]):
        sizes = np.linalg.norm(rest, axis=0)
        sizes[chosen] = -1.0
        column = int(np.argmax(sizes >= EQUAL * sizes.max()))
        chosen.append(column)
        if sizes[column] > 0:
            direction = rest[:, column] / sizes[column]
            rest = rest - np.outer(direction, direction @ rest)
    return sorted(chosen), smallest_singular_value(jacobian[:, chosen])


def smallest_singular_value(matrix: Array) -> float:
    """Of a matrix; infinite where it is empty."""
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return float(sizes[-1]) if len(sizes) else np.inf
