"""mbsym report: one page with the mechanism in pictures, its equations and operations."""

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
    formulation_help,
    model_help,
)
from mbsym.cli.json_output import print_json
from mbsym.cli.model_source import read_model, symbols_in
from mbsym.errors import DerivationError


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def report(
        model: str = typer.Argument(help=model_help()),
        output: Path | None = typer.Option(
            None, "-o", "--output", help="Page to write, .html; default is NAME_report.html."
        ),
        formulation: str = typer.Option("auto", "--formulation", help=formulation_help()),
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
        """Write one page that needs nothing else: pictures that turn, topology, equations to copy, operations."""
        from mbsym.codegen.description import GeneratedFile
        from mbsym.codegen.identifiers import spelled
        from mbsym.codegen.write import write_files
        from mbsym.report.document import document
        from mbsym.report.equations import derive

        if output is not None and output.suffix != ".html":
            raise DerivationError("the report is a page", where=str(output), remedy="end it in .html")
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
        chosen = symbols_in(symbolic_parameters)
        equations = derive(system, formulation, symbolic_parameters=chosen, order=order)
        target = output or Path(f"{spelled(system.name)}_report.html")
        page = GeneratedFile(target.name, document(equations, "html"))
        written = write_files(target.parent, (page,), force=force)
        if as_json:
            print_json("report", system.name, {"formulation": equations.formulation}, written)
        else:
            typer.echo(f"wrote {target}")
