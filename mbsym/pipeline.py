"""The way through the house: read > label > express > derive > describe > prove > print > write.

Building and checking what was written stand above, in ``mbsym.verification``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final, Unpack

from mbsym.codegen.interface import GeneratedFile, ModuleDescription, print_files
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.embedded.beside import self_test_beside
from mbsym.errors import DerivationError, ProofError
from mbsym.formats.registry import LoadOptions, load
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.kinematics.simplifications import SIMPLIFICATIONS
from mbsym.kinematics.simplified import simplified
from mbsym.model.clock import with_clock
from mbsym.model.frame_ends import on_bodies, with_frames
from mbsym.model.inertial_parameters import with_named_parameters
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.option import takes
from mbsym.options.generation import GenerationOptions as GenerationOptions
from mbsym.options.generation import chosen
from mbsym.options.keywords import OfGeneration
from mbsym.proof.smallest import with_least_options
from mbsym.records import Registry
from mbsym.registry import KINEMATIC, contracts_of
from mbsym.stages.asked import asked_for
from mbsym.stages.derivation import Derivation as Derivation
from mbsym.stages.derivation import Progress as Progress
from mbsym.stages.derivation import Stage
from mbsym.stages.describe import describe as describe
from mbsym.stages.describe import proved, with_fields
from mbsym.stages.limbs import PUT_SIDE_BY_SIDE
from mbsym.stages.share import SHARE
from mbsym.stages.signatures import COMPRESS, GIVE_SINES, PREPARE
from mbsym.stages.simplify import DERIVE
from mbsym.stages.simplify import optimise as optimise
from mbsym.stages.write import Generation as Generation
from mbsym.stages.write import require_current, written

STAGES: Final[Registry[Stage]] = Registry(
    "stage", (SHARE, DERIVE, COMPRESS, PREPARE, GIVE_SINES, PUT_SIDE_BY_SIDE), DerivationError
)
"""From what is asked for to the functions of a module, one after the other."""


def read(source: Model | str | Path, options: LoadOptions | None = None) -> Model:
    """A model from a file, the name of a bundled example, or itself; checked, and with the clock of its constraints.

    Raises:
        FormatError: the file cannot be read.
        ModelError: it is no mechanism.
    """
    model = source if isinstance(source, Model) else load(source, options or LoadOptions())
    require_valid(model)
    return with_clock(model)


def express(model: Model, options: GenerationOptions) -> Mechanism:
    """The model labelled and written in a graph.

    Raises:
        DerivationError: no body has mass or inertia, and more than kinematics is asked for.
    """
    model = with_frames(on_bodies(with_clock(model)), options.frames, options.frame_axes)
    model, symbolic = with_named_parameters(model, options.symbolic_parameters)
    mechanism = build_mechanism(model, model.label(order=options.order), symbolic)
    is_tree = not mechanism.cut_joints and not model.constraints
    is_kinematic = is_tree and bool(options.functions) and KINEMATIC.issuperset(options.functions)
    if not is_kinematic and not any(body.inertia.is_anything for body in mechanism.bodies):
        raise DerivationError(
            "no body has mass or inertia, so there are no equations of motion",
            where=model.name,
            remedy="give the bodies masses; of trees body_poses, body_jacobians and functions of frames need none, and "
            "mbsym label tells the topology",
        )
    ways = {"all": tuple(SIMPLIFICATIONS), "none": ()}
    simplify = options.simplify if isinstance(options.simplify, tuple) else ways[options.simplify]
    return simplified(mechanism, simplify, prepared=options.prepare)


def derive(mechanism: Mechanism, options: GenerationOptions, progress: Progress | None = None) -> Derivation:
    """The functions asked for, each as an optimised Program.

    Raises:
        OptionError: options exclude each other, or do not go with the mechanism.
        DerivationError: a function or formulation does not exist or does not cover the mechanism, or accelerations are
            asked for where some motion moves no inertia, or the code would be too large.
    """
    tell = progress or (lambda *_: None)
    derivation = asked_for(mechanism, options, tell)
    for stage in STAGES.values():
        derivation = stage.apply(derivation, tell)
    return derivation


def generate_files(
    source: Model | str | Path, options: GenerationOptions | None = None, progress: Progress | None = None
) -> tuple[Derivation, tuple[GeneratedFile, ...]]:
    """The texts of a module, nothing written."""
    options = options or GenerationOptions()
    derivation = derive(express(read(source), options), options, progress)
    if progress is not None:
        progress("print the code", len(derivation.programs), len(derivation.programs) + 1)
    module = proven(derivation, describe(derivation, options), options)
    beside: tuple[GeneratedFile, ...] = ()
    if options.self_test:
        mechanism = derivation.mechanism
        beside, fields = self_test_beside(module.description, mechanism, contracts_of(mechanism))
        module = with_fields(module, fields)
    return derivation, print_files(module, options.languages, beside)


def proven(derivation: Derivation, description: ModuleDescription, options: GenerationOptions) -> LoweredModule:
    """The module ready for printing, each derived function held against another derivation.

    Raises:
        ProofError: a function differs, which is a defect of mbsym; it names the smallest set of options that shows it.
    """
    try:
        return proved(derivation, description, options)
    except ProofError as error:
        found = error

    def again(tried: GenerationOptions) -> None:
        other = derive(express(derivation.mechanism.model, tried), tried)
        proved(other, describe(other, tried), tried)

    underived = {request.name: request.function for request in options.derivatives}
    alone = replace(options, functions=(underived.get(found.function, found.function),))
    raise with_least_options(found, alone, again, {"simplify": tuple(SIMPLIFICATIONS)}, kept=("functions",))


@takes(GenerationOptions, OfGeneration)
def generate(
    source: Model | str | Path,
    directory: str | Path = ".",
    *,
    force: bool = False,
    check: bool = False,
    progress: Progress | None = None,
    **options: Unpack[OfGeneration],
) -> Generation:
    """Generates code for a model into a directory, whole or not at all.

    What belongs to other code of the name that stands there is removed: its certificate, and with new C its functions
    for many states and its self-test.

    Args:
        source: a model, a model file, or the name of a bundled example.
        directory: where NAME.c, NAME.h, NAME.py and NAME.json go; NAME is the model's, or the prefix.
        **options: see below.
        force: overwrite files that mbsym did not write.
        check: write nothing, and find that the files that stand there are those that would be written.
        progress: told of each step.

    Raises:
        VerificationError: with ``check``, files are missing or have another text.
        MbsymError: the model, a name or the directory is unusable; nothing is written then.
    """
    return generate_as(source, directory, chosen(options), force=force, check=check, progress=progress)


def generate_as(
    source: Model | str | Path,
    directory: str | Path,
    options: GenerationOptions,
    *,
    force: bool = False,
    check: bool = False,
    progress: Progress | None = None,
) -> Generation:
    """What ``generate`` does, with its options in one.

    Raises:
        MbsymError: see there.
    """
    options = replace(options, may_leave_out=True)
    derivation, files = generate_files(source, options, progress)
    if check:
        return require_current(derivation, files, directory, options)
    return written(derivation, files, directory, options, force=force)
