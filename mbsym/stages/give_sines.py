"""Sines and cosines become an argument, where that is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mbsym.options.exclusions import require_compatible
from mbsym.passes.given_sines import SINES_COSINES, with_given_sines
from mbsym.stages.derivation import Derivation, Progress, Stage


def _give(derivation: Derivation, tell: Progress) -> Derivation:
    if not derivation.options.takes_sines:
        return derivation
    programs = with_given_sines(derivation.programs)
    has_angles = any(program.name == SINES_COSINES for program in programs)
    facts = replace(derivation.facts, has_angles=has_angles)
    require_compatible(derivation.options, facts)
    return replace(derivation, facts=facts, programs=tuple(programs))


GIVE_SINES: Final = Stage("give sines", "where that is asked for, functions take sines and cosines of angles", _give)
