"""The equations of motion and their derivatives at a state, in numbers: nothing is printed or compiled for them.

With closed loops, ID(q, v, vdot, u) - G^T lambda = tau and e = G vdot - gamma = 0. Both sides are differentiated at the
vdot and lambda that solve them, which leaves for every small change

    M dvdot - G^T dlambda = dtau - d(ID - G^T lambda),      G dvdot = -de

with d on the right at constant vdot and lambda. What motions prescribe of vdot is known, and so are its changes.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 8 and 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mbsym.derivatives.in_numbers import NumericDerivatives
from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.driven import driven_columns, prescribed_entries
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.tolerances import DEPENDENT
from mbsym.loops.wrenches import dense
from mbsym.simulation.equations import speed_quantities
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, symbol

NO_INERTIA: Final = 1e-13
"""Smallest eigenvalue of the mass matrix, its diagonal brought to one, that is more than round-off."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """vdot at a state and its derivatives, q moved along the speeds.

    Attributes:
        vdot: (nv,).
        by_q, by_v, by_tau: (nv, nv).
        by_u, by_x: (nv, nu) and (nv, nx).
        mass: the mass matrix, with the loops open (nv, nv).
    """

    vdot: Array
    by_q: Array
    by_v: Array
    by_tau: Array
    by_u: Array
    by_x: Array
    mass: Array


def motion_program(mechanism: Mechanism, loops: LoopAnalysis | None) -> Program:
    """ID - G^T lambda, G vdot - gamma, and what motions prescribe of vdot."""
    graph, rows = mechanism.graph, loops.rows if loops is not None else ()
    multipliers = [symbol(graph, f"lambda[{k}]") for k in range(len(rows))]
    inverse = TREE_FUNCTIONS["inverse_dynamics"](mechanism)
    jacobian = [dense(mechanism, row.jacobian) for row in rows]
    rates = mechanism.entries(mechanism.vdot)
    force = [
        (Scalar(graph, ref) - product([row[k] for row in jacobian], multipliers)).ref if rows else ref
        for k, ref in enumerate(inverse.output_references)
    ]
    excess = tuple((product(line, rates) - row.bias).ref for line, row in zip(jacobian, rows, strict=True))
    outputs = (
        Output("force", (mechanism.nv,), tuple(force)),
        Output("excess", (len(rows),), excess),
        Output("prescribed", (mechanism.nv,), tuple(rate.ref for rate in prescribed_entries(mechanism))),
    )
    given = Input("lambda", (len(rows),), tuple(item.ref for item in multipliers))
    return Program("motion", graph, (*inverse.inputs, given), outputs, mechanism.parameters)


class MotionEquations:
    """The equations of motion of a mechanism, for values and derivatives at single states.

    Arguments are given by name: q, v, tau, t, u and x. What is left out is zero.
    """

    def __init__(self, mechanism: Mechanism, loops: LoopAnalysis | None) -> None:
        """Prepares them.

        Args:
            mechanism: of any tree joints.
            loops: what is known of closed loops, None for a tree.
        """
        self.mechanism = mechanism
        self._driven = sorted(driven_columns(mechanism))
        self._terms = NumericDerivatives(mechanism, motion_program(mechanism, loops), ("q", "v", "vdot", "u", "x"))

    def solution(self, given: Mapping[str, Any]) -> tuple[HeldMass, Array, Array]:
        """What changes of the motion are solved with, vdot and lambda.

        Raises:
            AnalysisError: the mass matrix is singular there; it says which joints move without inertia.
        """
        values, slopes = self._terms(given)
        held = HeldMass(self.mechanism, slopes["force", "vdot"], slopes["excess", "vdot"], self._driven)
        tau = given.get("tau", np.zeros(self.mechanism.nv))
        return held, *held.solve(tau - values["force"], -values["excess"], values["prescribed"])

    def slopes(self, given: Mapping[str, Any]) -> Slopes:
        """vdot and its derivatives.

        Raises:
            AnalysisError: the mass matrix is singular there.
        """
        held, vdot, multipliers = self.solution(given)
        _, slopes = self._terms({**given, "vdot": vdot, "lambda": multipliers})

        def by(name: str) -> Array:
            known = slopes["prescribed", name]
            return held.solve(-slopes["force", name], -slopes["excess", name], known)[0]

        unit = np.eye(len(vdot))
        unit[self._driven] = 0.0
        rest = np.zeros((len(multipliers), len(vdot)))
        by_u, by_x = (by(name) if ("force", name) in slopes else np.zeros((len(vdot), 0)) for name in "ux")
        return Slopes(vdot, by("q"), by("v"), held.solve(unit, rest, 0.0 * unit)[0], by_u, by_x, held.mass)

    def constraint_jacobian(self, q: Array) -> Array:
        """The closure rows G (rows, nv)."""
        return self._terms({"q": q})[1]["excess", "vdot"]


class HeldMass:
    """The mass matrix M = L L^T with closure rows G, what motions prescribe held by ones on the diagonal.

    Rows that depend on others get multipliers of least norm at equal size of the rows, by L^-1 G^T: that does not
    square what is small.

    Attributes:
        mass: M with nothing held (nv, nv).
        rows: G (rows, nv).
        response: M^-1 G^T (nv, rows).
    """

    def __init__(self, mechanism: Mechanism, mass: Array, rows: Array, driven: list[int]) -> None:
        """Factors them.

        Raises:
            AnalysisError: M is singular without what is driven.
        """
        self.mass, self.rows, self._driven = (mass + mass.T) / 2.0, rows, driven
        held, free_rows = self.mass.copy(), rows.copy()
        held[driven], held[:, driven], free_rows[:, driven] = 0.0, 0.0, 0.0
        held[driven, driven] = 1.0
        require_resistance(mechanism, held)
        self._factor = np.linalg.cholesky(held)
        weighted = np.linalg.solve(self._factor, free_rows.T)
        sizes = np.linalg.norm(weighted, axis=0)
        self._sizes = np.where(sizes > 0.0, sizes, 1.0)
        _, values, motions = np.linalg.svd(weighted / self._sizes, full_matrices=False)
        kept = values > DEPENDENT.double * values.max(initial=0.0)
        self._inward = motions[kept] / values[kept, None]
        self.response = np.linalg.solve(self._factor.T, weighted)

    def multipliers(self, right: Array) -> Array:
        """(G M^-1 G^T)^+ times what is right of the rows."""
        found = self._inward.T @ (self._inward @ (right.T / self._sizes).T)
        return np.asarray((found.T / self._sizes).T)

    def solve(self, force: Array, right: Array, known: Array) -> tuple[Array, Array]:
        """x and y in M x - G^T y = force and G x = right, entries of x that motions prescribe being known."""
        force, driven = force.copy(), self._driven
        force -= self.mass[:, driven] @ known[driven]
        force[driven] = known[driven]
        free = np.linalg.solve(self._factor.T, np.linalg.solve(self._factor, force))
        multipliers = self.multipliers(right - self.rows @ free)
        return free + self.response @ multipliers, multipliers


def require_resistance(mechanism: Mechanism, mass: Array) -> None:
    """Checks that the mass matrix is regular.

    Raises:
        AnalysisError: it is not; it says which joints move without inertia.
    """
    size = np.sqrt(np.abs(np.diagonal(mass)))
    scale = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(mass / np.outer(scale, scale))
    if values[0] > NO_INERTIA:
        return
    idle = np.abs(vectors[:, 0])
    speeds = (item.name for item in speed_quantities(mechanism))
    names = [name for name, share in zip(speeds, idle, strict=True) if share > 0.1 * idle.max()]
    raise AnalysisError(
        f"the mass matrix is singular at this state: nothing resists a motion of {', '.join(names)}",
        where=mechanism.model.name,
        remedy="give what moves there mass, or take another state",
    )
