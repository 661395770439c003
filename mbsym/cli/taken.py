"""Options of verbs from the records of dataclasses: one parameter of a verb stands for all fields of one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter
from typing import Any

import typer

from mbsym.cli.help import Command
from mbsym.cli.in_unit import InUnit
from mbsym.cli.spoken import spoken
from mbsym.option import Option, made, options_of
from mbsym.options.texts import names_in, numbers_in


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
        if _is_texts(item):
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


def _is_texts(item: Option) -> bool:
    return item.is_list or item.typed is not None or isinstance(item.default, Mapping)


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
