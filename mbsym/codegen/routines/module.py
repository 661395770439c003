"""The routines of a module: where their texts stand, and what they find in the module."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from mbsym.codegen.description import Argument
from mbsym.codegen.environment import runtime_directory
from mbsym.codegen.expressions import Array, Kind
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.codegen.routines.language import Routine, Signature
from mbsym.codegen.routines.reader import read_memory, read_routine
from mbsym.codegen.statements import Formal
from mbsym.codegen.statuses import Status
from mbsym.errors import CodegenError

MEMORY = "work"
"""The last argument of a public function: scratch memory."""


def routine_file(name: str) -> Path:
    """Where the text of a routine stands, or would stand."""
    return runtime_directory() / f"{name}.py"


def memory_size(file: str, sizes: Mapping[str, int]) -> int:
    """Entries of the scratch memory of a routine.

    Raises:
        CodegenError: a size is missing.
    """
    return sum(array.size for array in read_memory(_text(file), file, sizes))


def _text(file: str) -> str:
    return routine_file(file).read_text(encoding="utf-8")


def routine_of(module: LoweredModule, file: str, names: Collection[str] | None = None) -> Routine:
    """A routine with the sizes, constants and derived functions of a module.

    ``IS_DOUBLE`` is 1 where real numbers have double precision, else 0.

    Args:
        module: with functions of that file.
        file: of the text.
        names: of the public functions that are wanted; None for all.

    Raises:
        CodegenError: the text is outside the routine language, or its scratch memory too small.
    """
    kernels, public = {}, {}
    scratch: list[int] = []
    numbers: dict[str, int | float] = {}
    for function in module.functions:
        if function.fixed is None:
            inputs = tuple(item.shape for item in function.arguments if item.direction == "in")
            outputs = tuple(item.shape or (1,) for item in function.arguments if item.direction == "out")
            kernels[function.identifier] = Signature(inputs, outputs)
        elif function.fixed.file == file and (names is None or function.identifier in names):
            numbers.update(function.fixed.numbers)
            scratch += [item.size for item in function.arguments if item.name == MEMORY]
            public[function.identifier] = [_formal(item, name) for item, name in function.paired if item.name != MEMORY]
    sizes = {**module.description.constants, "IS_DOUBLE": int(module.description.real == "double")}
    extra = [_formal(item, module.names.arguments[item.name]) for item in module.description.extra]
    routine = read_routine(_text(file), file, sizes, numbers, kernels, public, extra, module_numbers(module))
    needed = sum(array.size for array in routine.memory)
    if any(size < needed for size in scratch):
        raise CodegenError(f"{file} needs {needed} entries of scratch memory", remedy=f"let {MEMORY} have as many")
    return routine


def module_numbers(module: LoweredModule) -> Mapping[str, int | float]:
    """Statuses and tolerances, which every text of a module may name."""
    numbers: dict[str, int | float] = {status.name: int(status) for status in Status} if module.can_fail else {}
    return numbers | {item.name: item.of(module.description.real) for item in module.tolerances}


def _formal(item: Argument, name: str) -> Formal:
    if item.direction == "in" and not item.shape:
        return Formal(name, "real")
    kind: Kind = "int" if item.kind == "int" else "real"
    return Formal(name, None, Array(name, item.shape or (1,), item.direction == "out", kind=kind))
