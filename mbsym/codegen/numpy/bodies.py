"""Functions in Python: expressions for floats and NumPy arrays alike, and statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

from mbsym.codegen.expressions import Call, Select, operands
from mbsym.codegen.lowered import LoweredFunction, Result
from mbsym.codegen.printer import ExpressionPrinter, Item, double_literal
from mbsym.codegen.text import plain_line, wrapped
from mbsym.symbolic.given_functions import StepFunction

INDENT: Final = "    "
DEEPER: Final = "        "


class NumpyPrinter(ExpressionPrinter):
    """Prints functions by their names in the graph, which the generated module binds for floats or for arrays."""

    WORDS: ClassVar[Mapping[str, str]] = {"and": "and", "or": "or", "not": "not "}

    def number(self, value: Fraction | bool | int | float) -> str:
        return double_literal(value) if isinstance(value, Fraction) else repr(value)

    def call(self, node: Call, items: Sequence[Item] = ()) -> str:
        if isinstance(node.function, StepFunction):
            return self.stepped(node.function, node.arguments[0])
        return f"{node.function}({', '.join(map(self.expression, node.arguments))})"

    def format_select(self, node: Select, items: Sequence[Item] = ()) -> str:
        """A call, since arrays choose entry by entry."""
        return f"select({', '.join(map(self.expression, operands(node)))})"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{first} if {test} else {second}"


def kernel_lines(body: LoweredFunction) -> tuple[str, ...]:
    """The statements of a kernel."""
    printer = NumpyPrinter()
    lines = [f"{INDENT}{name} = function.{name}" for name in body.calls if not isinstance(name, StepFunction)]
    for block in body.blocks:
        if block.title:
            lines.append(f"{INDENT}# {plain_line(block.title)}")
        for assignment in block.assignments:
            before = f"{INDENT}{assignment.identifier} = "
            lines.append(before + _enclosed(printer.expression(assignment.expression), len(before)))
    for result in body.results:
        lines += _result_lines(result, printer)
    names = [result.identifier for result in body.results]
    lines.append(f"{INDENT}return ({''.join(f'{name}, ' for name in names).rstrip()})")
    return tuple(lines)


def _enclosed(text: str, first: int) -> str:
    """An expression on one line, or in parentheses on several."""
    broken = wrapped(text, first=first, following=DEEPER)
    if broken is text:
        return text
    broken = wrapped(text, first=len(DEEPER), following=DEEPER)
    return f"(\n{DEEPER}{broken}\n{INDENT})"


def _result_lines(result: Result, printer: NumpyPrinter) -> list[str]:
    if not result.entries:
        return [f"{INDENT}{result.identifier} = ()"]
    lines = [f"{INDENT}{result.identifier} = ("]
    for entry in result.entries:
        lines.append(f"{DEEPER}{wrapped(printer.expression(entry), first=len(DEEPER), following=DEEPER + INDENT)},")
    return [*lines, f"{INDENT})"]
