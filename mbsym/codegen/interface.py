"""From a module description to the text of its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbsym.codegen.description import (
    EVERY,
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
from mbsym.codegen.languages import BATCH, LANGUAGES
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


def render(
    description: ModuleDescription, languages: Sequence[str] = (), beside: Sequence[GeneratedFile] = ()
) -> tuple[GeneratedFile, ...]:
    """All files of a module in the languages asked for, none meaning all, those beside it, and last its manifest.

    C for many states is printed where the description or ``languages`` asks for it, together with the C that it needs.

    The same description gives the same bytes on every machine.

    Raises:
        CodegenError: a language is unknown, names clash, a program is incomplete, or a constant cannot be printed.
    """
    for name in languages:
        LANGUAGES.named(name)
    if BATCH in languages and not description.batch:
        description = replace(description, batch=(EVERY,))
    module = lower_module(description)
    asked = {*(languages or (name for name, language in LANGUAGES.items() if not language.needs))}
    asked |= {BATCH} if description.batch else set()
    asked |= {LANGUAGES[name].needs for name in asked}
    wanted = [language for name, language in LANGUAGES.items() if name in asked]
    files = [_tidy(file) for language in wanted for file in language.render(module)] + [_tidy(file) for file in beside]
    return (*files, manifest_file(module, files))


def _tidy(file: GeneratedFile) -> GeneratedFile:
    """The file without blanks at the ends of its lines, which empty macros leave, and with one newline at its end."""
    lines = (line.rstrip() for line in file.text.rstrip().split("\n"))
    return GeneratedFile(file.name, "\n".join(lines) + "\n")
