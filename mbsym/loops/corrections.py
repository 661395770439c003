"""Ways of keeping closed loops closed while time passes, each by name.

=============== =====================================================================================================
none            nothing: the gap grows with the error of the integrator
baumgarte       G vdot = gamma - 2 alpha G v - beta^2 residual; gains given, or 0.1 per step length
velocity        after each step v is projected onto G v = 0
projection      after each step q and then v are projected
partitioning    only independent coordinates are integrated; the others follow from the closure equations in every
                stage, and the choice changes where it turns bad
reassignment    after each step dependent coordinates and speeds are computed anew from the independent ones
=============== =====================================================================================================

Projections move the mechanism with the least kinetic energy (weight M), by Newton steps with the exact derivative of
the residual; they are functions of the generated module. Partitioning alone solves for itself: its equations are square
and have no metric, the closure rows with rows that hold the independent coordinates.

Sources: J. Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1; R. A. Wehage, E. J. Haug, J. Mech. Des. 104 (1982)
247 (partitioning); E. Eich, SIAM J. Numer. Anal. 30 (1993) 1467 (projection); C. Li, X. Rui, equations 11 to 13 of the
validation of the transfer matrix method without constraint violation correction (reassignment).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.loops.closing import largest
from mbsym.loops.generic_rank import dependent_columns, smallest_singular_value
from mbsym.loops.looped_system import Acceleration, LoopedSystem, ProjectedPosition
from mbsym.loops.scale import rounded_to
from mbsym.loops.tolerances import ACCEPTED, BAD_CHOICE, DEPENDENT, ENOUGH, ITERATIONS


@dataclass(frozen=True, slots=True)
class Correction:
    """What a correction did.

    Attributes:
        q, v: the corrected state.
        gap: largest closure residual that remains, or nan where it was not computed.
        iterations: Newton steps.
        converged: False where the bound on iterations came first.
    """

    q: Array
    v: Array
    gap: float
    iterations: int
    converged: bool


class Keeper:
    """A way of keeping loops closed: what it does where it has no reason to do otherwise."""

    def accelerate(
        self, system: LoopedSystem, q: Array, v: Array, tau: Array, extra: Sequence[Any] = ()
    ) -> Acceleration:
        """vdot as the integrator sees it: the constrained accelerations."""
        return system.accelerate(q, v, tau, extra)

    def stage(self, system: LoopedSystem, q: Array, v: Array) -> tuple[Array, Array]:
        """The state at which rates are evaluated, for the state that the integrator proposes: that state itself."""
        return q, v

    def after_step(self, system: LoopedSystem, q: Array, v: Array) -> Correction:
        """The state from which the next step starts: the one where this one ended."""
        return Correction(q, v, np.nan, 0, True)


class NoCorrection(Keeper):
    """Leaves everything as it comes."""


class Baumgarte(Keeper):
    """Restoring terms in the closure equations at acceleration level."""

    def __init__(self, alpha: float, beta: float) -> None:
        self.alpha = alpha
        self.beta = beta

    def accelerate(
        self, system: LoopedSystem, q: Array, v: Array, tau: Array, extra: Sequence[Any] = ()
    ) -> Acceleration:
        """The accelerations that let the gap decay as a damped oscillator."""
        return system.accelerate_stabilised(q, v, tau, extra, (self.alpha, self.beta))


class Projection(Keeper):
    """Projects velocities, and positions before them, after each step."""

    def __init__(self, *, positions: bool = True) -> None:
        self.positions = positions

    def after_step(self, system: LoopedSystem, q: Array, v: Array) -> Correction:
        """The projected state."""
        if not self.positions:
            return Correction(q, system.project_velocity(q, v), np.nan, 1, True)
        done = system.project_position(q)
        return Correction(done.q, system.project_velocity(done.q, v), done.gap, done.iterations, done.converged)


class Partitioning(Keeper):
    """Integrates independent coordinates alone.

    The state keeps its full size; what the integrator makes of the dependent part is overwritten in every stage, or
    after each step alone, which is reassignment.
    """

    def __init__(self, independent: Array | Sequence[int] | None = None, *, in_stages: bool = True) -> None:
        """Chooses the independent coordinates.

        Args:
            independent: rows (nv - m, nv) whose products with the motion of v are kept, or indices of speeds; None
                chooses speeds by the pivots of G, and again whenever the choice turns bad.
            in_stages: False leaves the stages of the integrator as they come.
        """
        self._in_stages = in_stages
        self._given = independent
        self._selector: Array | None = None
        self.switches = 0

    def stage(self, system: LoopedSystem, q: Array, v: Array) -> tuple[Array, Array]:
        """The state with the dependent part made from the independent one."""
        if not self._in_stages:
            return q, v
        done = self._complete(system, q, v)
        return done.q, done.v

    def after_step(self, system: LoopedSystem, q: Array, v: Array) -> Correction:
        """The completed state; the choice is looked at again."""
        done = self._complete(system, q, v)
        if self._given is None:
            self._review(system, done.q)
        return done

    def _review(self, system: LoopedSystem, q: Array) -> None:
        jacobian = system.closure(q).jacobian
        chosen, best = dependent_columns(jacobian)
        if self._selector is None:
            self._choose(system, chosen)
            return
        kept = np.flatnonzero(~self._selector.any(axis=0))
        if smallest_singular_value(jacobian[:, kept]) < BAD_CHOICE * best:
            self._choose(system, chosen)
            self.switches += 1

    def _choose(self, system: LoopedSystem, dependent: Sequence[int]) -> None:
        independent = [k for k in range(system.nv) if k not in set(dependent)]
        self._selector = np.eye(system.nv)[independent]

    def _rows(self, system: LoopedSystem, q: Array) -> Array:
        if self._selector is None:
            if self._given is None:
                self._review(system, q)
            elif np.ndim(self._given) == 2:
                self._selector = np.asarray(self._given, dtype=float)
            else:
                self._selector = np.eye(system.nv)[list(np.asarray(self._given, dtype=int))]
        assert self._selector is not None
        if self._selector.shape[0] != system.nv - system.rows:
            raise SimulationError(
                f"{self._selector.shape[0]} independent coordinates chosen, {system.nv - system.rows} needed",
                where=system.name,
                remedy="give as many as the mechanism has freedoms, or none to have them chosen",
            )
        return self._selector

    def _complete(self, system: LoopedSystem, q: Array, v: Array) -> Correction:
        rows = self._rows(system, q)
        kept = np.zeros(rows.shape[0])

        def step(matrix: Array, residual: Array) -> Array:
            square, right = np.concatenate([matrix, rows]), np.concatenate([-residual, kept])
            return np.asarray(np.linalg.lstsq(square, right, rcond=DEPENDENT.double)[0])

        done = _newton(system, q, step)
        jacobian = system.closure(done.q).jacobian
        return Correction(done.q, v + step(jacobian, jacobian @ v), done.gap, done.iterations, done.converged)


def _newton(system: LoopedSystem, q: Array, step: Callable[[Array, Array], Array]) -> ProjectedPosition:
    """Steps of v that the residual's derivatives and the residual ask for, until no step makes the gap smaller."""
    if not system.rows:
        return ProjectedPosition(q, 0.0, 0, True)
    at = system.closure(q)
    gap = largest(at.residual)
    count = 0

    def within(residual: Array, part: float) -> bool:
        return bool(np.all(np.abs(residual) <= rounded_to(part, *system.scale(q))))

    while not within(at.residual, ENOUGH.double) and count < ITERATIONS.double:
        moved = system.move(q, step(at.residual_jacobian, at.residual))
        there = system.closure(moved)
        count += 1
        # The round-off of one row may be more than what another one is open by.
        closes = within(there.residual, ACCEPTED.double) and not within(at.residual, ACCEPTED.double)
        if not (largest(there.residual) < gap or closes):
            break
        q, at, gap = moved, there, largest(there.residual)
    return ProjectedPosition(q, gap, count, within(at.residual, ACCEPTED.double))


