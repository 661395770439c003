"""What each verb of the command line takes, as data: the reference and the manual page say what --help says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbsym.cli.application import VERBS, command_of


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
