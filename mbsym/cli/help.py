"""What --help says of a verb, on one screen: examples, and a line for each option; mbsym manual VERB says the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from typer.core import TyperCommand

from mbsym.option import READ

OTHERS: Final = "Options"

_LONGEST: Final = 54
"""A sentence that is no longer is said whole."""

_IN_PARENTHESES: Final = re.compile(r" \([^()]*\)")
_SENTENCE_ENDS: Final = re.compile(r"\. (?=[A-Z])|\.$")
_WORDS: Final = re.compile(r"['\w.-]+(?:(?:; |, | or |, or )['\w.-]+)+")
"""A list of nothing but names."""


def brief(sentence: str) -> str:
    """The beginning of what is said of an option: without examples, details and what stands in parentheses."""
    first = _SENTENCE_ENDS.split(_IN_PARENTHESES.sub("", sentence), maxsplit=1)[0]
    head, _, rest = first.partition(": ")
    for words in (rest, rest.partition("; ")[0]):
        if _WORDS.fullmatch(words):
            return f"{head}: {words.replace('; ', ', ')}"
    return first if len(first) <= _LONGEST else re.split(r": |; ", first, maxsplit=1)[0]


class Command(TyperCommand):
    """A verb; its epilog is examples, a line each."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """What --help says."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        formatter.write("\n" + "".join(f"  {line}\n" for line in self.examples) + "\n")
        known = [item for item in self.get_params(ctx) if item.name != "help"]
        width = max((len(_name(item)) for item in known if _heading(item) != READ), default=0)
        for heading, items in _by_heading(known):
            formatter.write(f"{heading}:\n")
            formatter.indent()
            if heading == READ:
                formatter.write_text(", ".join(item.opts[-1] for item in items))
            else:
                formatter.write_dl([(_name(item).ljust(width), _sentence(item)) for item in items])
            formatter.dedent()
        formatter.write(f"All of it, with values and defaults: mbsym manual {ctx.info_name}\n")

    def format_in_full(self, ctx: Any, formatter: Any) -> None:
        """All that is known of each option."""
        super().format_help(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Examples, as they are typed."""
        with formatter.section("Examples"):
            formatter.write("".join(f"  {line}\n" for line in self.examples))

    @property
    def examples(self) -> tuple[str, ...]:
        """Lines that use it."""
        return tuple((self.epilog or "").splitlines())


def _by_heading(items: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Arguments, and options under their headings, in the order in which these come; how a model is read last."""
    headings = list(dict.fromkeys(map(_heading, items)))
    headings.sort(key=lambda heading: heading == READ)
    ordered = sorted(items, key=lambda item: headings.index(_heading(item)))
    return ((heading, list(own)) for heading, own in groupby(ordered, key=_heading))


def _heading(item: Any) -> str:
    if item.param_type_name == "argument":
        return "Arguments"
    return getattr(item, "rich_help_panel", None) or OTHERS


def _sentence(item: Any) -> str:
    said = brief(item.help or "")
    return f"{said} (required)" if item.required and item.param_type_name == "option" else said


def _name(item: Any) -> str:
    if item.param_type_name == "argument":
        return str(item.metavar or item.name).upper()
    return ", ".join(item.opts)
