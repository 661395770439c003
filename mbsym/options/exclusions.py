"""What excludes what: the one table of options that do not go together, or not with what a model is.

It is asked before anything is derived, and again as soon as more is known: which functions can be made of shared steps,
and whether angles occur, shows while functions are derived. Nothing is written by then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mbsym.errors import MbsymError
from mbsym.formulations.shared.functions import SHARED_FUNCTIONS
from mbsym.options.exclusion import Exclusion, Facts
from mbsym.options.generation import OPTIONS, GenerationOptions, typed
from mbsym.records import Registry
from mbsym.registry import FORMULATIONS, Available

EXCLUSIONS: Final[Registry[Exclusion]] = Registry(
    "exclusion", (row for option in OPTIONS.values() for row in option.excludes), MbsymError
)
"""In the order of the options at which they are told, which is that in which they are asked; the first that holds is
told."""


def facts_of(found: Available, options: GenerationOptions) -> Facts:
    """What is known of a mechanism before anything is derived."""
    mechanism, formulation = found.mechanism, found.formulation
    asked = (*options.functions, *(request.function for request in options.derivatives))
    kept = {item.name for item in mechanism.parameters}
    numbers = {item.name for item in mechanism.model.parameters} - kept
    by = (name for request in options.derivatives for name in request.names)
    return Facts(
        mechanism.model.name,
        formulation.name,
        has_parameters=bool(mechanism.parameters),
        is_closed=bool(mechanism.cut_joints or mechanism.model.constraints),
        is_coupled=mechanism.is_coupled,
        has_frames=bool(mechanism.frames),
        steps=formulation.whole is not None,
        has_parts=bool(formulation.parted),
        takes_no_couplings=not formulation.uncoupled.isdisjoint(
            asked if options.functions else (*asked, *formulation.uncoupled)
        ),
        parting=" or ".join(item.name for item in FORMULATIONS.values() if item.parted),
        shareable=", ".join(SHARED_FUNCTIONS),
        number=next((name for name in by if name in numbers), ""),
    )


def require_compatible(options: GenerationOptions, facts: Facts, rows: Iterable[Exclusion] = ()) -> None:
    """Checks that what is asked for goes together, and with the model.

    Args:
        options: that are asked for.
        facts: as far as they are known.
        rows: what is excluded besides all that this table has.

    Raises:
        OptionError: it does not.
    """
    for exclusion in (*rows, *EXCLUSIONS.values()):
        if exclusion.holds(options, facts):
            raise exclusion.error(facts)


def table(exclusions: Iterable[Exclusion] = EXCLUSIONS.values()) -> str:
    """All exclusions, or some others, as rows of a page, options as the command line has them."""
    rows = ["| these | do not go with | because |", "|---|---|---|"]
    for item in exclusions:
        first, *others = (f"`{typed(f'`{option}`')}`" for option in item.options)
        names = {"name": "MODEL", "formulation": "FORMULATION", "failing": "FUNCTION REASON", "number": "PARAMETER"}
        against = [*others, *([item.against] if item.against else [])]
        rows.append(f"| {first} | {', '.join(against)} | {typed(item.sentence.format(**names))} |")
    return "\n".join(rows)
