"""Formulations by name, and which derivation makes each function under them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from mbsym.formulations.catalogue import TREE_FUNCTIONS, forward_dynamics_by_mass_matrix
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Program

DeriveFunction: TypeAlias = Callable[[Mechanism], Program]

LARGEST_TRIED_BOTH_WAYS: Final = 12
"""Above this many speeds articulated bodies always need fewer operations than factoring the mass matrix."""


def _fewest_operations(*candidates: DeriveFunction) -> DeriveFunction:
    def derive(mechanism: Mechanism) -> Program:
        if mechanism.nv > LARGEST_TRIED_BOTH_WAYS:
            return candidates[0](mechanism)
        programs = [candidate(mechanism) for candidate in candidates]
        return min(programs, key=lambda program: program.operation_count().arithmetic)

    return derive


FORMULATIONS: Final[dict[str, Mapping[str, DeriveFunction]]] = {
    "auto": {"forward_dynamics": _fewest_operations(TREE_FUNCTIONS["forward_dynamics"], forward_dynamics_by_mass_matrix)},
    "newton-euler": {"forward_dynamics": forward_dynamics_by_mass_matrix},
    "articulated-body": {},
}
"""Per formulation, the functions it derives in its own way; the others are those of the recursive catalogue."""


def functions_of(mechanism: Mechanism, formulation: str) -> dict[str, DeriveFunction]:
    """The functions that a mechanism has, in catalogue order, as the formulation derives them."""
    own = FORMULATIONS[formulation]
    return {name: own.get(name, derive) for name, derive in TREE_FUNCTIONS.items()}
