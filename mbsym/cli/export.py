"""mbsym export: C for a model with what a consumer needs around it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import taken, verb
from mbsym.consumers.consumer import ExportOptions
from mbsym.consumers.export import export_as
from mbsym.consumers.registry import CONSUMERS
from mbsym.errors import CodegenError
from mbsym.option import FILES
from mbsym.options.generation import GenerationOptions
from mbsym.options.keywords import OfModules
from mbsym.records import listed


def _consumer() -> Any:
    return typer.Argument(help=f"What takes the code: {listed(CONSUMERS)}")


CONSUMER: Final[Any] = _consumer


@verb(
    "mbsym export casadi puma560 -o casadi",
    "mbsym export fmu cart_pole --fmi 2.0",
    "mbsym export ros2 panda.urdf --function inverse_dynamics",
)
def export(
    consumer: str = CONSUMER,
    model: str = MODEL,
    output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the files.", rich_help_panel=FILES),
    options: GenerationOptions = taken(GenerationOptions, *OfModules.__annotations__),
    setting: list[str] = typer.Option([], "--set", metavar="NAME=VALUE", help="A setting of the consumer; repeatable."),
    fmi: str = typer.Option(
        "", "--fmi", metavar="VERSION", help="Version of FMI for fmu: 3.0 or 2.0, as --set fmi=VERSION."
    ),
    reading: Reading = READING,
    delivery: Delivery = TELLING,
) -> None:
    """Export C for a model to a consumer."""
    CONSUMERS.named(consumer, where="CONSUMER")
    system = read_model(model, reading)
    settings = settings_in([*setting, *([f"fmi={fmi}"] if fmi else [])])
    with progress_bar() as progress:
        asked = ExportOptions(options, settings)
        done = export_as(system, consumer, output, asked, force=delivery.force, progress=progress)
    for note in () if delivery.as_json else done.notes:
        print(f"note: {note}", file=sys.stderr)
    delivery.tell("export", system.name, {"consumer": consumer, "notes": list(done.notes)}, done.paths)


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
