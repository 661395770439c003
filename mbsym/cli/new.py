"""mbsym new: a model to begin with."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.taken import verb
from mbsym.errors import ModelError


@verb("mbsym new my_arm")
def new(
    name: str = typer.Argument(help="Of the model, and of the file NAME.yaml."),
    output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the file."),
    delivery: Delivery = TELLING,
) -> None:
    """Write a small commented model to begin with: an arm of two bodies that loads, moves and generates code."""
    from mbsym.codegen.environment import render_template
    from mbsym.model.names import identifier_fault

    fault = identifier_fault(name)
    if fault is not None:
        raise ModelError(
            f"the name {fault}", where=name or "NAME", remedy="use letters, digits and underscores, a letter first"
        )
    text = render_template("model.yaml.jinja", name=name)
    delivery.tell("new", name, {}, delivery.write(output / f"{name}.yaml", text))
