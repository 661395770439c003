"""Steps of fixed length: classical Runge-Kutta steps and the variational midpoint rule.

The variational midpoint rule follows the discrete Lagrangian h L(q exp(h v/2), v), with external forces in the middle
of the step. Where the rates of q are v that is the implicit midpoint rule in q and momenta; on the rotations of
spherical and the screws of free joints it is the same rule on the group. It is symplectic and symmetric, so that the
energy of a conservative mechanism swings about its value and does not drift.

Sources: J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357, section
2.6; N. Bou-Rabee, J. E. Marsden, Hamilton-Pontryagin integrators on Lie groups, Found. Comput. Math. 9 (2009) 197.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, sin, sqrt
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import SimulationError
from mbsym.simulation.equations import Equations, StateLayout
from mbsym.simulation.rates import ActingLoads, callable_functions
from mbsym.simulation.time_stepping import NOT_SOLVED, CompiledSteps, Run, coordinate_runs

Array: TypeAlias = NDArray[Any]

MOST_AT_ONCE: Final = 20_000
"""Steps of one call of compiled code, which nothing interrupts."""

ITERATIONS: Final = 100
SERIES: Final = 13

TANGENT: Final = tuple((-1.0) ** n / d for n, d in enumerate(np.cumprod(np.arange(1.0, SERIES + 1.0))))
"""Coefficients of (1 - exp(-X))/X."""

INVERSE_TANGENT: Final = (
    1.0, 1 / 2, 1 / 12, 0.0, -1 / 720, 0.0, 1 / 30240, 0.0, -1 / 1209600, 0.0, 1 / 47900160, 0.0, -691 / 1307674368000
)  # fmt: skip
"""Coefficients of X/(1 - exp(-X))."""


class Stepper(Protocol):
    """Takes steps of a given length."""

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """The state ``steps`` steps of length h later, a new array.

        Raises:
            SimulationError: a state is not finite, or an implicit equation was not solved.
        """


def not_finite(name: str, t: float) -> SimulationError:
    """The error of a state that is no longer finite after a time."""
    return SimulationError(
        f"the state is not finite after t = {t:.6g} s",
        where=name,
        remedy="take a smaller step, or look at the model's forces and at singular positions",
    )


def not_solved(name: str, t: float) -> SimulationError:
    """The error of an implicit step without a solution."""
    return SimulationError(
        f"the implicit equation of the step at t = {t:.6g} s was not solved in {ITERATIONS} iterations",
        where=name,
        remedy="take a smaller step",
    )


class CompiledStepper:
    """Steps in C."""

    def __init__(self, steps: CompiledSteps, method: str, name: str) -> None:
        self._steps, self._method, self._name = steps, method, name

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """See ``Stepper``."""
        self._steps.state[:] = x
        for start in range(0, steps, MOST_AT_ONCE):
            count = min(MOST_AT_ONCE, steps - start)
            done, status = self._steps.advance(self._method, t + start * h, h, count)
            if status:
                raise (not_solved if status == NOT_SOLVED else not_finite)(self._name, t + (start + done) * h)
        return self._steps.state.copy()


class RungeKuttaStepper:
    """The classical method of order four."""

    def __init__(self, rates: Callable[[float, Array], Array], layout: StateLayout, name: str) -> None:
        self._rates, self._layout, self._name = rates, layout, name

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """See ``Stepper``."""
        for k in range(steps):
            now = t + k * h
            first = self._rates(now, x)
            second = self._rates(now + 0.5 * h, x + 0.5 * h * first)
            third = self._rates(now + 0.5 * h, x + 0.5 * h * second)
            fourth = self._rates(now + h, x + h * third)
            x = x + h / 6.0 * (first + 2.0 * (second + third) + fourth)
            if not np.all(np.isfinite(x)):
                raise not_finite(self._name, now)
            self._layout.normalise(x)
        return x


class VariationalStepper:
    """The variational midpoint rule."""

    def __init__(self, equations: Equations, loads: ActingLoads) -> None:
        self._functions = callable_functions(equations.module, equations.library)
        self._layout = equations.layout
        self._runs = coordinate_runs(equations.mechanism)
        self._timed = equations.mechanism.time is not None
        self._powered = equations.powered
        self._loads = loads
        self._name = equations.mechanism.model.name

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """See ``Stepper``."""
        layout = self._layout
        q, v, work = layout.q(x).copy(), layout.v(x).copy(), float(x[-1])
        p = self._terms(q, v, t)[0]
        for k in range(steps):
            now = t + k * h
            middle = now + 0.5 * h
            v, momentum, force = self._solve(q, p, v, middle, h)
            if layout.work:
                work += h * self._power(move(self._runs, q, v, 0.5 * h), v, middle)
            p = half_step(self._runs, v, h, momentum, force)
            q = layout.normalise(move(self._runs, q, v, h))
            if not (np.all(np.isfinite(p)) and np.all(np.isfinite(q))):
                raise not_finite(self._name, now)
        state = layout.state(q, self._functions["speeds_of_momentum"](q, p))
        if layout.work:
            state[-1] = work
        return state

    def _solve(self, q: Array, p: Array, v: Array, t: float, h: float) -> tuple[Array, Array, Array]:
        """v of a step that starts with the momenta p, and momenta and forces in its middle."""
        last, scale = np.inf, 0.0
        for _ in range(ITERATIONS):
            middle = move(self._runs, q, v, 0.5 * h)
            momentum, force = self._terms(middle, v, t)
            change = self._functions["speeds_of_momentum"](middle, p - half_step(self._runs, v, -h, momentum, force))
            v = v + change
            largest, speed = float(np.max(np.abs(change))), float(np.max(np.abs(v)))
            if not np.isfinite(speed):
                raise not_finite(self._name, t - 0.5 * h)
            scale = max(scale, speed, largest)
            # Changes that have stopped to shrink are round-off.
            if largest <= 1e-18 + 1e-15 * speed or (largest <= 1e-14 + 1e-12 * scale and largest >= 0.5 * last):
                return v, momentum, force
            last = largest
        raise not_solved(self._name, t - 0.5 * h)

    def _terms(self, q: Array, v: Array, t: float) -> tuple[Array, Array]:
        tau, u = self._loads.at(t, q, v)
        extra: Sequence[Any] = (t, u) if self._timed else ()
        momentum, force = self._functions["variational_terms"](q, v, *extra)
        return momentum, force + tau

    def _power(self, q: Array, v: Array, t: float) -> float:
        tau, u = self._loads.at(t, q, v)
        extra: Sequence[Any] = (t, u) if self._timed else ()
        own = float(self._functions["external_power"](q, v, *extra)) if self._powered else 0.0
        return own + float(tau @ v)


def move(runs: Sequence[Run], q: Array, v: Array, h: float) -> Array:
    """q exp(h v): rotation about a fixed axis, and the screw motion of a free joint."""
    moved = np.empty_like(q)
    for run in runs:
        w = h * v[run.v : run.v + run.speeds]
        if not run.kind:
            moved[run.q : run.q + run.speeds] = q[run.q : run.q + run.speeds] + w
            continue
        turn = w[:3]
        angle = sqrt(turn @ turn)
        half = 0.5 - angle**2 / 48 + angle**4 / 3840 if angle < 0.01 else sin(0.5 * angle) / angle
        a, b = q[run.q], q[run.q + 1 : run.q + 4]
        c, d = cos(0.5 * angle), half * turn
        moved[run.q] = a * c - b @ d
        moved[run.q + 1 : run.q + 4] = a * d + c * b + np.cross(b, d)
        if run.kind == 2:
            once = np.cross(turn, w[3:])
            cubic = 1 / 6 - angle**2 / 120 + angle**4 / 5040 if angle < 0.01 else (angle - sin(angle)) / angle**3
            shift = w[3:] + 2.0 * half * half * once + cubic * np.cross(turn, once)
            across = np.cross(b, shift)
            moved[run.q + 4 : run.q + 7] = q[run.q + 4 : run.q + 7] + shift + 2.0 * (a * across + np.cross(b, across))
    return moved


def half_step(runs: Sequence[Run], v: Array, h: float, momentum: Array, force: Array) -> Array:
    """Momenta at the end h of half a step whose middle has the momenta and forces given."""
    pushed = momentum + 0.5 * h * series(runs, TANGENT, v, 0.5 * h, force)
    return series(runs, INVERSE_TANGENT, v, h, pushed)


def series(runs: Sequence[Run], coefficients: Sequence[float], v: Array, h: float, f: Array) -> Array:
    """Sum of coefficient[n] (ad(h v)^T)^n f, joint by joint; f where rates are speeds."""
    result = f.copy()
    for run in runs:
        if not run.kind:
            continue
        place = slice(run.v, run.v + run.speeds)
        w, power = h * v[place], f[place]
        for coefficient in coefficients[1:]:
            angular = np.cross(power[:3], w[:3])
            if run.kind == 2:
                power = np.concatenate([angular + np.cross(power[3:], w[3:]), np.cross(power[3:], w[:3])])
            else:
                power = angular
            result[place] += coefficient * power
    return result
