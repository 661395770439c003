"""The smallest set of options with which something still happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = TypeVar("Options", bound=DataclassInstance)
else:
    Options = TypeVar("Options")


def smallest(
    options: Options, happens: Callable[[Options], bool], parts: Mapping[str, Sequence[str]], kept: Sequence[str] = ()
) -> Options:
    """Options of which none can be left out any more.

    Args:
        options: a frozen record with which it happens.
        happens: whether it does with others.
        parts: by field, the names that it can hold and by default holds all of; they are left out one by one.
        kept: fields that stay as they are.
    """

    def less(changed: dict[str, Any]) -> None:
        nonlocal options
        tried = replace(options, **changed)
        if tried != options and happens(tried):
            options = tried

    for item in fields(options):
        if item.name not in parts and item.name not in kept:
            less({item.name: item.default})
    for name, every in parts.items():
        held = every if getattr(options, name) == "all" else getattr(options, name)
        options = replace(options, **{name: tuple(held)})
        for part in held:
            less({name: tuple(kept for kept in getattr(options, name) if kept != part)})
    return options


def told(options: DataclassInstance, parts: Mapping[str, Sequence[str]]) -> str:
    """The options that are not as by default, by name and value; of parts, all that are left."""
    chosen = [(item.name, getattr(options, item.name), item.default) for item in fields(options)]
    words = [f"{name}={value!r}" for name, value, default in chosen if value != default and (name in parts or value)]
    return ", ".join(words)
