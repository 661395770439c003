"""CMake: the module as a library that ``find_package`` finds once it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.consumers.consumer import Consumer, Exported, ExportOptions, Request
from mbsym.kinematics.mechanism import Mechanism


def cmake_file(name: str, sources: Sequence[str], headers: Sequence[str]) -> GeneratedFile:
    """CMakeLists.txt of the library NAME."""
    text = render_template("consumers/CMakeLists.txt.jinja", name=name, sources=sources, headers=headers)
    return GeneratedFile("CMakeLists.txt", text)


def as_asked(mechanism: Mechanism, options: ExportOptions) -> Request:
    """The functions that were asked for, none meaning all of the catalogue."""
    return Request(options.generation.functions)


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """CMakeLists.txt."""
    return (cmake_file(exported.name, [f"{exported.name}.c"], [f"{exported.name}.h"]),)


CMAKE: Final = Consumer(
    name="cmake",
    sentence="a library that find_package finds",
    reals=("double", "float"),
    request=as_asked,
    files=files,
)
