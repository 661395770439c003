"""Every option of a generation is listed with values worth trying, the default first."""

from __future__ import annotations

from inspect import signature

import mbsym
from mbsym.options.generation import OPTIONS

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
