"""One option as a record, on the field that holds its value.

A frozen dataclass of such fields is the typed front of its options and their registry in one: the command line of every
verb, help, checks, what is tried in combination and what excludes what are read from it. A function with many options
takes them as one, ``**options: Unpack[Asked]``, where a TypedDict says the types for editors and type checkers; its
signature and docstring list each of them all the same.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter
from textwrap import wrap
from typing import Any, Final, TypeVar

from mbsym.errors import MbsymError, OptionError

WHAT, NUMBERS, SPEED, FILES = "What is computed", "Numbers", "Operations and speed", "Files"
READ: Final = "How the model is read"
"""Headings of options in help; most verbs share those by which a model is read."""

_KEY: Final = "option"

_SPOKEN: Final = re.compile(r"`([a-z][a-z_]*)((?: [^`]*)?)`")
"""An option in a sentence, perhaps with a value behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What is known of an option besides its value.

    Attributes:
        name: of the field, and of the argument in Python.
        default: what holds where nothing is asked for.
        sentence: about it, for help; one for each of ``flags``.
        keyword: about it as an argument in Python, where the sentence says too little.
        flags: as the command line has it, without dashes; none where it is for Python alone.
        short: another flag of one letter.
        heading: under which help lists it.
        typed: from the texts given at each flag, which is repeatable then, to what a caller in Python would give.
        kind: of the value, where the default is None and does not show it.
        choices: the only values; empty where there are others.
        refused: what is wrong with any other, {} for it.
        words: values of a list of names that are no names and stand alone, such as all.
        least: of a number.
        unit: SI unit of a number that may be typed with another one.
        check: raises an error where a value cannot be meant.
        taken: from what a caller in Python gives to the field's value.
        error: class of the error about a wrong choice.
        tried: values worth trying in combination, by what they are called, the default first.
        of_model: what else is worth trying with a model, by what it is called; None where the model has no such thing.
        says_what: results mean something else by it, or others are asked for; else it only says how they are made.
        told: what the manifest says of a value that is not the default; None says nothing.
        excludes: rows of the table of what excludes what, told at this option.
    """

    default: Any
    sentence: str | tuple[str, ...] | Callable[[], str]
    name: str = ""
    keyword: str = ""
    flags: tuple[str, ...] = ()
    short: str = ""
    heading: str = ""
    typed: Callable[..., Any] | None = None
    kind: type | None = None
    choices: tuple[str, ...] = ()
    refused: str = "there is no choice {}"
    words: tuple[str, ...] = ()
    least: float | None = None
    unit: str = ""
    check: Callable[[Any], object] | None = None
    taken: Callable[[Any], Any] | None = None
    error: type[MbsymError] = OptionError
    tried: Callable[[], Mapping[str, Any]] | None = None
    of_model: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    says_what: bool = False
    told: Callable[[Any], object] | None = None
    excludes: tuple[Any, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """For help, one for each flag."""
        said = self.sentence() if callable(self.sentence) else self.sentence
        return said if isinstance(said, tuple) else (said,)

    @property
    def values(self) -> Mapping[str, Any]:
        """What is worth trying with any model, by what it is called."""
        if self.tried is not None:
            return self.tried()
        if isinstance(self.default, bool):
            return {"no": False, self.name.replace("_", " "): True}
        return {choice or "default": choice for choice in dict.fromkeys((self.default, *self.choices))}

    @property
    def names(self) -> tuple[str, ...]:
        """What all that is worth trying is called."""
        return (*self.values, *self.of_model)

    @property
    def is_list(self) -> bool:
        """True where the value is a list of names, or a word in place of one."""
        return self.typed is None and (isinstance(self.default, tuple) or bool(self.words))

    def value(self, name: str, mechanism: Any) -> Any:
        """What is tried with a mechanism under a name; None where its model has no such thing."""
        values = self.values
        return values[name] if name in values else self.of_model[name](mechanism)

    def normal(self, value: Any) -> Any:
        """The field's value for what a caller gives: lists as tuples without repetitions, one name as a list of one."""
        if self.taken is not None:
            return self.taken(value)
        if not self.is_list:
            return value
        names = tuple(dict.fromkeys((value,) if isinstance(value, str) else value))
        is_word = isinstance(self.default, str) and len(names) == 1 and names[0] in self.words
        # A list of nothing is no word, though nothing may be one.
        return names[0] if is_word and (names[0] or isinstance(value, str)) else names

    def require(self, value: Any) -> None:
        """Checks a value of the field.

        Raises:
            MbsymError: it is none of the choices, a word with names beside it, or cannot be meant.
        """
        if value == self.default and type(value) is type(self.default):
            return
        where = f"`{self.name}`"
        if self.choices and value not in self.choices:
            *others, last = self.choices
            remedy = f"use {', '.join(others)} or {last}" if others else f"use {last}"
            raise self.error(self.refused.format(repr(value)), where=where, remedy=remedy)
        for word in self.words if isinstance(value, tuple) and len(value) > 1 else ():
            if word in value:
                raise self.error(f"{word} stands alone", where=where, remedy="leave it or the names out")
        if self.check is not None:
            self.check(value)


