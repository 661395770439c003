"""From a first state to states on an output grid, by steps of fixed length or by integrators that choose theirs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.pipeline import Progress
from mbsym.simulation.adaptive_steps import MOST_IDLE, PairIntegrator, Stiffness
from mbsym.simulation.crossing import Crossing
from mbsym.simulation.events import Step
from mbsym.simulation.limit_watch import Lookout
from mbsym.simulation.methods import METHODS
from mbsym.simulation.options import Accuracy
from mbsym.simulation.scipy_integrators import RateJacobian, scipy_integrator
from mbsym.simulation.singular_positions import SingularWatch
from mbsym.simulation.stepping_text import Engine
from mbsym.simulation.time_stepping import StateLayout, not_finite

Rates: TypeAlias = Callable[[float, Array], Array]
Correct: TypeAlias = Callable[[float, Array], Array]
Advance: TypeAlias = Callable[[float, float, Array, int], Array]
"""Of a time, a length, a state and a number: the state as many steps of that length later, a new array."""

_IDLE: Final = 1e-13
"""Part of the duration below which a step leads nowhere."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """States over time.

    Attributes:
        t: times (n,).
        x: states, one a row.
        steps: steps taken.
        evaluations: of the rates, 0 where steps do not count them.
        ended_by_event: True where a terminal event came before the end.
        stiffness: of steps that stability held short, if any.
    """

    t: Array
    x: Array
    steps: int
    evaluations: int
    ended_by_event: bool
    stiffness: Stiffness | None = None


@dataclass(frozen=True, slots=True)
class Course:
    """Where a motion starts, when its states are recorded, and who looks on.

    Attributes:
        x: state at the first time.
        times: the grid.
        layout: of the state.
        name: of the model, for errors.
        watch: events and limits to look out for.
        singular: told of the state after each step.
        progress: told of each hundredth part.
        tell: is given a sentence where the motion is stiff.
    """

    x: Array
    times: Array
    layout: StateLayout
    name: str
    watch: Lookout
    singular: SingularWatch | None = None
    progress: Progress | None = None
    tell: Callable[[str], None] | None = None


class _Recorder:
    """States in the order in which they come, that at the first time among them."""

    def __init__(self, course: Course) -> None:
        self.times = times = course.times
        self.t = np.empty(len(times) + 1)
        self.x = np.empty((len(times) + 1, len(course.x)))
        self.count = 0
        self._progress = course.progress
        self._shown = 0
        self.add(float(times[0]), course.x)

    @property
    def due(self) -> float:
        """The next time of the grid, infinite after the last."""
        return float(self.times[self.count]) if self.count < len(self.times) else np.inf

    def add(self, t: float, x: Array) -> None:
        """Records a state and reports every hundredth part of the way."""
        self.t[self.count], self.x[self.count] = t, x
        self.count += 1
        self._tell(t)

    def end(self, t: float, x: Array) -> None:
        """Records the state in which the motion stops, unless it is the last one of the record."""
        if t > self.t[self.count - 1]:
            self.add(t, x)

    def passes(
        self, watch: Lookout, start: tuple[float, Array], end: tuple[float, Array], integrator: Any, put_right: Correct
    ) -> bool:
        """Records what is due within a step; whether something that the watch looks out for ends the motion in it."""
        (t, before), (now, after) = start, end
        dense = integrator.dense_output() if watch or self.due < now else None

        def between(time: float) -> Array:
            assert dense is not None
            return put_right(time, np.asarray(dense(time)))

        step = Step(t, before, now, after, between)
        stop = watch.step(step) if watch else None
        while self.due < (now if stop is None else stop):
            self.add(self.due, between(self.due))
        if stop is not None:
            self.end(stop, step.at(stop))
        elif self.due <= now:
            self.add(self.due, after)
        return stop is not None

    def fill(self, count: int) -> None:
        """Takes over rows of ``x`` that were filled, up to as many."""
        self.t[self.count : count] = self.times[self.count : count]
        self.count = count
        self._tell(float(self.t[count - 1]))

    def _tell(self, t: float) -> None:
        percent = 100 * self.count // max(len(self.times), 1)
        if self._progress is not None and percent != self._shown:
            self._shown = percent
            self._progress(f"simulate {t:.4g} s", self.count, len(self.times))

    def trajectory(self, steps: int, evaluations: int, ended: bool, integrator: Any = None) -> Trajectory:
        """What was recorded, and what the integrator felt."""
        stiffness = integrator.stiffness if isinstance(integrator, PairIntegrator) else None
        t, x = self.t[: self.count].copy(), self.x[: self.count].copy()
        return Trajectory(t, x, steps, evaluations, ended, stiffness)


def fixed_step_trajectory(
    course: Course, advance: Advance, step: float, correct: Correct | None, *, remembers: bool = False
) -> Trajectory:
    """States on a grid by steps of one length; the last before a time of the grid is shorter where it has to be.

    Args:
        course: of the motion.
        advance: takes the steps.
        step: length of the steps.
        correct: puts a state right after each step.
        remembers: steps build on earlier ones, so that none is taken again to look into it.
    """
    x, times, watch, singular = course.x, course.times, course.watch, course.singular
    record = _Recorder(course)
    watch.start(float(times[0]), x)
    one_by_one = bool(watch) or correct is not None or singular is not None
    count = 0
    for start, end in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
        whole = int((end - start) / step * (1.0 + 1e-12) + 1e-9)
        rest = (end - start) - whole * step
        lengths = [(step, whole)] if whole else []
        if whole and abs(rest) <= 1e-9 * step:
            lengths = [((end - start) / whole, whole)]
        elif rest > 0.0:
            lengths.append((rest, 1))
        t = start
        for h, steps in lengths:
            # Where nobody looks on, all steps to the next time are one call.
            calls, each = (steps, 1) if one_by_one else (1, steps)
            for k in range(calls):
                now = t + k * h
                moved = advance(now, h, x, each)
                if correct is not None:
                    moved = correct(now + h, moved)
                count += each
                # The state within a step is what a shorter step leads to.
                inside = _chord(now, x, h, moved) if remembers else _shorter_step(advance, now, x, correct)
                taken = Step(now, x, now + h, moved, inside)
                stop = watch.step(taken) if watch else None
                if stop is not None:
                    record.end(stop, taken.at(stop))
                    return record.trajectory(count, 0, True)
                x = moved
                if singular is not None:
                    singular.step(now + h, x)
            t += steps * h
        record.add(end, x)
    return record.trajectory(count, 0, False)


def _shorter_step(advance: Advance, t: float, x: Array, correct: Correct | None) -> Callable[[float], Array]:
    def state(time: float) -> Array:
        moved = advance(t, time - t, x, 1)
        return moved if correct is None else correct(time, moved)

    return state


def _chord(t: float, x: Array, h: float, moved: Array) -> Callable[[float], Array]:
    """States between the ends of a step that is short."""
    return lambda time: np.asarray(x + (time - t) / h * (moved - x))


def adaptive_trajectory(
    course: Course,
    rates: Rates,
    method: str,
    accuracy: Accuracy,
    correct: Correct | None,
    crossing: Crossing | None = None,
    jacobian: RateJacobian | None = None,
    compiled: Engine | None = None,
) -> Trajectory:
    """States on a grid by an integrator that chooses its steps: a pair of ours, or one of SciPy.

    After each step of a one-step method quaternions get unit length and ``correct`` puts the state right; multi-step
    methods run on, since rates do not depend on the lengths of quaternions. Recorded states are always put right.

    Args:
        course: of the motion.
        rates: of a state.
        method: which.
        accuracy: of the integrator.
        correct: puts a state right.
        crossing: lays steps across singular positions; for one-step methods, and where these are watched.
        jacobian: of the rates; for implicit methods.
        compiled: what takes the steps of a pair; None for Python.

    Raises:
        SimulationError: the integrator fails, or a state is not finite.
    """
    x, times, watch, singular = course.x, course.times, course.watch, course.singular

    def put_right(time: float, state: Array) -> Array:
        state = course.layout.normalise(state.copy())
        return state if correct is None else correct(time, state)

    with warnings.catch_warnings():
        # What integrators warn of makes them fail, and is told then.
        warnings.simplefilter("ignore")
        with _as_not_finite(course.name, float(times[0])):
            integrator = _integrator(course, rates, method, accuracy, crossing, jacobian, compiled)

        def calls() -> int:
            return int(integrator.nfev) + (jacobian.evaluations if jacobian is not None else 0)

        record = _Recorder(course)
        if isinstance(integrator, PairIntegrator) and not watch and correct is None and singular is None:
            return _run(integrator, record, method, course.name, rates)
        watch.start(float(times[0]), x, rates)
        before, steps = x, 0
        for t, now in _steps(course, integrator, rates, method, crossing):
            after = put_right(now, integrator.y)
            shorter = crossing.shorter(now, after) if crossing is not None else None
            if shorter is not None:
                _restart(integrator, t, before, rates, shorter)
                continue
            steps += 1
            if record.passes(watch, (t, before), (now, after), integrator, put_right):
                return record.trajectory(steps, calls(), True, integrator)
            if not METHODS[method].remembers and not np.array_equal(after, integrator.y):
                _restart(integrator, now, after, rates, None)
            before = after
            if singular is not None:
                singular.step(now, after)
        return record.trajectory(steps, calls(), False, integrator)


def _steps(
    course: Course, integrator: Any, rates: Rates, method: str, crossing: Crossing | None
) -> Iterator[tuple[float, float]]:
    """Takes steps to the end, and gives the times between which each was.

    Raises:
        SimulationError: the integrator fails, a state is not finite, or steps get nowhere.
    """
    times, name = course.times, course.name
    idle = 0
    while integrator.status == "running":
        t, before = float(integrator.t), integrator.y.copy()
        if crossing is not None:
            crossing.prepare(integrator)
        with _as_not_finite(name, t):
            message = integrator.step()
        if integrator.status == "failed":
            raise _failure(name, method, t, message, rates(t, before))
        now = float(integrator.t)
        if not np.all(np.isfinite(integrator.y)):
            raise not_finite(name, t)
        idle = idle + 1 if now - t < _IDLE * (times[-1] - times[0]) else 0
        if idle > MOST_IDLE:
            raise _failure(name, method, t, "its steps no longer get anywhere", rates(now, integrator.y))
        yield t, now


@contextmanager
def _as_not_finite(name: str, t: float) -> Iterator[None]:
    """Tells as a state that is not finite what arithmetic says of it."""
    try:
        yield
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):
        raise not_finite(name, t) from None


def _integrator(
    course: Course,
    rates: Rates,
    method: str,
    accuracy: Accuracy,
    crossing: Crossing | None,
    jacobian: RateJacobian | None,
    compiled: Engine | None,
) -> Any:
    """The integrator of a method, before its first step."""
    x, times = course.x, course.times
    rates = rates if crossing is None else crossing.rates
    if METHODS[method].pair is None:
        return scipy_integrator(method, rates, x, times, accuracy, jacobian)
    idle = _IDLE * float(times[-1] - times[0])

    def engine() -> Engine | None:
        return None if crossing is not None and crossing.is_near else compiled

    pair = PairIntegrator(method, rates, x, times, accuracy, course.layout, idle)
    pair.tell, pair.compiled = course.tell, engine
    return pair


def _restart(integrator: Any, t: float, x: Array, rates: Rates, length: float | None) -> None:
    """Lets an integrator go on from a state that was put right, or from an earlier one by a step of another length."""
    if isinstance(integrator, PairIntegrator):
        integrator.restart(t, x)
    else:
        integrator.y = x.copy()
        integrator.f = rates(t, x)
        if length is not None:
            # The polynomial of the step that is taken back, from which iterations would start.
            integrator.t, integrator.sol = t, None
    if length is not None:
        integrator.h_abs, integrator.status = length, "running"


def _run(integrator: PairIntegrator, record: _Recorder, method: str, name: str, rates: Rates) -> Trajectory:
    """A whole motion that nobody looks at between its steps."""
    samples = record.x[: len(record.times)]
    steps = 0
    while integrator.status == "running":
        t, before = integrator.t, integrator.y.copy()
        with _as_not_finite(name, t):
            taken, due, message = integrator.run(samples, record.count)
        if message is not None:
            raise _failure(name, method, integrator.t, message, rates(integrator.t, before))
        steps += taken
        record.fill(due)
    return record.trajectory(steps, integrator.nfev, False, integrator)


def _failure(name: str, method: str, t: float, message: object, rates: Array) -> SimulationError:
    if not np.all(np.isfinite(rates)):
        return not_finite(name, t)
    text = str(message or "it gave up").rstrip(".")
    return SimulationError(
        f"{method} failed at t = {t:.6g} s: {text[:1].lower()}{text[1:]}",
        where=name,
        remedy="allow larger errors (rtol, atol), try Radau for a stiff model, or look for a singular position",
    )
