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
    square what is small, V S^-1. That takes over where the smallest pivot is not above REGULAR; the ratio of smallest
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
    rank = np.full(pivot.shape, size)
    pivot = np.asarray(pivot)
    singular = np.asarray(~(pivot > REGULAR))
    if singular.any():
        equal = scale[singular]
        matrix = np.sqrt(np.abs(inverses))[singular][..., :, None] * weighted[singular] * equal[..., None, :]
        sound = np.isfinite(matrix).all(axis=(-2, -1))
        _, sizes, vt = np.linalg.svd(np.where(sound[:, None, None], matrix, 0.0), full_matrices=False)
        kept = sizes > DEPENDENT * sizes[:, :1]
        inverse = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)
        roots[singular] = equal[:, :, None] * np.swapaxes(vt, -1, -2) * inverse[:, None, :]
        roots[singular] *= np.where(sound, 1.0, np.nan)[:, None, None]
        pivot[singular] = np.where(sound, sizes[:, -1] / np.where(sizes[:, 0] > 0, sizes[:, 0], 1.0), np.nan)
        rank[singular] = kept.sum(axis=-1)
    return roots, rank, pivot


def _solve(roots, right):
    """(J M^-1 J^T)^+ right."""
    return _columns(roots, _columns(np.swapaxes(roots, -1, -2), right))


def _finite(*arrays):
    """Whether all entries along the last axes are finite."""
    found = True
    for array in arrays:
        found = found & np.isfinite(array).all(axis=-1)
    return found


def _solved(rank, rows, inverses, arguments, results):
    """The status of solutions: arguments finite or not, factors of the mass matrix and results finite or not."""
    status = np.where(rank < rows, Status.SINGULAR, Status.OK)
    status = np.where(results, status, Status.NOT_FINITE)
    status = np.where(_finite(inverses), status, Status.SINGULAR)
    return np.where(arguments, status, Status.NOT_FINITE)[()]


def _loop_dynamics(terms, pull, arguments):
    """vdot, lambda, rank of the rows, how regular they are, and the status."""
    free, response, delassus, right, weighted, inverses = terms
    roots, rank, pivot = _roots(delassus, weighted, inverses)
    multipliers = _solve(roots, right + pull)
    vdot = free + _columns(response, multipliers)
    status = _solved(rank, delassus.shape[-1], inverses, _finite(*arguments), _finite(vdot, multipliers))
    return vdot, multipliers, rank, pivot, status


def _dynamics(q, v, tau, *extra, **keywords):
    with np.errstate(all="ignore"):
        return _loop_dynamics(_evaluated(constrained_terms, q, v, tau, *extra, **keywords), 0.0, (q, v, tau))


def constrained_dynamics_report(q, v, tau, *extra, failures="raise", **keywords):
    """vdot and lambda with closed loops, rank of G, and smallest pivot of its rows at equal size."""
    *results, status = _dynamics(q, v, tau, *extra, **keywords)
    return _settled("constrained_dynamics_report", tuple(results), status, failures)


def constrained_dynamics(q, v, tau, *extra, failures="raise", **keywords):
    """vdot and lambda with closed loops."""
    *results, _, _, status = _dynamics(q, v, tau, *extra, **keywords)
    return _settled("constrained_dynamics", tuple(results), status, failures)


def stabilised_dynamics(q, v, tau, *extra, failures="raise", **keywords):
    """vdot and lambda with G vdot = gamma - 2 alpha G v - beta^2 residual; the last argument is (alpha, beta)."""
    *timed, gains = extra
    gains = np.asarray(gains)
    with np.errstate(all="ignore"):
        rate = _columns(_evaluated(constraint_jacobian, q, **keywords), v)
        residual = _evaluated(constraint_residual, q, **keywords)
        pull = -2 * gains[..., :1] * rate - gains[..., 1:] ** 2 * residual
        terms = _evaluated(constrained_terms, q, v, tau, *timed, **keywords)
        *results, _, _, status = _loop_dynamics(terms, pull, (q, v, tau))
    return _settled("stabilised_dynamics", tuple(results), status, failures)


