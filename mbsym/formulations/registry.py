"""Formulations by name, and which derivation makes each function under them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from mbsym.formulations.catalogue import TREE_FUNCTIONS, forward_dynamics_by_mass_matrix
from mbsym.formulations.closed_loops import LOOP_FUNCTIONS, LoopFunction
from mbsym.formulations.constraint_force import CFA_FUNCTIONS
from mbsym.formulations.constraint_force_serial import CFA_SERIAL_FUNCTIONS
from mbsym.formulations.kane import KANE_FUNCTIONS
from mbsym.formulations.redundancy import LoopAnalysis, analyse_loops, restated
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Program

DeriveFunction: TypeAlias = Callable[[Mechanism], Program]

LARGEST_TRIED_BOTH_WAYS: Final = 20
"""Above this many speeds articulated bodies need fewer operations than factoring, except in trees of short arms."""


def _fewest_operations(*candidates: DeriveFunction) -> DeriveFunction:
    def derive(mechanism: Mechanism) -> Program:
        if mechanism.nv > LARGEST_TRIED_BOTH_WAYS:
            return candidates[0](mechanism)
        first, *others = candidates
        programs = [first(mechanism), *(candidate(mechanism.afresh()) for candidate in others)]
        return min(programs, key=lambda program: program.operation_count().arithmetic)

    return derive


FORMULATIONS: Final[dict[str, Mapping[str, DeriveFunction]]] = {
    "auto": {
        "forward_dynamics": _fewest_operations(TREE_FUNCTIONS["forward_dynamics"], forward_dynamics_by_mass_matrix)
    },
    "newton-euler": {"forward_dynamics": forward_dynamics_by_mass_matrix},
    "articulated-body": {},
    "kane": KANE_FUNCTIONS,
    "cfa": CFA_FUNCTIONS,
    "cfa-serial": CFA_SERIAL_FUNCTIONS,
}
"""Per formulation, the functions it derives in its own way; the others are those of the recursive catalogue."""


@dataclass(frozen=True, slots=True)
class Available:
    """The functions that a mechanism has, in catalogue order, and what was found out about its loops."""

    functions: Mapping[str, DeriveFunction]
    loops: LoopAnalysis | None


def available_functions(mechanism: Mechanism, formulation: str) -> Available:
    """What can be derived for a mechanism.

    Closed loops add their own functions and take the place of forward_dynamics and joint_wrenches; inverse_dynamics
    and bias_force are those of the tree, with the loops open.

    Raises:
        DerivationError: the loops cannot be closed.
    """
    own = FORMULATIONS[formulation]
    functions = {name: own.get(name, derive) for name, derive in TREE_FUNCTIONS.items()}
    if not (mechanism.cut_joints or mechanism.model.constraints):
        return Available(functions, None)
    loops = analyse_loops(mechanism)
    for name, derive in LOOP_FUNCTIONS.items():
        functions[name] = partial(_with_loops, derive, loops, mechanism)
    return Available(functions, loops)


def _with_loops(derive: LoopFunction, loops: LoopAnalysis, analysed: Mechanism, mechanism: Mechanism) -> Program:
    """A function of loops that were analysed on the graph of ``analysed``."""
    return derive(mechanism, loops if mechanism is analysed else restated(loops, mechanism))
