"""The functions of a derivation as the description of a module, and that held against other derivations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final

from mbsym.codegen.description import known_for_batches
from mbsym.codegen.interface import Indices, ModuleDescription, lowered, printed_languages
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.codegen.sine_tables import sine_tables
from mbsym.conventions import EQUATION_CONVENTIONS, FRAME_CONVENTIONS, LOOP_CONVENTIONS
from mbsym.derivatives.sparsity import index_arrays, sparsity_fields
from mbsym.formats.native.text import dump_native
from mbsym.joints.registry import joint_conventions
from mbsym.kinematics.roadmap import index_tables, limit_tables, manifest_fields, roadmap_lines
from mbsym.options.generation import GenerationOptions
from mbsym.passes.prepare import PREPARE
from mbsym.proof.proof import FIELD, prove
from mbsym.registry import FixedFunctions
from mbsym.regressors.tables import column_tables
from mbsym.stages.derivation import Derivation

AS_ASKED: Final = ("real", "prefix", "trigonometry")
"""Options that a module's description has as they are asked for."""


def describe(derivation: Derivation, options: GenerationOptions) -> ModuleDescription:
    """The module to print: programs, header and manifest."""
    mechanism = derivation.mechanism
    # Shapes say nothing about motion: with them and without, the code is the same, and has the same hash.
    text = dump_native(replace(mechanism.model, shapes=()))
    loops = ("", *derivation.loops.sentences) if derivation.loops is not None else ()
    as_asked = {name: getattr(options, name) for name in AS_ASKED}
    sines = sine_tables(as_asked["trigonometry"], derivation.programs)
    of_loops = LOOP_CONVENTIONS if derivation.loops and derivation.loops.rows else ()
    equations = (*EQUATION_CONVENTIONS, *of_loops, *sines.header)
    fixed = derivation.fixed or FixedFunctions((), ())
    roadmap = roadmap_lines(mechanism)
    joints = [*(body.joint for body in mechanism.bodies), *(cut.joint for cut in mechanism.cut_joints)]
    conventions = (*FRAME_CONVENTIONS, *joint_conventions(joint.kind for joint in joints), *equations)
    linear = column_tables(mechanism, derivation.loops, [program.name for program in derivation.programs])
    return ModuleDescription(
        name=mechanism.model.name,
        programs=derivation.programs,
        header=(*conventions, "", *roadmap, *loops, *linear.header),
        manifest={
            "formulation": derivation.formulation,
            **manifest_fields(mechanism),
            "order": options.order,
            "model": text,
            **options.told,
            **linear.manifest,
            **sparsity_fields(derivation.sparsity),
            **({"left_out": list(derivation.left_out)} if derivation.left_out else {}),
            **sines.manifest,
            **fixed.manifest,
        },
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
        batch=known_for_batches(options.batch, derivation.names),
        prepares=PREPARE if options.prepare else "",
        limbs=derivation.limbs,
        **as_asked,
    )


def proved(derivation: Derivation, description: ModuleDescription, options: GenerationOptions) -> LoweredModule:
    """The module, whose manifest says how far each function is proven.

    Raises:
        ProofError: a function differs from another derivation of it.
    """
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
    return with_fields(module, {FIELD: proof.as_manifest()})


def with_fields(module: LoweredModule, fields: Mapping[str, object]) -> LoweredModule:
    """The module with more fields in its manifest."""
    description = module.description
    return replace(module, description=replace(description, manifest={**description.manifest, **fields}))
