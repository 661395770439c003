"""One-step integrators across singular positions with loops kept closed by projection.

On the branch that a mechanism is on its accelerations are smooth, and singular positions are nothing to a step. Stages
of a step are off the branch by what the step has for errors, though, and there accelerations grow as that error over
the square of the distance from the singular position: tight tolerances make steps shorter and shorter on the way there.
So stages are projected where such a position is near, steps are laid so that it falls between two stages that are far
apart, and no more accuracy is asked for than positions that are closed to round-off have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import SimulationError
from mbsym.simulation.equations import StateLayout
from mbsym.simulation.singular_positions import SingularWatch

Array: TypeAlias = NDArray[Any]

WIDEST_GAP: Final = {"RK45": 0.55, "DOP853": 0.465, "Radau": 0.4}
"""Middle of the widest gap between stages of a method, as a part of the step."""

_NEAR: Final = 0.1
"""Measure of singularity below which a singular position may be ahead."""

_STEPS: Final = 3.0
"""Steps within which it counts as near."""

_LANDING: Final = 0.8
"""Part of the way to the next crossing that is left where one step does not reach across."""

_NOISE: Final = 100.0 * float(np.finfo(float).eps)
"""Error of closed positions, whose quotient by the square of the measure is that of accelerations."""

_MOST_NOISE: Final = 1e-8


class Crossing:
    """Rates and settings of a one-step integrator near singular positions."""

    def __init__(
        self,
        rates: Callable[[float, Array], Array],
        correct: Callable[[float, Array], Array],
        watch: SingularWatch,
        layout: StateLayout,
        absolute: float,
    ) -> None:
        """Takes what to work with.

        Args:
            rates: of a state.
            correct: projects positions and speeds.
            watch: that follows the measure of singularity.
            layout: of the state.
            absolute: the error that is allowed far away.
        """
        self._rates, self._correct = rates, correct
        self._watch, self._layout = watch, layout
        self._absolute = absolute
        self._before: tuple[float, float] | None = None
        self._near = False

    def rates(self, t: float, x: Array) -> Array:
        """Rates of a state, of the projected one near a singular position; nan where it cannot be projected."""
        if not self._near:
            return self._rates(t, x)
        try:
            return self._rates(t, self._correct(t, x))
        except SimulationError:
            return np.full_like(x, np.nan)

    def prepare(self, integrator: Any, method: str) -> None:
        """Lays the next step of an integrator of SciPy.

        Args:
            integrator: in the state that the watch saw last.
            method: one of ``WIDEST_GAP``.
        """
        last = self._watch.last
        assert last is not None
        before, self._before = self._before, (last.t, last.measure)
        integrator.atol = self._absolute
        self._near = last.measure < _NEAR
        if not self._near:
            return
        if before is not None and last.t > before[0] and last.measure < before[1]:
            away = last.measure * (last.t - before[0]) / (before[1] - last.measure)
            length, middle = float(integrator.h_abs), WIDEST_GAP[method]
            if away < middle * length:
                integrator.h_abs = away / middle
            elif away < 2.0 * length:
                integrator.h_abs = min(length, away - _LANDING * middle * length)
        noise = min(_NOISE / max(last.measure, 1e-12) ** 2, _MOST_NOISE)
        allowed = np.full(len(integrator.y), self._absolute)
        self._layout.q(allowed)[:] = max(noise, self._absolute)
        self._layout.v(allowed)[:] = max(noise * float(np.max(np.abs(last.v))), self._absolute)
        integrator.atol = allowed
