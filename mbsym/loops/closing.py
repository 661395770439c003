"""Closing loops numerically: damped Newton steps on the closure equations, and restarts where they lead nowhere.

The damping of a step is the size of the gap (Levenberg-Marquardt), which keeps convergence quadratic where closure
equations depend on each other, as they do in every planar loop.

Lengths are counted in the mechanism's own unit (``mbsym.model.own_units``), so that steps, restarts and ranks are the
same whatever its size; ordinary ones keep the metre.

Source: J. Fan, Y. Yuan, On the quadratic convergence of the Levenberg-Marquardt method without nonsingularity
assumption, Computing 74, 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.kinematics.initial_coordinates import normalised
from mbsym.kinematics.measures import measures_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.loops.closure_row import Closure
from mbsym.loops.scale import rounded_to
from mbsym.loops.tolerances import ACCEPTED, CLOSED, FLOOR, UNMOVED
from mbsym.model.own_units import length_unit
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

_ITERATIONS: Final = 60
_RESTARTS: Final = 40


@dataclass(frozen=True, slots=True)
class ClosingProblem:
    """What closing needs to know of a mechanism, lengths in its own unit.

    Attributes:
        gap: q (nq,) -> closure residuals (m,) and their exact derivatives by the motion of v (m, nv).
        move: q (nq,) and a small motion (nv,) -> q with unit quaternions.
        nv: number of speeds.
        scale: q (nq,) -> size and rounding of the residuals (m,); None where gaps are measured by 1.
        rows: units of the residuals (m,) [m, rad].
        columns: units of the motion (nv,) [m, rad].
        coordinates: units of the coordinates (nq,) [m, rad].
        length: its unit of length [m].
    """

    gap: Callable[[Array], tuple[Array, Array]]
    move: Callable[[Array, Array], Array]
    nv: int
    scale: Callable[[Array], tuple[Array, Array]] | None = None
    rows: Array | float = 1.0
    columns: Array | float = 1.0
    coordinates: Array | float = 1.0
    length: float = 1.0

    def apart(self, first: Array, second: Array) -> float:
        """The distance of coordinates."""
        return float(np.linalg.norm((first - second) / self.coordinates))

    def matrix(self, rows: Array) -> Array:
        """Rows [m, rad] (m, nv) in the problem's units."""
        return rows * (self.columns / np.reshape(self.rows, (-1, 1)))

    def within(self, q: Array, residual: Array, part: float) -> bool:
        """True where all residuals are within that part of what they are measured by."""
        size, rounding = (1.0, 0.0) if self.scale is None else self.scale(q)
        return bool(np.all(np.abs(residual) <= rounded_to(part, size, rounding)))


@dataclass(frozen=True, slots=True)
class Closing:
    """Where closing ended.

    Attributes:
        q: coordinates (nq,).
        residual: closure residuals there (m,) [m, rad].
        gap: the largest of their sizes.
        miss: the same in the problem's units.
        iterations: Newton steps taken, over all restarts.
        closed: True where all loops are closed.
    """

    q: Array
    residual: Array
    gap: float
    miss: float
    iterations: int
    closed: bool


def closing_problem(mechanism: Mechanism, found: Sequence[Closure], length: float | None = None) -> ClosingProblem:
    """The problem of a mechanism by interpreting its closure equations.

    Args:
        mechanism: of any tree and loops.
        found: its closure equations.
        length: unit of length [m]; by default the mechanism's own.
    """
    program = Evaluator(gap_program(mechanism, found))
    rate = Evaluator(rate_program(mechanism))
    quaternions = mechanism.q.quaternions
    measures = measures_of(mechanism, length or length_unit(mechanism.model))
    rows = np.array([measures.of_unit(row.unit) for closure in found for row in closure.rows])
    columns = measures.increments

    def gap(q: Array) -> tuple[Array, Array]:
        values = program(q)
        return values["residual"] / rows, values["residual_jacobian"] * (columns / rows[:, None])

    def move(q: Array, step: Array) -> Array:
        moved = np.asarray(q + rate(q, step * columns)["qdot"])
        return normalised(moved, quaternions)

    def scale(q: Array) -> tuple[Array, Array]:
        values = program(q)
        return values["size"] / rows, values["rounding"] / rows

    return ClosingProblem(gap, move, mechanism.nv, scale, rows, columns, measures.coordinates, measures.length)


