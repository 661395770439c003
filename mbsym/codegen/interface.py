"""From a module description to the text of its files."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.codegen.c.views import render_c
from mbsym.codegen.description import (
    Argument,
    GeneratedFile,
    ModuleDescription,
    Real,
    RuntimeFunction,
    arguments_of,
)
from mbsym.codegen.lowered_module import lower_module
from mbsym.codegen.manifest import manifest_file
from mbsym.codegen.numpy.views import render_numpy
from mbsym.errors import CodegenError

__all__ = [
    "LANGUAGES",
    "Argument",
    "GeneratedFile",
    "ModuleDescription",
    "Real",
    "RuntimeFunction",
    "arguments_of",
    "render",
]

LANGUAGES = {"c": render_c, "numpy": render_numpy}


def render(description: ModuleDescription, languages: Sequence[str] = ("c", "numpy")) -> tuple[GeneratedFile, ...]:
    """All files of a module in the languages asked for, and its manifest as the last.

    The same description gives the same bytes on every machine.

    Raises:
        CodegenError: a language is unknown, names clash, a program is incomplete, or a constant cannot be printed.
    """
    for language in languages:
        if language not in LANGUAGES:
            raise CodegenError(f"no language {language!r}", remedy=f"known are {', '.join(LANGUAGES)}")
    module = lower_module(description)
    files = [_tidy(file) for language in LANGUAGES if language in languages for file in LANGUAGES[language](module)]
    return (*files, manifest_file(module, files))


def _tidy(file: GeneratedFile) -> GeneratedFile:
    """The file without blanks at the ends of its lines, which empty macros leave, and with one newline at its end."""
    lines = (line.rstrip() for line in file.text.rstrip().split("\n"))
    return GeneratedFile(file.name, "\n".join(lines) + "\n")
