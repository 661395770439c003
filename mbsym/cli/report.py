"""mbsym report: one page with the mechanism in pictures, its equations and operations."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import taken, verb
from mbsym.codegen.identifiers import spelled
from mbsym.errors import DerivationError
from mbsym.options.generation import GenerationOptions


@verb("mbsym report puma560", "mbsym report five_bar -o five_bar.html")
def report(
    model: str = MODEL,
    output: Path | None = typer.Option(
        None, "-o", "--output", help="Page to write, .html; default is NAME_report.html."
    ),
    options: GenerationOptions = taken(
        GenerationOptions, "formulation", "symbolic_parameters", symbolic_parameters="all"
    ),
    reading: Reading = READING,
    delivery: Delivery = TELLING,
) -> None:
    """Write one page that needs nothing else: pictures that turn, topology, equations to copy, operations."""
    from mbsym.report.document import document
    from mbsym.report.equations import derive

    if output is not None and output.suffix != ".html":
        raise DerivationError("the report is a page", where=str(output), remedy="end it in .html")
    system = read_model(model, reading)
    equations = derive(
        system, options.formulation, symbolic_parameters=options.symbolic_parameters, order=reading.order
    )
    target = output or Path(f"{spelled(system.name)}_report.html")
    written = delivery.write(target, document(equations, "html"))
    delivery.tell("report", system.name, {"formulation": equations.formulation}, written)
