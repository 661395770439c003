"""mbsym manual: the manual page, and what each verb takes as data for it; it says what --help says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from mbsym.cli.application import VERBS, command_of
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


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument or option of a verb.

    Attributes:
        names: of an option, as they are typed, ("MODEL",) of an argument.
        value: what follows an option, "" for one that takes nothing.
        sentence: what it is for.
        default: what holds without it, "" where that needs no word.
        required: True where the verb does not run without it.
        repeated: True where it may be given several times.
    """

    names: tuple[str, ...]
    value: str
    sentence: str
    default: str
    required: bool
    repeated: bool

    @property
    def is_option(self) -> bool:
        """True for what is given by name."""
        return self.names[0].startswith("-")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the command line.

    Attributes:
        name: as it is typed.
        sentence: what it does.
        examples: lines that use it.
        arguments: in order, then options.
    """

    name: str
    sentence: str
    examples: tuple[str, ...]
    arguments: tuple[Argument, ...]

    @property
    def usage(self) -> str:
        """The shape of a line with this verb."""
        words = [_bracketed(item) for item in self.arguments if not item.is_option]
        return " ".join(["mbsym", self.name, *words, "[OPTIONS]"])


def verbs() -> tuple[Verb, ...]:
    """All verbs in the order in which help lists them."""
    return tuple(_verb(name) for name in VERBS)


def _verb(name: str) -> Verb:
    found: Any = command_of(name)
    arguments = [_argument(item) for item in found.params if not getattr(item, "hidden", False)]
    arguments.sort(key=lambda item: item.is_option)
    return Verb(name, " ".join((found.help or VERBS[name]).split()), found.examples, tuple(arguments))


def _argument(item: Any) -> Argument:
    is_option = item.param_type_name == "option"
    is_flag = bool(getattr(item, "is_flag", False))
    names = (*item.opts, *item.secondary_opts) if is_option else ((item.metavar or item.name).upper(),)
    stated = item.metavar if item.metavar and not item.metavar.startswith("<") else item.name
    value = "" if is_flag or not is_option else stated.upper().replace("_", "-")
    default = item.default
    said = "" if is_flag or default in (None, "", (), []) or callable(default) else str(default)
    repeated = bool(getattr(item, "multiple", False)) or item.nargs == -1
    return Argument(tuple(names), value, " ".join((item.help or "").split()), said, bool(item.required), repeated)


def _bracketed(item: Argument) -> str:
    dots = "..." if item.repeated else ""
    return f"{item.names[0]}{dots}" if item.required else f"[{item.names[0]}]{dots}"
