"""mbsym manual: the manual page, from the same source as --help."""

from __future__ import annotations

import typer

from mbsym.cli.application import VERBS, command_of
from mbsym.cli.described import Argument, verbs
from mbsym.cli.taken import verb
from mbsym.errors import OptionError
from mbsym.values.diagnostic import nearest
from mbsym.version import __version__

STATUSES = (
    ("0", "done"),
    ("1", "a check failed"),
    ("2", "the input or the usage is wrong: FILE:LINE:COL, what, what to do; nothing is written"),
    ("3", "the machine lacks something, with what to install"),
)


@verb("mbsym manual | man -l -", "mbsym manual generate")
def manual(
    name: str = typer.Argument("", metavar="VERB", help="Verb to tell all about; none prints the page of all verbs."),
) -> None:
    """Print the manual page of mbsym, for man, or all about one verb, for the terminal."""
    typer.echo(in_full(name) if name else manual_page(), nl=False)


def in_full(name: str) -> str:
    """Every argument and option of a verb, with values and defaults.

    Raises:
        MbsymError: there is no such verb.
    """
    if name not in VERBS:
        remedy = nearest(name, VERBS, f"known: {', '.join(VERBS)}")
        raise OptionError(f"there is no verb {name!r}", where="VERB", remedy=remedy)
    command = command_of(name)
    with command.context_class(command, info_name=f"mbsym {name}") as context:
        formatter = context.make_formatter()
        command.format_in_full(context, formatter)
    return str(formatter.getvalue())


def manual_page() -> str:
    """The page in the language of man(7)."""
    all_verbs = verbs()
    lines = [
        f'.TH MBSYM 1 "" "mbsym {__version__}"',
        *(".SH NAME", "mbsym \\- equations of motion of multibody systems, as verified C and NumPy"),
        ".SH SYNOPSIS",
        *(line for each in all_verbs for line in (f".B {_escaped(each.usage)}", ".br")),
        *(".SH DESCRIPTION", "MODEL is a file or the name of a bundled example; see"),
        ".B mbsym examples.",
    ]
    for each in all_verbs:
        lines += [f".SH {each.name.upper()}", _escaped(each.sentence), ".PP", ".EX"]
        lines += [*map(_escaped, each.examples), ".EE"]
        lines += [line for item in each.arguments for line in _entry(item)]
    lines.append(".SH EXIT STATUS")
    lines += [line for status, meaning in STATUSES for line in (".TP", f".B {status}", _escaped(meaning))]
    return "\n".join(lines) + "\n"


def _entry(item: Argument) -> list[str]:
    names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in item.names)
    value = f" \\fI{_escaped(item.value)}\\fR" if item.value else ""
    default = f" Default: {_escaped(item.default)}." if item.default else ""
    return [".TP", f"{names}{value}", f"{_escaped(item.sentence)}{default}"]


def _escaped(text: str) -> str:
    """Text with which no line begins a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
