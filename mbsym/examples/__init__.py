"""Bundled models, ready to load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbsym.model.system import Model


def names() -> tuple[str, ...]:
    """Names of the bundled models, sorted."""
    from mbsym.formats.registry import example_names

    return example_names()


def path(name: str) -> Path:
    """The native file of a bundled model, or of a part that models include by its name.

    Raises:
        FormatError: there is none of that name.
    """
    from mbsym.formats.registry import example_path

    return example_path(name)


def load(name: str) -> Model:
    """A bundled model.

    Raises:
        FormatError: there is no model of that name.
    """
    from mbsym.formats.native import load_native

    return load_native(path(name))
