"""Closed loops: one solver for multipliers and projections, for many states at once, on the kernels of a module."""

# ruff: noqa: F821
from __future__ import annotations

import numpy as np

# mbsym: copied from here


def _columns(matrix, vector):
    return (matrix @ np.asarray(vector)[..., None])[..., 0]


def _roots(delassus, weighted, inverses):
    """Z with Z Z^T = (J M^-1 J^T)^+ for closure rows J at equal size, the rank of J, and how regular it is.

    With Cholesky's factor C of the matrix Z is C^-T, with the singular values and vectors of D^-1/2 Y, which does not
    square what is small, V S^-1. That takes over where the smallest pivot is not above _REGULAR; the ratio of smallest
    to largest singular value then stands in the pivot's place.
    """
    size = delassus.shape[-1]
    diagonal = np.diagonal(delassus, axis1=-2, axis2=-1)
    scale = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    table = np.empty((*delassus.shape[:-1], 2 * size), dtype=delassus.dtype)
    table[..., :size] = delassus * scale[..., :, None] * scale[..., None, :]
    table[..., size:] = np.eye(size)
    pivot = np.full(delassus.shape[:-2], np.inf)
    for j in range(size):
        square = table[..., j, j]
        root = np.sqrt(np.where(square > 0, square, 0.0))
        pivot = np.minimum(pivot, root)
        row = table[..., j, j : size + j + 1] / np.where(root > 0, root, 1.0)[..., None]
        table[..., j, j : size + j + 1] = row
        table[..., j + 1 :, j : size + j + 1] -= row[..., 1 : size - j, None] * row[..., None, :]
    roots = scale[..., :, None] * np.swapaxes(table[..., size:], -1, -2)
    rank = np.full(pivot.shape, float(size))
    pivot = np.asarray(pivot)
    singular = np.asarray(~(pivot > _REGULAR))
    if singular.any():
        equal = scale[singular]
        matrix = np.sqrt(np.abs(inverses))[singular][..., :, None] * weighted[singular] * equal[..., None, :]
        sound = np.isfinite(matrix).all(axis=(-2, -1))
        _, sizes, vt = np.linalg.svd(np.where(sound[:, None, None], matrix, 0.0), full_matrices=False)
        kept = sizes > _DEPENDENT * sizes[:, :1]
        inverse = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)
        roots[singular] = equal[:, :, None] * np.swapaxes(vt, -1, -2) * inverse[:, None, :]
        roots[singular] *= np.where(sound, 1.0, np.nan)[:, None, None]
        pivot[singular] = np.where(sound, sizes[:, -1] / np.where(sizes[:, 0] > 0, sizes[:, 0], 1.0), np.nan)
        rank[singular] = kept.sum(axis=-1)
    return roots, rank, pivot


def _solve(roots, right):
    """(J M^-1 J^T)^+ right."""
    return _columns(roots, _columns(np.swapaxes(roots, -1, -2), right))


def _loop_dynamics(terms, pull):
    """vdot, lambda and (rank of the rows, how regular they are)."""
    free, response, delassus, right, weighted, inverses = terms
    roots, rank, pivot = _roots(delassus, weighted, inverses)
    multipliers = _solve(roots, right + pull)
    return free + _columns(response, multipliers), multipliers, np.stack([rank, pivot], axis=-1)


def constrained_dynamics_status(q, v, tau, *extra, **keywords):
    """vdot and lambda with closed loops, and (rank of G, smallest pivot of its rows at equal size)."""
    return _loop_dynamics(constrained_terms(q, v, tau, *extra, **keywords), 0.0)


def constrained_dynamics(q, v, tau, *extra, **keywords):
    """vdot and lambda with closed loops."""
    return constrained_dynamics_status(q, v, tau, *extra, **keywords)[:2]


def stabilised_dynamics(q, v, tau, *extra, **keywords):
    """vdot and lambda with G vdot = gamma - 2 alpha G v - beta^2 residual; the last argument is (alpha, beta)."""
    *timed, gains = extra
    gains = np.asarray(gains)
    rate = _columns(constraint_jacobian(q, **keywords), v)
    pull = -2 * gains[..., :1] * rate - gains[..., 1:] ** 2 * constraint_residual(q, **keywords)
    return _loop_dynamics(constrained_terms(q, v, tau, *timed, **keywords), pull)[:2]


def joint_wrenches(q, v, tau, *extra, **keywords):
    """Wrenches of tree joints and cut joints."""
    vdot, multipliers = constrained_dynamics(q, v, tau, *extra, **keywords)
    return constrained_wrenches(q, v, vdot, multipliers, *extra, **keywords)


def forward_dynamics(q, v, tau, *extra, **keywords):
    """vdot with closed loops."""
    return constrained_dynamics_status(q, v, tau, *extra, **keywords)[0]


def project_position_status(q, **keywords):
    """q with closed loops, moved with the least kinetic energy, and (1 if closed, largest gap, Newton steps)."""
    closed = np.array(q, dtype=float)
    gap = constraint_residual(closed, **keywords)
    here = np.abs(gap).max(axis=-1)
    steps = np.zeros_like(here)
    going = here > _ENOUGH
    for _ in range(_ITERATIONS):
        if not going.any():
            break
        _, response, *rows = position_correction(closed, **keywords)
        motion = -_columns(response, _solve(_roots(*rows)[0], gap))
        moved = moved_position(closed, np.where(going[..., None], motion, 0.0), **keywords)
        left = constraint_residual(moved, **keywords)
        there = np.abs(left).max(axis=-1)
        steps = steps + going
        better = going & (there < here)
        closed = np.where(better[..., None], moved, closed)
        gap = np.where(better[..., None], left, gap)
        here = np.where(better, there, here)
        going = better & (here > _ENOUGH)
    return closed, np.stack([(here <= _ACCEPTED).astype(float), here, steps], axis=-1)


def project_position(q, **keywords):
    """q with closed loops, moved with the least kinetic energy."""
    return project_position_status(q, **keywords)[0]


def project_velocity(q, v, **keywords):
    """The speeds nearest to v, in the metric of the mass matrix, that keep the loops closed."""
    jacobian, response, *rows = velocity_correction(q, **keywords)
    roots = _roots(*rows)[0]
    consistent = np.asarray(v, dtype=float)
    for _ in range(2):  # the second time removes what round-off left
        consistent = consistent - _columns(response, _solve(roots, _columns(jacobian, consistent)))
    return consistent
