"""A model's equations made ready to run: derived, printed as C or NumPy, compiled if need be, and loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from json import loads
from typing import Final

from mbsym.codegen.build import SharedLibrary, find_compiler
from mbsym.codegen.cache import library_of
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import LoadedModule, c_module, numpy_module
from mbsym.errors import SimulationError, ToolchainError
from mbsym.kinematics.driven import DrivenSpeed, driven_speeds
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.model.clock import CLOCK
from mbsym.model.names import expression_names, free_name, identifier_part
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import Derivation, Progress, derive, describe, express
from mbsym.simulation.adaptive_steps import adaptive_source
from mbsym.simulation.options import LANGUAGES, Preparation
from mbsym.simulation.step_terms import external_elements, external_power, speeds_of_momentum, variational_terms
from mbsym.simulation.time_stepping import StateLayout, StepSizes, driver_source, sizes_of
from mbsym.stages.share import LONG
from mbsym.stages.simplify import optimise
from mbsym.symbolic.program import Program
from mbsym.transfer_matrix.applied_loads import applied_loads, without_elements
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.module import stepping_module, with_steps
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.system import TransferSystem

LARGEST_OPTIMISED: Final = 150_000
"""Bytes of C above which it is optimised less, which takes half the time."""

STEPS_ALONE: Final = 1000
"""Bodies of a tree from which on steps by transfer matrices do without derived functions: the steps tell the energy."""

_TREE: Final = ("forward_dynamics", "position_rate", "kinetic_energy", "potential_energy", "momentum", "body_poses")
_LOOPS: Final = ("constrained_dynamics", "closure_gap")
_MOTIONS: Final = ("driven_state", "driving_forces")


@dataclass(frozen=True, slots=True, repr=False)
class Equations:
    """Equations of a model that can be called.

    Attributes:
        mechanism: the labelled model; its parameters are numbers.
        loops: what is known of its loops, None for a tree.
        module: the loaded functions.
        library: the compiled driver with them, None for NumPy.
        sizes: what the time steps are specialised to: what a state holds, and which functions there are.
        steps: the elements of the transfer matrix method where its steps can be taken, else None.
    """

    mechanism: Mechanism
    loops: LoopAnalysis | None
    module: LoadedModule
    library: SharedLibrary | None
    sizes: StepSizes
    steps: TransferSystem | None = None

    def __repr__(self) -> str:
        return f"<Equations of {self.mechanism.model.name!r} as {self.module.language} code>"

    @property
    def name(self) -> str:
        """Of the generated module."""
        return str(self.module.manifest["name"])

    @property
    def steps_alone(self) -> bool:
        """True where nothing was derived besides what steps by transfer matrices take."""
        return "kinetic_energy" not in self.module.functions

    @property
    def layout(self) -> StateLayout:
        """How a state is laid out."""
        return self.sizes.layout


@dataclass(frozen=True, slots=True)
class Quantity:
    """Name and unit of an entry of q or v."""

    name: str
    unit: str


def coordinate_quantities(mechanism: Mechanism) -> tuple[Quantity, ...]:
    """Names and units of the entries of q."""
    return _quantities(mechanism, expression_names(mechanism.model).coordinates, "coordinate_units")


def speed_quantities(mechanism: Mechanism) -> tuple[Quantity, ...]:
    """Names and units of the entries of v."""
    return _quantities(mechanism, expression_names(mechanism.model).speeds, "speed_units")


def drive_quantities(mechanism: Mechanism) -> tuple[Quantity, ...]:
    """Names and units of the states of drives."""
    return tuple(Quantity(item.name, item.unit) for item in mechanism.model.drives)


def output_quantities(mechanism: Mechanism) -> tuple[Quantity, ...]:
    """Names and units of the model's outputs, and of the forces that its motions take."""
    model = mechanism.model
    outputs = tuple(Quantity(item.name, item.unit) for item in model.outputs)
    taken = {item.name for item in outputs}
    forces = force_quantities(mechanism)
    for driven in shown_motions(mechanism):
        name = free_name(f"force_{identifier_part(driven.motion.name)}", taken)
        taken.add(name)
        outputs = (*outputs, Quantity(name, forces[driven.column].unit))
    return outputs


