"""Formal arguments of C functions."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.codegen.description import Argument
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction


def formals(
    module: LoweredModule, function: ModuleFunction, restrict: str, close: str, kind: str = "real"
) -> tuple[str, ...]:
    """Formal arguments, each with its comma, and the last with what closes the list."""
    prefix = module.names.module
    texts = [structure_formal(module, kind)] if module.takes_parameters(function) else []
    for item, identifier in function.paired:
        texts.append(formal(item, identifier, f"{prefix}_{kind}", restrict))
    return closed(texts or ["void"], close)


def closed(texts: Sequence[str], close: str = ")") -> tuple[str, ...]:
    """Arguments, each with its comma, and the last with what closes the list."""
    return (*(f"{text}," for text in texts[:-1]), f"{texts[-1]}{close}")


def structure_formal(module: LoweredModule, kind: str) -> str:
    """The parameter structure as a formal argument, of numbers or of other values."""
    return f"const {module.names.module}_{'' if kind == 'real' else f'{kind}_'}parameters *parameters"


def formal(item: Argument, identifier: str, real: str, restrict: str) -> str:
    """One formal argument: an array with its size, or a scalar."""
    if item.kind == "int":
        real = "int"
    if item.direction == "in":
        if not item.shape:
            return f"{real} {identifier}"
        return f"const {real} {identifier}[{item.size}]" if item.size else f"const {real} *{identifier}"
    return f"{real} {identifier}[{restrict} {item.size}]" if item.size else f"{real} *{restrict} {identifier}"
