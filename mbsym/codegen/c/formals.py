"""Formal arguments of C functions."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.codegen.description import Argument
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction


def formals(
    module: LoweredModule, function: ModuleFunction, restrict: str, close: str, kind: str = "real"
) -> tuple[str, ...]:
    """Formal arguments, each with its comma, and the last with what closes the list.

    Args:
        module, function: whose they are.
        restrict: a word, or none.
        close: what ends the list.
        kind: of the values: numbers, or vectors of lanes, beside which an integer is an array with an entry a lane.
    """
    prefix = module.names.module
    texts = [structure_formal(module, kind)] if module.takes_parameters(function) else []
    for item, identifier in function.paired:
        lanes = f" * {prefix}_LANES" if item.kind == "int" and kind != "real" else ""
        texts.append(formal(item, identifier, f"{prefix}_{kind}", restrict, lanes))
    return closed(texts or ["void"], close)


def closed(texts: Sequence[str], close: str = ")") -> tuple[str, ...]:
    """Arguments, each with its comma, and the last with what closes the list."""
    return (*(f"{text}," for text in texts[:-1]), f"{texts[-1]}{close}")


def structure_formal(module: LoweredModule, kind: str) -> str:
    """The parameter structure as a formal argument, of numbers or of other values."""
    return f"const {module.names.module}_{'' if kind == 'real' else f'{kind}_'}parameters *parameters"


def formal(item: Argument, identifier: str, real: str, restrict: str, times: str = "") -> str:
    """One formal argument: an array with its size, which results may have several times, or a scalar."""
    if item.kind == "int":
        real = "int"
    if item.direction == "in":
        if not item.shape:
            return f"{real} {identifier}"
        return f"const {real} {identifier}[{item.size}]" if item.size else f"const {real} *{identifier}"
    return f"{real} {identifier}[{restrict} {item.size}{times}]" if item.size else f"{real} *{restrict} {identifier}"
