"""One-step integrators across singular positions with loops kept closed by projection.

On the branch that a mechanism is on its accelerations are smooth, and singular positions are nothing to a step. Stages
of a step are off the branch by what the step has for errors, though, and there accelerations grow as that error over
the square of the distance from the singular position: tight tolerances make steps shorter and shorter on the way there.
So stages are projected where such a position is near, steps are laid so that it falls between two stages that are far
apart, a step that ends on it is taken again and ends before it, and no more accuracy is asked for than positions that
are closed to round-off have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.simulation.singular_positions import SingularWatch
from mbsym.simulation.time_stepping import StateLayout

_NEAR: Final = 0.1
"""Measure of singularity below which a singular position may be ahead."""

_STEPS: Final = 3.0
"""Steps within which it counts as near."""

_LANDING: Final = 0.8
"""Part of the way to the next crossing that is left where one step does not reach across."""

_TOO_CLOSE: Final = 0.02
"""Measure below which a step does not end if it can end earlier."""

_APPROACH: Final = 0.25
"""Part of the measure at its start below which a step that ends too close is taken again: a crossing that is laid as it
should be ends at more than that."""

_MOST_AGAIN: Final = 3

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
        gap: float,
    ) -> None:
        """Takes what to work with.

        Args:
            rates: of a state.
            correct: projects positions and speeds.
            watch: that follows the measure of singularity.
            layout: of the state.
            absolute: the error that is allowed far away.
            gap: middle of the widest gap between stages, as a part of the step.
        """
        self._rates, self._correct = rates, correct
        self._watch, self._layout = watch, layout
        self._absolute, self._gap = absolute, gap
        self._before: tuple[float, float] | None = None
        self._near = False
        self._away = np.inf
        self._again = 0

    @property
    def is_near(self) -> bool:
        """True where a singular position may be ahead, so that stages are projected."""
        return self._near

    def rates(self, t: float, x: Array) -> Array:
        """Rates of a state, of the projected one near a singular position; nan where it cannot be projected."""
        last = self._watch.last
        if not self._near or (last is not None and t == last.t):
            # The state that a step starts from is closed.
            return self._rates(t, x)
        try:
            return self._rates(t, self._correct(t, x))
        except SimulationError:
            return np.full_like(x, np.nan)

    def prepare(self, integrator: Any) -> None:
        """Lays the next step of an integrator.

        Args:
            integrator: in the state that the watch saw last.
        """
        last = self._watch.last
        assert last is not None
        if self._before is None or self._before[0] != last.t:
            self._before, before = (last.t, last.measure), self._before
            self._away = _away(before, (last.t, last.measure))
        integrator.atol = self._absolute
        length, middle, away = float(integrator.h_abs), self._gap, self._away
        self._near = last.measure < _NEAR or away < length
        if not self._near:
            return
        if away < middle * length:
            integrator.h_abs = away / middle
        elif away < 2.0 * length:
            integrator.h_abs = min(length, away - _LANDING * middle * length)
        noise = min(_NOISE / max(last.measure, 1e-12) ** 2, _MOST_NOISE)
        allowed = np.full(len(integrator.y), self._absolute)
        self._layout.q(allowed)[:] = max(noise, self._absolute)
        self._layout.v(allowed)[:] = max(noise * float(np.max(np.abs(last.v))), self._absolute)
        integrator.atol = allowed

    def shorter(self, t: float, x: Array) -> float | None:
        """The length of a step to take in the place of one that ends too close to a singular position.

        Args:
            t: end of the step.
            x: state there.

        Returns:
            The length, or None where the step may stay.
        """
        last = self._watch.last
        assert last is not None
        measure = self._watch.measure(x)
        if measure >= min(_TOO_CLOSE, _APPROACH * last.measure) or self._again == _MOST_AGAIN:
            self._again = 0
            return None
        self._again += 1
        self._away = t - last.t
        return (1.0 - _LANDING * self._gap) * self._away


def _away(before: tuple[float, float] | None, last: tuple[float, float]) -> float:
    """Time from the last state to where the measure vanishes if it goes on as between both, infinite if it grows."""
    if before is None or last[0] <= before[0] or last[1] >= before[1]:
        return np.inf
    return last[1] * (last[0] - before[0]) / (before[1] - last[1])
