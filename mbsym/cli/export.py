"""mbsym export: C for a model with what a consumer needs around it."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from mbsym.cli.arguments import (
    COORDINATES_HELP,
    WRENCH_AXES_HELP,
    WRENCH_INPUT_HELP,
    Actuators,
    Floating,
    ForceFiles,
    JointDynamics,
    Loops,
    Order,
    consumer_help,
    formulation_help,
    model_help,
)
from mbsym.cli.generate import chosen_axes
from mbsym.cli.model_source import names_in, read_model
from mbsym.cli.progress import progress_bar
from mbsym.errors import CodegenError


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def export(
        consumer: str = typer.Argument(help=consumer_help()),
        model: str = typer.Argument(help=model_help()),
        output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the files."),
        function: list[str] = typer.Option(
            [], "--function", help="This function, not those that the consumer asks for; repeatable."
        ),
        formulation: str = typer.Option("auto", "--formulation", help=formulation_help()),
        real: str = typer.Option("double", "--real", help="double or float."),
        symbolic_parameters: str = typer.Option(
            "", "--symbolic-parameters", help="all, none, or NAME,...: run-time arguments instead of numbers."
        ),
        coordinates: str = typer.Option("", "--coordinates", help=COORDINATES_HELP),
        wrench_input: list[str] = typer.Option([], "--wrench-input", help=WRENCH_INPUT_HELP),
        wrench_axes: str = typer.Option("local", "--wrench-axes", help=WRENCH_AXES_HELP),
        order: Order = "weight",
        loops: Loops = None,
        prefix: str = typer.Option("", "--prefix", help="Of C symbols, and name of the files: not the model's name."),
        floating: Floating = False,
        joint_dynamics: JointDynamics = "ignore",
        actuators: Actuators = "ignore",
        frame: list[str] = typer.Option([], "--frame", help="NAME,...: functions of these frames; 'all' for all."),
        frame_axes: str = typer.Option("", "--frame-axes", help="local, aligned or base; default as the model says."),
        setting: list[str] = typer.Option([], "--set", metavar="NAME=VALUE", help="A setting of the consumer."),
        fmi: str = typer.Option("", "--fmi", metavar="VERSION", help="For fmu: 3.0 or 2.0, as --set fmi=VERSION."),
        force: ForceFiles = False,
    ) -> None:
        """Export C for a model to a consumer."""
        from mbsym.consumers.export import export as export_code
        from mbsym.consumers.registry import CONSUMERS

        CONSUMERS.named(consumer, where="CONSUMER")
        if real not in ("double", "float"):
            raise CodegenError(f"no type is called {real!r}", where="--real", remedy="use double or float")
        axes = chosen_axes(frame_axes)
        chosen = symbolic_parameters if symbolic_parameters in ("", "all", "none") else symbolic_parameters.split(",")
        system = read_model(
            model,
            floating=floating,
            loops=loops,
            joint_dynamics=joint_dynamics,
            actuators=actuators,
            coordinates=coordinates,
            wrench_inputs=wrench_input,
            wrench_axes=wrench_axes,
        )
        with progress_bar() as progress:
            done = export_code(
                system,
                consumer,
                output,
                functions=function,
                formulation=formulation,
                real="double" if real == "double" else "float",
                symbolic_parameters=chosen,
                order=order,
                prefix=prefix,
                frames=names_in(frame),
                frame_axes=axes,
                settings=settings_in([*setting, *([f"fmi={fmi}"] if fmi else [])]),
                force=force,
                progress=progress,
            )
        for note in done.notes:
            print(f"note: {note}", file=sys.stderr)
        for path in done.paths:
            typer.echo(f"wrote {path}")


def settings_in(texts: list[str]) -> dict[str, str]:
    """Settings by name.

    Raises:
        CodegenError: one is not NAME=VALUE.
    """
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise CodegenError(f"{text!r} is no setting", where="--set", remedy="write NAME=VALUE")
        found[name] = value
    return found
