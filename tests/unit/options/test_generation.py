"""Every option of a generation is listed with values worth trying, the default first."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import pytest

import mbsym
from mbsym.errors import OptionError
from mbsym.options.generation import OPTIONS, GenerationOptions

WHERE_TO = {"source", "directory", "force", "check", "progress"}
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


def test_what_help_says_of_keywords_is_what_the_records_say() -> None:
    text = " ".join((mbsym.generate.__doc__ or "").split())
    for name, option in OPTIONS.items():
        sentence = option.keyword or option.sentences[0].split("; repeatable")[0].split(" Repeatable")[0]
        assert f" {name}: {' '.join(sentence.split())}" in text, name
    assert "**options" not in text and "repeatable" not in text
    assert "batch:" not in (mbsym.export.__doc__ or "")


@pytest.mark.parametrize(
    ("function", "arguments", "told"),
    [
        (mbsym.generate, {"langauges": ["c"]}, "generate has no argument 'langauges'; did you mean 'languages'?"),
        (mbsym.generate, {"sources": "cart_pole"}, "did you mean 'source'?"),
        (mbsym.export, {"batch": ["all"]}, "export has no argument 'batch'; it has source, consumer, directory, "),
        (mbsym.sweep, {"parameter": {}}, "did you mean 'parameters'?"),
        (mbsym.simulate, {"rtol": 1e-6}, "simulate has no argument 'rtol'; write accuracy=Accuracy(rtol=...)"),
    ],
)
def test_keywords_that_are_none_are_told(
    function: Callable[..., object], arguments: dict[str, object], told: str, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match=re.escape(told)):
        function("cart_pole", str(tmp_path / "new"), **arguments)
    assert not (tmp_path / "new").exists()


def test_the_manifest_tells_what_is_not_the_default() -> None:
    asked = GenerationOptions(compressed=True, trigonometry="inline", real="float")
    assert asked.told == {"compressed": True, "trigonometry": "inline"}
    assert GenerationOptions().told == {}
