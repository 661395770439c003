"""How functions are written: every operation out, or steps that bodies of one kind share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias, get_args

from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.domains import Guard, guards
from mbsym.symbolic.program import Program

Style: TypeAlias = Literal["straight", "shared", "auto"]
"""Every operation written out, or steps that bodies share in loops; auto decides by the number of bodies."""

LONG: Final = 60
"""Bodies from which on the style "auto" shares: there machine code of straight functions outgrows the caches."""

MOST_THREADS: Final = 1024
"""More are a slip of the pen."""


def chosen_style(name: str, threads: int = 0) -> Style:
    """The style of that name; what threads take is made of steps.

    Raises:
        DerivationError: there is none, or no work can be divided for so many threads.
    """
    # Callers without a type checker give text and fractions too.
    if type(threads) is not int or threads < 0 or threads == 1 or threads > MOST_THREADS:
        raise DerivationError(
            f"work cannot be divided for {threads!r} threads",
            where="--threads",
            remedy=f"give a whole number from 2 to {MOST_THREADS}, or leave it out",
        )
    name = "shared" if threads and name == "auto" else name
    for style in get_args(Style):
        if style == name:
            found: Style = style
            return found
    raise DerivationError(f"there is no style {name!r}", where="--style", remedy="use straight, shared or auto")


def may_share(mechanism: Mechanism, style: Style, *, prepare: bool) -> bool:
    """Whether functions are made of shared steps where they can be."""
    return not prepare and (style == "shared" or (style == "auto" and mechanism.nb >= LONG))


def shared_functions(
    mechanism: Mechanism,
    candidates: Mapping[str, Callable[[], Program | None]],
    optimise: Callable[[Program], Program],
    style: Style,
    *,
    prepare: bool,
) -> tuple[dict[str, Program], str]:
    """Functions that are made of steps which bodies of one kind share, as the style says, and what others can fail of.

    Args:
        mechanism: whose functions.
        candidates: what makes them, or says that they cannot be made so, by their names.
        optimise: the passes that they go through.
        style: as it is asked for.
        prepare: what depends on parameters is computed beforehand.
    """
    if not may_share(mechanism, style, prepare=prepare):
        return {}, ""
    made: dict[str, Program] = {}
    failing: dict[str, Guard] = {}
    for name, make in candidates.items():
        program = make()
        if program is not None:
            program = optimise(program)
            found = [guard for step in program.steps for guard in guards(step.program)]
            if found:
                failing[name] = found[0]
            else:
                made[name] = program
    return made, _told(mechanism, failing)


def _told(mechanism: Mechanism, failing: Mapping[str, Guard]) -> str:
    """Which functions can fail, and of what."""
    forces = mechanism.model.forces
    reasons: dict[str, list[str]] = {}
    for name, guard in failing.items():
        what = "divides by what may vanish" if guard.need == "nonzero" else "takes a root or the like of any value"
        alone = guard.section == "force elements" and len(forces) == 1
        place = f"force element {forces[0].name!r}" if alone else guard.section
        reasons.setdefault(f"{what} ({place})" if place else what, []).append(name)
    return "; ".join(f"{', '.join(names)} {reason}" for reason, names in reasons.items())
