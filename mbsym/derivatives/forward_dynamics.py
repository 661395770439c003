"""Derivatives of forward dynamics: those of inverse dynamics at the motion that tau causes, through the factored mass
matrix."""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.derivatives.inverse_dynamics import generalised, inverse_dynamics_jacobians
from mbsym.derivatives.tangent import Matrix, transposed
from mbsym.derivatives.variations import State, state_of
from mbsym.formulations.contracts import Derived, Entries
from mbsym.formulations.recursive.composite_body import factored_mass_matrix
from mbsym.formulations.recursive.sparse_factor import SparseFactor, weighted_product
from mbsym.kinematics.driven import (
    driven_columns,
    prescribed_entries,
    prescribed_rates,
    with_entries,
    without_driven,
    without_rows,
)
from mbsym.kinematics.equivalents import for_forces
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds, joints_at_rest
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.scalar import Scalar


def forward_dynamics_derivatives(mechanism: Mechanism) -> Derived:
    """dvdot/dq, dvdot/dv and dvdot/dtau, (nv, nv) each."""
    entries, how = _with_derivatives(mechanism)
    return Derived({name: matrix for name, matrix in entries.items() if name != "vdot"}, how)


def forward_dynamics_with_derivatives(mechanism: Mechanism) -> Derived:
    """vdot (nv) and its derivatives: the motion is on the way to them, so that it comes for nothing."""
    return Derived(*_with_derivatives(mechanism))


@dataclass(frozen=True, slots=True)
class SteadyMotion:
    """What the forces that keep the speeds constant leave of tau.

    Attributes:
        state: the motion at constant speeds, and with the rates that motions prescribe.
        applied: generalised forces of the force elements, if there are any.
        left: of tau (nv,), and the rates that motions prescribe.
    """

    state: State
    applied: tuple[Scalar, ...] | None
    left: list[Scalar]

    def moved(self, mechanism: Mechanism, vdot: tuple[Scalar, ...]) -> State:
        """The motion of vdot on top of the steady one: that of a mechanism at rest costs less than to begin anew."""
        still = joints_at_rest(mechanism)
        rates = tuple(x - y for x, y in zip(vdot, prescribed_entries(mechanism), strict=True))
        return self.state + state_of(mechanism, still, mechanism.of_joints(rates), zero_vector(mechanism.graph))


def steady_motion(mechanism: Mechanism) -> SteadyMotion:
    """The motion at constant speeds, and what is left of tau."""
    state = state_of(mechanism, joint_speeds(mechanism), prescribed_rates(mechanism), mechanism.gravity)
    applied = generalised(mechanism)
    left = [f - h for f, h in zip(mechanism.entries(mechanism.tau), mechanism.gather(state.forces), strict=True)]
    if applied is not None:
        left = [force + pushed for force, pushed in zip(left, applied, strict=True)]
    left = with_entries(left, prescribed_entries(mechanism), driven_columns(mechanism))
    return SteadyMotion(state, applied, left)


@dataclass(frozen=True, slots=True)
class CausedMotion:
    """The motion that tau causes.

    Attributes:
        factor: of the mass matrix.
        vdot: rates of the speeds.
        state: the motion.
        applied: generalised forces of the force elements, if there are any.
    """

    factor: SparseFactor
    vdot: tuple[Scalar, ...]
    state: State
    applied: tuple[Scalar, ...] | None


def caused_motion(mechanism: Mechanism) -> CausedMotion:
    """vdot by the factored mass matrix, and the motion with it."""
    factor = factored_mass_matrix(mechanism, driven_columns(mechanism))
    steady = steady_motion(mechanism)
    vdot = tuple(factor.outward(factor.inward(steady.left)))
    return CausedMotion(factor, vdot, steady.moved(mechanism, vdot), steady.applied)


def _with_derivatives(mechanism: Mechanism) -> tuple[dict[str, Entries], str]:
    """tau = ID(q, v, vdot) held, dvdot = M^-1 (dtau - dID)."""
    mechanism = for_forces(mechanism)
    motion = caused_motion(mechanism)
    driven = driven_columns(mechanism)
    by_q, by_v = (
        without_rows(matrix, driven) for matrix in inverse_dynamics_jacobians(mechanism, motion.state, motion.applied)
    )
    entries: dict[str, Entries] = {"vdot": motion.vdot}
    entries |= {
        "dvdot_dq": _solved(mechanism, motion.factor, by_q, "q"),
        "dvdot_dv": _solved(mechanism, motion.factor, by_v, "v"),
    }
    by_tau = without_driven(inverse(mechanism, motion.factor), driven)
    return {**entries, "dvdot_dtau": by_tau}, "composite bodies, factored mass matrix"


def _solved(mechanism: Mechanism, factor: SparseFactor, right: Matrix, by: str) -> Matrix:
    """-M^-1 times a matrix, column by column in sections of their own: alike ones become lanes of a loop."""
    columns = []
    for k, column in enumerate(zip(*right, strict=True), 1):
        with mechanism.graph.section(f"derivatives of vdot by {by}{k}"):
            change = [(-entry).named(f"f{i}_{by}{k}") for i, entry in enumerate(column, 1)]
            columns.append(factor.outward(factor.inward(change)))
    return transposed(columns)


def inverse(mechanism: Mechanism, factor: SparseFactor, what: str = "mass matrix") -> Matrix:
    """M^-1 = L^-1 D^-1 L^-T, of which one triangle is computed."""
    size = len(factor.order)
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 0) + 1
    with mechanism.graph.section(f"inverse of the {what}"):
        columns = [factor.inward([one if row == column else zero for row in range(size)]) for column in range(size)]
        entries = {(i, j): weighted_product(factor, columns[i], columns[j]) for i in range(size) for j in range(i + 1)}
    return [[entries[max(i, j), min(i, j)] for j in range(size)] for i in range(size)]


def inverse_mass_matrix(mechanism: Mechanism) -> Derived:
    """M^-1, (nv, nv)."""
    return Derived(inverse(mechanism, factored_mass_matrix(mechanism)), "factored mass matrix")
