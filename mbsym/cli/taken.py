"""Options of verbs from the records of dataclasses: one parameter of a verb stands for all fields of one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Any

import typer

from mbsym.cli.spoken import spoken
from mbsym.errors import CodegenError
from mbsym.option import Option, options_of


@dataclass(frozen=True, slots=True)
class Taken:
    """What stands for the options of a dataclass among the parameters of a verb.

    Attributes:
        kind: the dataclass; a field that holds another one gives its options too.
        only: names of those that the verb has; empty for all.
        without: names of those that it has not.
        defaults: other ones than those of the records, by name.
    """

    kind: Any
    only: Collection[str] = ()
    without: Collection[str] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def options(self) -> Iterator[Option]:
        """The records that the verb has."""
        for item in _options(self.kind):
            if (not self.only or item.name in self.only) and item.name not in self.without and item.flags:
                yield replace(item, default=self.defaults.get(item.name, item.default))

    def value(self, typed: Mapping[str, Any]) -> Any:
        """The dataclass, of what the command line gives by the names of parameters.

        Raises:
            MbsymError: a value cannot be meant.
        """
        return made(self.kind, {item.name: _value(item, typed) for item in self.options()})


def taken(kind: Any, *only: str, without: Collection[str] = (), **defaults: Any) -> Any:
    """The default of a parameter that stands for options; see ``Taken``."""
    return Taken(kind, only, without, defaults)


def made(kind: Any, values: Mapping[str, Any]) -> Any:
    """A dataclass of options, and those that its fields hold, of values by name."""
    own = {item.name: item.normal(values[item.name]) for item in options_of(kind) if item.name in values}
    inner = {item.name: made(type(item.default), values) for item in fields(kind) if is_dataclass(item.default)}
    return kind(**own, **inner)


def taking_options(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb whose parameters with ``taken`` defaults are options of the command line, each once."""
    groups: dict[str, Taken] = {}
    parameters: dict[str, Parameter] = {}
    for parameter in inspect.signature(verb, eval_str=True).parameters.values():
        if isinstance(parameter.default, Taken):
            groups[parameter.name] = parameter.default
            for item in parameter.default.options():
                parameters |= {each.name: each for each in _parameters(item) if each.name not in parameters}
        else:
            parameters[parameter.name] = parameter

    @wraps(verb)
    def run(**typed: Any) -> None:
        own = {name: value for name, value in typed.items() if name in known}
        verb(**own, **{name: group.value(typed) for name, group in groups.items()})

    known = inspect.signature(verb).parameters
    vars(run)["__signature__"] = inspect.Signature([*parameters.values()])
    return run


def _options(kind: Any) -> Iterator[Option]:
    """The options of a dataclass, those of a field that holds another one in its place."""
    own = {item.name: item for item in options_of(kind)}
    for item in fields(kind):
        if item.name in own:
            yield own[item.name]
        elif is_dataclass(item.default):
            yield from _options(type(item.default))


def _parameters(item: Option) -> Iterator[Parameter]:
    """What Typer makes an option of, one for each flag."""
    for flag, sentence in zip(item.flags, item.sentences, strict=True):
        kind: Any = type(item.default)
        default: Any = item.default
        more: dict[str, Any] = {}
        if item.is_list:
            kind, default = list[str], [item.default] if item.default and isinstance(item.default, str) else []
        elif kind in (int, float):
            more = {"min": item.least, "show_default": bool(default)}
        elif default is None:
            kind = Path | None
        option = typer.Option(default, f"--{flag}", help=spoken(sentence), **more)
        yield Parameter(_parameter(flag), Parameter.POSITIONAL_OR_KEYWORD, default=option, annotation=kind)


def _parameter(flag: str) -> str:
    return flag.replace("-", "_")


def _value(item: Option, typed: Mapping[str, Any]) -> Any:
    """What a caller in Python would give."""
    values = [typed[_parameter(flag)] for flag in item.flags]
    if len(values) > 1:
        return _pairs(item.flags, *values)
    (value,) = values
    if item.is_list:
        return "" if value == [""] and "" in item.words else names_in(value) or item.default
    return str(value) if isinstance(value, Path) else value


def _pairs(flags: tuple[str, ...], names: list[str], lists: list[str]) -> list[tuple[str, list[str]]]:
    """Values of two options that are given in turn.

    Raises:
        CodegenError: there are more of one than of the other.
    """
    if len(names) != len(lists):
        first, second = flags
        raise CodegenError(
            f"{len(names)} functions and {len(lists)} lists of names",
            where=f"--{first}",
            remedy=f"give --{second} NAME,... once for each --{first} FUNCTION",
        )
    return [(name, names_in([text])) for name, text in zip(names, lists, strict=True)]


def names_in(texts: Iterable[str]) -> list[str]:
    """The names of a repeatable option whose values are lists."""
    return [name.strip() for text in texts for name in text.split(",")]
