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
from mbsym.codegen.languages import BATCH, LANGUAGES, by_default
from mbsym.codegen.lowered_module import LoweredModule, lower_module
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
    "lowered",
    "print_files",
    "printed_languages",
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
    return print_files(lowered(description, languages), languages, beside)


def lowered(description: ModuleDescription, languages: Sequence[str] = ()) -> LoweredModule:
    """The module ready for printing in these languages, none meaning all.

    Raises:
        CodegenError: a language is unknown, names clash or a program is incomplete.
    """
    for name in languages:
        LANGUAGES.named(name)
    if BATCH in languages and not description.batch:
        description = replace(description, batch=(EVERY,))
    return lower_module(description)


def printed_languages(module: LoweredModule, languages: Sequence[str]) -> tuple[str, ...]:
    """The languages in which a module is printed where these are asked for, none meaning all."""
    asked = {*(languages or by_default())}
    asked |= {BATCH} if module.description.batch else set()
    asked |= {LANGUAGES[name].needs for name in asked}
    return tuple(name for name in LANGUAGES if name in asked)


def print_files(
    module: LoweredModule, languages: Sequence[str], beside: Sequence[GeneratedFile] = ()
) -> tuple[GeneratedFile, ...]:
    """The files of a module that is ready for printing, those beside it, and last its manifest.

    Raises:
        CodegenError: a constant cannot be printed.
    """
    wanted = [LANGUAGES[name] for name in printed_languages(module, languages)]
    files = [_tidy(file) for language in wanted for file in language.render(module)] + [_tidy(file) for file in beside]
    return (*files, manifest_file(module, files))


def _tidy(file: GeneratedFile) -> GeneratedFile:
    """The file without blanks at the ends of its lines, which empty macros leave, and with one newline at its end."""
    lines = (line.rstrip() for line in file.text.rstrip().split("\n"))
    return GeneratedFile(file.name, "\n".join(lines) + "\n")
