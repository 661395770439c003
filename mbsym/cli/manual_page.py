"""The manual page, from the same source as --help."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.cli.described import Argument, Verb
from mbsym.version import __version__

STATUSES = (
    ("0", "done"),
    ("1", "a check failed"),
    ("2", "the input or the usage is wrong: FILE:LINE:COL, what, what to do; nothing is written"),
    ("3", "the machine lacks something, with what to install"),
)


def manual_page(verbs: Sequence[Verb]) -> str:
    """The page in the language of man(7)."""
    lines = [
        f'.TH MBSYM 1 "" "mbsym {__version__}"',
        *(".SH NAME", "mbsym \\- equations of motion of multibody systems, as verified C and NumPy"),
        ".SH SYNOPSIS",
        *(line for verb in verbs for line in (f".B {_escaped(verb.usage)}", ".br")),
        *(".SH DESCRIPTION", "MODEL is a file or the name of a bundled example; see"),
        ".B mbsym examples.",
    ]
    for verb in verbs:
        lines += [f".SH {verb.name.upper()}", _escaped(verb.sentence)]
        lines += [line for item in verb.arguments for line in _entry(item)]
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
