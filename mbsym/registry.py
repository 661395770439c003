"""Formulations by name, and which derivation makes each function under them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

from mbsym.codegen.interface import Argument, RuntimeFunction, Tolerance
from mbsym.derivatives.functions import (
    DERIVATIVE_FUNCTIONS,
    FRAME_CONTROL_FUNCTIONS,
    OF_FREE_MOTION,
    OF_UNDRIVEN_MOTION,
    functions_on_request,
)
from mbsym.derivatives.loop_functions import LOOP_DERIVATIVE_TERMS, OF_INDEPENDENT_SPEEDS
from mbsym.derivatives.of_functions import DerivativeRequest, differentiated
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import FORWARD_DYNAMICS_BY_MASS_MATRIX, TREE_FUNCTIONS
from mbsym.formulations.constraint_force.in_parts import CFA_PARALLEL_FUNCTIONS, forward_dynamics_in_parts
from mbsym.formulations.constraint_force.kkt import CFA_KKT_FUNCTIONS
from mbsym.formulations.constraint_force.leaf_to_root import CFA_FUNCTIONS, first_singular_body
from mbsym.formulations.constraint_force.matrices import inverse_mass_matrix
from mbsym.formulations.constraint_force.odd_even_elimination import CFA_ELIMINATION_FUNCTIONS
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS
from mbsym.formulations.contracts import Contract
from mbsym.formulations.drive_functions import DRIVE_FUNCTIONS, functions_of_model
from mbsym.formulations.fewest_operations import Method, fewest_operations
from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.formulations.lagrange import LAGRANGE_FUNCTIONS
from mbsym.formulations.output_functions import OUTPUT_FUNCTIONS
from mbsym.formulations.quantity import Quantity
from mbsym.formulations.shared.functions import SHARED_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.actuation import actuated_inverse_dynamics, has_motors
from mbsym.loops.closed_form import only_closed_form_position, planar_loops
from mbsym.loops.contracts import (
    CONSTRAINED_DYNAMICS,
    CONSTRAINED_DYNAMICS_DERIVATIVES,
    LOOP_CONTRACTS,
    OF_DRIVEN_TREES,
)
from mbsym.loops.functions import ASSEMBLY_TERMS, LOOP_FUNCTIONS, functions_beside_tree
from mbsym.loops.quantities import OF_ARTICULATED_BODIES, OF_CFA, OF_CFA_KKT, OF_KANE, OF_LAGRANGE
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops, restated
from mbsym.loops.runtime import (
    KERNELS_ON_REQUEST,
    LOOP_KERNELS,
    MOTION_KERNELS,
    REPLACED,
    extra_arguments,
    loop_constants,
    loop_runtime,
    loops_on_request,
)
from mbsym.loops.tolerances import RUNTIME
from mbsym.records import Registry
from mbsym.regressors.functions import BASE_REGRESSOR, REGRESSOR_FUNCTIONS, base_regressor_along_loops
from mbsym.symbolic.program import Program
from mbsym.transfer_matrix.module import stepping_module
from mbsym.transfer_matrix.quantities import TRANSFER_QUANTITIES
from mbsym.transfer_matrix.recognition import transfer_system

DeriveFunction: TypeAlias = Callable[[Mechanism], Program]


def _fewest(mechanism: Mechanism) -> Program:
    """Forward dynamics by articulated bodies or by the factored mass matrix, whichever takes fewer operations."""
    return fewest_operations(
        mechanism,
        {
            "articulated": lambda: TREE_FUNCTIONS["forward_dynamics"](mechanism),
            "sparse": lambda: FORWARD_DYNAMICS_BY_MASS_MATRIX(mechanism.afresh()),
        },
    )


def _inverse_mass_matrix(mechanism: Mechanism) -> Program:
    """M^-1 = C - B^T A^-1 B, and as everywhere else where A does not exist."""
    if mechanism.is_coupled or first_singular_body(mechanism) is not None:
        return DERIVATIVE_FUNCTIONS["inverse_mass_matrix"](mechanism)
    return inverse_mass_matrix(mechanism)


_CFA: Final[Mapping[str, DeriveFunction]] = {**CFA_FUNCTIONS, "inverse_mass_matrix": _inverse_mass_matrix}


@dataclass(frozen=True, slots=True)
class Formulation:
    """A way to derive the equations of motion.

    Attributes:
        name: as the command line has it.
        sentence: what it does, for help and documentation.
        functions: those that it derives in its own way; the others are those of the catalogue.
        loop_method: how it factors the mass matrix below closed loops; None takes what needs fewer operations.
        parted: functions whose parts threads can take, by what makes them for a number of threads.
        whole: makes all functions of a mechanism, in place of the catalogue's; None for a formulation of these.
        uncoupled: names of its own functions that cover no couplings.
        quantities: arrays that make it what it is, by name; they are looked at, not generated.
    """

    name: str
    sentence: str
    functions: Mapping[str, DeriveFunction] = field(default_factory=dict)
    loop_method: Method | None = None
    parted: Mapping[str, Callable[[Mechanism, int], Program | None]] = field(default_factory=dict)
    whole: Callable[[Mechanism], tuple[Mapping[str, DeriveFunction], FixedFunctions]] | None = None
    uncoupled: frozenset[str] = frozenset()
    quantities: Mapping[str, Quantity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class FixedFunctions:
    """Functions with fixed text around derived ones.

    Attributes:
        runtime: what they are called, take and return, and where their text stands.
        kernels: derived functions that they call.
        replaced: derived functions that they take the place of.
        constants: sizes that the text needs.
        tolerances: that it compares with.
        extra: arguments of the kernels that it passes on unseen.
        manifest: fields for the manifest.
    """

    runtime: tuple[RuntimeFunction, ...]
    kernels: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    constants: Mapping[str, int] = field(default_factory=dict)
    tolerances: tuple[Tolerance, ...] = ()
    extra: tuple[Argument, ...] = ()
    manifest: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<FixedFunctions: {', '.join(self.names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the functions."""
        return tuple(function.name for function in self.runtime)


