"""Closed loops: derivatives of the motion that the solver finds, for many states at once."""

# ruff: noqa: F821
from __future__ import annotations

import numpy as np

# mbsym: copied from here


def constrained_dynamics_derivatives(q, v, tau, *extra, failures="raise", **keywords):
    """Derivatives of vdot and of lambda by q (moved along the speeds), v and tau."""
    with np.errstate(all="ignore"):
        terms = _evaluated(constrained_terms, q, v, tau, *extra, **keywords)
        vdot, multipliers, _, _, status = _loop_dynamics(terms, 0.0, (q, v, tau))
        _, response, delassus, _, weighted, inverses = terms
        roots, _, _ = _roots(delassus, weighted, inverses)
        free_q, right_q, free_v, right_v, inverse = _evaluated(
            constrained_derivative_terms, q, v, vdot, multipliers, *extra, **keywords
        )
        of_vdot, of_multipliers = [], []
        for free, right in ((free_q, right_q), (free_v, right_v), (inverse, -np.swapaxes(response, -1, -2))):
            pull = roots @ (np.swapaxes(roots, -1, -2) @ right)
            of_multipliers.append(pull)
            of_vdot.append(free + response @ pull)
        results = (*of_vdot, *of_multipliers)
        sound = np.all([np.isfinite(result).all(axis=(-2, -1)) for result in results], axis=0)
        status = np.where(sound | (np.asarray(status) != Status.OK), status, Status.NOT_FINITE)[()]
    return _settled("constrained_dynamics_derivatives", results, status, failures)
