"""Forces at rest and the gaps of closed loops as one problem: where nothing accelerates.

The unknowns are what is free, coordinates along their speeds, control inputs and generalised forces, and the
multipliers of closed loops. Damped Newton steps solve it, as they close loops. All is measured by what is the
mechanism's own: lengths by its size, forces by the largest energy at work over the measure of the increment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mbsym.derivatives.in_numbers import NumericDerivatives
from mbsym.doors import Array
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.output_functions import named_values
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.initial_coordinates import normalised
from mbsym.kinematics.measures import measures_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joints_at_rest
from mbsym.linear.equations import State
from mbsym.loops.closing import ClosingProblem, rate_program
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.wrenches import dense
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import symbol

IDLE: Final = 1e-9
"""Part of the largest singular value below which a free direction changes no force: the equilibrium is one of many."""


@dataclass(frozen=True, slots=True)
class Free:
    """What may change.

    Attributes:
        speeds: columns of v along which q moves.
        inputs: indices in u.
        forces: indices in tau.
        drives: indices in x.
    """

    speeds: tuple[int, ...]
    inputs: tuple[int, ...] = ()
    forces: tuple[int, ...] = ()
    drives: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Number of unknowns but for multipliers."""
        return len(self.speeds) + len(self.inputs) + len(self.forces) + len(self.drives)


class Balance:
    """The balance of forces of one mechanism; unknowns stand in one array z = [q; u; tau; x; multipliers], scaled.

    Attributes:
        measures: of lengths.
        energy: by which forces are measured, times their increments' measures [J].
        rows: number of multipliers.
    """

    def __init__(self, mechanism: Mechanism, loops: LoopAnalysis | None, state: State, free: Free) -> None:
        self.mechanism, self.free, self._state = mechanism, free, state
        self.rows = len(loops.rows) if loops is not None else 0
        self._idle: dict[bytes, Array] = {}
        program = balance_program(mechanism, loops)
        self._terms = NumericDerivatives(mechanism, program, ("q", "u", "x"), ("force", "rate", "gap"))
        self._rate = Evaluator(rate_program(mechanism))
        self.measures = measures = measures_of(mechanism)
        closures = loops.closures if loops is not None else ()
        self._gaps = np.array([measures.of_unit(row.unit) for closure in closures for row in closure.rows])
        own = np.array([measures.of_unit(row.unit) for row in loops.rows] if loops is not None else [])
        terms, slopes = self._terms(self._given(state.q, state.u, state.x, np.zeros(self.rows)))
        steps = measures.increments
        works = (steps * terms["force"], np.outer(steps, steps) * slopes["force", "q"], steps * state.tau)
        self.energy = max(float(np.abs(work).max(initial=0.0)) for work in works) or 1.0
        self.forces = self.energy / steps
        self._pulls = self.energy / own
        self._input_steps = self._steps_of(slopes, "u", len(state.u))
        self._drive_steps = self._steps_of(slopes, "x", len(state.x))
        rates = np.abs(slopes["rate", "x"]) * self._drive_steps if len(state.x) else np.zeros((0, 0))
        self._rates = np.array([row.max() or 1.0 for row in rates])

    def _steps_of(self, slopes: Mapping[tuple[str, str], Array], name: str, size: int) -> Array:
        """Changes of the entries of an argument that are felt as forces are; 1 of what no force depends on."""
        felt = np.zeros(size)
        if ("force", name) in slopes:
            felt = np.abs(slopes["force", name] * self.measures.increments[:, None]).max(axis=0, initial=0.0)
        return np.array([self.energy / value if value > 0.0 else 1.0 for value in felt])

    def _given(self, q: Array, u: Array, x: Array, multipliers: Array) -> dict[str, Any]:
        return {"q": q, "u": u, "x": x, "t": self._state.t, "lambda": multipliers}

    def split(self, z: Array) -> tuple[Array, Array, Array, Array, Array]:
        """q, u, tau, x and multipliers of z."""
        sizes = self.mechanism.nq, len(self._state.u), self.mechanism.nv, len(self._state.x)
        q, u, tau, x, multipliers = np.split(z, np.cumsum(sizes))
        return q, u, tau, x, multipliers

    def start(self, q: Array) -> Array:
        """z at those coordinates, with inputs and forces as they are and the multipliers that balance best."""
        terms = self._terms.values(self._given(q, self._state.u, self._state.x, np.zeros(self.rows)))
        unbalanced = (terms["force"] - self._state.tau) / self.forces
        multipliers = np.zeros(0)
        if self.rows:
            pulls = terms["G"].T * self._pulls / self.forces[:, None]
            multipliers = np.linalg.lstsq(pulls, unbalanced, rcond=None)[0] * self._pulls
        return np.concatenate([q, self._state.u, self._state.tau, self._state.x, multipliers])

    @property
    def problem(self) -> ClosingProblem:
        """For the solver that closes loops."""
        return ClosingProblem(self.residual, self.move, self.free.count + self.rows)

    def residual(self, z: Array) -> tuple[Array, Array]:
        """Unbalanced forces, rates of drives, then gaps, and the derivatives by the unknowns, all measured."""
        q, u, tau, x, multipliers = self.split(z)
        (terms, slopes), free = self._terms(self._given(q, u, x, multipliers)), self.free
        sizes = np.concatenate([self.forces, self._rates, self._gaps])
        below = len(sizes) - len(self.forces)

        def by(name: str, steps: Array) -> Array:
            return np.concatenate([slopes[result, name] for result in ("force", "rate", "gap")]) * steps

        def of_forces(matrix: Array) -> Array:
            return np.concatenate([matrix, np.zeros((below, matrix.shape[1]))])

        parts = [by("q", self.measures.increments)[:, list(free.speeds)]]
        if free.inputs:
            parts.append(by("u", self._input_steps)[:, list(free.inputs)])
        parts.append(of_forces(-np.diag(self.forces)[:, list(free.forces)]))
        if free.drives:
            parts.append(by("x", self._drive_steps)[:, list(free.drives)])
        parts.append(of_forces(-terms["G"].T * self._pulls))
        return self._left(terms, tau), np.concatenate(parts, axis=1) / sizes[:, None]

    def _left(self, terms: Mapping[str, Array], tau: Array) -> Array:
        """Unbalanced forces, rates of drives, then gaps, measured."""
        forces = (terms["force"] - tau) / self.forces
        return np.concatenate([forces, terms["rate"] / self._rates, terms["gap"] / self._gaps])

    def move(self, z: Array, step: Array) -> Array:
        """z after a step of the unknowns."""
        q, u, tau, x, multipliers = (part.copy() for part in self.split(z))
        free, nv = self.free, self.mechanism.nv
        counts = [len(free.speeds), len(free.inputs), len(free.forces), len(free.drives)]
        speeds, inputs, forces, drives, pull = np.split(step, np.cumsum(counts))
        motion = np.zeros(nv)
        motion[list(free.speeds)] = speeds
        motion *= self.measures.increments
        q = normalised(q + self._rate(q, motion)["qdot"], self.mechanism.q.quaternions)
        u[list(free.inputs)] += inputs * self._input_steps[list(free.inputs)]
        tau[list(free.forces)] += forces * self.forces[list(free.forces)]
        x[list(free.drives)] += drives * self._drive_steps[list(free.drives)]
        return np.concatenate([q, u, tau, x, multipliers + pull * self._pulls])

    def moved(self, z: Array, amounts: Array) -> Array:
        """z after a step of the first unknowns alone."""
        return self.move(z, np.concatenate([amounts, np.zeros(self.problem.nv - len(amounts))]))

    def unbalanced(self, z: Array) -> float:
        """The largest of the residual."""
        q, u, tau, x, multipliers = self.split(z)
        left = self._left(self._terms.values(self._given(q, u, x, multipliers)), tau)
        return float(np.abs(left).max(initial=0.0))

    def measured(self, z: Array) -> Array:
        """z by what its entries are measured by."""
        steps = np.concatenate(
            [self.measures.coordinates, self._input_steps, self.forces, self._drive_steps, self._pulls]
        )
        return np.asarray(z / steps)

    def idle(self, z: Array) -> Array:
        """Directions of the free unknowns, multipliers left out, that upset nothing; orthonormal columns."""
        known = self._idle.get(z.tobytes())
        if known is not None:
            return known
        _, sizes, rows = np.linalg.svd(self.residual(z)[1])
        rank = int(np.sum(sizes > IDLE * sizes.max(initial=0.0)))
        found = rows[rank:, : self.free.count]
        idle = np.linalg.svd(found.T, full_matrices=False)[0] if len(found) else np.zeros((self.free.count, 0))
        return self._idle.setdefault(z.tobytes(), idle)


