"""mbsym show: a model to be moved by hand, in a browser."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.reading import MODEL, READING, Reading, read_model, tell_warning
from mbsym.cli.taken import verb
from mbsym.codegen.identifiers import spelled


@verb("mbsym show stewart_platform -o platform.html", "mbsym show panda.urdf -o panda.png")
def show(
    model: str = MODEL,
    output: Path | None = typer.Option(
        None, "-o", "--output", help="Page to write, .html, or a picture, .png; default NAME.html."
    ),
    reading: Reading = READING,
    delivery: Delivery = TELLING,
) -> None:
    """Write a page on which a model turns in space and sliders move it, its loops kept closed."""
    from mbsym.report.show import write_show

    system = read_model(model, reading)
    path = output if output is not None else Path(f"{spelled(system.name)}.html")
    written = write_show(system, path, order=reading.order, force=delivery.force, tell=tell_warning)
    delivery.tell("show", system.name, {}, [written])
