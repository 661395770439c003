"""The functions of a derivation as the description of a module: programs, header, manifest, tables."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Final

from mbsym.codegen.description import known_for_batches
from mbsym.codegen.interface import Indices, ModuleDescription
from mbsym.codegen.sine_tables import sine_tables
from mbsym.conventions import EQUATION_CONVENTIONS, FRAME_CONVENTIONS, LOOP_CONVENTIONS
from mbsym.derivatives.sparsity import index_arrays, sparsity_fields
from mbsym.formats.native.text import dump_native
from mbsym.joints.registry import joint_conventions
from mbsym.kinematics.roadmap import index_tables, limit_tables, manifest_fields, roadmap_lines
from mbsym.options.generation import GenerationOptions
from mbsym.passes.prepare import PREPARE
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
        **as_asked,
    )
