"""Looking out, step by step, for events and for limits that a motion exceeds.

A quantity is outside where it is by more than the error that a step may make. Between the ends of a step a state is
close to the cubic through both with their rates; that stays within the hull of its four control points, so that only
steps whose hull is outside are looked at more finely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from mbsym.doors import Array, scipy
from mbsym.errors import SimulationError
from mbsym.simulation.equations import Equations
from mbsym.simulation.events import EventWatch, Step, root_between
from mbsym.simulation.limits import Bound, Exceeded, bounds_of
from mbsym.simulation.options import Accuracy
from mbsym.simulation.rates import ActingLoads, driving_forces

Rates: TypeAlias = Callable[[float, Array], Array]

_SAMPLES: Final = 8
"""Looks into a step that turns round outside a limit, before the furthest is refined."""

_REFINED: Final = 1e-6
"""Part of their distance to which the furthest is refined: there the quantity is flat."""

_ROUNDED: Final = 4.0 * float(np.finfo(float).eps)
"""Part of a limit by which forces and inputs that are held at it may be off."""


class LimitWatch:
    """Follows what has limits from step to step."""

    def __init__(
        self,
        equations: Equations,
        demanded: ActingLoads,
        acting: ActingLoads,
        accuracy: Accuracy,
        *,
        saturate: bool,
        stops: bool,
    ) -> None:
        """Knows the limits of a model; ``begin`` looks at the first state.

        Args:
            equations: of the model.
            demanded: forces and inputs before they are held within their limits.
            acting: the same, held where they are.
            accuracy: of steps; what is outside by less is not told.
            saturate: forces and inputs are held within their limits.
            stops: the motion ends where a limit is reached.
        """
        self._layout, self._name = equations.layout, equations.mechanism.model.name
        self._equations, self._demanded, self._acting, self._accuracy = equations, demanded, acting, accuracy
        self._of_motions = any(bound.of_motion for bound in bounds_of(equations))
        self._saturate, self.stops = saturate, stops
        self._found: dict[Bound, Exceeded] = {}
        self._rates: Rates | None = None
        self._known: list[tuple[float, Array, Array]] = []
        self._look_at(bounds_of(equations))

    def __bool__(self) -> bool:
        return bool(self._bounds)

    @property
    def found(self) -> tuple[Exceeded, ...]:
        """What was exceeded so far, in order of time."""
        return tuple(sorted(self._found.values(), key=lambda item: (item.t, item.name)))

    def begin(self, t: float, x: Array) -> None:
        """Looks at the state before the first step.

        Raises:
            SimulationError: it is beyond a limit, and the motion is to stop there.
        """
        outside = self._excess(t, x) if self._bounds else np.zeros(0)
        for k, bound in enumerate(self._bounds):
            if outside[k] > self._slack[k]:
                self._note(k, t, float(outside[k]), t)
                if self._halts(bound):
                    raise SimulationError(
                        f"the motion starts where it is to stop: {self._found[bound].sentence}",
                        where=self._name,
                        remedy="start within the limits, or have them told only",
                    )
        # Constant forces and inputs are what they are from the first step on.
        follows = self._of_motions or not self._demanded.constant
        self._look_at([bound for bound in self._bounds if bound.of_state or follows])

    def follow(self, rates: Rates) -> None:
        """Takes what gives rates of a state; without them only the ends of steps are looked at."""
        self._rates = rates

    def halt(self, step: Step) -> tuple[float, Bound] | None:
        """Returns when the motion is to stop within a step, and at which limit, if it is to."""
        found = self._crossed(self._halting, step)
        first, k = min(((first, k) for k, first, _, _ in found), default=(step.t, -1))
        return (first, self._bounds[k]) if k >= 0 else None

    def look(self, step: Step) -> None:
        """Notes what is exceeded in a step and stops nothing."""
        for k, first, most, t_most in self._crossed(~self._halting, step):
            self._note(k, first, most, t_most)

    def _crossed(self, concerned: Array, step: Step) -> list[tuple[int, float, float, float]]:
        """Of each bound that is exceeded in a step by more than before: its number, when first, how far, and when."""
        if not concerned.any():
            return []
        hull = self._hull(step)
        reach = np.fmax.reduce(hull)
        found = []
        for k in np.flatnonzero((reach > self._threshold) & concerned).tolist():
            before, after = float(hull[0, k]), float(hull[-1, k])
            most, t_most = max((after, step.t_new), (before, step.t))
            if reach[k] > most + self._slack[k]:
                most, t_most = max((most, t_most), self._furthest(k, step))
            if most > self._threshold[k]:
                found.append((k, self._crossing(k, step, before, t_most, most), most, t_most))
        return found

    def _look_at(self, bounds: Sequence[Bound]) -> None:
        self._bounds = tuple(bounds)
        self._sign = np.array([bound.sign for bound in bounds])
        self._limit = np.array([bound.limit for bound in bounds])
        self._ratio = np.array([bound.ratio for bound in bounds])
        self._offset = np.array([bound.offset for bound in bounds])
        self._entry = np.array([bound.entry for bound in bounds], dtype=int)
        self._of_state = np.array([bound.of_state for bound in bounds], dtype=bool)
        self._halting = np.array([self._halts(bound) for bound in bounds], dtype=bool)
        allowed = self._accuracy.absolute + self._accuracy.rtol * np.abs(self._limit)
        # Forces and inputs are given and not integrated; those of motions follow from what is.
        integrated = np.array([bound.of_state or bound.of_motion for bound in bounds], dtype=bool)
        self._slack = np.where(integrated, allowed, _ROUNDED * np.abs(self._limit))
        known = [self._found[bound].beyond if bound in self._found else 0.0 for bound in bounds]
        self._threshold = np.maximum(self._slack, np.array(known))

    def _demands(self, t: float, x: Array) -> tuple[Array, Array]:
        """What is demanded, with the forces that motions take under what acts."""
        q, v, drives = self._layout.parts(x)
        tau, u = self._demanded.at(t, q, v)
        if self._of_motions:
            # Each of both is zero where the other one is not.
            tau = tau + driving_forces(self._equations, t, q, v, *self._acting.at(t, q, v), drives)
        return tau, u

    def _excess(self, t: float, x: Array) -> Array:
        """How far each quantity is beyond each of its limits; negative inside."""
        values = np.empty(len(self._bounds))
        state = self._of_state
        values[state] = x[self._entry[state]]
        if not state.all():
            values[~state] = np.concatenate(self._demands(t, x))[self._entry[~state]]
        excess: Array = self._sign * (self._ratio * values + self._offset - self._limit)
        return excess

    def _hull(self, step: Step) -> Array:
        """Excesses at the ends and of what lies between them, one row each."""
        t, x, t_new, x_new = step.t, step.x, step.t_new, step.x_new
        h = t_new - t
        points = [(t, x), (t_new, x_new)]
        if self._rates is not None and h > 0.0:
            self._known = [
                (t, x, before := self._rates_at(t, x)),
                (t_new, x_new, after := self._rates_at(t_new, x_new)),
            ]
            points[1:1] = [(t + h / 3.0, x + h / 3.0 * before), (t_new - h / 3.0, x_new - h / 3.0 * after)]
        return np.array([self._excess(*point) for point in points])

    def _rates_at(self, t: float, x: Array) -> Array:
        """Rates of a state, which the last step may have known."""
        assert self._rates is not None
        known = (rates for time, state, rates in self._known if time == t and np.array_equal(state, x))
        rates = next(known, None)
        return self._rates(t, x) if rates is None else rates

    def _furthest(self, k: int, step: Step) -> tuple[float, float]:
        """How far a quantity is beyond its limit within a step at most, and when."""

        def inside(time: float) -> float:
            return -float(self._excess(time, step.between(time))[k])

        times = np.linspace(step.t, step.t_new, _SAMPLES + 2).tolist()
        best = min(range(1, _SAMPLES + 1), key=lambda n: inside(times[n]))
        bounds = times[best - 1], times[best + 1]
        xatol = _REFINED * (bounds[1] - bounds[0])
        found = scipy.optimize.minimize_scalar(inside, bounds=bounds, method="bounded", options={"xatol": xatol})
        return -float(found.fun), float(found.x)

    def _crossing(self, k: int, step: Step, before: float, t_out: float, outside: float) -> float:
        """When a quantity crosses its limit between the start of a step and a time when it is outside."""
        if before >= 0.0 or t_out <= step.t:
            return step.t
        return root_between(
            lambda time: float(self._excess(time, step.between(time))[k]), step.t, before, t_out, outside
        )

    def _halts(self, bound: Bound) -> bool:
        return self.stops and not self._is_held(bound)

    def _is_held(self, bound: Bound) -> bool:
        return self._saturate and not (bound.of_state or bound.of_motion)

    def _note(self, k: int, first: float, most: float, t_most: float) -> None:
        bound = self._bounds[k]
        if bound in self._found:
            first = self._found[bound].t
        self._found[bound] = Exceeded(
            bound.name, bound.kind, bound.side, bound.limit, bound.unit, first, most, t_most, self._is_held(bound)
        )  # fmt: skip
        self._threshold[k] = max(self._threshold[k], most)


class Lookout:
    """Events and limits, looked at in the order in which they come."""

    def __init__(self, events: EventWatch, limits: LimitWatch) -> None:
        self.events, self.limits = events, limits

    def __bool__(self) -> bool:
        return bool(self.events) or bool(self.limits)

    def start(self, t: float, x: Array, rates: Rates | None = None) -> None:
        """Takes the state before the first step, and what gives rates where steps are long."""
        self.events.start(t, x)
        if rates is not None:
            self.limits.follow(rates)

    def step(self, step: Step) -> float | None:
        """Looks at a step, and returns when the motion ends within it, if it does."""
        limits = self.limits
        halt = limits.halt(step) if limits else None
        if halt is not None:
            step = step.until(halt[0])
        stop = self.events.step(step) if self.events and step.t_new > step.t else None
        if limits:
            limits.look(step if stop is None else step.until(stop))
        if halt is not None and stop is None:
            self.events.record(halt[1].sentence, step.t_new, step.x_new)
            return step.t_new
        return stop
