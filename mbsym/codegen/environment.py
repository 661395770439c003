"""Jinja environment, the place of the templates, and that of the fixed text of the runtime."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mbsym.errors import CodegenError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

COPIED_FROM_HERE = "mbsym: copied from here"


def template_directory() -> Path:
    """The directory of all templates: inside the package in an installation, beside it in a checkout.

    Raises:
        CodegenError: there is none.
    """
    return _directory("templates")


def runtime_directory() -> Path:
    """The directory of all routines, likewise.

    Raises:
        CodegenError: there is none.
    """
    return _directory("runtime")


def _directory(name: str) -> Path:
    package = Path(__file__).resolve().parents[1]
    for directory in (package / name, package.parent / name):
        if directory.is_dir():
            return directory
    raise CodegenError(f"there is no directory {name}", where=str(package), remedy="install mbsym again")


@cache
def environment() -> Environment:
    """The one environment of all templates, cached because compiling a template costs more than filling it."""
    return Environment(
        loader=FileSystemLoader(template_directory()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render_template(name: str, context: DataclassInstance) -> str:
    """A template filled with the fields of its context."""
    values: dict[str, Any] = {field.name: getattr(context, field.name) for field in fields(context)}
    return environment().get_template(name).render(values)


def fixed_text(path: str, prefix: str) -> str:
    """What a file of the runtime directory holds below its mark, with ``MODEL_`` replaced by the prefix.

    Raises:
        CodegenError: there is no such file, or it bears no mark.
    """
    file = runtime_directory() / path
    if not file.is_file():
        raise CodegenError(f"there is no runtime file {path}", remedy="add it")
    _, mark, text = file.read_text(encoding="utf-8").partition(COPIED_FROM_HERE)
    if not mark:
        raise CodegenError(f"the runtime file has no line {COPIED_FROM_HERE!r}", where=path, remedy="add the line")
    return text.partition("\n")[2].strip("\n").replace("MODEL_", prefix)
