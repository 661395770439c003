"""mbsym derive: the equations in closed form."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.json_output import print_json
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import taken, verb
from mbsym.options.generation import GenerationOptions
from mbsym.report.document import FORMATS, document
from mbsym.report.equations import derive as derive_equations
from mbsym.report.json_text import equations_data


def _form() -> Any:
    *others, last = FORMATS
    return typer.Option("text", "--format", help=f"{', '.join(others)} or {last}.")


FORM: Final[Any] = _form


@verb(
    "mbsym derive cart_pole",
    "mbsym derive double_pendulum --formulation lagrange --format latex -o pendulum.tex",
    "mbsym derive four_bar --format json",
)
def derive(
    model: str = MODEL,
    form: str = FORM,
    output: Path | None = typer.Option(None, "-o", "--output", help="File to write; default is standard output."),
    options: GenerationOptions = taken(
        GenerationOptions, "formulation", "symbolic_parameters", symbolic_parameters="all"
    ),
    reading: Reading = READING,
    delivery: Delivery = TELLING,
) -> None:
    """Derive the equations of motion in closed form."""
    system = read_model(model, reading)
    equations = derive_equations(
        system, options.formulation, symbolic_parameters=options.symbolic_parameters, order=reading.order
    )
    written: tuple[Path, ...] = ()
    if output is not None:
        written = delivery.write(output, document(equations, form))
    if delivery.as_json:
        print_json("derive", system.name, equations_data(equations), written)
    elif output is None:
        typer.echo(document(equations, form), nl=False)
    else:
        typer.echo(f"wrote {output}")
