"""Functions that are made of steps which bodies of one kind share, where they are asked for or bodies are many."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Final

from mbsym.codegen.description import EVERY
from mbsym.formulations.shared.functions import SHARED_FUNCTIONS
from mbsym.loops.code_size import WORTH_TELLING, CodeSize, code_size, require_moderate
from mbsym.options.exclusions import require_compatible
from mbsym.registry import contracts_of
from mbsym.stages.derivation import Derivation, Progress, Stage
from mbsym.stages.simplify import optimise
from mbsym.symbolic.domains import Guard, guards
from mbsym.symbolic.program import Program

LONG: Final = 60
"""Bodies from which on the style "auto" shares: there machine code of straight functions outgrows the caches."""


def may_be_shared(derivation: Derivation) -> tuple[str, ...]:
    """Names of functions that are made of shared steps where they can be.

    Functions that take many states, and of which nobody says that they should have them one after the other, are not.
    """
    options = derivation.options
    is_long = options.style == "auto" and derivation.mechanism.nb >= LONG
    if options.prepare or options.takes_sines or not (options.is_shared or is_long):
        return ()
    lanes = options.batch if options.style == "auto" and not options.threads else ()
    shareable = (name for name in derivation.wanted if name in SHARED_FUNCTIONS)
    return tuple(name for name in shareable if name not in lanes and EVERY not in lanes)


def size_of_code(derivation: Derivation, shared: Container[str]) -> CodeSize:
    """Of the functions that are wanted, some of them made of shared steps."""
    known = contracts_of(derivation.mechanism)
    contracts = [known[name] for name in derivation.wanted if name in known]
    return code_size(derivation.mechanism, derivation.loops, contracts, shared=shared)


def _share(derivation: Derivation, tell: Progress) -> Derivation:
    options, mechanism = derivation.options, derivation.mechanism
    made, failing = _made(derivation)
    parted = any(function.threads for function in made.values())
    facts = replace(derivation.facts, shared=tuple(made), parted=parted, failing=_told(derivation, failing))
    require_compatible(options, facts)
    size = size_of_code(derivation, made)
    require_moderate(size, options.largest, mechanism.model.name)
    if size.total > WORTH_TELLING:
        tell(f"{mechanism.model.name} makes {size.sentence}", 0, 0)
    wanted = tuple(name for name in derivation.wanted if name not in made)
    return replace(derivation, facts=facts, wanted=wanted, programs=tuple(made.values()))


def _made(derivation: Derivation) -> tuple[dict[str, Program], dict[str, Guard]]:
    """Functions made of steps, and what others of them that could be can fail of."""
    made: dict[str, Program] = {}
    failing: dict[str, Guard] = {}
    for name in may_be_shared(derivation):
        program = derivation.found.rolled(name, derivation.options.threads)
        if program is not None:
            program, _ = optimise(program, derivation.mechanism.ways)
            found = guards(program)
            if found:
                failing[name] = found[0]
            else:
                made[name] = program
    return made, failing


def _told(derivation: Derivation, failing: Mapping[str, Guard]) -> str:
    """Which functions can fail, and of what."""
    forces = derivation.mechanism.model.forces
    reasons: dict[str, list[str]] = {}
    for name, guard in failing.items():
        what = "divides by what may vanish" if guard.need == "nonzero" else "takes a root or the like of any value"
        alone = guard.section == "force elements" and len(forces) == 1
        place = f"force element {forces[0].name!r}" if alone else guard.section
        reasons.setdefault(f"{what} ({place})" if place else what, []).append(name)
    return "; ".join(f"{', '.join(names)} {reason}" for reason, names in reasons.items())


SHARE: Final = Stage("share", "what bodies of one kind can share is made of steps, and derived", _share)
