"""How many digits constraint forces lose that are found by inverse inertias, from the equations of the reference.

A F = X has one block of unknowns a joint. About which point they are taken, and along which axes, multiplies A by a
block diagonal matrix T from both sides. With each joint's own block brought to one, the condition number is the same
for all such choices, and no choice has less than it by the number of joints: largest eigenvalues are then at most that
number, and |A^-1| grows by |T^-1|^2, the largest eigenvalue of a block. So it is the condition of the problem that
inverse inertias pose, whichever lever arms are written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym.reference import Reference
from mbsym.reference.maximal import centroidal_inertias, constraint_rows
from mbsym.reference.placements import configuration, motion

Array = NDArray[Any]


def condition(reference: Reference, q: Array) -> float:
    """Of A for the joints of the tree, each block brought to one; one where no joint holds anything."""
    mechanism = reference.mechanism
    at = configuration(mechanism, q)
    size = 6 * mechanism.nb
    rows = constraint_rows(mechanism, at, motion(mechanism, at, np.zeros((reference.nv, 1)))).matrix[:size, :size]
    inverses = np.linalg.inv(centroidal_inertias(mechanism, at))
    compliance = sum(
        rows[:, 6 * k : 6 * k + 6] @ inverse @ rows[:, 6 * k : 6 * k + 6].T for k, inverse in enumerate(inverses)
    )
    held = np.zeros((size, 0))
    sizes = []
    for k, (joint, frames) in enumerate(zip(mechanism.tree_joints, at.joints, strict=False)):
        own = slice(6 * k, 6 * k + 6)
        # A freedom with a rotor is held by it, which gives way by 1 / armature.
        driven = np.broadcast_to(np.asarray(joint.armature) > 0, frames.freedom.shape[1:])
        armature = np.broadcast_to(joint.armature, frames.freedom.shape[1:])[driven]
        compliance[own, own] += (frames.freedom[:, driven] / armature) @ frames.freedom[:, driven].T
        free = frames.freedom[:, ~driven]
        columns = np.zeros((size, 6 - free.shape[1]))
        columns[own] = np.linalg.svd(free)[0][:, free.shape[1] :]
        held = np.concatenate([held, columns], axis=1)
        sizes.append(columns.shape[1])
    return block_condition(held.T @ compliance @ held, sizes)


def block_condition(matrix: Array, sizes: Sequence[int]) -> float:
    """Condition number of a positive definite matrix whose diagonal blocks of these sizes are brought to one."""
    scaled = matrix
    starts = np.cumsum([0, *sizes])
    for first, last in pairwise(starts):
        turn = np.eye(len(matrix))
        turn[first:last, first:last] = np.linalg.inv(np.linalg.cholesky(matrix[first:last, first:last]))
        scaled = turn @ scaled @ turn.T
    values = np.linalg.eigvalsh(scaled) if len(scaled) else np.ones(1)
    return float(values[-1] / values[0])
