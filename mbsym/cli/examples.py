"""mbsym examples: list the bundled models, or copy one out."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym import examples as bundled
from mbsym.cli.arguments import AsJson, ForceFile
from mbsym.cli.json_output import print_json
from mbsym.cli.terminal import print_text


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def examples(
        name: str = typer.Argument("", help="Example to copy out; none lists them."),
        output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the copy."),
        as_json: AsJson = False,
        force: ForceFile = False,
    ) -> None:
        """List the bundled models, or copy one out."""
        from mbsym.codegen.description import GeneratedFile
        from mbsym.codegen.write import write_files
        from mbsym.formats.registry import load

        if name:
            source = bundled.path(name)
            written = write_files(
                output, (GeneratedFile(source.name, source.read_text(encoding="utf-8")),), force=force
            )
            if as_json:
                print_json("examples", name, {}, written)
            else:
                typer.echo(f"wrote {output / source.name}")
            return
        found = {
            entry: " ".join(load(entry).description.split(". ")[0].split()).rstrip(".") for entry in bundled.names()
        }
        if as_json:
            listed = [{"name": entry, "description": description} for entry, description in found.items()]
            print_json("examples", "", {"examples": listed})
            return
        print_text("\n".join(f"{entry:20}  {description}" for entry, description in found.items()))
