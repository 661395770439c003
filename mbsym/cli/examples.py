"""mbsym examples: list the bundled models, or copy one out."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym import examples as bundled
from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.taken import verb


@verb("mbsym examples", "mbsym examples four_bar")
def examples(
    name: str = typer.Argument("", help="Example or part to copy out; none lists them."),
    output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the copy."),
    delivery: Delivery = TELLING,
) -> None:
    """List the bundled models, or copy one out."""
    from mbsym.formats.native.includes import bundled_parts
    from mbsym.formats.registry import load

    if name:
        source = bundled.path(name)
        delivery.tell("examples", name, {}, delivery.write(output / source.name, source.read_text(encoding="utf-8")))
        return
    found = {entry: " ".join(load(entry).description.split(". ")[0].split()).rstrip(".") for entry in bundled.names()}
    parts = sorted(bundled_parts())
    listed = [{"name": entry, "description": description} for entry, description in found.items()]
    table = "\n".join(f"{entry:20}  {description}" for entry, description in found.items())
    told = f"{table}\nparts that models include by their names: {', '.join(parts)}"
    delivery.tell("examples", "", {"examples": listed, "parts": parts}, (), told)