@dataclass(frozen=True)
class Available:
    """The functions that a mechanism has under a formulation, in catalogue order; found out when they are asked for.

    Attributes:
        mechanism: for which.
        formulation: under which.
        analysed: what was found out about its closed loops on another graph, None where nothing was.
    """

    mechanism: Mechanism
    formulation: Formulation
    analysed: LoopAnalysis | None = None

    @cached_property
    def loops(self) -> LoopAnalysis | None:
        """What was found out about closed loops, None for a tree.

        Raises:
            DerivationError: the loops cannot be closed.
        """
        if self.formulation.whole is not None or _is_free(self.mechanism):
            return None
        return analyse_loops(self.mechanism) if self.analysed is None else restated(self.analysed, self.mechanism)

    @property
    def holding(self) -> LoopAnalysis | None:
        """The same where loops or constraints hold the motion, None where none do."""
        return self.loops if self.loops is not None and self.loops.rows else None

    @cached_property
    def functions(self) -> Mapping[str, DeriveFunction]:
        """Derivations by the names of the functions.

        Closed loops add their own and take the place of forward_dynamics and joint_wrenches; inverse_dynamics and
        bias_force are those of the tree, with the loops open.

        Raises:
            DerivationError: the formulation does not cover the mechanism.
        """
        if self._whole is not None:
            return self._whole[0]
        own = self.formulation.functions
        loops, mechanism = self.loops, self.mechanism
        functions: dict[str, DeriveFunction] = {name: own.get(name, derive) for name, derive in TREE_FUNCTIONS.items()}
        if mechanism.frames:
            functions.update(FRAME_FUNCTIONS)
        functions.update(functions_of_model(mechanism))
        if loops is None:
            return functions
        for name, function in functions_beside_tree(mechanism).items():
            derive = partial(function, method=self.formulation.loop_method)
            functions[name] = partial(_with_loops, derive, loops, mechanism)
        if not mechanism.cut_joints and not mechanism.model.constraints:
            return functions
        if has_motors(mechanism, loops):
            functions["actuated_inverse_dynamics"] = partial(_with_loops, actuated_inverse_dynamics, loops, mechanism)
        if len(planar_loops(mechanism)) == 1:
            functions["closed_form_position"] = only_closed_form_position
        return functions

    @cached_property
    def on_request(self) -> Mapping[str, DeriveFunction]:
        """Functions that a module has only where they are named; with closed loops those of the tree."""
        if self._whole is not None:
            return {}
        loops, held, mechanism = self.loops, self.holding, self.mechanism
        every = {**functions_on_request(mechanism), **REGRESSOR_FUNCTIONS}
        own = self.formulation.functions
        absent = OF_FREE_MOTION if held is not None else OF_UNDRIVEN_MOTION if mechanism.model.motions else ()
        found: dict[str, DeriveFunction] = {
            name: own.get(name, derive) for name, derive in every.items() if name not in absent
        }
        if loops is not None:
            found[BASE_REGRESSOR.name] = partial(_with_loops, base_regressor_along_loops, loops, mechanism)
        if held is not None:
            independent = () if mechanism.model.motions else OF_INDEPENDENT_SPEEDS
            functions = (LOOP_DERIVATIVE_TERMS, ASSEMBLY_TERMS, *(independent if held.mobility else ()))
            found |= {function.name: partial(_with_loops, function, held, mechanism) for function in functions}
        return found

    @cached_property
    def fixed_on_request(self) -> tuple[RuntimeFunction, ...]:
        """Functions with fixed text that a module has only where they are named."""
        return loops_on_request(self.mechanism, self.loops) if self.loops is not None else ()

    @property
    def every(self) -> Mapping[str, DeriveFunction]:
        """All derivations, those on request last."""
        return {**self.functions, **self.on_request}

    def with_derivatives(self, requests: Sequence[DerivativeRequest]) -> Mapping[str, DeriveFunction]:
        """All derivations, and those of derivatives that were asked for.

        Raises:
            DerivationError: what is to be differentiated is not there, or iterates.
        """
        found = dict(self.every)
        for request in requests:
            iterates = self.fixed is not None and request.function in self.fixed.names
            if request.function not in found or iterates:
                remedy = f"differentiate one of {', '.join(found)}"
                if iterates and request.function == CONSTRAINED_DYNAMICS.name:
                    remedy = f"ask for {CONSTRAINED_DYNAMICS_DERIVATIVES.name}, or {remedy}"
                raise DerivationError(
                    f"{request.function} iterates and has no derivative"
                    if iterates
                    else f"{self.mechanism.model.name} has no function {request.function!r}",
                    where=request.name,
                    remedy=remedy,
                )
            if not request.names or len(set(request.names)) < len(request.names):
                what = "one thing twice" if request.names else "nothing"
                raise DerivationError(
                    f"{request.function} is to be differentiated by {what}",
                    where=request.name,
                    remedy="name arguments or run-time parameters once each, with `with_respect_to`",
                )
            found[request.name] = partial(differentiated, request, found[request.function])
        return found

    @cached_property
    def fixed(self) -> FixedFunctions | None:
        """Functions with fixed text, if there are any."""
        if self._whole is not None:
            return self._whole[1]
        runtime = loop_runtime(self.mechanism, self.loops) if self.loops is not None else ()
        if self.loops is None or not runtime:
            return None
        return FixedFunctions(
            runtime,
            (*LOOP_KERNELS, *(MOTION_KERNELS if self.mechanism.model.motions else ())),
            REPLACED,
            constants=loop_constants(self.mechanism, self.loops),
            tolerances=RUNTIME,
            extra=extra_arguments(self.mechanism),
        )

    def fixed_for(self, names: Collection[str]) -> FixedFunctions | None:
        """Functions with fixed text of a module with functions of those names, if it has any."""
        fixed = self.fixed
        if fixed is None:
            return None
        asked = tuple(function for function in self.fixed_on_request if function.name in names)
        if asked:
            kernels = (kernel for function in asked for kernel in KERNELS_ON_REQUEST[function.name])
            return replace(fixed, runtime=(*fixed.runtime, *asked), kernels=(*fixed.kernels, *kernels))
        return None if set(names).isdisjoint(fixed.names) else fixed

    def rolled(self, name: str, threads: int = 0) -> Program | None:
        """A function made of steps that bodies of one kind share; None where it cannot be made so."""
        if name in self.formulation.parted:
            return self.formulation.parted[name](self.mechanism, threads)
        own = self.formulation.functions.get(name, _fewest)
        driven = bool(self.mechanism.model.motions) and name in functions_beside_tree(self.mechanism)
        if self._whole is not None or driven or own is not _fewest or name not in SHARED_FUNCTIONS:
            return None
        return SHARED_FUNCTIONS[name](self.mechanism)

    def solves(self, names: Iterable[str]) -> bool:
        """True where one of the functions solves for accelerations, which takes a regular mass matrix."""
        if self._whole is not None:
            return True
        solving = {name for name, contract in contracts_of(self.mechanism).items() if contract.solves}
        if self.loops is not None:
            solving |= {name for name, function in LOOP_FUNCTIONS.items() if function.factors}
        if self.fixed is not None:
            solving |= {*self.fixed.names, *(function.name for function in self.fixed_on_request)}
        return not solving.isdisjoint(names)

    @cached_property
    def _whole(self) -> tuple[Mapping[str, DeriveFunction], FixedFunctions] | None:
        if self.formulation.whole is None:
            return None
        return self.formulation.whole(self.mechanism)


