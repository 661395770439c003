"""mbsym info: what a model is, before anything is derived."""

from __future__ import annotations

import shutil
import sys

import typer

from mbsym.cli.arguments import (
    COORDINATES_HELP,
    WRENCH_AXES_HELP,
    WRENCH_INPUT_HELP,
    Actuators,
    AsJson,
    Floating,
    JointDynamics,
    Loops,
    Order,
    model_help,
)
from mbsym.cli.json_output import print_json
from mbsym.cli.model_source import read_model


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def info(
        model: str = typer.Argument(help=model_help()),
        as_json: AsJson = False,
        coordinates: str = typer.Option("", "--coordinates", help=COORDINATES_HELP),
        wrench_input: list[str] = typer.Option([], "--wrench-input", help=WRENCH_INPUT_HELP),
        wrench_axes: str = typer.Option("local", "--wrench-axes", help=WRENCH_AXES_HELP),
        order: Order = "weight",
        floating: Floating = False,
        loops: Loops = None,
        joint_dynamics: JointDynamics = "ignore",
        actuators: Actuators = "ignore",
    ) -> None:
        """Tell what a model has: bodies, joints, freedoms, loops, frames, forces, mass, and what does not fit."""
        from mbsym.report.overview import overview
        from mbsym.report.overview_text import overview_text

        system = read_model(
            model,
            floating=floating,
            loops=loops,
            joint_dynamics=joint_dynamics,
            actuators=actuators,
            coordinates=coordinates,
            wrench_inputs=wrench_input,
            wrench_axes=wrench_axes,
            order=order,
            tell=False,
        )
        found = overview(system, order)
        if as_json:
            print_json("info", system.name, found.as_dict())
        else:
            width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
            typer.echo(overview_text(found, width), nl=False)
