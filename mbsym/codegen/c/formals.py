"""Heads of C functions: the comments above them, and formal arguments."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mbsym.codegen.c.statuses import failure_lines
from mbsym.codegen.description import Argument
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.text import WIDTH, c_comment, table
from mbsym.symbolic.program import OperationCount


def comment_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines for the inside of a block comment, each with its star."""
    return tuple(f" * {c_comment(line)}".rstrip() for line in lines)


def operation_line(operations: OperationCount | None) -> str:
    """One line on what a call costs."""
    if operations is None:
        return "iterative"
    tally = (
        (operations.add, "+ or -"),
        (operations.mul, "*"),
        (operations.div, "/"),
        (operations.sqrt, "sqrt"),
        (operations.sincos, "sine-cosine pairs"),
        (operations.other, "other functions"),
    )
    parts = ", ".join(f"{count} {what}" for count, what in tally if count)
    return f"operations: {parts}" if parts else "operations: none"


def function_comment(function: ModuleFunction) -> tuple[str, ...]:
    """What the header says of a function: purpose, arguments with shapes and units, cost."""
    rows = []
    for item, identifier in function.paired:
        shape = " x ".join(str(extent) for extent in item.shape) or "scalar"
        unit = f"[{item.unit}]" if item.unit else ""
        unused = "; not used" if item.name in function.unused else ""
        rows.append((item.direction, identifier, shape, unit, f"{item.description}{unused}"))
    title = ": ".join(filter(None, (function.name, function.description)))
    lines = [*textwrap.wrap(title, WIDTH - 4, subsequent_indent="  "), *function.notes]
    for row in table(rows):
        lines += textwrap.wrap(f"  {row}", WIDTH - 4, subsequent_indent="    ")
    lines += failure_lines(function)
    if function.threads:
        shared = f"compiled with -fopenmp, {function.threads} threads share the work; "
        lines += textwrap.wrap(f"{shared}without, one does it all, with the same bits", WIDTH - 4)
    lines.append(operation_line(function.operations))
    return comment_lines(lines)


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
