"""Independent speeds of closed loops: which they are, and how all others move with them.

With G = [G_d G_i] by columns of dependent and independent speeds, G v = b gives v_d = G_d^-1 (b - G_i v_i).
Straight-line code cannot choose pivots while it runs, and a fixed one vanishes somewhere, as the arm of a crank does;
G_d^T G_d has none that vanish where G_d is regular.

Source: J. Garcia de Jalon, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems, 1994, chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.formulations.contracts import Derived
from mbsym.formulations.fewest_operations import Method
from mbsym.formulations.recursive.sparse_factor import SparseFactor, Vector, factorised, product, sparsest_order
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops import contracts
from mbsym.loops.closing import closing_problem
from mbsym.loops.functions import LoopFunction, constraint_jacobian
from mbsym.loops.generic_rank import EQUAL, dependent_columns, held_aside, rank_of
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.wrenches import dense
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar, symbol

AS_GOOD: Final = 0.1
"""Motors' coordinates are independent where their choice is no worse than this part of the best one."""


_TRIED: Final = 8
"""Configurations looked at beside a singular one."""


@dataclass(frozen=True, slots=True)
class Elimination:
    """Closure rows, to be solved for the dependent speeds.

    Attributes:
        rows: G, dense.
        dependent: their columns.
        factor: of G_d^T G_d.
    """

    rows: Sequence[Vector]
    dependent: tuple[int, ...]
    factor: SparseFactor

    def motion(self, right: Sequence[Scalar]) -> Vector:
        """The dependent speeds of G v = right (nv,), the independent ones zero."""
        columns = [[row[k] for row in self.rows] for k in self.dependent]
        solved = self._solved([product(column, right) for column in columns])
        found = [Scalar(right[0].graph, 0)] * len(self.rows[0])
        for k, entry in zip(self.dependent, solved, strict=True):
            found[k] = entry
        return found

    def multipliers(self, forces: Sequence[Scalar]) -> Vector:
        """lambda (rows,) of G^T lambda = forces along the dependent speeds."""
        solved = self._solved([forces[k] for k in self.dependent])
        return [product([row[k] for k in self.dependent], solved) for row in self.rows]

    def free_motions(self) -> list[Vector]:
        """Columns of N (nv, n) in v = N v_i."""
        found = []
        for k in range(len(self.rows[0])):
            if k not in self.dependent:
                column = self.motion([-row[k] for row in self.rows])
                column[k] = column[k] + 1
                found.append(column)
        return found

    def _solved(self, right: Sequence[Scalar]) -> Vector:
        return self.factor.outward(self.factor.inward(right))


def elimination(mechanism: Mechanism, rows: Sequence[Vector], independent: Sequence[int]) -> Elimination:
    """Prepares closure rows for solving.

    Args:
        mechanism: whose speeds they are of.
        rows: of G, dense, as many as there are dependent speeds.
        independent: columns of the independent speeds.
    """
    dependent = tuple(k for k in range(mechanism.nv) if k not in set(independent))
    columns = [[row[k] for row in rows] for k in dependent]
    matrix = [[product(a, b) for b in columns] for a in columns]
    order = sparsest_order(matrix, range(len(matrix)))
    return Elimination(rows, dependent, factorised(mechanism, matrix, "matrix of the dependent speeds", order))


def independent_columns(mechanism: Mechanism, rows: Array) -> tuple[int, ...]:
    """Columns of v: those of the motors where these will do, else those that the pivots of G leave.

    Args:
        mechanism: whose speeds they are of.
        rows: G in numbers, lengths in a unit of the mechanism's size.
    """
    nv = rows.shape[1]
    dependent, best = dependent_columns(rows)
    driven = mechanism.model.motors
    motors = [k for body in mechanism.bodies if body.joint.name in driven for k in range(*body.v_range)]
    if len(motors) == nv - len(rows):
        rest = [k for k in range(nv) if k not in motors]
        if np.linalg.svd(rows[:, rest], compute_uv=False).min(initial=np.inf) > AS_GOOD * best:
            return tuple(sorted(motors))
    return tuple(k for k in range(nv) if k not in dependent)


def independent_at_start(mechanism: Mechanism, loops: LoopAnalysis) -> tuple[int, ...]:
    """``independent_columns`` where the loops were analysed; where that is singular, what is best around it."""
    evaluator = Evaluator(constraint_jacobian(mechanism, loops))
    problem = closing_problem(mechanism, loops.closures)
    units = replace(problem, rows=np.array([problem.length if row.is_length else 1.0 for row in loops.rows]))
    start = np.array(loops.configuration)
    rows = units.matrix(evaluator(start)["G"])
    if rank_of(rows) == len(rows):
        return independent_columns(mechanism, rows)
    near = held_aside(problem, start)
    around = [units.matrix(evaluator(q)["G"]) for q in islice(near, _TRIED)] or [rows]
    choices = dict.fromkeys(independent_columns(mechanism, each) for each in around)

    def worst(chosen: tuple[int, ...]) -> float:
        rest = [k for k in range(mechanism.nv) if k not in chosen]
        return min(float(np.linalg.svd(each[:, rest], compute_uv=False).min()) for each in around)

    worth = {chosen: worst(chosen) for chosen in choices}
    return next(chosen for chosen, value in worth.items() if value >= EQUAL * max(worth.values()))


def told(mechanism: Mechanism, independent: Sequence[int]) -> str:
    """Which speeds are independent, in words."""
    return f"independent: {', '.join(mechanism.speed_names[k] for k in independent)}"


def _dependent_speeds(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    chosen, graph = independent_at_start(mechanism, loops), mechanism.graph
    given = {k: symbol(graph, f"v_independent[{place}]") for place, k in enumerate(chosen)}
    rows = [dense(mechanism, row.jacobian) for row in loops.rows]
    with graph.section("dependent speeds"):
        right = [-sum((row[k] * x for k, x in given.items()), Scalar(graph, 0)) for row in rows]
        found = elimination(mechanism, rows, chosen).motion(right)
    symbols = tuple(x.ref for x in given.values())
    argument = Input("v_independent", (len(given),), symbols, "", "the independent ones of v, in its order")
    return Derived({"v": [given.get(k, x) for k, x in enumerate(found)]}, told(mechanism, chosen), inputs=(argument,))


DEPENDENT_SPEEDS: Final = LoopFunction(contracts.DEPENDENT_SPEEDS, _dependent_speeds)
