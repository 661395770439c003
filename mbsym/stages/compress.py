"""What of matrices is zero by structure is known, and left out where that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mbsym.derivatives.sparsity import Sparsity, compress, sparsity_of
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


COMPRESS: Final = Stage(
    "compress", "it is known which entries of matrices on request and derivatives vanish", _compress
)
