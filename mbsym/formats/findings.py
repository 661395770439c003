"""Findings about a model in the words of the file that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mbsym.errors import FormatError
from mbsym.formats.text_source import FilePlace
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
        told = {f"{where(item)}: {item.what}; {item.remedy}": None for item in others}
        told.pop(f"{where(first)}: {first.what}; {first.remedy}", None)
        lines = [*told][:MOST_SHOWN]
        if len(told) > MOST_SHOWN:
            lines.append(f"and {len(told) - MOST_SHOWN} more")
        remedy = "\n".join([first.remedy, *lines])
        raise FormatError(first.what, where=where(first), remedy=remedy)
    warnings = tuple(f"{item.what}; {item.remedy}" if item.remedy else item.what for item in found)
    return replace(model, warnings=(*model.warnings, *warnings)) if warnings else model


def _owners(item: Diagnostic, model: Model) -> Iterator[tuple[str, str]]:
    """What a finding is about, by kind and name in the model: an entry, and the joint that it acts on."""
    path = item.path
    if len(path) > 1 and isinstance(path[1], int):
        kind = str(path[0])
        entry = getattr(model, kind)[path[1]]
        names = [getattr(entry, key) for key in ("name", "joint") if hasattr(entry, key)]
        yield from ((kind, name) for name in names)
        yield from (("joints", name) for name in names[-1:] if hasattr(entry, "joint"))


def place_of(item: Diagnostic, model: Model, places: Mapping[tuple[str, ...], FilePlace]) -> FilePlace:
    """Where a file says what a finding is about.

    Args:
        item: the finding.
        model: that was read.
        places: by kind, name and attribute of the model, by kind and name, by an entry of the model; () of the
            whole.
    """
    attribute = str(item.path[2]) if len(item.path) > 2 else ""
    for kind, name in _owners(item, model):
        for key in ((kind, name, attribute), (kind, name)):
            if key in places:
                return places[key]
    return places.get(tuple(map(str, item.path[:1])), places[()])
