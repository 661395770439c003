"""Every option of a generation is listed with values worth trying, the default first."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import pytest

import mbsym
from mbsym.options.generation import OPTIONS, GenerationOptions

WHERE_TO = {"source", "directory", "force", "progress"}
"""Arguments that say nothing about what is generated."""


def test_every_option_is_listed() -> None:
    known = signature(mbsym.generate).parameters
    assert list(OPTIONS) == [name for name in known if name not in WHERE_TO]


def test_the_first_value_is_the_default() -> None:
    known = signature(mbsym.generate).parameters
    for name, option in OPTIONS.items():
        assert next(iter(option.values.values())) == known[name].default, name
        assert len(option.names) > 1


@pytest.mark.parametrize("function", [mbsym.generate, mbsym.export, mbsym.compile])
def test_arguments_have_the_defaults_of_the_fields(function: Callable[..., object]) -> None:
    known = signature(function).parameters
    own = [name for name in known if name in OPTIONS and not isinstance(known[name].default, bool)]
    assert len(own) >= 4
    assert {name: known[name].default for name in own} == {name: OPTIONS[name].default for name in own}


def test_the_manifest_tells_what_is_not_the_default() -> None:
    asked = GenerationOptions(compressed=True, trigonometry="inline", real="float")
    assert asked.told == {"compressed": True, "trigonometry": "inline"}
    assert GenerationOptions().told == {}
