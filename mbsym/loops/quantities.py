"""What each formulation is made of, with what closed loops add to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.constraint_force.quantities import CFA_KKT_QUANTITIES, CFA_QUANTITIES
from mbsym.formulations.kane.quantities import KANE_QUANTITIES
from mbsym.formulations.lagrange import LAGRANGE_QUANTITIES
from mbsym.formulations.quantity import Quantity
from mbsym.formulations.recursive.quantities import ARTICULATED_QUANTITIES
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.independent_quantities import INDEPENDENT_QUANTITIES, independent_quantities
from mbsym.loops.loop_quantities import (
    CONSTRAINT_FORCE_LOOPS,
    KANE_LOOPS,
    MULTIPLIERS,
    constraint_force_loops,
    kane_loops,
    multiplier_quantities,
)
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops

OF_CFA: Final = {**CFA_QUANTITIES, **CONSTRAINT_FORCE_LOOPS, **MULTIPLIERS}
OF_CFA_KKT: Final = {**CFA_KKT_QUANTITIES, **CONSTRAINT_FORCE_LOOPS, **MULTIPLIERS}
OF_KANE: Final = {**KANE_QUANTITIES, **KANE_LOOPS, **MULTIPLIERS, **INDEPENDENT_QUANTITIES}
OF_LAGRANGE: Final = {**LAGRANGE_QUANTITIES, **MULTIPLIERS}
OF_ARTICULATED_BODIES: Final = {**ARTICULATED_QUANTITIES, **MULTIPLIERS}


def chosen_quantities(
    quantities: Mapping[str, Quantity],
    names: Sequence[str] = (),
    analyse: Callable[[Mechanism], LoopAnalysis] = analyse_loops,
) -> Mapping[str, Quantity]:
    """A formulation's quantities, with a choice of independent speeds for those that are in them, and analysed loops.

    Args:
        quantities: by name.
        names: of the independent speeds.
        analyse: finds the closure rows.

    Raises:
        DerivationError: speeds are chosen, and no quantity is in independent speeds.
    """
    if names and quantities.keys().isdisjoint(INDEPENDENT_QUANTITIES):
        raise DerivationError(
            "a formulation without equations in independent speeds takes no choice of them",
            where="independent",
            remedy="leave it out, or derive with formulation kane",
        )
    found = dict(quantities)
    for known, own in (
        (INDEPENDENT_QUANTITIES, independent_quantities(names, analyse)),
        (MULTIPLIERS, multiplier_quantities(analyse)),
        (CONSTRAINT_FORCE_LOOPS, constraint_force_loops(analyse)),
        (KANE_LOOPS, kane_loops(analyse)),
    ):
        found |= {name: own[name] for name, quantity in known.items() if quantities.get(name) is quantity}
    return found
