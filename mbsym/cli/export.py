"""mbsym export: C for a model with what a consumer needs around it."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from mbsym.cli.arguments import (
    COORDINATES_HELP,
    CUT_HELP,
    KEEP_HELP,
    TRIGONOMETRY_HELP,
    WRENCH_AXES_HELP,
    WRENCH_INPUT_HELP,
    Actuators,
    AsJson,
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
from mbsym.cli.json_output import print_json
from mbsym.cli.model_source import names_in, read_model, symbols_in
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
        cut: list[str] = typer.Option([], "--cut", help=CUT_HELP),
        keep: list[str] = typer.Option([], "--keep", help=KEEP_HELP),
        loops: Loops = None,
        prefix: str = typer.Option("", "--prefix", help="Of C symbols, and name of the files: not the model's name."),
        floating: Floating = False,
        joint_dynamics: JointDynamics = "ignore",
        actuators: Actuators = "ignore",
        frame: list[str] = typer.Option([], "--frame", help="NAME,...: functions of these frames; 'all' for all."),
        frame_axes: str = typer.Option("", "--frame-axes", help="local, aligned or base; default as the model says."),
        trigonometry: str = typer.Option("libm", "--trigonometry", help=TRIGONOMETRY_HELP),
        setting: list[str] = typer.Option([], "--set", metavar="NAME=VALUE", help="A setting of the consumer."),
        fmi: str = typer.Option("", "--fmi", metavar="VERSION", help="For fmu: 3.0 or 2.0, as --set fmi=VERSION."),
        as_json: AsJson = False,
        force: ForceFiles = False,
    ) -> None:
        """Export C for a model to a consumer."""
        from mbsym.consumers.export import export as export_code
        from mbsym.consumers.registry import CONSUMERS

        CONSUMERS.named(consumer, where="CONSUMER")
        if real not in ("double", "float"):
            raise CodegenError(f"no type is called {real!r}", where="--real", remedy="use double or float")
        axes = chosen_axes(frame_axes)
        chosen = symbolic_parameters and symbols_in(symbolic_parameters)
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
            cut=cut,
            keep=keep,
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
                trigonometry=trigonometry,
                settings=settings_in([*setting, *([f"fmi={fmi}"] if fmi else [])]),
                force=force,
                progress=progress,
            )
        if as_json:
            print_json("export", system.name, {"consumer": consumer, "notes": list(done.notes)}, done.paths)
            return
        for note in done.notes:
            print(f"note: {note}", file=sys.stderr)
        for path in done.paths:
            typer.echo(f"wrote {path}")


def settings_in(texts: list[str]) -> dict[str, str]:
    """Settings by name.

    Raises:
        CodegenError: one is not NAME=VALUE, or two of a name differ.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise CodegenError(f"{text!r} is no setting", where="--set", remedy="write NAME=VALUE")
        if found.setdefault(name, value) != value:
            both = f"{name} is to be {found[name]} and {value}"
            raise CodegenError(both, where="--set", remedy="ask for one of them")
    return found
