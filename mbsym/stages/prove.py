"""The description of a module, held against other derivations and ready for printing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mbsym.codegen.interface import ModuleDescription, lowered, printed_languages
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.options.generation import GenerationOptions
from mbsym.proof.proof import FIELD, prove
from mbsym.stages.derivation import Derivation


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