def option(default: Any, sentence: str | tuple[str, ...] | Callable[[], str], *flags: str, **known: Any) -> Any:
    """A field of a frozen dataclass whose value is an option's, in the type that the field says; see ``Option``."""
    metadata = {_KEY: Option(default=default, sentence=sentence, flags=flags, **known)}
    return (
        field(default_factory=dict, metadata=metadata) if default == {} else field(default=default, metadata=metadata)
    )


def alike(kind: Any, name: str) -> Any:
    """A field that is the same option as that of another dataclass."""
    (record,) = (item for item in options_of(kind) if item.name == name)
    return field(default=record.default, metadata={_KEY: record})


def options_of(kind: Any) -> Iterator[Option]:
    """The options of a dataclass in its order, without fields that are none."""
    for item in fields(kind):
        if _KEY in item.metadata:
            yield replace(item.metadata[_KEY], name=item.name)


class Checked:
    """A dataclass of options whose values are checked as it is made."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for item in options_of(type(self)):
            item.require(getattr(self, item.name))


def made(kind: Any, given: Mapping[str, Any]) -> Any:
    """A dataclass of options, and those that its fields hold, of what a caller gives by name.

    Raises:
        MbsymError: a value cannot be meant.
    """
    own = {item.name: item.normal(given[item.name]) for item in options_of(kind) if item.name in given}
    held = {item.name: type(item.default) for item in fields(kind) if is_dataclass(item.default)}
    return kind(**own, **{name: made(inner, given) for name, inner in held.items() if name not in own})


def as_typed(text: str, known: Iterable[Option] = ()) -> str:
    """A text that speaks of options, as in "leave out `style shared`", as the command line has them.

    Args:
        text: of an error, a warning or a table.
        known: options whose flags are not their names.
    """
    flags = {item.name: item.flags[0] for item in known if item.flags}
    return _SPOKEN.sub(lambda found: f"--{flags.get(found[1], found[1].replace('_', '-'))}{found[2]}", text)


# ---- as keywords of a function ---------------------------------------------------------------------------------------

F = TypeVar("F", bound=Callable[..., Any])

_ALL_IN_ONE: Final = "        **options: see below."
"""The line of a docstring in whose place each option is listed."""

_WIDTH: Final = 108

_REPEATABLE: Final = re.compile(r"; repeatable(?=\.)| Repeatable;")
"""What is said of options of the command line alone."""

_BY_NAME: Final = re.compile(r"([A-Z]+)=VALUE,\.\.\.")
"""How numbers by name are typed."""


def takes(kind: Any, asked: Any) -> Callable[[F], F]:
    """Decorates a function with ``**options``: they are options of a dataclass, and their names are checked.

    Args:
        kind: the dataclass that has the records.
        asked: a TypedDict with the names that the function takes, and their types.
    """
    types = {name: getattr(hint, "__forward_arg__", hint) for name, hint in asked.__annotations__.items()}
    options = [item for item in options_of(kind) if item.name in types]

    def decorated(function: F) -> F:
        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            for name in named:
                if name not in known:
                    raise _unknown(function.__name__, name, known, options)
            return function(*given, **named)

        signature = inspect.signature(function)
        own = [item for item in signature.parameters.values() if item.kind != Parameter.VAR_KEYWORD]
        behind = [item for item in own if item.kind == Parameter.KEYWORD_ONLY]
        each = [
            Parameter(item.name, Parameter.KEYWORD_ONLY, default=item.default, annotation=types[item.name])
            for item in options
        ]
        # Who asks for its arguments finds those that are said here, not those in the text of the function.
        del vars(call)["__wrapped__"]
        vars(call)["__signature__"] = signature.replace(parameters=[*own[: len(own) - len(behind)], *each, *behind])
        known = [item.name for item in (*own, *each) if item.kind != Parameter.VAR_POSITIONAL]
        lines = "\n".join(line for item in options for line in _lines(item))
        call.__doc__ = (function.__doc__ or "").replace(_ALL_IN_ONE, lines)
        return call  # type: ignore[return-value]

    return decorated


def _unknown(function: str, name: str, known: Iterable[str], options: Iterable[Option]) -> OptionError:
    """Of a keyword that there is not: which group has it, which one is nearly the same, or all that there are."""
    groups = (item for item in options if is_dataclass(item.default))
    holding = (item for item in groups if name in (each.name for each in options_of(type(item.default))))
    near = get_close_matches(name, list(known), n=1)
    if group := next(holding, None):
        remedy = f"write {group.name}={type(group.default).__name__}({name}=...)"
    else:
        remedy = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
    return OptionError(f"{function} has no argument {name!r}", remedy=remedy)


def _lines(item: Option) -> Iterator[str]:
    """What a docstring says of an option."""
    sentence = item.keyword or _BY_NAME.sub(r"{\1: VALUE, ...}", _REPEATABLE.sub("", " ".join(item.sentences)))
    said = wrap(f"{item.name}: {sentence}", _WIDTH, break_on_hyphens=False)
    return (f"{' ' * (12 if number else 8)}{line}" for number, line in enumerate(said))
