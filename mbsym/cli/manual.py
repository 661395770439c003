"""mbsym manual: the manual page, from the same source as --help."""

from __future__ import annotations

import typer

from mbsym.cli.described import Argument, verbs
from mbsym.cli.taken import verb
from mbsym.version import __version__

STATUSES = (
    ("0", "done"),
    ("1", "a check failed"),
    ("2", "the input or the usage is wrong: FILE:LINE:COL, what, what to do; nothing is written"),
    ("3", "the machine lacks something, with what to install"),
)


@verb
def manual() -> None:
    """Print the manual page of mbsym; read it with: mbsym manual | man -l -"""
    typer.echo(manual_page(), nl=False)


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
        lines += [f".SH {each.name.upper()}", _escaped(each.sentence)]
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
