"""SciPy's integrators: what is asked of them, and the Jacobian for implicit ones, by differences of bounded steps.

SciPy chooses the step of a difference anew at each Jacobian, ten times as long where a column comes out as zero. An
angle that no force depends on gives such a column, and its step grows without end. A step here is a part of what its
coordinate means: a radian, a unit of a quaternion, its own size between a millimetre and a metre for what has one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mbsym.doors import Array, scipy
from mbsym.kinematics.mechanism import Mechanism
from mbsym.simulation.equations import coordinate_quantities
from mbsym.simulation.methods import METHODS
from mbsym.simulation.options import Accuracy
from mbsym.simulation.time_stepping import StateLayout

LEAST_RELATIVE: Final = 100.0 * float(np.finfo(float).eps)
"""Relative error below which SciPy's integrators take this one without a word."""

_PART: Final = float(np.finfo(float).eps) ** (1 / 3)
"""Part of a size at which the errors of a central difference, of truncation and of round-off, are alike."""

_SIZES: Final = (1e-3, 1.0)
"""Bounds of the size of lengths and speeds [m, m/s, rad/s]; states of drives may be as large as they are."""


class RateJacobian:
    """Derivatives of the rates by the state.

    Attributes:
        evaluations: of the rates, so far.
    """

    def __init__(self, rates: Callable[[float, Array], Array], mechanism: Mechanism, layout: StateLayout) -> None:
        """Takes what to differentiate.

        Args:
            rates: of a state; they do not depend on the work in it.
            mechanism: whose coordinates have units.
            layout: of the state.
        """
        self._rates = rates
        self._columns = layout.nq + layout.nv + layout.drives
        sized = [item.unit == "m" for item in coordinate_quantities(mechanism)]
        self._sized = np.array([*sized, *[True] * (layout.nv + layout.drives)], dtype=bool)
        self._largest = np.array([*[_SIZES[1]] * (layout.nq + layout.nv), *[np.inf] * layout.drives])
        self.evaluations = 0

    def __call__(self, t: float, x: Array) -> Array:
        """The matrix (states, states)."""
        n = self._columns
        sizes = np.where(self._sized, np.clip(np.abs(x[:n]), _SIZES[0], self._largest), 1.0)
        found = np.zeros((len(x), len(x)))
        for k, step in enumerate((_PART * sizes).tolist()):
            above, below = x.copy(), x.copy()
            above[k] += step
            below[k] -= step
            found[:, k] = (self._rates(t, above) - self._rates(t, below)) / (above[k] - below[k])
        self.evaluations += 2 * n
        return found


def scipy_integrator(
    method: str,
    rates: Callable[[float, Array], Array],
    x: Array,
    times: Array,
    accuracy: Accuracy,
    jacobian: RateJacobian | None,
) -> Any:
    """The integrator of a method before its first step, from the first to the last of the times."""
    part = METHODS[method].tighter
    return getattr(scipy.integrate, method)(
        rates,
        float(times[0]),
        x,
        float(times[-1]),
        rtol=max(accuracy.rtol / part, LEAST_RELATIVE),
        atol=accuracy.absolute / part,
        max_step=accuracy.max_step,
        **({} if jacobian is None else {"jac": jacobian}),
    )


def beyond_reach(method: str, accuracy: Accuracy) -> str:
    """A sentence where a method of SciPy cannot ask for errors as small as those allowed, else nothing."""
    known = METHODS[method]
    least = known.tighter * LEAST_RELATIVE
    if known.is_fixed or known.pair is not None or accuracy.rtol >= least:
        return ""
    return f"{method} reaches no relative error per step below {least:.2g}, and {accuracy.rtol:g} is asked for"
