"""Closed loops: dynamics that cope with singular configurations, and projections, on the kernels of a module."""

# ruff: noqa: F821
from __future__ import annotations

import numpy as np

# mbsym: copied from here


def _loop_columns(matrix, vector):
    return (matrix @ np.asarray(vector)[..., None])[..., 0]


def _loop_pivot(matrix):
    """Smallest pivot of Cholesky's factor of a symmetric matrix of unit diagonal, or 0."""
    size = matrix.shape[-1]
    lower = np.zeros(matrix.shape)
    smallest = np.ones(matrix.shape[:-2])
    for j in range(size):
        square = matrix[..., j, j] - (lower[..., j, :j] ** 2).sum(axis=-1)
        pivot = np.sqrt(np.where(square > 0, square, 0.0))
        smallest = np.minimum(smallest, pivot)
        below = matrix[..., j:, j] - (lower[..., j:, :j] @ lower[..., j, :j, None])[..., 0]
        lower[..., j:, j] = below / np.where(pivot > 0, pivot, 1.0)[..., None]
    return smallest


def _loop_dynamics(terms, pull):
    """vdot, lambda and (rank of G, smallest pivot of its rows); lambda is of least norm where G loses rank.

    Rows are brought to equal size, and the singular values of D^-1/2 L^-T G^T are taken without squaring. Where the
    pivot is below 1e-3, the ratio of smallest to largest singular value stands in its place.
    """
    free, response, delassus, right, weighted, inverses = terms
    right = right + pull
    diagonal = np.diagonal(delassus, axis1=-2, axis2=-1)
    scale = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    matrix = np.sqrt(np.abs(inverses))[..., :, None] * weighted * scale[..., None, :]
    with np.errstate(invalid="ignore"):
        sound = np.isfinite(matrix).all(axis=(-2, -1))
    _, sizes, vt = np.linalg.svd(np.where(sound[..., None, None], matrix, 0.0), full_matrices=False)
    kept = sizes > 1e-10 * sizes[..., :1]
    squares = np.where(kept, 1.0 / np.where(kept, sizes, 1.0) ** 2, 0.0)
    along = squares * _loop_columns(vt, scale * right)
    multipliers = scale * _loop_columns(np.swapaxes(vt, -1, -2), along)
    multipliers = np.where(sound[..., None], multipliers, np.nan)
    largest = np.where(sizes[..., 0] > 0, sizes[..., 0], 1.0)
    pivot = _loop_pivot(np.where(sound[..., None, None], delassus * scale[..., :, None] * scale[..., None, :], 0.0))
    regular = np.where(pivot > 1e-3, pivot, sizes[..., -1] / largest)
    status = np.stack([kept.sum(axis=-1).astype(float), np.where(sound, regular, np.nan)], axis=-1)
    return free + _loop_columns(response, multipliers), multipliers, status


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
    rate = _loop_columns(constraint_jacobian(q, **keywords), v)
    pull = -2 * gains[..., :1] * rate - gains[..., 1:] ** 2 * constraint_residual(q, **keywords)
    return _loop_dynamics(constrained_terms(q, v, tau, *timed, **keywords), pull)[:2]


def joint_wrenches(q, v, tau, *extra, **keywords):
    """Wrenches of tree joints and cut joints."""
    vdot, multipliers = constrained_dynamics(q, v, tau, *extra, **keywords)
    return constrained_wrenches(q, v, vdot, multipliers, *extra, **keywords)


def forward_dynamics(q, v, tau, *extra, **keywords):
    """vdot with closed loops."""
    return constrained_dynamics_status(q, v, tau, *extra, **keywords)[0]


def _loop_step(rows, response, gap):
    """Least motion in the metric of M with rows * motion = -gap."""
    product = rows @ response
    sound = np.isfinite(product).all(axis=(-2, -1), keepdims=True)
    inverse = np.linalg.pinv(np.where(sound, product, 0.0), rcond=1e-12)
    return -_loop_columns(response, _loop_columns(inverse, gap))


def project_position_status(q, **keywords):
    """q with closed loops, moved with the least kinetic energy, and (1 if closed, largest gap, Newton steps)."""
    closed = np.array(q, dtype=float)
    residual, rows, _, response = constraint_correction(closed, **keywords)
    gap = np.abs(residual).max(axis=-1)
    steps = np.zeros_like(gap)
    going = gap > 1e-14
    for _ in range(12):
        if not going.any():
            break
        motion = np.where(going[..., None], _loop_step(rows, response, residual), 0.0)
        moved = moved_position(closed, motion, **keywords)
        new_residual, new_rows, _, new_response = constraint_correction(moved, **keywords)
        there = np.abs(new_residual).max(axis=-1)
        steps = steps + going
        better = going & (there < gap)
        closed = np.where(better[..., None], moved, closed)
        residual = np.where(better[..., None], new_residual, residual)
        rows = np.where(better[..., None, None], new_rows, rows)
        response = np.where(better[..., None, None], new_response, response)
        gap = np.where(better, there, gap)
        going = better & (gap > 1e-14)
    return closed, np.stack([(gap <= 1e-11).astype(float), gap, steps], axis=-1)


def project_position(q, **keywords):
    """q with closed loops, moved with the least kinetic energy."""
    return project_position_status(q, **keywords)[0]


def project_velocity(q, v, **keywords):
    """The speeds nearest to v, in the metric of the mass matrix, that keep the loops closed."""
    _, _, jacobian, response = constraint_correction(q, **keywords)
    consistent = np.asarray(v, dtype=float)
    for _ in range(2):  # the second time removes what round-off left
        consistent = consistent + _loop_step(jacobian, response, _loop_columns(jacobian, consistent))
    return consistent