def shown_motions(mechanism: Mechanism) -> tuple[DrivenSpeed, ...]:
    """What the motions of a model prescribe, without the clock that its constraints go by."""
    return tuple(driven for driven in driven_speeds(mechanism) if driven.motion.name != CLOCK)


def force_quantities(mechanism: Mechanism) -> tuple[Quantity, ...]:
    """Units of the entries of tau, under the names of the speeds along which they act."""
    return _quantities(mechanism, expression_names(mechanism.model).speeds, "force_units")


def _quantities(mechanism: Mechanism, names: Mapping[str, Sequence[str]], units: str) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(name, unit)
        for body in mechanism.bodies_by_coordinates
        for name, unit in zip(names[body.joint.name], getattr(body.joint.shape, units), strict=True)
    )


def prepare(
    model: Model,
    preparation: Preparation = Preparation(),
    *,
    loaded: bool = False,
    variational: bool = False,
    stepped: bool = False,
    rotation: RotationVariable | None = None,
    progress: Progress | None = None,
) -> Equations:
    """Derives, writes and loads what a simulation calls.

    Args:
        model: checked.
        preparation: in which language, and in which order.
        loaded: generalised forces may act besides the modelled ones; their work becomes part of the state.
        variational: steps of the variational midpoint rule will be taken.
        stepped: steps of the transfer matrix method will be taken.
        rotation: variable of their rotations in space, "incremental" (default) or "cardan".
        progress: told of each step.

    Raises:
        ToolchainError: C is asked for and there is no compiler.
        SimulationError: nothing can move, or there is no such language.
        MbsymError: the equations cannot be derived.
    """
    compiled = _is_compiled(preparation.language)
    order = preparation.order
    mechanism = express(model, GenerationOptions(symbolic_parameters="none", order=order))
    model = mechanism.model
    _require_taken(mechanism, variational, stepped)
    looped = _has_loops(mechanism)
    powered = bool(external_elements(mechanism.model))
    alone = stepped and not looped and mechanism.nb >= STEPS_ALONE
    options = GenerationOptions(
        languages=("c",) if compiled else ("numpy",),
        functions=_functions(model, looped=looped, alone=alone),
        symbolic_parameters="none",
        order=order,
        style="auto" if mechanism.nb >= LONG else "straight",
        # Quicker to compile; in a step sines are little beside what calls the functions.
        trigonometry="libm",
    )
    derivation = derive(mechanism, options, progress) if options.functions else None
    steps_loaded = stepped and bool(without_elements(model) or model.inputs or model.motions or loaded)
    own: list[Callable[[Mechanism], Program]] = [external_power] * powered
    own += [variational_terms, speeds_of_momentum] * variational
    own += [partial(_loads_of_steps, rotation=rotation)] * steps_loaded
    steps = transfer_system(mechanism, rotation, forces_as_loads=True) if stepped else None
    description = _described(mechanism, derivation, options, own, steps)
    files = render(description, options.languages)
    if progress is not None:
        progress("compile" if compiled else "import", 0, 1)
    work = powered or loaded or bool(model.motions)
    sizes = sizes_of(mechanism, work=work, powered=powered, variational=variational)
    manifest = files[-1]
    library = _library(files, None if alone else sizes) if compiled else None
    module = numpy_module(files[0], manifest) if library is None else c_module(library, loads(manifest.text))
    loops = derivation.loops if derivation is not None and looped else None
    return Equations(mechanism, loops, module, library, sizes, steps)


def _has_loops(mechanism: Mechanism) -> bool:
    """Whether something closes one: a joint that holds nothing closes nothing where it is cut."""
    cut = any(not cut.joint.kind.is_unbound for cut in mechanism.cut_joints)
    return cut or bool(mechanism.model.constraints)


