"""From a module description to the text of its files."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.codegen.description import (
    Argument,
    GeneratedFile,
    Indices,
    ModuleDescription,
    Real,
    RuntimeFunction,
    Tolerance,
    Trigonometry,
    arguments_of,
)
from mbsym.codegen.languages import LANGUAGES
from mbsym.codegen.lowered_module import lower_module
from mbsym.codegen.manifest import manifest_file

__all__ = [
    "Argument",
    "GeneratedFile",
    "Indices",
    "ModuleDescription",
    "Real",
    "RuntimeFunction",
    "Tolerance",
    "Trigonometry",
    "arguments_of",
    "render",
]


def render(description: ModuleDescription, languages: Sequence[str] = ()) -> tuple[GeneratedFile, ...]:
    """All files of a module in the languages asked for, none meaning all, and its manifest as the last.

    The same description gives the same bytes on every machine.

    Raises:
        CodegenError: a language is unknown, names clash, a program is incomplete, or a constant cannot be printed.
    """
    for name in languages:
        LANGUAGES.named(name)
    module = lower_module(description)
    wanted = [language for name, language in LANGUAGES.items() if name in (languages or LANGUAGES)]
    files = [_tidy(file) for language in wanted for file in language.render(module)]
    return (*files, manifest_file(module, files))


def _tidy(file: GeneratedFile) -> GeneratedFile:
    """The file without blanks at the ends of its lines, which empty macros leave, and with one newline at its end."""
    lines = (line.rstrip() for line in file.text.rstrip().split("\n"))
    return GeneratedFile(file.name, "\n".join(lines) + "\n")
