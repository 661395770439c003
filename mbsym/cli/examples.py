"""mbsym examples: list the bundled models, or copy one out."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym import examples as bundled
from mbsym.cli.arguments import ForceFile


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def examples(
        name: str = typer.Argument("", help="Example to copy out; none lists them."),
        output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the copy."),
        force: ForceFile = False,
    ) -> None:
        """List the bundled models, or copy one out."""
        from mbsym.codegen.description import GeneratedFile
        from mbsym.codegen.write import write_files
        from mbsym.formats.registry import load

        if name:
            source = bundled.path(name)
            write_files(output, (GeneratedFile(source.name, source.read_text(encoding="utf-8")),), force=force)
            typer.echo(f"wrote {output / source.name}")
            return
        for entry in bundled.names():
            description = load(entry).description.split(". ")[0].strip().rstrip(".")
            typer.echo(f"{entry:20} {' '.join(description.split())}")