def _described(
    mechanism: Mechanism,
    derivation: Derivation | None,
    options: GenerationOptions,
    own: Sequence[Callable[[Mechanism], Program]],
    steps: TransferSystem | None,
) -> ModuleDescription:
    """A module of what was derived, if anything was, what is added to it, and steps by transfer matrices."""
    added = [optimise(function(mechanism.afresh()))[0] for function in own]
    if derivation is None:
        found = ModuleDescription(mechanism.model.name, tuple(added))
    else:
        found = describe(replace(derivation, programs=(*derivation.programs, *added)), options)
    return found if steps is None else with_steps(found, stepping_module(steps))


def _require_taken(mechanism: Mechanism, variational: bool, stepped: bool) -> None:
    """Refuses what cannot move, and motions and drives by methods that know none."""
    where = mechanism.model.name
    if not mechanism.nv:
        raise SimulationError("no joint can move", where=where, remedy="give the model a joint that is not fixed")
    model = mechanism.model
    unknown = "knows no states of drives" if model.drives else ""
    if model.motions and variational:
        unknown = "prescribes no motions"
    if unknown and (variational or stepped):
        raise SimulationError(
            f"{'the variational midpoint rule' if variational else 'the transfer matrix method'} {unknown}",
            where=where,
            remedy="use DOP853, rk4 or an implicit method",
        )


def _functions(model: Model, *, looped: bool, alone: bool) -> tuple[str, ...]:
    """What a simulation calls, of what the formulations derive."""
    asked = (*(_LOOPS if looped else ()), *(_MOTIONS if model.motions else ()))
    of_model = (*(("outputs",) if model.outputs else ()), *(("drive_rates",) if model.drives else ()))
    return (*(() if alone else _TREE), *asked, *of_model)


def _library(files: Sequence[GeneratedFile], sizes: StepSizes | None) -> SharedLibrary:
    """The generated C with what steps around it, if that is wanted, compiled in one piece; kept for the next time."""
    texts = {file.name: file.text for file in files}
    source = next(name for name in texts if name.endswith(".c"))
    name = source.removesuffix(".c")
    header = GeneratedFile(f"{name}.h", texts[f"{name}.h"])
    whole = GeneratedFile(source, texts[source])
    if sizes is not None:
        steps = "\n".join((driver_source(name, sizes), adaptive_source(name, sizes)))
        whole = GeneratedFile(f"{name}_steps.c", steps.replace(f'#include "{source}"\n', texts[source]))
    # A compiler may warn of what it makes of the sizes of one model; that is no reason to stop.
    flags = ("-std=c99", "-O2" if len(texts[source]) <= LARGEST_OPTIMISED else "-O1")
    return library_of([header, whole], flags)


def _loads_of_steps(mechanism: Mechanism, rotation: RotationVariable | None) -> Program:
    """Loads for forces that the transfer matrix method has no element for."""
    return applied_loads(transfer_system(mechanism, rotation, forces_as_loads=True))


def _is_compiled(language: str) -> bool:
    if language not in LANGUAGES:
        raise SimulationError(f"no language {language!r}", remedy=f"use {', '.join(LANGUAGES)}")
    if language == "auto":
        try:
            find_compiler()
        except ToolchainError:
            return False
        return True
    if language == "c":
        find_compiler()
    return language == "c"


def suggestion(name: object, known: Sequence[str]) -> str:
    """What to do about an unknown name, which may be anything."""
    lower, given = {item.lower(): item for item in known}, str(name).lower()
    if given in lower:
        return f"did you mean {lower[given]}?"
    near = get_close_matches(str(name), known, n=1) or [lower[key] for key in get_close_matches(given, lower, n=1)]
    if near:
        return f"did you mean {near[0]}?"
    return f"known are {', '.join(known)}" if known else "there are none"
