"""Arguments that several verbs take and that are no options of reading or generating.

Those that list what there is are functions, which are called when a verb is asked for.
"""

from __future__ import annotations

from typing import Any, Final

import typer

from mbsym.records import listed


def _model() -> Any:
    from mbsym.formats.registry import FORMATS

    suffixes = ", ".join(form.suffixes[0] for form in FORMATS.values())
    return typer.Argument(help=f"Model file ({suffixes}) or name of a bundled example.")


def _consumer() -> Any:
    from mbsym.consumers.registry import CONSUMERS

    return typer.Argument(help=listed(CONSUMERS))


MODEL: Final[Any] = _model
CONSUMER: Final[Any] = _consumer
"""The defaults of a verb's parameters."""
