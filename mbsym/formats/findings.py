"""Findings about a model in the words of the file that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from mbsym.errors import FormatError
from mbsym.model.system import Model
from mbsym.values.diagnostic import Diagnostic

MOST_SHOWN = 20
MOST_NAMED = 5


def listing(names: Sequence[str]) -> str:
    """Names for a sentence."""
    shown = ", ".join(repr(name) for name in names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"


def report_findings(model: Model, diagnostics: Iterable[Diagnostic], where: Callable[[Diagnostic], str]) -> Model:
    """The model with the warnings among the findings added to its own.

    Args:
        model: as read.
        diagnostics: what was found.
        where: ``FILE:LINE:COL`` of a finding.

    Raises:
        FormatError: an error is among the findings; the message has all of them, one a line.
    """
    found = list(diagnostics)
    errors = [item for item in found if item.severity == "error"]
    if errors:
        first, *others = errors
        lines = [f"{where(item)}: {item.what}; {item.remedy}" for item in others[:MOST_SHOWN]]
        if len(others) > MOST_SHOWN:
            lines.append(f"and {len(others) - MOST_SHOWN} more")
        remedy = "\n".join([first.remedy, *lines])
        raise FormatError(first.what, where=where(first), remedy=remedy)
    warnings = tuple(f"{item.what}; {item.remedy}" if item.remedy else item.what for item in found)
    return replace(model, warnings=(*model.warnings, *warnings)) if warnings else model
