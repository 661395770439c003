"""mbsym convert: URDF, MJCF and SDF to the native format."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.json_output import print_json
from mbsym.cli.reading import READING_FOR_ANY_ORDER, Reading, read_model, tell_warning
from mbsym.cli.spoken import spoken
from mbsym.cli.taken import verb
from mbsym.errors import FormatError
from mbsym.formats.mesh_copies import meshes_elsewhere, with_copied_meshes, write_copies
from mbsym.formats.registry import FORMATS


@verb("mbsym convert panda.urdf panda.yaml", "mbsym convert scene.xml scene.yaml --actuators inputs")
def convert(
    source: str = typer.Argument(metavar="IN", help="Model file or name of a bundled example."),
    target: Path = typer.Argument(metavar="OUT", help="Native file (.yaml) to write."),
    copy_meshes: bool = typer.Option(False, "--copy-meshes", help="Copy meshes that OUT would not find beside it."),
    reading: Reading = READING_FOR_ANY_ORDER,
    delivery: Delivery = TELLING,
) -> None:
    """Convert a model to the native format."""
    from mbsym.formats.native.text import dump_native

    suffixes = FORMATS["native"].suffixes
    if target.suffix.lower() not in suffixes:
        raise FormatError(
            "only the native format is written", where=str(target), remedy=f"end it in {' or '.join(suffixes)}"
        )
    model = read_model(source, reading)
    copies: dict[Path, Path] = {}
    if copy_meshes:
        model, copies = with_copied_meshes(model, target)
        write_copies(copies, force=delivery.force)
    elif lost := meshes_elsewhere(model, target):
        tell_warning(f"{len(lost)} meshes are not found from {target.parent}; --copy-meshes puts them there")
    written = delivery.write(target, dump_native(model))
    if delivery.as_json:
        print_json("convert", model.name, {"warnings": list(map(spoken, model.warnings))}, (*written, *copies))
        return
    typer.echo(f"wrote {target}")
    if copies:
        typer.echo(f"wrote {len(copies)} meshes in {next(iter(copies)).parent}")