def joint_wrenches(q, v, tau, *extra, failures="raise", **keywords):
    """Wrenches of tree joints and cut joints."""
    vdot, multipliers, _, _, status = _dynamics(q, v, tau, *extra, **keywords)
    with np.errstate(all="ignore"):
        wrenches = _evaluated(constrained_wrenches, q, v, vdot, multipliers, *extra, **keywords)
    sound = np.isfinite(wrenches).all(axis=(-2, -1)) | (status != Status.OK)
    return _settled("joint_wrenches", wrenches, np.where(sound, status, Status.NOT_FINITE)[()], failures)


def forward_dynamics(q, v, tau, *extra, failures="raise", **keywords):
    """vdot with closed loops."""
    vdot, *_, status = _dynamics(q, v, tau, *extra, **keywords)
    return _settled("forward_dynamics", vdot, status, failures)


def _within(residual, scale, part):
    """Whether all residuals are numbers within that part of what they are measured by."""
    size, rounding = scale
    return (np.abs(residual) <= part * size + np.minimum(part * rounding, COARSE * size)).all(axis=-1)


def _projected_position(q, **keywords):
    """Closed q, the largest gap left, Newton steps, and the status."""
    closed = np.array(q, dtype=float)
    gap = _evaluated(constraint_residual, closed, **keywords)
    scale = _evaluated(closure_scale, closed, **keywords)
    sound = _finite(closed, gap)
    here = np.abs(gap).max(axis=-1)
    steps = np.zeros(here.shape, dtype=int)
    going = sound & ~_within(gap, scale, ENOUGH)
    for _ in range(ITERATIONS):
        if not going.any():
            break
        _, response, *rows = _evaluated(position_correction, closed, **keywords)
        motion = -_columns(response, _solve(_roots(*rows)[0], gap))
        moved = _evaluated(moved_position, closed, np.where(going[..., None], motion, 0.0), **keywords)
        left = _evaluated(constraint_residual, moved, **keywords)
        there = np.abs(left).max(axis=-1)
        steps = steps + going
        # The round-off of one row may be more than what another one is open by.
        closer = (there < here) | (_within(left, scale, ACCEPTED) & ~_within(gap, scale, ACCEPTED))
        better = going & closer
        closed = np.where(better[..., None], moved, closed)
        gap = np.where(better[..., None], left, gap)
        here = np.where(better, there, here)
        scale = _evaluated(closure_scale, closed, **keywords)
        going = better & ~_within(gap, scale, ENOUGH)
    status = np.where(_within(gap, scale, ACCEPTED), Status.OK, Status.NOT_CLOSED)
    return closed, here, steps, np.where(sound, status, Status.NOT_FINITE)[()]


def project_position_report(q, *, failures="raise", **keywords):
    """q with closed loops, moved with the least kinetic energy, the largest gap left, and Newton steps."""
    with np.errstate(all="ignore"):
        *results, status = _projected_position(q, **keywords)
    return _settled("project_position_report", tuple(results), status, failures)


def project_position(q, *, failures="raise", **keywords):
    """q with closed loops, moved with the least kinetic energy."""
    with np.errstate(all="ignore"):
        closed, *_, status = _projected_position(q, **keywords)
    return _settled("project_position", closed, status, failures)


def project_velocity(q, v, *, failures="raise", **keywords):
    """The speeds nearest to v, in the metric of the mass matrix, that keep the loops closed."""
    consistent = np.asarray(v, dtype=float)
    with np.errstate(all="ignore"):
        jacobian, response, *rows = _evaluated(velocity_correction, q, **keywords)
        roots, rank, _ = _roots(*rows)
        for _ in range(2):  # the second time removes what round-off left
            consistent = consistent - _columns(response, _solve(roots, _columns(jacobian, consistent)))
        status = _solved(rank, jacobian.shape[-2], rows[-1], _finite(q, v), _finite(consistent))
    return _settled("project_velocity", consistent, status, failures)
