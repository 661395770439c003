"""Arguments that are taken as they are mean what Typer makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from mbsym.cli.application import taken_plainly


def outcome(arguments: list[str], *, plainly: bool) -> object:
    """What a verb is given for these arguments, or what it says of them."""
    given: dict[str, object] = {}
    app = typer.Typer(add_completion=False)

    @app.command()
    def verb(
        text: str,
        number: Annotated[float, typer.Option(min=0, max=9)] = 1.5,
        count: int = 3,
        names: Annotated[list[str], typer.Option("--name")] = [],  # noqa: B006  # as the verbs have it
        place: Path = Path("."),
        there: Annotated[Path | None, typer.Option(exists=True)] = None,
        flag: bool = False,
    ) -> None:
        given.update(text=text, number=number, count=count, names=names, place=place, there=there, flag=flag)

    command: Any = get_command(app)
    if plainly:
        for parameter in command.params:
            taken_plainly(taken_plainly(parameter))
    try:
        command.main(args=arguments, standalone_mode=False)
    except Exception as error:
        return type(error).__name__, str(error)
    return [(name, type(value).__name__, repr(value)) for name, value in given.items()]


@pytest.mark.parametrize(
    "words",
    [
        "a",
        "a --number 2.5e-1 --count -12 --flag --name x --name y --place b",
        "12 --number 9 --count +4 --place /",
        "a --number -1",
        "a --number 9.5",
        "a --number nan",
        "a --number 1_0",
        "a --number ١",  # a digit, but not one of ours
        "a --count 2.0",
        "a --count 99999999999999999999",
        "a --there /nowhere/at/all",
        "a --there /",
        "",
    ],
)
def test_a_value_is_what_it_was(words: str) -> None:
    assert outcome(words.split(), plainly=True) == outcome(words.split(), plainly=False)
