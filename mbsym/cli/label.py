"""mbsym label: labels, cut joints, loops and the path matrix."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from mbsym.cli.model_source import read_model
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.write import write_files
from mbsym.errors import ModelError
from mbsym.topology.tables import labelling_table, labelling_to_json
from mbsym.visualisation.topology_diagram import topology_svg


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def label(
        model: str = typer.Argument(help="Model file (.yaml, .urdf, .xml) or name of a bundled example."),
        as_json: bool = typer.Option(False, "--json", help="One JSON document on standard output."),
        diagram: Path | None = typer.Option(None, "--diagram", help="Draw the graph into this SVG file."),
        order: str = typer.Option("weight", "--order", help="Assembly: by joint 'weight' first, or as in the 'input'."),
        force: bool = typer.Option(False, "--force", help="Overwrite a file that mbsym did not write."),
    ) -> None:
        """Label bodies and joints, find the cut joints, and print them."""
        if order not in ("weight", "input"):
            raise ModelError(f"no order is called {order!r}", where="--order", remedy="use weight or input")
        system = read_model(model)
        labelling = system.label(order=order)
        if diagram is not None:
            picture = GeneratedFile(diagram.name, topology_svg(labelling, system.name))
            write_files(diagram.parent, (picture,), force=force)
        if as_json:
            typer.echo(json.dumps(labelling_to_json(labelling, system.name), ensure_ascii=False))
        else:
            typer.echo(labelling_table(labelling))
