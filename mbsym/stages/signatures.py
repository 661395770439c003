"""What functions take and return where something else than the usual is asked for: of matrices what is not zero by
structure, in place of parameters what was made of them, sines and cosines of angles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mbsym.derivatives.sparsity import Sparsity, compress, sparsity_of
from mbsym.options.exclusions import require_compatible
from mbsym.passes.given_sines import SINES_COSINES, with_given_sines
from mbsym.passes.prepare import prepared
from mbsym.stages.derivation import Derivation, Progress, Stage


def _compress(derivation: Derivation, tell: Progress) -> Derivation:
    fixed, compressed = derivation.fixed, derivation.options.compressed
    # What the solver of closed loops reads stays whole.
    whole = fixed.kernels if compressed and fixed is not None else ()
    programs = []
    sparsity: dict[str, Mapping[str, Sparsity]] = {}
    for program in derivation.programs:
        found = {} if program.name in derivation.found.functions or program.name in whole else sparsity_of(program)
        if found:
            sparsity[program.name] = found
        programs.append(compress(program) if found and compressed else program)
    return replace(derivation, programs=tuple(programs), sparsity=sparsity)


def _prepare(derivation: Derivation, tell: Progress) -> Derivation:
    if not derivation.options.prepare:
        return derivation
    return replace(derivation, programs=prepared(derivation.programs))


def _give_sines(derivation: Derivation, tell: Progress) -> Derivation:
    if not derivation.options.takes_sines:
        return derivation
    programs = with_given_sines(derivation.programs)
    has_angles = any(program.name == SINES_COSINES for program in programs)
    facts = replace(derivation.facts, has_angles=has_angles)
    require_compatible(derivation.options, facts)
    return replace(derivation, facts=facts, programs=programs)


COMPRESS: Final = Stage(
    "compress", "it is known which entries of matrices on request and derivatives vanish", _compress
)

PREPARE: Final = Stage(
    "prepare", "where that is asked for, one function takes parameters and the others its results", _prepare
)

GIVE_SINES: Final = Stage(
    "give sines", "where that is asked for, functions take sines and cosines of angles", _give_sines
)
