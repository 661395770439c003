"""Jinja environment, the place of the templates, and that of the fixed text of the runtime."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from mbsym.codegen.cache_folder import cache_folder
from mbsym.errors import CodegenError
from mbsym.version import __version__

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


class _Compiled(BytecodeCache):
    """Compiled templates in the user's cache folder: a process fills a few, and compiling takes longer than that.

    Jinja compares the text of the template, its own version and Python's. Where nothing can be read or written,
    templates are compiled as they would be without.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """What was kept of a template."""
        try:
            bucket.bytecode_from_string(self._file(bucket).read_bytes())
        except OSError:
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps a template; another process sees all of it or nothing."""
        file = self._file(bucket)
        new = file.with_name(f"new-{os.getpid()}-{file.name}")
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new.write_bytes(bucket.bytecode_to_string())
            os.replace(new, file)
        except OSError:
            with suppress(OSError):
                new.unlink()

    def _file(self, bucket: Bucket) -> Path:
        return cache_folder() / f"{bucket.key}.{sys.implementation.cache_tag}.jinja"


@cache
def environment() -> Environment:
    """The one environment of all templates, cached because compiling a template costs more than filling it.

    Each template knows the version.
    """
    made = Environment(
        loader=FileSystemLoader(template_directory()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        bytecode_cache=_Compiled(),
    )
    made.globals["version"] = __version__
    return made


def render_template(name: str, /, **fields: Any) -> str:
    """A template filled with its fields."""
    return environment().get_template(name).render(fields)


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