def gap_program(mechanism: Mechanism, found: Sequence[Closure]) -> Program:
    """Residuals of all closure rows, their exact derivatives, and what they are measured by."""
    rows = [row for closure in found for row in closure.rows]
    zero = Scalar(mechanism.graph, 0)
    entries = [row.residual_jacobian.get(column, zero).ref for row in rows for column in range(mechanism.nv)]
    return Program(
        "closure_gap",
        mechanism.graph,
        (mechanism.q,),
        (
            Output("residual", (len(rows),), tuple(row.residual.ref for row in rows), "", "closure residuals"),
            Output("residual_jacobian", (len(rows), mechanism.nv), tuple(entries), "", "their derivatives"),
            Output("size", (len(rows),), tuple(row.scale.size.ref for row in rows), "", "what they are measured by"),
            Output("rounding", (len(rows),), tuple(row.scale.rounding.ref for row in rows), "", "of coordinates"),
        ),
        mechanism.parameters,
        "closure residuals of all rows, those that follow from others included, and their exact derivatives",
    )


def rate_program(mechanism: Mechanism) -> Program:
    """qdot of v."""
    rates = tuple(x.ref for x in position_rate(mechanism))
    output = Output("qdot", (mechanism.nq,), rates, "", "rates of the coordinates")
    return Program("position_rate", mechanism.graph, (mechanism.q, mechanism.v), (output,), mechanism.parameters)


def close(problem: ClosingProblem, guess: Array, fixed: Sequence[int] = (), iterations: int = _ITERATIONS) -> Closing:
    """Damped Newton steps from the guess until no step makes the gap smaller.

    Args:
        problem: the loops.
        guess: q to start from (nq,).
        fixed: speeds whose coordinates stay as they are.
        iterations: bound on the number of steps.
    """
    q = np.array(guess, dtype=float)
    free = np.array([k for k in range(problem.nv) if k not in set(fixed)], dtype=int)
    residual, jacobian = problem.gap(q)
    size = _size(residual)
    factor = 1.0
    count = 0
    while count < iterations and FLOOR < size < np.inf and len(free):
        count += 1
        part = jacobian[:, free]
        if not np.all(np.isfinite(part)):
            break
        u, s, vt = np.linalg.svd(part, full_matrices=False)
        damping = factor * min(size, 1.0) * max(float(s[0]) if len(s) else 0.0, 1e-3) * 0.1
        weights = np.where(s > UNMOVED * max(float(s[0]), 1e-300), s / (s * s + damping * damping), 0.0)
        step = np.zeros(problem.nv)
        step[free] = -vt.T @ (weights * (u.T @ residual))
        longest = float(np.max(np.abs(step)))
        if longest > 1.0:
            step /= longest
        moved = problem.move(q, step)
        new_residual, new_jacobian = problem.gap(moved)
        new_size = _size(new_residual)
        if new_size < size:
            factor = max(factor * 0.2, 1e-6) if new_size < 0.5 * size else factor
            q, residual, jacobian, size = moved, new_residual, new_jacobian, new_size
        elif problem.within(q, residual, ACCEPTED.double):
            break
        else:
            factor *= 8.0
            if factor > 1e9:
                break
    found = residual * problem.rows
    gap, miss = (size if np.isfinite(size) else float("inf") for size in (largest(found), largest(residual)))
    return Closing(q, found, gap, miss, count, problem.within(q, residual, CLOSED))


def close_from_anywhere(
    problem: ClosingProblem, guess: Array, fixed: Sequence[int] = (), restarts: int = _RESTARTS
) -> Closing:
    """``close`` from the guess, then from places ever farther from it until the loops close.

    The places are the same in every run. Where no loop configuration is found, the one with the smallest gap is
    returned.
    """
    best = close(problem, guess, fixed)
    count = best.iterations
    generator = np.random.default_rng(20)
    for restart in range(restarts):
        if best.closed:
            break
        radius = 0.2 + 3.0 * restart / restarts
        step = generator.uniform(-radius, radius, problem.nv)
        step[list(fixed)] = 0.0
        found = close(problem, problem.move(np.array(guess, dtype=float), step), fixed)
        count += found.iterations
        if found.miss < best.miss:
            best = found
    return replace(best, iterations=count)


def still_open(found: Sequence[Closure], done: Closing) -> str:
    """The loop with the widest gap of closures that were not closed, and how wide it is."""
    rows = [row for closure in found for row in closure.rows]
    worst = rows[int(np.argmax(np.abs(done.residual)))]
    return (
        f"the loop of {worst.closure} cannot be closed: the smallest gap found is {done.gap:.3g} {worst.unit}"
        f" ({worst.quantity})"
    )


def largest(values: Array) -> float:
    """Largest size of an entry, 0 of none."""
    return float(np.max(np.abs(values), initial=0.0))


def _size(residual: Array) -> float:
    if not residual.size:
        return 0.0
    size = float(np.linalg.norm(residual))
    return size if np.isfinite(size) else float("inf")
