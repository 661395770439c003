"""mbsym info: what a model is, or the models of a directory are, before anything is derived."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mbsym.cli.delivery import PRINTING, Delivery
from mbsym.cli.json_output import print_json
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.spoken import spoken
from mbsym.cli.taken import verb
from mbsym.formats.registry import example_names

if TYPE_CHECKING:
    from mbsym.report.overview import Overview


@verb("mbsym info puma560", "mbsym info panda.urdf --json", "mbsym info robots/")
def info(model: str = MODEL, reading: Reading = READING, delivery: Delivery = PRINTING) -> None:
    """Tell what a model has: bodies, joints, freedoms, loops, frames, forces, mass, and what does not fit.

    Of a directory every model file in it and below it, a line each, and why some are not read.
    """
    from mbsym.report.directory import directory_overview
    from mbsym.report.overview import overview
    from mbsym.report.overview_text import overview_text

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    def look(source: str) -> Overview:
        found = overview(read_model(source, reading, tell=False), reading.order)
        return replace(found, findings=tuple(map(spoken, found.findings)))

    if model not in example_names() and Path(model).is_dir():
        with progress_bar() as progress:
            files = directory_overview(Path(model), look, progress)
        files = replace(files, not_read={path: spoken(reason) for path, reason in files.not_read.items()})
        if delivery.as_json:
            print_json("info", Path(model).resolve().name, files.as_dict())
        else:
            typer.echo(files.as_text(width), nl=False)
        return
    found = look(model)
    if delivery.as_json:
        print_json("info", found.model.name, found.as_dict())
    else:
        typer.echo(overview_text(found, width), nl=False)
