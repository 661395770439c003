"""mbsym derive: the equations in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.json_output import print_json
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import taken, verb
from mbsym.option import WHAT, option
from mbsym.options.generation import GenerationOptions
from mbsym.records import listed
from mbsym.registry import FORMULATIONS
from mbsym.report.document import FORMATS, document
from mbsym.report.equations import derive as derive_equations
from mbsym.report.forms import FORMS
from mbsym.report.json_text import equations_data


def _form() -> Any:
    *others, last = FORMATS
    return typer.Option("text", "--format", help=f"{', '.join(others)} or {last}.")


FORM: Final[Any] = _form


def _quantities() -> str:
    known = "; ".join(f"{name}: {', '.join(each.quantities)}" for name, each in FORMULATIONS.items() if each.quantities)
    return (
        f"Quantities alone, by their names in a list or by repeating: {known}. And what every formulation has, such as "
        "mass_matrix and bias_force."
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """Which quantities, and in which form."""

    quantity: tuple[str, ...] = option((), _quantities, "quantity", heading=WHAT)
    form: str = option(
        "closed",
        lambda: f"The form of quantities, of M and h where none is named: {listed(FORMS)}",
        "form",
        heading=WHAT,
    )
    independent: tuple[str, ...] = option(
        (),
        "Independent speeds of N and the reduced equations of kane, one for each freedom: NAME,... of entries of v, or "
        "NAME=EXPRESSION with an expression that is linear in speeds; default a good choice.",
        "independent",
        heading=WHAT,
    )


@verb(
    "mbsym derive cart_pole",
    "mbsym derive double_pendulum --formulation lagrange --format latex -o pendulum.tex",
    "mbsym derive space_robot --formulation cfa --quantity A,X",
    "mbsym derive four_bar --formulation kane --quantity N,reduced_equations --independent v_A",
    "mbsym derive puma560 --form vectors --quantity bias_force",
    "mbsym derive four_bar --format json",
)
def derive(
    model: str = MODEL,
    language: str = FORM,
    asked: Asked = taken(Asked),
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
        independent=asked.independent,
    )
    names = tuple(dict.fromkeys(asked.quantity))
    for name in names:
        equations.require(name)
    written: tuple[Path, ...] = ()
    if output is not None:
        written = delivery.write(output, document(equations, language, names, asked.form))
    if delivery.as_json:
        print_json("derive", system.name, equations_data(equations, names, asked.form), written)
    elif output is None:
        typer.echo(document(equations, language, names, asked.form), nl=False)
    else:
        typer.echo(f"wrote {output}")