KINEMATIC: Final = frozenset(
    (
        *FRAME_FUNCTIONS,
        *OUTPUT_FUNCTIONS,
        *DRIVE_FUNCTIONS,
        "body_poses",
        "body_velocities",
        "body_jacobians",
        "position_rate",
    )
)
"""Functions of trees that need no mass."""


def available_functions(mechanism: Mechanism, formulation: str, analysed: LoopAnalysis | None = None) -> Available:
    """What can be derived for a mechanism; nothing is derived here.

    Args:
        mechanism: for which.
        formulation: by name.
        analysed: what was found out about its closed loops on another graph, if anything was.

    Raises:
        DerivationError: there is no such formulation.
    """
    return Available(mechanism, FORMULATIONS.named(formulation), analysed)


def require_known(names: Iterable[str], found: Available, known: Sequence[str]) -> None:
    """Checks that there are functions of some names.

    Raises:
        DerivationError: there is none of a name.
    """
    for name in names:
        if name not in known:
            raise DerivationError(
                f"{found.mechanism.model.name} has no function {name!r}", remedy=_where_it_is(name, known, found)
            )


def _where_it_is(name: str, known: Sequence[str], found: Available) -> str:
    if found.mechanism.model.motions and name in OF_UNDRIVEN_MOTION:
        return "motions are prescribed, and it is there for free motion only"
    if name in FRAME_CONTROL_FUNCTIONS and found.loops is not None:
        return "closed loops constrain its motion; it is there for trees only"
    if name in FRAME_FUNCTIONS or name in FRAME_CONTROL_FUNCTIONS:
        return "say for which frames, with `frames`"
    if name in OF_FREE_MOTION:
        return "closed loops constrain its motion: ask for constrained_dynamics_derivatives"
    return f"it has {', '.join(dict.fromkeys(known))}"


