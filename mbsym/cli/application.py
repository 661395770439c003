"""The program ``mbsym``: its verbs, and how it ends.

Typer asks pydantic about every value of the command line, and loading pydantic takes longer than deriving the equations
of an arm. What is a text, a truth value, a plain number within its bounds or a path that can be read is taken as it is
and needs nobody's opinion; of all else, and with versions of Typer that know no pydantic, Typer decides.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from mbsym.cli.in_unit import InUnit
from mbsym.errors import MbsymError
from mbsym.version import __version__

USAGE_STATUS = 2
INTERRUPTED_STATUS = 130

COLLECTED_AT: Final = 200_000
"""Objects more than there were, at which Python looks for those that nobody needs."""

VERBS: Final = {
    "info": "Tell what a model has, and what does not fit.",
    "show": "Write a page to look at a model and move it.",
    "label": "Label bodies and joints, find the cut joints.",
    "derive": "Derive the equations of motion in closed form.",
    "report": "One page: pictures, equations, operations.",
    "generate": "Generate code for a model.",
    "export": "Code for CasADi and other consumers.",
    "verify": "Compile generated code, run it, compare, certify.",
    "certify": "Bound rounding errors; exclude overflow and NaN.",
    "identify": "Tell the base parameters; estimate them from data.",
    "simulate": "Integrate a motion; table, plot, animation.",
    "linearise": "Linearise about a state: A, B, C, D.",
    "equilibrium": "Find equilibria and their stability.",
    "modes": "Frequencies, damping, shapes of small motions.",
    "response": "Amplitude and phase over frequencies.",
    "convert": "Convert a model to the native format.",
    "examples": "List the bundled models, or copy one out.",
    "new": "Write a small commented model to begin with.",
    "doctor": "Tell what this machine has, and lacks.",
    "manual": "Print the manual page.",
    "schema": "Print the JSON Schema of the native format.",
}
"""The verbs, each with a module of its name, and a line about each that costs no import of it."""


class Verbs(TyperGroup):
    """Verbs whose modules are imported when one of them is run or asked for help: the list of them is there at once."""

    def get_params(self, ctx: Any) -> list[Any]:
        """What can be said before a verb."""
        return [taken_plainly(parameter) for parameter in super().get_params(ctx)]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name and command of a line of arguments, and what is left of it."""
        near = get_close_matches(args[0], VERBS, n=1) if args[0] not in VERBS else []
        if near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")  # as newer versions of Click say
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else command_of(name), rest


