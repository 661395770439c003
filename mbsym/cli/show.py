"""mbsym show: a model to be moved by hand, in a browser."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.arguments import (
    COORDINATES_HELP,
    CUT_HELP,
    KEEP_HELP,
    AsJson,
    Floating,
    ForceFile,
    Loops,
    Order,
    model_help,
)
from mbsym.cli.json_output import print_json
from mbsym.cli.model_source import read_model, tell_warning


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def show(
        model: str = typer.Argument(help=model_help()),
        output: Path | None = typer.Option(
            None, "-o", "--output", help="Page to write, .html, or a picture, .png; default NAME.html."
        ),
        coordinates: str = typer.Option("", "--coordinates", help=COORDINATES_HELP),
        order: Order = "weight",
        floating: Floating = False,
        loops: Loops = None,
        cut: list[str] = typer.Option([], "--cut", help=CUT_HELP),
        keep: list[str] = typer.Option([], "--keep", help=KEEP_HELP),
        as_json: AsJson = False,
        force: ForceFile = False,
    ) -> None:
        """Write a page on which a model turns in space and sliders move it, its loops kept closed."""
        from mbsym.codegen.identifiers import spelled
        from mbsym.report.show import write_show

        system = read_model(
            model, floating=floating, loops=loops, coordinates=coordinates, order=order, cut=cut, keep=keep
        )
        path = output if output is not None else Path(f"{spelled(system.name)}.html")
        written = write_show(system, path, order=order, force=force, tell=tell_warning)
        if as_json:
            print_json("show", system.name, {}, [written])
        else:
            typer.echo(f"wrote {written}")