def _is_free(mechanism: Mechanism) -> bool:
    """Whether nothing closes loops or prescribes motions."""
    return not (mechanism.cut_joints or mechanism.model.constraints or mechanism.model.motions)


def contracts_of(mechanism: Mechanism) -> Mapping[str, Contract]:
    """The contracts of all functions that some formulation may generate for a mechanism, by name."""
    every = {
        **TREE_FUNCTIONS,
        **(FRAME_FUNCTIONS if mechanism.frames else {}),
        **functions_of_model(mechanism),
        **functions_on_request(mechanism),
        **REGRESSOR_FUNCTIONS,
    }
    contracts = {name: function.contract for name, function in every.items()}
    if not _is_free(mechanism):
        closed = mechanism.cut_joints or mechanism.model.constraints
        contracts |= {contract.name: contract for contract in (LOOP_CONTRACTS if closed else OF_DRIVEN_TREES)}
    return contracts


def _with_loops(
    derive: Callable[[Mechanism, LoopAnalysis], Program], loops: LoopAnalysis, analysed: Mechanism, mechanism: Mechanism
) -> Program:
    """A function of loops that were analysed on the graph of ``analysed``."""
    return derive(mechanism, loops if mechanism is analysed else restated(loops, mechanism))


def _stepping(mechanism: Mechanism) -> tuple[Mapping[str, DeriveFunction], FixedFunctions]:
    """Stepping by transfer matrices: kernels, and the sweeps around them."""
    module = stepping_module(transfer_system(mechanism))
    functions = {program.name: partial(lambda program, mechanism: program, program) for program in module.programs}
    fixed = FixedFunctions(
        module.runtime, tuple(functions), constants=dict(module.constants), manifest=dict(module.manifest)
    )
    return functions, fixed


