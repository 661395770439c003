"""The program ``mbsym``: its verbs, and how it ends."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer
from typer.core import TyperGroup

from mbsym.cli import convert, derive, examples, generate, info, label, schema, simulate, verify
from mbsym.errors import MbsymError

USAGE_STATUS = 2
INTERRUPTED_STATUS = 130


def application() -> typer.Typer:
    """The command line with all its verbs."""
    app = typer.Typer(
        name="mbsym",
        cls=TyperGroup,
        help="Equations of multibody systems: labelled, derived in closed form, written as C and NumPy, verified.",
        no_args_is_help=True,
        add_completion=False,
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

    for verb in (info, label, derive, generate, verify, simulate, convert, examples, schema):
        verb.register(app)
    return app


def _print_version(asked: bool) -> None:
    if asked:
        from mbsym import __version__

        typer.echo(f"mbsym {__version__}")
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status.

    Statuses: 0 done; 1 a check failed; 2 the input or the usage is wrong; 3 the machine lacks something.
    """
    try:
        application()(args=None if arguments is None else list(arguments), standalone_mode=True)
    except MbsymError as error:
        print(f"mbsym: {error}" if not error.where else str(error), file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print("mbsym: interrupted; files are as they were", file=sys.stderr)
        return INTERRUPTED_STATUS
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        print(f"mbsym: {error.filename or 'standard output'}: {error.strerror or error}", file=sys.stderr)
        return USAGE_STATUS
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE_STATUS if end.code else 0
    return 0
