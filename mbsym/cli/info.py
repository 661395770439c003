"""mbsym info: what a model is, before anything is derived."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace

import typer

from mbsym.cli.delivery import PRINTING, Delivery
from mbsym.cli.json_output import print_json
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.spoken import spoken
from mbsym.cli.taken import verb


@verb
def info(model: str = MODEL, reading: Reading = READING, delivery: Delivery = PRINTING) -> None:
    """Tell what a model has: bodies, joints, freedoms, loops, frames, forces, mass, and what does not fit."""
    from mbsym.report.overview import overview
    from mbsym.report.overview_text import overview_text

    system = read_model(model, reading, tell=False)
    found = overview(system, reading.order)
    found = replace(found, findings=tuple(map(spoken, found.findings)))
    if delivery.as_json:
        print_json("info", system.name, found.as_dict())
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        typer.echo(overview_text(found, width), nl=False)
