"""mbsym derive: the equations in closed form."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.arguments import (
    COORDINATES_HELP,
    CUT_HELP,
    KEEP_HELP,
    SYMBOLS_HELP,
    Actuators,
    AsJson,
    Floating,
    ForceFile,
    JointDynamics,
    Loops,
    Order,
    either,
    formulation_help,
    model_help,
)
from mbsym.cli.json_output import print_json
from mbsym.cli.model_source import read_model, symbols_in


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    from mbsym.report.document import FORMATS, document

    @app.command()
    def derive(
        model: str = typer.Argument(help=model_help()),
        formulation: str = typer.Option(
            "auto",
            "--formulation",
            help=formulation_help(),
        ),
        form: str = typer.Option("text", "--format", help=f"{either(FORMATS)}."),
        output: Path | None = typer.Option(None, "-o", "--output", help="File to write; default is standard output."),
        symbolic_parameters: str = typer.Option("all", "--symbolic-parameters", help=SYMBOLS_HELP),
        coordinates: str = typer.Option("", "--coordinates", help=COORDINATES_HELP),
        order: Order = "weight",
        loops: Loops = None,
        cut: list[str] = typer.Option([], "--cut", help=CUT_HELP),
        keep: list[str] = typer.Option([], "--keep", help=KEEP_HELP),
        floating: Floating = False,
        joint_dynamics: JointDynamics = "ignore",
        actuators: Actuators = "ignore",
        as_json: AsJson = False,
        force: ForceFile = False,
    ) -> None:
        """Derive the equations of motion in closed form."""
        from mbsym.codegen.description import GeneratedFile
        from mbsym.codegen.write import write_files
        from mbsym.report.equations import derive as derive_equations

        chosen = symbols_in(symbolic_parameters)
        system = read_model(
            model,
            floating=floating,
            loops=loops,
            joint_dynamics=joint_dynamics,
            actuators=actuators,
            coordinates=coordinates,
            order=order,
            cut=cut,
            keep=keep,
        )
        equations = derive_equations(system, formulation, symbolic_parameters=chosen, order=order)
        written: tuple[Path, ...] = ()
        if output is not None:
            text = document(equations, form)
            written = write_files(output.parent, (GeneratedFile(output.name, text),), force=force)
        if as_json:
            from mbsym.report.json_text import equations_data

            print_json("derive", system.name, equations_data(equations), written)
        elif output is None:
            typer.echo(document(equations, form), nl=False)
        else:
            typer.echo(f"wrote {output}")
