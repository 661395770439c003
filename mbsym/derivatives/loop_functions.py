"""Derivatives of motion with closed loops, but for what is solved for: that is done by fixed text, which copes with
rows that depend on each other; and which functions of this room closed loops have.

M vdot + h = tau + G^T lambda and G vdot = gamma, differentiated at the vdot and lambda that solve them:

    M dvdot - G^T dlambda = dtau - d(ID - G^T lambda),      G dvdot = d(gamma - G vdot)

with d on the right at constant vdot and lambda. With dvdot = free + M^-1 G^T dlambda the multipliers follow from
(G M^-1 G^T) dlambda = d(gamma - G vdot) - G free, the same matrix that gave lambda.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbsym.derivatives.forward_dynamics import inverse
from mbsym.derivatives.independent import independent_dynamics_derivatives
from mbsym.derivatives.inverse_dynamics import dynamics_jacobians
from mbsym.derivatives.tangent import Matrix, along, along_speeds, difference, transposed
from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Contract, Derived
from mbsym.formulations.fewest_operations import Method
from mbsym.formulations.recursive.composite_body import factored_mass_matrix
from mbsym.formulations.recursive.sparse_factor import SparseFactor
from mbsym.kinematics.driven import driven_columns, without_driven, without_rows
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.contracts import (
    CONSTRAINED_DERIVATIVE_TERMS,
    INDEPENDENT_DYNAMICS_DERIVATIVES,
    INDEPENDENT_MULTIPLIER_DERIVATIVES,
)
from mbsym.loops.functions import LoopFunction
from mbsym.loops.independent import DEPENDENT_SPEEDS, elimination, independent_at_start, told
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.wrenches import dense
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar, symbol


def constrained_derivative_terms(
    mechanism: Mechanism, rows: Sequence[Mapping[int, Scalar]], biases: Sequence[Scalar]
) -> Derived:
    """Derivatives of vdot at held multipliers, what is left in the closure rows then, and M^-1.

    Args:
        mechanism: with its loops open.
        rows: of G, entries by column of v.
        biases: gamma.
    """
    graph, v = mechanism.graph, mechanism.v.symbols
    rates = mechanism.entries(mechanism.vdot)
    multipliers = [symbol(graph, f"lambda[{k}]") for k in range(len(rows))]
    by_q, by_v, how = dynamics_jacobians(mechanism)
    with graph.section("closure rows along the motion"):
        zero = Scalar(graph, 0)
        pull, excess = [zero] * mechanism.nv, []
        for row, bias, multiplier in zip(rows, biases, multipliers, strict=True):
            total = -bias
            for column, entry in row.items():
                pull[column] = pull[column] + entry * multiplier
                total = total + entry * rates[column]
            excess.append(total.ref)
        pull_by_q = along_speeds(mechanism, [force.ref for force in pull])
        excess_by_q, excess_by_v = along_speeds(mechanism, excess), along(mechanism, excess, v)
    driven = driven_columns(mechanism)
    factor = factored_mass_matrix(mechanism, driven)
    with graph.section("derivatives of vdot at held multipliers"):
        by_q, by_v = (without_rows(matrix, driven) for matrix in (difference(pull_by_q, by_q), by_v))
        free_by_q, free_by_v = _solved(factor, by_q), _solved(factor, [[-entry for entry in row] for row in by_v])
    with graph.section("what is left in the closure rows"):
        right_by_q, right_by_v = _left(rows, excess_by_q, free_by_q), _left(rows, excess_by_v, free_by_v)
    symbols = tuple(item.ref for item in multipliers)
    given = Input("lambda", (len(rows),), symbols, "", "multipliers of the independent rows")
    entries = {
        "free_dq": free_by_q,
        "right_dq": right_by_q,
        "free_dv": free_by_v,
        "right_dv": right_by_v,
        "M_inverse": without_driven(inverse(mechanism, factor), driven),
    }
    return Derived(entries, how, inputs=(given,))


def _solved(factor: SparseFactor, right: Matrix) -> Matrix:
    """M^-1 times a matrix."""
    return transposed(factor.outward(factor.inward(column)) for column in zip(*right, strict=True))


def _left(rows: Sequence[Mapping[int, Scalar]], excess: Matrix, free: Matrix) -> Matrix:
    """-d(G vdot - gamma) - G free."""
    found = []
    for row, changes in zip(rows, excess, strict=True):
        entries = [-change for change in changes]
        for column, factor in row.items():
            entries = [total - factor * entry for total, entry in zip(entries, free[column], strict=True)]
        found.append(entries)
    return found


def _derivative_terms(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    return constrained_derivative_terms(
        mechanism, [row.jacobian for row in loops.rows], [row.bias for row in loops.rows]
    )


def in_independent_coordinates(contract: Contract, independent: Sequence[int] = ()) -> LoopFunction:
    """A function of closed loops in independent coordinates.

    Args:
        contract: which results are wanted.
        independent: columns of v; default those that are best where the loops were analysed.
    """

    def derive(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
        if not all(loops.closing):
            raise DerivationError(
                f"velocity constraints leave more coordinates than speeds free, of which {contract.name} knows nothing",
                where=mechanism.model.name,
                remedy=f"leave {contract.name} out; derivatives of constrained_dynamics are offered",
            )
        chosen = tuple(independent) or independent_at_start(mechanism, loops)
        closed = elimination(mechanism, [dense(mechanism, row.jacobian) for row in loops.rows], chosen)
        entries = independent_dynamics_derivatives(mechanism, closed, [row.bias for row in loops.rows])
        return Derived({result.name: entries[result.name] for result in contract.results}, told(mechanism, chosen))

    return LoopFunction(contract, derive)


LOOP_DERIVATIVE_TERMS: Final = LoopFunction(CONSTRAINED_DERIVATIVE_TERMS, _derivative_terms)

INDEPENDENT_DERIVATIVES: Final = (
    in_independent_coordinates(INDEPENDENT_DYNAMICS_DERIVATIVES),
    in_independent_coordinates(INDEPENDENT_MULTIPLIER_DERIVATIVES),
)

OF_INDEPENDENT_SPEEDS: Final = (DEPENDENT_SPEEDS, *INDEPENDENT_DERIVATIVES)
"""What is there where the loops leave a freedom."""
