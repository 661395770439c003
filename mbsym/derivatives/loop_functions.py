"""The functions of this room that closed loops have, in modules that ask for them by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.derivatives.constrained import constrained_derivative_terms
from mbsym.derivatives.independent import independent_dynamics_derivatives
from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Contract, Derived
from mbsym.formulations.fewest_operations import Method
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
