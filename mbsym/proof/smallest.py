"""The smallest set of options that shows a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mbsym.errors import MbsymError, ProofError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = TypeVar("Options", bound=DataclassInstance)
else:
    Options = TypeVar("Options")


def with_least_options(
    found: ProofError,
    options: Options,
    again: Callable[[Options], object],
    parts: Mapping[str, Sequence[str]],
    kept: Sequence[str] = (),
) -> ProofError:
    """An error with the options of which none can be left out: without any one of them the fault does not show.

    Args:
        found: the error.
        options: a frozen record with which it was found.
        again: does the same with others.
        parts: by field, the names that it can hold and by default holds all of; they are left out one by one.
        kept: fields that stay as they are, and that are not told.
    """

    def shows(tried: Options) -> bool:
        try:
            again(tried)
        except ProofError as error:
            return error.function == found.function
        except MbsymError:
            return False
        return False

    least = _smallest(options, shows, parts, kept)
    every = [(item.name, getattr(least, item.name), item.default) for item in fields(least) if item.name not in kept]
    told = ", ".join(f"{name}={value!r}" for name, value, default in every if value != default)
    what = f"{found.what}; the least that shows it: {told or 'no option at all'}"
    return ProofError(what, where=found.where, remedy=found.remedy, function=found.function)


def _smallest(
    options: Options, shows: Callable[[Options], bool], parts: Mapping[str, Sequence[str]], kept: Sequence[str]
) -> Options:
    """Options of which none can be left out any more, where ``shows`` says that it still shows with others."""

    def less(changed: dict[str, Any]) -> None:
        nonlocal options
        tried = replace(options, **changed)
        if tried != options and shows(tried):
            options = tried

    for item in fields(options):
        if item.name not in parts and item.name not in kept:
            less({item.name: item.default})
    for name, every in parts.items():
        asked = getattr(options, name)
        held = () if asked == "none" else every if asked == "all" else asked
        options = replace(options, **{name: tuple(held)})
        for part in held:
            less({name: tuple(kept for kept in getattr(options, name) if kept != part)})
    return options
