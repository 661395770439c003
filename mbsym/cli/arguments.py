"""Arguments that several verbs take and that are no options of reading or generating."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypeAlias

import typer

from mbsym.records import listed


def model_help() -> str:
    """The argument MODEL."""
    from mbsym.formats.registry import FORMATS

    return f"Model file ({', '.join(form.suffixes[0] for form in FORMATS.values())}) or name of a bundled example."


AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]


def consumer_help() -> str:
    """The argument CONSUMER."""
    from mbsym.consumers.registry import CONSUMERS

    return listed(CONSUMERS)


def either(names: Iterable[str]) -> str:
    """Names as in "a, b or c"."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
