"""Derivatives of functions of q along speeds, by a complex step or by central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import integrate_position
from mbsym.reference.rotations import Array


def complex_difference(
    mechanism: NumericMechanism, function: Callable[[Array], Any], q: Array, v: Array, step: float = 1e-30
) -> Array:
    """d function(q) / dt along v, to machine precision, for a function that is analytic and takes complex q.

    Source: Squire, Trapp: Using complex variables to estimate derivatives of real functions, SIAM Review 40 (1998).
    """
    return np.asarray(np.imag(function(integrate_position(mechanism, q, v, 1j * step))) / step)


def central_difference(
    mechanism: NumericMechanism, function: Callable[[Array], Any], q: Array, v: Array, step: float = 1e-3
) -> Array:
    """d function(q) / dt along v by central differences of sixth order.

    With the default step the truncation and the rounding error are both near 1e-13 times the size of the function
    while coordinates move by about their own scale in one unit of time.
    """
    total: Array = np.asarray(0.0)
    for multiple, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
        ahead = np.asarray(function(integrate_position(mechanism, q, v, multiple * step)))
        behind = np.asarray(function(integrate_position(mechanism, q, v, -multiple * step)))
        total = total + weight * (ahead - behind)
    return total / step


def derivative_columns(
    mechanism: NumericMechanism, derivative: Callable[..., Array], function: Callable[[Array], Any], q: Array
) -> Array:
    """Derivatives along every unit speed, stacked on a new last axis of length nv."""
    if not mechanism.nv:
        return np.zeros((*np.shape(function(q)), 0))
    return np.stack([derivative(mechanism, function, q, unit) for unit in np.eye(mechanism.nv)], axis=-1)
