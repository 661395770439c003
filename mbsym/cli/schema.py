"""mbsym schema: JSON Schema of the native format."""

from __future__ import annotations

import json

import typer

from mbsym.cli.taken import verb


@verb("mbsym schema > mbsym.schema.json")
def schema() -> None:
    """Print the JSON Schema of the native model format."""
    from mbsym.formats.native.schema import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))
