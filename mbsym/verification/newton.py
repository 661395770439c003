"""Newton's steps that close loops, made with the module's own terms: where they end, and after how many.

A matrix that is a little wrong leads to closed loops too, in more steps and to another of the positions around.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.symbolic.interpret import interpret
from mbsym.verification.anew import Anew
from mbsym.verification.far_states import precision
from mbsym.verification.loop_solutions import guarded, least
from mbsym.verification.text_checks import COPIES, JITTER, apart, are_numbers, as_double, largest, shaken

SURE_STEPS: Final = 6
"""Steps in which a start that is sure to be closed is: half as many as the texts take."""

SHRINKS: Final = 0.5
"""Part of its size that each of these steps leaves of a gap at most."""

CLEARLY: Final = 8.0
"""Factor around tolerances within which rounding of residuals may decide either way."""

ROUNDINGS: Final = 256.0
"""Allowance over what roundings of a start and of multipliers do to the position that is reached."""


class Gaps:
    """Closure residuals of positions, a row each, and what they are measured by.

    Attributes:
        anew: the module, derived again.
        limits: its tolerances by name.
        epsilon: of the code's numbers.
    """

    def __init__(self, anew: Anew) -> None:
        self.anew, self.epsilon = anew, float(precision(anew.single).eps)
        self.limits = {item.name: item.of(anew.module.description.real) for item in anew.module.tolerances}

    def residuals(self, q: Array) -> Array:
        """[m, rad] (states, rows); no numbers where a guard says so."""
        with np.errstate(all="ignore"):
            return guarded(self.anew, "constraint_residual", {"q": q}).results["residual"]

    def scale(self, q: Array) -> tuple[Array, Array]:
        """Sizes of what residuals are the sum of, and roundings of coordinates, likewise."""
        with np.errstate(all="ignore"):
            scale = interpret(self.anew.programs["closure_scale"], {"q": q})
        return as_double(scale["size"]), as_double(scale["rounding"])

    def allowed(self, q: Array, part: str) -> Array:
        """What residuals may come to: part of what they are measured by, and of what rounded coordinates add."""
        size, rounded = self.scale(q)
        return self.limits[part] * size + np.minimum(self.limits[part] * rounded, self.limits["COARSE"] * size)

    def rounding(self, q: Array) -> Array:
        """By what residuals differ that are computed twice."""
        size, rounded = self.scale(q)
        return 64 * self.epsilon * (size + rounded)

    def magnified(self, q: Array, residuals: Array) -> Array:
        """By what the largest of these residuals may differ: beside what a row cannot be they magnify roundings."""
        moved = guarded(self.anew, "constraint_residual", {"q": q}, shaken(self.epsilon, np.random.default_rng(0)))
        return 64 * largest(apart(moved.results["residual"], residuals))


@dataclass(frozen=True, slots=True)
class Closed:
    """Where Newton's steps of least kinetic energy end.

    Attributes:
        steps: as many close the loops of each start; -1 where it is not sure that steps do.
        q: positions that are reached.
        allowed: differences from these that rounding may make, and what a text leaves open.
    """

    steps: Array
    q: Array
    allowed: Array


def newton(gaps: Gaps, starts: Array, unit: Array | float) -> Closed:
    """Takes the steps from each start, and from copies a few roundings off.

    Args:
        gaps: of the module's closures.
        starts: coordinates, a row a state.
        unit: what coordinates are counted in [SI].
    """
    count, anew = len(starts), gaps.anew
    if not {"position_correction", "moved_position"} <= anew.programs.keys():
        return Closed(np.full(count, -1), starts, np.full_like(starts, np.inf))
    rng = np.random.default_rng(0)
    given = are_numbers(starts)
    at = np.concatenate([np.where(given[:, None], starts, 0.0)] * (1 + COPIES))
    at[count:] += JITTER * gaps.epsilon * np.maximum(unit, np.abs(at[count:])) * rng.uniform(-1, 1, at[count:].shape)
    steps, sure = np.full(len(at), -1), np.ones(len(at), dtype=bool)
    with np.errstate(all="ignore"):
        residual = gaps.residuals(at)
        for step in range(SURE_STEPS + 1):
            gap = largest(residual)
            is_closed = (np.abs(residual) <= gaps.allowed(at, "ENOUGH")).all(axis=1)
            steps[(steps < 0) & sure & is_closed] = step
            motions, rank = _motions(gaps, at, residual[:, :, None], rng)
            at = np.where((steps < 0)[:, None], moved(anew, at, motions[:, :, 0]), at)
            residual = gaps.residuals(at)
            # Only starts whose gap shrinks with each step are sure to be closed by whatever steps a text takes.
            sure &= ((largest(residual) < SHRINKS * gap) & (rank == residual.shape[1])) | (steps >= 0)
        q, copies = at[:count], at[count:].reshape(COPIES, count, -1)
        open_by = gaps.allowed(q, "ENOUGH") + gaps.rounding(q)
        # What each row may leave open moves each speed; their motions together bound what a text has not done.
        motions, _ = _motions(gaps, q, open_by[:, :, None] * np.eye(open_by.shape[1]), rng)
        each = [moved(anew, q, np.abs(motions).sum(axis=2) * axis) - q for axis in np.eye(motions.shape[1])]
        spread = np.abs(copies - q).max(axis=0) + gaps.epsilon * np.maximum(unit, np.abs(q))
    agreed = given & (steps.reshape(1 + COPIES, count) >= 0).all(axis=0)
    return Closed(np.where(agreed, steps[:count], -1), q, ROUNDINGS * spread + CLEARLY * np.abs(each).sum(axis=0))


def moved(anew: Anew, q: Array, motion: Array) -> Array:
    """Coordinates after a motion."""
    return as_double(next(iter(interpret(anew.programs["moved_position"], {"q": q, "motion": motion}).values())))


def _motions(gaps: Gaps, q: Array, residuals: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Motions of least kinetic energy that take columns of residuals away, and the rank of the closure rows."""
    terms = interpret(gaps.anew.programs["position_correction"], {"q": q})
    matrix = np.sqrt(np.abs(terms["inverses"]))[:, :, None] * terms["weighted"]
    multipliers, rank, _ = least(matrix, terms["delassus"], residuals, gaps.epsilon, rng)
    return -as_double(terms["response"] @ multipliers), rank
