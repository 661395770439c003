"""Comments of C files."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mbsym.codegen.c.statuses import failure_lines
from mbsym.codegen.lowered_module import ModuleFunction
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
