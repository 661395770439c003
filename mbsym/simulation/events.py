"""Events: instants at which a function of the state changes its sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbsym.doors import Array, scipy
from mbsym.errors import SimulationError
from mbsym.simulation.argument_checks import shown


@dataclass(frozen=True, slots=True)
class Event:
    """What to look out for.

    Attributes:
        function: of t, q (nq,) and v (nv,); the event is where it becomes zero.
        name: for the record.
        direction: +1 where it rises, -1 where it falls, 0 both.
        terminal: the simulation ends there.
    """

    function: Callable[[float, Array, Array], float]
    name: str = "event"
    direction: int = 0
    terminal: bool = False


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event that happened: its name, when, and in which state."""

    name: str
    t: float
    q: Array
    v: Array


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a motion.

    Attributes:
        t, x: before.
        t_new, x_new: after.
        between: the state at a time in between.
    """

    t: float
    x: Array
    t_new: float
    x_new: Array
    between: Callable[[float], Array]

    def at(self, time: float) -> Array:
        """The state at a time of the step."""
        return self.x_new if time >= self.t_new else self.between(time)

    def until(self, time: float) -> Step:
        """The part of the step before a time."""
        return replace(self, t_new=time, x_new=self.x if time <= self.t else self.at(time))


class EventWatch:
    """Follows the event functions from step to step."""

    def __init__(self, events: Sequence[Event], values: Callable[[Array], tuple[Array, Array]]) -> None:
        """Watches nothing yet; ``start`` gives the first state.

        Args:
            events: what to look out for.
            values: q and v of a state.

        Raises:
            SimulationError: something is no event, or a direction is none of -1, 0, 1.
        """
        if not isinstance(events, Sequence):
            raise SimulationError(f"events = {shown(events)} is no list", remedy="give a list of Event")
        for event in events:
            if not isinstance(event, Event) or not callable(event.function):
                raise SimulationError(
                    f"{shown(event)} is no event", remedy="write Event(function), of t, q and v, zero at the event"
                )
            if event.direction not in (-1, 0, 1):
                raise SimulationError(
                    f"the direction {event.direction} of event {event.name} does not exist", remedy="use -1, 0 or 1"
                )
        self._events = tuple(events)
        self._values = values
        self._last: list[float] = []
        self.occurrences: list[Occurrence] = []

    def __bool__(self) -> bool:
        return bool(self._events)

    def start(self, t: float, x: Array) -> None:
        """Takes the values from which changes count; a function that is zero here has to leave zero first.

        Raises:
            SimulationError: a function fails, or returns no finite number.
        """
        self._last = []
        for event in self._events:
            try:
                self._last.append(self._value(event, t, x))
            except SimulationError:
                raise
            except Exception as error:
                raise SimulationError(
                    f"the function of event {event.name} failed at the start with {type(error).__name__}: {error}",
                    remedy="it is called with t, q and v, and returns a number",
                ) from error

    def step(self, step: Step) -> float | None:
        """Records what happens in a step, and returns when the first terminal event does, if one does."""
        found: list[tuple[float, int]] = []
        for number, event in enumerate(self._events):
            before, after = self._last[number], self._value(event, step.t_new, step.x_new)
            self._last[number] = after
            rises, falls = before < 0.0 <= after, before > 0.0 >= after
            if (rises and event.direction >= 0) or (falls and event.direction <= 0):
                found.append((self._root(event, step, before, after), number))
        for time, number in sorted(found):
            event = self._events[number]
            self.record(event.name, time, step.at(time))
            if event.terminal:
                return time
        return None

    def record(self, name: str, t: float, x: Array) -> None:
        """Notes what happened at a time in a state."""
        q, v = self._values(x)
        self.occurrences.append(Occurrence(name, t, q.copy(), v.copy()))

    def _value(self, event: Event, t: float, x: Array) -> float:
        value = float(event.function(t, *self._values(x)))
        if not np.isfinite(value):
            raise SimulationError(
                f"the function of event {event.name} is not finite at t = {t:.6g} s", remedy="check its domain"
            )
        return value

    def _root(self, event: Event, step: Step, before: float, after: float) -> float:
        if after == 0.0:
            return step.t_new
        return root_between(
            lambda time: self._value(event, time, step.between(time)), step.t, before, step.t_new, after
        )


def root_between(function: Callable[[float], float], t: float, before: float, t_new: float, after: float) -> float:
    """When a function becomes zero that has other signs before and after, its values at these times."""
    # The ends are known; evaluated again they might lose their sign to round-off.
    ends = {t: before, t_new: after}

    def value(time: float) -> float:
        return ends[time] if time in ends else function(time)

    return float(scipy.optimize.brentq(value, t, t_new, xtol=4e-15 * max(abs(t_new), t_new - t), rtol=1e-14))
