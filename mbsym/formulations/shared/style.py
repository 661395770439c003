"""How functions are written: every operation out, or steps that bodies of one kind share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias, get_args

from mbsym.errors import DerivationError
from mbsym.formulations.shared.functions import SHARED_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.passes.rolled_steps import simplified_steps
from mbsym.symbolic.domains import Guard, guards
from mbsym.symbolic.program import Program
from mbsym.symbolic.rolled import RolledProgram

Style: TypeAlias = Literal["straight", "shared", "auto"]
"""Every operation written out, or steps that bodies share in loops; auto decides by the number of bodies."""

LONG: Final = 60
"""Bodies from which on the style "auto" shares: there machine code of straight functions outgrows the caches."""

MOST_THREADS: Final = 1024
"""More are a slip of the pen."""


def chosen_style(name: str, threads: int = 0) -> Style:
    """The style of that name; what threads take is made of steps.

    Raises:
        DerivationError: there is none, or threads are asked for that it cannot have.
    """
    # Callers without a type checker give text and fractions too.
    if type(threads) is not int or threads < 0 or threads == 1 or threads > MOST_THREADS:
        raise DerivationError(
            f"work cannot be divided for {threads!r} threads",
            where="--threads",
            remedy=f"give a whole number from 2 to {MOST_THREADS}, or leave it out",
        )
    if threads and name == "straight":
        raise DerivationError(
            "threads take loops over steps, which functions written out do not have",
            where="--threads",
            remedy="leave out --style straight, or --threads",
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
    candidates: Mapping[str, Callable[[], RolledProgram | None]],
    optimise: Callable[[Program], Program],
    style: Style,
    *,
    prepare: bool,
    threads: int = 0,
) -> dict[str, RolledProgram]:
    """Functions that are made of steps which bodies of one kind share, as the style says.

    Args:
        mechanism: whose functions.
        candidates: what makes them, or says that they cannot be made so, by their names.
        optimise: the passes that steps go through.
        style: as it is asked for.
        prepare: what depends on parameters is computed beforehand.
        threads: for how many some function is to be divided.

    Raises:
        DerivationError: the shared style is asked for where no function can have it, or with what it does not go with,
            or threads where no function falls into parts.
    """
    asked = style == "shared"
    if asked and prepare:
        raise DerivationError(
            "functions whose bodies share steps have no use for what is prepared",
            where="--style shared",
            remedy="leave --prepare out, or take --style straight",
        )
    if not may_share(mechanism, style, prepare=prepare):
        return {}
    made: dict[str, RolledProgram] = {}
    failing: dict[str, Guard] = {}
    for name, make in candidates.items():
        rolled = make()
        if rolled is not None:
            rolled = simplified_steps(rolled, optimise)
            found = [guard for step in rolled.steps for guard in guards(step.program)]
            if found:
                failing[name] = found[0]
            else:
                made[name] = rolled
    _require_threads(made.values(), threads)
    if asked and not made:
        _refuse_failing(mechanism, failing)
        raise DerivationError(
            "no function that is asked for can be made of steps that bodies share",
            where="--style shared",
            remedy=f"it is there for {', '.join(SHARED_FUNCTIONS)} of trees without couplings and closed loops, "
            "whose bodies have inertia, potential_energy where gravity is a number, center_of_mass and momentum where "
            "masses are; take --style straight",
        )
    return made


def _refuse_failing(mechanism: Mechanism, failing: Mapping[str, Guard]) -> None:
    """Says what functions can fail of, where that is why none of them is made of shared steps.

    Raises:
        DerivationError: some function can fail.
    """
    if not failing:
        return
    forces = mechanism.model.forces
    reasons: dict[str, list[str]] = {}
    for name, guard in failing.items():
        what = "divides by what may vanish" if guard.need == "nonzero" else "takes a root or the like of any value"
        alone = guard.section == "force elements" and len(forces) == 1
        place = f"force element {forces[0].name!r}" if alone else guard.section
        reasons.setdefault(f"{what} ({place})" if place else what, []).append(name)
    told = "; ".join(f"{', '.join(names)} {reason}" for reason, names in reasons.items())
    raise DerivationError(
        f"no function that is asked for can be made of steps that bodies share: {told}",
        where="--style shared",
        remedy="what can fail is written out, for steps have no status; take --style straight",
    )


def _require_threads(made: Iterable[RolledProgram], threads: int) -> None:
    """Checks that some function has parts for threads, if there are to be any.

    Raises:
        DerivationError: none has.
    """
    if threads and not any(rolled.threads for rolled in made):
        raise DerivationError(
            "no function that is asked for falls into parts that threads can take",
            where="--threads",
            remedy="forward_dynamics does, of trees of several bodies without force elements and couplings, whose "
            "values are numbers and whose bodies have inertia; leave --threads out",
        )