def _baumgarte(step: float, gains: Sequence[float]) -> Baumgarte:
    alpha, beta = (gains[0], gains[-1]) if gains else (0.1 / step, 0.1 / step)
    return Baumgarte(float(alpha), float(beta))


CORRECTIONS: Final[Mapping[str, Callable[[float, Sequence[float]], Keeper]]] = {
    "none": lambda step, gains: NoCorrection(),
    "baumgarte": _baumgarte,
    "velocity": lambda step, gains: Projection(positions=False),
    "projection": lambda step, gains: Projection(),
    "partitioning": lambda step, gains: Partitioning(),
    "reassignment": lambda step, gains: Partitioning(in_stages=False),
}
"""Ways by name, made with the length of steps and with gains, which only Baumgarte's takes."""


def keeper(name: str, step: float, gains: Sequence[float] = ()) -> Keeper:
    """A way of keeping loops closed by its name.

    Args:
        name: one of ``CORRECTIONS``.
        step: length of the integrator's steps [s], from which Baumgarte's gains follow if none are given.
        gains: alpha and beta [1/s], or one number for both.

    Raises:
        SimulationError: there is no such way.
    """
    if name not in CORRECTIONS:
        raise SimulationError(f"no correction is called {name!r}", remedy=f"known are {', '.join(CORRECTIONS)}")
    return CORRECTIONS[name](step, gains)
