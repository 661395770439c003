"""Formulations by name, and which derivation makes each function under them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from mbsym.codegen.interface import RuntimeFunction
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import FORWARD_DYNAMICS_BY_MASS_MATRIX, TREE_FUNCTIONS
from mbsym.formulations.constraint_force.kkt import CFA_KKT_FUNCTIONS
from mbsym.formulations.constraint_force.leaf_to_root import CFA_FUNCTIONS
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.actuation import actuated_inverse_dynamics, has_motors
from mbsym.loops.closed_form import only_closed_form_position, planar_loops
from mbsym.loops.functions import LoopFunction, Method, loop_functions
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops, restated
from mbsym.loops.runtime import LOOP_KERNELS, REPLACED, loop_constants, loop_macros, loop_runtime
from mbsym.symbolic.program import Program
from mbsym.transfer_matrix.module import generate_step

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


TRANSFER_MATRIX: Final = "transfer-matrix"

FORMULATIONS: Final[dict[str, Mapping[str, DeriveFunction]]] = {
    "auto": {
        "forward_dynamics": _fewest_operations(TREE_FUNCTIONS["forward_dynamics"], FORWARD_DYNAMICS_BY_MASS_MATRIX)
    },
    "newton-euler": {"forward_dynamics": FORWARD_DYNAMICS_BY_MASS_MATRIX},
    "articulated-body": {},
    "kane": KANE_FUNCTIONS,
    "cfa": CFA_FUNCTIONS,
    "cfa-serial": CFA_SERIAL_FUNCTIONS,
    "cfa-kkt": CFA_KKT_FUNCTIONS,
    TRANSFER_MATRIX: {},
}
"""Per formulation, the functions it derives in its own way; the others are those of the recursive catalogue."""


LOOP_METHODS: Final[dict[str, Method]] = {
    "newton-euler": "sparse",
    "kane": "sparse",
    "articulated-body": "articulated",
    "cfa": "articulated",
    "cfa-serial": "articulated",
}
"""How each formulation factors the mass matrix below closed loops; ``auto`` takes what needs fewer operations."""


@dataclass(frozen=True, slots=True)
class FixedFunctions:
    """Functions with fixed text around derived ones.

    Attributes:
        runtime: what they are called, take and return, and where their text stands.
        kernels: derived functions that they call.
        replaced: derived functions that they take the place of.
        constants: sizes that the text needs.
        macros: arguments that the text passes on.
        manifest: fields for the manifest.
    """

    runtime: tuple[RuntimeFunction, ...]
    kernels: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    constants: Mapping[str, int] = field(default_factory=dict)
    macros: Mapping[str, str] = field(default_factory=dict)
    manifest: Mapping[str, object] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the functions."""
        return tuple(function.name for function in self.runtime)


@dataclass(frozen=True, slots=True)
class Available:
    """The functions that a mechanism has under a formulation, in catalogue order.

    Attributes:
        functions: name -> derivation.
        loops: what was found out about closed loops, None for a tree.
        fixed: functions with fixed text, if there are any.
    """

    functions: Mapping[str, DeriveFunction]
    loops: LoopAnalysis | None = None
    fixed: FixedFunctions | None = None


def available_functions(mechanism: Mechanism, formulation: str) -> Available:
    """What can be derived for a mechanism.

    Closed loops add their own functions and take the place of forward_dynamics and joint_wrenches; inverse_dynamics
    and bias_force are those of the tree, with the loops open.

    Raises:
        DerivationError: the formulation does not exist or does not cover the mechanism, or the loops cannot be closed.
    """
    if formulation not in FORMULATIONS:
        raise DerivationError(f"no formulation is called {formulation!r}", remedy=f"known: {', '.join(FORMULATIONS)}")
    if formulation == TRANSFER_MATRIX:
        return _stepping(mechanism)
    own = FORMULATIONS[formulation]
    functions = {name: own.get(name, derive) for name, derive in TREE_FUNCTIONS.items()}
    if not (mechanism.cut_joints or mechanism.model.constraints):
        return Available(functions)
    loops = analyse_loops(mechanism)
    for name, derive in loop_functions(LOOP_METHODS.get(formulation, "")).items():
        functions[name] = partial(_with_loops, derive, loops, mechanism)
    if has_motors(mechanism, loops):
        functions["actuated_inverse_dynamics"] = partial(_with_loops, actuated_inverse_dynamics, loops, mechanism)
    if len(planar_loops(mechanism)) == 1:
        functions["closed_form_position"] = only_closed_form_position
    runtime = loop_runtime(mechanism, loops)
    if not runtime:
        return Available(functions, loops)
    constants, macros = loop_constants(mechanism, loops), loop_macros(mechanism)
    return Available(functions, loops, FixedFunctions(runtime, LOOP_KERNELS, REPLACED, constants, macros))


def _with_loops(derive: LoopFunction, loops: LoopAnalysis, analysed: Mechanism, mechanism: Mechanism) -> Program:
    """A function of loops that were analysed on the graph of ``analysed``."""
    return derive(mechanism, loops if mechanism is analysed else restated(loops, mechanism))


def _stepping(mechanism: Mechanism) -> Available:
    """Stepping by transfer matrices: kernels, and the sweeps around them."""
    module = generate_step(mechanism)
    functions = {program.name: partial(_given, program) for program in module.programs}
    fixed = FixedFunctions(
        module.runtime, tuple(functions), constants=dict(module.constants), manifest=dict(module.manifest)
    )
    return Available(functions, fixed=fixed)


def _given(program: Program, mechanism: Mechanism) -> Program:
    """A program that is there already."""
    return program
