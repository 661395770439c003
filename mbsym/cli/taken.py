"""Options of verbs from the records of dataclasses: one parameter of a verb stands for all fields of one.

What --help says of a verb stands on one screen: examples, and a line for each option; mbsym manual VERB says the rest.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter
from itertools import groupby
from typing import Any, Final

import typer
from typer.core import TyperCommand

from mbsym.cli.in_unit import InUnit
from mbsym.cli.spoken import spoken
from mbsym.option import READ, Option, made, options_of
from mbsym.options.texts import names_in, numbers_in

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


@dataclass(frozen=True, slots=True)
class Taken:
    """What stands for the options of a dataclass among the parameters of a verb.

    Attributes:
        kind: the dataclass; a field that holds another one gives its options too.
        only: names of those that the verb has; empty for all.
        without: names of those that it has not.
        defaults: other ones than those of the records, by name.
        heading: of options that have none of their own.
    """

    kind: Any
    only: Collection[str] = ()
    without: Collection[str] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    heading: str = ""

    def options(self) -> Iterator[Option]:
        """The records that the verb has."""
        for item in _options(self.kind):
            if (not self.only or item.name in self.only) and item.name not in self.without and item.flags:
                default, heading = self.defaults.get(item.name, item.default), item.heading or self.heading
                yield replace(item, default=default, heading=heading)

    def value(self, typed: Mapping[str, Any]) -> Any:
        """The dataclass, of what the command line gives by the names of parameters.

        Raises:
            MbsymError: a value cannot be meant.
        """
        return made(self.kind, {item.name: _value(item, typed) for item in self.options()})


def taken(kind: Any, *only: str, without: Collection[str] = (), heading: str = "", **defaults: Any) -> Any:
    """The default of a parameter that stands for options; see ``Taken``."""
    return Taken(kind, only, without, defaults, heading)


def as_keywords(options: Any, asked: Any) -> dict[str, Any]:
    """Options of a dataclass as the keywords of a function, whose names a TypedDict has."""
    return {name: getattr(options, name) for name in asked.__annotations__}


def verb(*examples: str) -> Callable[[Callable[..., None]], Callable[[typer.Typer], None]]:
    """What makes of a function what adds a verb to an application.

    Parameters with ``taken`` defaults are options of the command line, each once; a default that is a function is what
    it returns then, so that help lists all that there is by then.

    Args:
        examples: lines that use the verb.
    """

    def made_of(function: Callable[..., None]) -> Callable[[typer.Typer], None]:
        def add(app: typer.Typer) -> None:
            app.command(cls=Command, epilog="\n".join(examples))(_with_options(function))

        return add

    return made_of


def _with_options(verb: Callable[..., None]) -> Callable[..., None]:
    groups: dict[str, Taken] = {}
    parameters: dict[str, Parameter] = {}
    known = inspect.signature(verb).parameters
    for parameter in known.values():
        if isinstance(parameter.default, Taken):
            groups[parameter.name] = parameter.default
            for item in parameter.default.options():
                parameters |= {each.name: each for each in _parameters(item) if each.name not in parameters}
        elif inspect.isfunction(parameter.default):
            parameters[parameter.name] = parameter.replace(default=parameter.default())
        else:
            parameters[parameter.name] = parameter

    @wraps(verb)
    def run(**typed: Any) -> None:
        own = {name: value for name, value in typed.items() if name in known}
        verb(**own, **{name: group.value(typed) for name, group in groups.items()})

    vars(run)["__signature__"] = inspect.Signature([*parameters.values()])
    return run


def _options(kind: Any) -> Iterator[Option]:
    """The options of a dataclass, those of a field that holds another one in its place."""
    own = {item.name: item for item in options_of(kind)}
    for item in fields(kind):
        if is_dataclass(item.default):
            yield from _options(type(item.default))
        elif item.name in own:
            yield own[item.name]


def _parameters(item: Option) -> Iterator[Parameter]:
    """What Typer makes an option of, one for each flag."""
    for flag, sentence in zip(item.flags, item.sentences, strict=True):
        kind: Any = item.kind or type(item.default)
        default: Any = item.default
        more: dict[str, Any] = {}
        if item.is_list or item.typed is not None or isinstance(item.default, Mapping):
            kind, default = list[str], [default] if default and isinstance(default, str) else []
        elif default is None:
            kind |= None
        if kind in (int, float, int | None, float | None):
            more = {"min": item.least, "show_default": bool(default)}
        if item.unit:
            more["parser"] = InUnit(item.unit)
        names = (f"-{item.short}", f"--{flag}") if item.short else (f"--{flag}",)
        option = typer.Option(default, *names, help=spoken(sentence), rich_help_panel=item.heading or None, **more)
        yield Parameter(_parameter(flag), Parameter.POSITIONAL_OR_KEYWORD, default=option, annotation=kind)


def _parameter(flag: str) -> str:
    return flag.replace("-", "_")


def _value(item: Option, typed: Mapping[str, Any]) -> Any:
    """What a caller in Python would give."""
    values = [typed[_parameter(flag)] for flag in item.flags]
    if item.typed is not None:
        return item.typed(*values)
    (value,) = values
    if isinstance(item.default, Mapping):
        return numbers_in(value, f"--{item.flags[0]}")
    if item.is_list:
        return "" if value == [""] and "" in item.words else names_in(value) or item.default
    return value
