"""What depends on parameters alone is computed by a function of its own, where that is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mbsym.passes.prepare import prepared
from mbsym.stages.derivation import Derivation, Progress, Stage


def _prepare(derivation: Derivation, tell: Progress) -> Derivation:
    if not derivation.options.prepare:
        return derivation
    return replace(derivation, programs=tuple(prepared(derivation.programs)))


PREPARE: Final = Stage(
    "prepare", "where that is asked for, one function takes parameters and the others its results", _prepare
)
