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
from mbsym.options.texts import names_in
from mbsym.registry import FORMULATIONS
from mbsym.report.document import FORMATS, document
from mbsym.report.equations import derive as derive_equations
from mbsym.report.json_text import equations_data


def _form() -> Any:
    *others, last = FORMATS
    return typer.Option("text", "--format", help=f"{', '.join(others)} or {last}.")


FORM: Final[Any] = _form


def _quantity() -> Any:
    known = "; ".join(f"{name}: {', '.join(each.quantities)}" for name, each in FORMULATIONS.items() if each.quantities)
    return typer.Option(
        [],
        "--quantity",
        help=f"Quantities alone, by their names in a list or by repeating: {known}. And what every formulation has, "
        "such as mass_matrix and bias_force.",
    )


QUANTITY: Final[Any] = _quantity


def _independent() -> Any:
    return typer.Option(
        [],
        "--independent",
        help="Independent speeds of N and the reduced equations of kane, one for each freedom: NAME,... of entries of "
        "v, or NAME=EXPRESSION with an expression that is linear in speeds; default a good choice.",
    )


INDEPENDENT: Final[Any] = _independent


@verb(
    "mbsym derive cart_pole",
    "mbsym derive double_pendulum --formulation lagrange --format latex -o pendulum.tex",
    "mbsym derive space_robot --formulation cfa --quantity A,X",
    "mbsym derive four_bar --formulation kane --quantity N,reduced_equations --independent v_A",
    "mbsym derive four_bar --format json",
)
def derive(
    model: str = MODEL,
    form: str = FORM,
    quantity: list[str] = QUANTITY,
    independent: list[str] = INDEPENDENT,
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
        system,
        options.formulation,
        symbolic_parameters=options.symbolic_parameters,
        order=reading.order,
        independent=names_in(independent),
    )
    names = tuple(dict.fromkeys(names_in(quantity)))
    for name in names:
        equations.require(name)
    written: tuple[Path, ...] = ()
    if output is not None:
        written = delivery.write(output, document(equations, form, names))
    if delivery.as_json:
        print_json("derive", system.name, equations_data(equations, names), written)
    elif output is None:
        typer.echo(document(equations, form, names), nl=False)
    else:
        typer.echo(f"wrote {output}")
