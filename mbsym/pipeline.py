"""The way through the house: read > label > derive > optimise > describe > render > write.

Building and checking what was written stand above, in ``mbsym.verification``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal

from mbsym import markup
from mbsym.codegen.c.trigonometry import chosen_trigonometry
from mbsym.codegen.description import EVERY, known_for_batches
from mbsym.codegen.interface import (
    GeneratedFile,
    Indices,
    ModuleDescription,
    Real,
    RuntimeFunction,
    lowered,
    print_files,
    printed_languages,
)
from mbsym.codegen.languages import BATCH, LANGUAGES
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.codegen.manifest import CERTIFICATE_SUFFIXES
from mbsym.codegen.sine_tables import sine_tables
from mbsym.codegen.write import write_files
from mbsym.conventions import EQUATION_CONVENTIONS, FRAME_CONVENTIONS, LARGEST_CODE, LOOP_CONVENTIONS
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.derivatives.sparsity import Sparsity, compress, index_arrays, sparsity_fields, sparsity_of
from mbsym.embedded.beside import SUFFIXES_BESIDE, made_beside, reports_beside
from mbsym.errors import DerivationError, ProofError
from mbsym.formats.native.text import dump_native
from mbsym.formats.registry import LoadOptions, load
from mbsym.formulations.massless_motion import require_inertia
from mbsym.formulations.shared.functions import SHARED_FUNCTIONS
from mbsym.formulations.shared.style import chosen_style, may_share, shared_functions
from mbsym.joints.registry import joint_conventions
from mbsym.kinematics.alone import alone
from mbsym.kinematics.equivalents import REGROUP, SLIDE, chosen_simplifications
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.kinematics.roadmap import index_tables, limit_tables, manifest_fields, roadmap_lines
from mbsym.loops.code_size import WORTH_TELLING, code_size, require_moderate
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.model.frame import FrameAxes
from mbsym.model.frame_ends import on_bodies
from mbsym.model.inertial_parameters import with_named_parameters
from mbsym.model.system import Model, with_frames
from mbsym.model.validate import require_valid
from mbsym.options.exclusions import facts_of, require_compatible
from mbsym.options.generation import GenerationOptions
from mbsym.passes.given_sines import SINES_COSINES, with_given_sines
from mbsym.passes.pass_manager import Report, run
from mbsym.passes.prepare import PREPARE, gather_parameters, prepared, remaining_operations
from mbsym.passes.standard import PLAIN_PASSES, STANDARD_PASSES
from mbsym.proof.proof import FIELD as PROOF
from mbsym.proof.proof import prove
from mbsym.proof.smallest import with_least_options
from mbsym.registry import (
    REASSOCIATE,
    SIMPLIFICATIONS,
    DeriveFunction,
    FixedFunctions,
    available_functions,
    contracts_of,
    require_known,
)
from mbsym.regressors.tables import column_tables
from mbsym.symbolic.program import OperationCount, Program

Progress = Callable[[str, int, int], None]
"""Called with what is being done, steps done, and steps in all; no steps in all make it a sentence to be read."""


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """Programs of a mechanism, optimised.

    Attributes:
        mechanism: what they were derived from.
        formulation: by which.
        programs: the functions, in catalogue order; behind them those that go through steps which bodies share.
        reports: what the passes did to each of the former.
        loops: what is known of closed loops, None for a tree.
        fixed: functions with fixed text that call the programs, if there are any.
        sparsity: of the matrices of functions on request and derivatives, by function and result.
        left_out: functions that nobody named and that would be too large, with the megabytes of each.
    """

    mechanism: Mechanism
    formulation: str
    programs: tuple[Program, ...]
    reports: tuple[Report, ...]
    loops: LoopAnalysis | None = None
    fixed: FixedFunctions | None = None
    sparsity: Mapping[str, Mapping[str, Sparsity]] = field(default_factory=dict)
    left_out: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Derivation of {self.mechanism.model.name!r}, {self.formulation}: {', '.join(self.names)}>"

    @property
    def names(self) -> list[str]:
        """Of all functions."""
        return [program.name for program in self.programs] + [function.name for function in self.runtime]

    @property
    def operation_counts(self) -> dict[str, OperationCount]:
        """Of each derived function."""
        return {program.name: program.operation_count() for program in self.programs}

    @property
    def runtime(self) -> tuple[RuntimeFunction, ...]:
        """Functions with fixed text."""
        return self.fixed.runtime if self.fixed is not None else ()


@dataclass(frozen=True, slots=True, repr=False)
class Generation:
    """Files that were written, the derivation behind them, and what was asked for."""

    directory: Path
    paths: tuple[Path, ...]
    derivation: Derivation
    options: GenerationOptions

    def __repr__(self) -> str:
        names = ", ".join(path.name for path in self.paths)
        without = f", without {', '.join(self.derivation.left_out)}" if self.derivation.left_out else ""
        about = f"{self.derivation.mechanism.model.name!r}: {len(self.derivation.names)} functions in {names}"
        return f"<Generation of {about}{without}>"

    def _repr_html_(self) -> str:
        """For notebooks: the functions with their operations, and the files."""
        counts = self.derivation.operation_counts
        rows = ((name, count.arithmetic, count.sincos) for name, count in counts.items())
        files = markup.paragraph(", ".join(str(path) for path in self.paths))
        return files + markup.table(("function", "+ - * /", "sin, cos"), rows)


def read(source: Model | str | Path, options: LoadOptions | None = None) -> Model:
    """A model from a file, the name of a bundled example, or itself; checked.

    Raises:
        FormatError: the file cannot be read.
        ModelError: it is no mechanism.
    """
    model = source if isinstance(source, Model) else load(source, options or LoadOptions())
    require_valid(model)
    return model


def express(model: Model, options: GenerationOptions) -> Mechanism:
    """The model labelled and written in a graph.

    Raises:
        DerivationError: no body has mass or inertia, so that there are no dynamics to derive.
    """
    model = with_frames(on_bodies(model), options.frames, options.frame_axes)
    model, symbolic = with_named_parameters(model, options.symbolic_parameters)
    mechanism = build_mechanism(model, model.label(order=options.order), symbolic)
    if not any(body.inertia.is_anything for body in mechanism.bodies):
        raise DerivationError(
            "no body has mass or inertia, so there are no equations of motion",
            where=model.name,
            remedy="give the bodies masses, or use mbsym label for the topology alone",
        )
    return replace(mechanism, simplifications=_simplifications(options), prepared=options.prepare)


def _simplifications(options: GenerationOptions) -> tuple[str, ...]:
    """Names of those that are asked for.

    Raises:
        DerivationError: there is none of a name.
    """
    if isinstance(options.simplify, str):
        return tuple(SIMPLIFICATIONS) if options.simplify == "all" else ()
    return tuple(SIMPLIFICATIONS.named(name, where="--simplify").name for name in options.simplify)


def derive(mechanism: Mechanism, options: GenerationOptions, progress: Progress | None = None) -> Derivation:
    """The functions asked for, each as an optimised Program.

    Raises:
        OptionError: options exclude each other, or do not go with the mechanism.
        DerivationError: a function or formulation does not exist or does not cover the mechanism, or accelerations are
            asked for where some motion moves no inertia, or the code would be too large.
    """
    tell = progress or (lambda *_: None)
    if mechanism.cut_joints or mechanism.model.constraints:
        tell("analyse the loops", 0, 1)
    found = available_functions(mechanism, options.formulation)
    facts = facts_of(found, options)
    require_compatible(options, facts)
    available = found.with_derivatives(options.derivatives)
    known = (*found.functions, *(found.fixed.names if found.fixed is not None else ()))
    on_request = (*found.on_request, *(function.name for function in found.fixed_on_request))
    require_known(options.functions, found, (*known, *on_request))
    wanted = set(options.functions or known).union(request.name for request in options.derivatives)
    if found.solves(wanted.union(request.function for request in options.derivatives)):
        require_inertia(mechanism)
    fixed = found.fixed_for(wanted)
    if fixed is not None:
        wanted = wanted.union(fixed.kernels).difference(fixed.replaced)
    names = [name for name in available if name in wanted]
    known_contracts = contracts_of(mechanism)
    shareable = [name for name in names if name in SHARED_FUNCTIONS and not _is_for_lanes(name, options)]
    candidates = {name: partial(found.rolled, name, options.threads) for name in shareable}
    contracts = [known_contracts[name] for name in names if name in known_contracts]
    # The least that it can be is looked at before anything is derived.
    apart = options.prepare or options.trigonometry == "argument"
    shared = candidates if may_share(mechanism, options.style, prepare=apart) else {}
    least = code_size(mechanism, found.loops, contracts, shared=shared)
    named = (*options.functions, *options.derivatives, *options.frames, *options.batch)
    free = options.may_leave_out and not named and fixed is None
    left_out = least.beyond(options.largest) if free else {}
    names = [name for name in names if name not in left_out]
    contracts = [contract for contract in contracts if contract.name not in left_out]
    require_moderate(least.without(left_out), options.largest, mechanism.model.name)

    def simplify(program: Program) -> Program:
        return optimise(program, mechanism.simplifications)[0]

    rolled, failing = shared_functions(mechanism, candidates, simplify, options.style, prepare=apart)
    parted = any(function.threads for function in rolled.values())
    require_compatible(options, replace(facts, shared=tuple(rolled), parted=parted, failing=failing))
    size = code_size(mechanism, found.loops, contracts, shared=rolled)
    require_moderate(size, options.largest, mechanism.model.name)
    if size.total > WORTH_TELLING:
        tell(f"{mechanism.model.name} makes {size.sentence}", 0, 0)
    untouched = mechanism.afresh()
    programs, reports = [], []
    sparsity: dict[str, Mapping[str, Sparsity]] = {}
    for done, name in enumerate(names):
        if name in rolled:
            continue
        tell(f"derive {name}", done, len(names))
        program, report = shortest(available[name], untouched, prepare=options.prepare)
        # What the solver of closed loops reads stays whole.
        read_whole = options.compressed and fixed is not None and name in fixed.kernels
        if name not in found.functions and not read_whole and sparsity_of(program):
            sparsity[name] = sparsity_of(program)
            program = compress(program) if options.compressed else program
        programs.append(program)
        reports.append(report)
    if options.prepare:
        programs = [*prepared(programs)]
    if options.trigonometry == "argument":
        programs = [*with_given_sines(programs)]
        require_compatible(options, replace(facts, has_angles=any(p.name == SINES_COSINES for p in programs)))
    return Derivation(
        mechanism,
        options.formulation,
        (*programs, *rolled.values()),
        tuple(reports),
        found.loops,
        fixed,
        sparsity,
        left_out,
    )


def _is_for_lanes(name: str, options: GenerationOptions) -> bool:
    """True where nobody says that a function which takes many states should have them one after the other."""
    return options.style == "auto" and (name in options.batch or EVERY in options.batch)


def shortest(derive: DeriveFunction, mechanism: Mechanism, *, prepare: bool = False) -> tuple[Program, Report]:
    """A function with fewest operations after the passes, or fewest that depend on more than parameters.

    Regrouping parameters that stay run-time arguments takes operations, and so do points of bodies whose frames have
    slid: there it is counted what is shorter. The mechanism is one ``afresh``, and is that again afterwards.
    """
    allowed = mechanism.simplifications
    doubtful = [REGROUP] if mechanism.parameters else []
    doubtful += [SLIDE] if any(force.named("body") for force in mechanism.model.forces) else []
    ways = [allowed]
    for name in doubtful:
        ways += [tuple(kept for kept in way if kept != name) for way in ways if name in way]
    variants = (replace(mechanism, simplifications=way) for way in ways)
    found = (optimise(alone(derive, variant), allowed) for variant in variants)
    if prepare:
        gathered = ((gather_parameters(program), report) for program, report in found)
        return min(gathered, key=lambda pair: remaining_operations(pair[0]))
    return min(found, key=lambda pair: pair[0].operation_count().arithmetic)


def optimise(program: Program, simplifications: Collection[str] = (REASSOCIATE,)) -> tuple[Program, Report]:
    """The program after the standard passes."""
    return run(program, STANDARD_PASSES if REASSOCIATE in simplifications else PLAIN_PASSES)


def describe(derivation: Derivation, options: GenerationOptions) -> ModuleDescription:
    """The module to print: programs, header and manifest."""
    mechanism = derivation.mechanism
    # Shapes say nothing about motion: with them and without, the code is the same, and has the same hash.
    text = dump_native(replace(mechanism.model, shapes=()))
    loops = ("", *derivation.loops.sentences) if derivation.loops is not None else ()
    sines = sine_tables(options.trigonometry, derivation.programs)
    of_loops = LOOP_CONVENTIONS if derivation.loops and derivation.loops.rows else ()
    equations = (*EQUATION_CONVENTIONS, *of_loops, *sines.header)
    fixed = derivation.fixed or FixedFunctions((), ())
    roadmap = roadmap_lines(mechanism)
    joints = [*(body.joint for body in mechanism.bodies), *(cut.joint for cut in mechanism.cut_joints)]
    linear = column_tables(mechanism, derivation.loops, [program.name for program in derivation.programs])
    return ModuleDescription(
        name=mechanism.model.name,
        programs=derivation.programs,
        header=(
            *FRAME_CONVENTIONS,
            *joint_conventions(joint.kind for joint in joints),
            *equations,
            "",
            *roadmap,
            *loops,
            *linear.header,
        ),
        manifest={
            "formulation": derivation.formulation,
            **manifest_fields(mechanism),
            "order": options.order,
            "model": text,
            **({"derivatives": [item.as_manifest() for item in options.derivatives]} if options.derivatives else {}),
            **linear.manifest,
            **sparsity_fields(derivation.sparsity, options.compressed),
            **({"left_out": list(derivation.left_out)} if derivation.left_out else {}),
            **sines.manifest,
            **fixed.manifest,
        },
        real=options.real,
        model_sha256=sha256(text.encode()).hexdigest(),
        constants={
            "NQ": mechanism.nq,
            "NV": mechanism.nv,
            "NB": mechanism.nb,
            **({"WORKSPACE": derivation.programs[0].outputs[0].shape[0]} if options.prepare else {}),
            **linear.constants,
            **sines.constants,
            **fixed.constants,
        },
        indices=tuple(
            Indices(name, sentence, places, notes)
            for name, sentence, places, notes in (*index_tables(mechanism), *linear.indices)
        ),
        limits=limit_tables(mechanism),
        index_arrays=index_arrays(derivation.sparsity) if options.compressed else {},
        runtime=fixed.runtime,
        tolerances=fixed.tolerances,
        extra=fixed.extra,
        prefix=options.prefix,
        trigonometry=options.trigonometry,
        batch=known_for_batches(options.batch, derivation.names),
        prepares=PREPARE if options.prepare else "",
    )


def generate_files(
    source: Model | str | Path, options: GenerationOptions | None = None, progress: Progress | None = None
) -> tuple[Derivation, tuple[GeneratedFile, ...]]:
    """The texts of a module, nothing written."""
    options = options or GenerationOptions()
    derivation = derive(express(read(source), options), options, progress)
    if progress is not None:
        progress("print the code", len(derivation.programs), len(derivation.programs) + 1)
    description = describe(derivation, options)
    beside = made_beside(options.beside, description, derivation.mechanism)
    description = replace(description, manifest={**description.manifest, **beside.manifest})
    module = proven(derivation, description, options)
    return derivation, print_files(module, options.languages, beside.files)


def proven(derivation: Derivation, description: ModuleDescription, options: GenerationOptions) -> LoweredModule:
    """The module ready for printing, each derived function held against another derivation.

    Raises:
        ProofError: a function differs, which is a defect of mbsym; it names the smallest set of options that shows it.
    """
    try:
        return _proven(derivation, description, options)
    except ProofError as error:
        found = error

    def again(tried: GenerationOptions) -> None:
        other = derive(express(derivation.mechanism.model, tried), tried)
        _proven(other, describe(other, tried), tried)

    underived = {request.name: request.function for request in options.derivatives}
    alone = replace(options, functions=(underived.get(found.function, found.function),))
    raise with_least_options(found, alone, again, {"simplify": tuple(SIMPLIFICATIONS)}, kept=("functions",))


def _proven(derivation: Derivation, description: ModuleDescription, options: GenerationOptions) -> LoweredModule:
    module = lowered(description, options.languages)
    proof = prove(
        module,
        derivation.mechanism,
        derivation.formulation,
        languages=printed_languages(module, options.languages),
        loops=derivation.loops,
        requests=options.derivatives,
        sparsity=derivation.sparsity if options.compressed else {},
    )
    described = module.description
    return replace(module, description=replace(described, manifest={**described.manifest, PROOF: proof.as_manifest()}))


def generate(
    source: Model | str | Path,
    directory: str | Path = ".",
    *,
    languages: Sequence[str] = (),
    functions: Sequence[str] = (),
    formulation: str = "auto",
    real: Real = "double",
    symbolic_parameters: str | Sequence[str] = "",
    order: str = "weight",
    prefix: str = "",
    frames: Sequence[str] = (),
    frame_axes: FrameAxes | Literal[""] = "",
    largest: float = LARGEST_CODE,
    derivatives: Sequence[tuple[str, Sequence[str]]] = (),
    compressed: bool = False,
    trigonometry: str = "libm",
    batch: Sequence[str] = (),
    simplify: str | Sequence[str] = "all",
    self_test: bool = False,
    safety_report: bool = False,
    prepare: bool = False,
    style: str = "auto",
    threads: int = 0,
    force: bool = False,
    progress: Progress | None = None,
) -> Generation:
    """Generates code for a model into a directory, whole or not at all.

    What belongs to other code of the name that stands there is removed: its certificate, and with new C its functions
    for many states and its self-test.

    Args:
        source: a model, a model file, or the name of a bundled example.
        directory: where NAME.c, NAME.h, NAME.py and NAME.json go; NAME is the model's, or the prefix.
        languages, functions, formulation, real: see ``GenerationOptions``.
        symbolic_parameters, order, prefix, frames, frame_axes, largest, compressed: likewise.
        trigonometry, batch, simplify, prepare, style, threads: likewise.
        self_test, safety_report: write NAME_selftest.c, or NAME.safety.json and .md, too: docs/embedded.md.
        derivatives: (FUNCTION, (NAME, ...)) for FUNCTION_by_NAME: its derivatives by arguments or run-time parameters.
        force: overwrite files that mbsym did not write.
        progress: told of each step.

    Raises:
        MbsymError: the model, a name or the directory is unusable; nothing is written then.
    """
    options = GenerationOptions(
        tuple(languages),
        tuple(functions),
        formulation,
        real,
        symbolic_parameters if isinstance(symbolic_parameters, str) else tuple(symbolic_parameters),
        order,
        prefix,
        tuple(frames),
        frame_axes,
        largest,
        tuple(dict.fromkeys(DerivativeRequest(function, tuple(names)) for function, names in derivatives)),
        compressed,
        chosen_trigonometry(trigonometry),
        tuple(batch),
        chosen_simplifications(simplify),
        (*["self-test"] * self_test, *["safety-report"] * safety_report),
        prepare,
        chosen_style(style, threads),
        threads,
        may_leave_out=True,
    )
    derivation, files = generate_files(source, options, progress)
    # The manifest comes last and bears the module's name.
    files = (*(reports_beside(files) if safety_report else ()), *files)
    stem, names = Path(files[-1].name).stem, {file.name for file in files}
    # Functions for many states, a self-test and a report go with the C beside which they were written, no other.
    of_c = (*LANGUAGES[BATCH].suffixes, *SUFFIXES_BESIDE) if f"{stem}.c" in names else ()
    outdated = [name for name in (f"{stem}{suffix}" for suffix in (*CERTIFICATE_SUFFIXES, *of_c)) if name not in names]
    paths = write_files(directory, files, force=force, outdated=outdated)
    return Generation(Path(directory), paths, derivation, options)