def command_of(verb: str) -> Any:
    """A verb with its arguments and options."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    getattr(import_module(f"mbsym.cli.{verb}"), verb)(app)
    command = get_command(app)
    listed = command.get_params
    vars(command)["get_params"] = lambda ctx: [taken_plainly(parameter) for parameter in listed(ctx)]
    return command


def _unloaded() -> None:
    """Stands for a verb in the list of them."""


def application() -> typer.Typer:
    """The command line with all its verbs."""
    app = typer.Typer(
        name="mbsym",
        cls=Verbs,
        help="Equations of multibody systems: labelled, derived in closed form, written as C and NumPy, verified.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", help="Print the version and stop.", is_eager=True, callback=_print_version
        ),
    ) -> None:
        """What can be said before a verb."""

    for verb, sentence in VERBS.items():
        app.command(verb, short_help=sentence)(_unloaded)
    return app


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"mbsym {__version__}")
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status.

    Statuses: 0 done; 1 a check failed; 2 the input or the usage is wrong; 3 the machine lacks something.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    # Equations are some ten thousand small objects that stay: looking through them again and again for circles among
    # them takes a twentieth of the time.
    thresholds = gc.get_threshold()
    gc.set_threshold(COLLECTED_AT, *thresholds[1:])
    try:
        application()(args=words, standalone_mode=True)
    except MbsymError as error:
        from mbsym.cli.spoken import spoken

        print(spoken(f"mbsym: {error}" if not error.where else str(error)), file=sys.stderr)
        parts = (spoken(part) for part in (error.what, error.where, error.remedy))
        return _ended(words, error.exit_status, *parts)
    except KeyboardInterrupt:
        print("mbsym: interrupted; files are as they were", file=sys.stderr)
        return _ended(words, INTERRUPTED_STATUS, "interrupted")
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        where, what = error.filename or "standard output", error.strerror or str(error)
        print(f"mbsym: {where}: {what}", file=sys.stderr)
        status = _ended(words, USAGE_STATUS, what, str(where))
        if not error.filename:
            _drop_output()
        return status
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else USAGE_STATUS if end.code else 0
        # Click has said what is wrong with the line, and ends the program where it handles the error.
        said = getattr(end.__context__, "format_message", None)
        return _ended(words, status, said()) if said else status
    finally:
        gc.set_threshold(*thresholds)
    return 0


def _ended(words: Sequence[str], status: int, what: str, where: str = "", remedy: str = "") -> int:
    """The exit status of an error that has been told; for programs it is told as a document."""
    if "--json" in words:
        from mbsym.cli.json_output import print_error

        # Standard output may be what failed; the line on standard error stands then.
        try:
            print_error(words[0] if words[0] in VERBS else "", what, where, remedy, status)
        except OSError:
            _drop_output()
    return status


def _drop_output() -> None:
    """What standard output could not take is dropped: the interpreter would try, and fail, once more at its end."""
    with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


_NUMBERS: Final = {
    int: re.compile(r"[+-]?[0-9]{1,15}", re.ASCII),
    float: re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]*)?([eE][+-]?[0-9]{1,2})?", re.ASCII),
}
"""Texts that mean the same number to everybody."""

_DEMANDS: Final = ("allow_dash", "clamp", "click_type", "exists", "parser", "path_type", "resolve_path", "writable")
"""What a parameter may demand of its values beyond their type."""

_ASKED: Final = object()


def taken_plainly(parameter: Any) -> Any:
    """A parameter of a command, asking for an opinion only where one is needed."""
    opinion = getattr(parameter, "get_runtime_param", None)
    if opinion is not None and hasattr(parameter, "type_descriptor") and "get_runtime_param" not in vars(parameter):
        parameter.get_runtime_param = partial(_Plain, opinion)
    return parameter


class _Plain:
    """What Typer calls to have a value coerced."""

    __slots__ = ("_opinion",)

    def __init__(self, opinion: Any) -> None:
        self._opinion = opinion

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value in the type of its parameter."""
        about = param.type_descriptor
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if about.annotation == list[str] and param.multiple and isinstance(value, (list, tuple)):
            found: Any = list(value) if all(isinstance(item, str) for item in value) else _ASKED
        else:
            found = _plain(value, about.annotation, about.parameter_info)
        return self._opinion().coerce(value, param=param, ctx=ctx) if found is _ASKED else found


def _plain(value: Any, kind: Any, info: Any) -> Any:
    """The value, or ``_ASKED`` where it is not plain."""
    parser = getattr(info, "parser", None)
    if any(getattr(info, name, None) for name in _DEMANDS) and not isinstance(parser, InUnit):
        return _ASKED
    if kind is str or kind is bool:
        return value if type(value) is kind else _ASKED
    if kind in _NUMBERS:
        return _plain_number(value, kind, info)
    if kind is Path and isinstance(value, (str, Path)) and info.file_okay and info.dir_okay:
        return Path(value) if os.access(value, os.R_OK) or not os.path.lexists(value) else _ASKED
    return _ASKED


def _plain_number(value: Any, kind: Any, info: Any) -> Any:
    if isinstance(value, str) and _NUMBERS[kind].fullmatch(value):
        value = kind(value)
    within = type(value) is kind and (info.min is None or value >= info.min) and (info.max is None or value <= info.max)
    return value if within else _ASKED