TRANSFER_MATRIX: Final = "transfer-matrix"

_UNCOUPLED: Final = frozenset(CFA_FUNCTIONS)
"""Functions that the constraint force algorithm derives for joints each of which moves by itself."""

_OF_FORCES: Final[Mapping[str, Any]] = {"loop_method": "articulated", "uncoupled": _UNCOUPLED, "quantities": OF_CFA}
"""What the ways of that algorithm have in common."""

FORMULATIONS: Final = Registry(
    "formulation",
    (
        Formulation("auto", "whichever needs the fewest operations", {"forward_dynamics": _fewest}),
        Formulation(
            "newton-euler",
            "recursive Newton-Euler, mass matrix by composite bodies",
            {"forward_dynamics": FORWARD_DYNAMICS_BY_MASS_MATRIX},
            "sparse",
        ),
        Formulation(
            "articulated-body",
            "forward dynamics by articulated bodies",
            loop_method="articulated",
            quantities=OF_ARTICULATED_BODIES,
        ),
        Formulation(
            "kane",
            "Kane's equations in closed form through the path matrix",
            KANE_FUNCTIONS,
            "sparse",
            quantities=OF_KANE,
        ),
        Formulation(
            "lagrange",
            "Lagrange's equations by derivatives of the energies",
            LAGRANGE_FUNCTIONS,
            "sparse",
            quantities=OF_LAGRANGE,
        ),
        Formulation("cfa", "constraint force algorithm, from the leaves to the root", _CFA, **_OF_FORCES),
        Formulation(
            "cfa-serial",
            "constraint force algorithm in rounds of independent joints",
            CFA_SERIAL_FUNCTIONS,
            **_OF_FORCES,
        ),
        Formulation(
            "cfa-elimination",
            "constraint force algorithm by the odd-even elimination of its source",
            CFA_ELIMINATION_FUNCTIONS,
            **_OF_FORCES,
        ),
        Formulation(
            "cfa-parallel",
            "constraint force algorithm in parts that threads can take, joined in rounds",
            CFA_PARALLEL_FUNCTIONS,
            parted={"forward_dynamics": forward_dynamics_in_parts},
            **_OF_FORCES,
        ),
        Formulation(
            "cfa-kkt",
            "constraint force algorithm without inverse inertias",
            CFA_KKT_FUNCTIONS,
            uncoupled=_UNCOUPLED,
            quantities=OF_CFA_KKT,
        ),
        Formulation(
            TRANSFER_MATRIX,
            "discrete time transfer matrices: steps in place of equations",
            whole=_stepping,
            quantities=TRANSFER_QUANTITIES,
        ),
    ),
    DerivationError,
)
"""All formulations; each is listed in help, derived, generated and documented."""