def balance_program(mechanism: Mechanism, loops: LoopAnalysis | None) -> Program:
    """Forces that hold the mechanism at rest, rates of drives there, closure gaps, and G."""
    graph, nv, still = mechanism.graph, mechanism.nv, joints_at_rest(mechanism)
    held = newton_euler(mechanism, still, still, mechanism.gravity, applied_forces(mechanism, still))
    rates = named_values(mechanism, [item.rate for item in mechanism.model.drives])
    rows = loops.rows if loops is not None else ()
    gaps = [row for closure in loops.closures for row in closure.rows] if loops is not None else []
    jacobian = [dense(mechanism, row.jacobian) for row in rows]
    multipliers = [symbol(graph, f"lambda[{k}]") for k in range(len(rows))]
    refs = [
        (force - product([row[k] for row in jacobian], multipliers)).ref if rows else force.ref
        for k, force in enumerate(mechanism.gather(held.forces))
    ]
    outputs = (
        Output("force", (nv,), tuple(refs)),
        Output("rate", (len(rates),), tuple(rate.ref for rate in rates)),
        Output("gap", (len(gaps),), tuple(row.residual.ref for row in gaps)),
        Output("G", (len(rows), nv), tuple(entry.ref for row in jacobian for entry in row)),
    )
    given = Input("lambda", (len(rows),), tuple(x.ref for x in multipliers))
    inputs = (mechanism.q, mechanism.v, *mechanism.extra_inputs, given)
    return Program("balance", graph, inputs, outputs, mechanism.parameters)
