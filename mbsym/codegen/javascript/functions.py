"""Programs as functions in JavaScript: the statements that C gets, in double precision.

Pages carry them, modules do not: what is certified is C and NumPy.
"""

from __future__ import annotations

from typing import Final

from mbsym.codegen.expressions import Call, Constant, Select
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lower import lower
from mbsym.codegen.lowered import Result
from mbsym.codegen.printer import ExpressionPrinter, double_literal
from mbsym.symbolic.program import Program
from mbsym.symbolic.unroll import unrolled

_RESERVED: Final = frozenset(
    ("arguments", "debugger", "eval", "export", "implements", "instanceof", "interface", "let", "null", "package",
     "super", "undefined", "var", "Math")
)  # fmt: skip
"""Words that are none in the other languages."""


class JavaScriptPrinter(ExpressionPrinter):
    """Prints for numbers, which are doubles."""

    __slots__ = ()

    def format_constant(self, expression: Constant) -> str:
        """A literal."""
        return double_literal(expression.value)

    def format_call(self, expression: Call) -> str:
        """A function of the library, which has all of the graph's under their names."""
        arguments = ", ".join(self.format(argument) for argument in expression.arguments)
        return f"Math.{expression.function}({arguments})"

    def format_select(self, expression: Select) -> str:
        """A conditional expression in parentheses."""
        parts = (expression.condition, expression.positive, expression.otherwise)
        condition, positive, otherwise = (self.format(part) for part in parts)
        return f"({condition} > 0 ? {positive} : {otherwise})"


def javascript_function(program: Program) -> str:
    """A function of the program's name and inputs that returns an object of its outputs: arrays of their entries,
    row-major.

    Args:
        program: without run-time parameters; its loops are written out.

    Raises:
        CodegenError: the program uses a symbol that none of its inputs provides.
    """
    scope = Scope(_RESERVED)
    arguments = [*(item.name for item in program.inputs), *(item.name for item in program.outputs)]
    names = {name: scope.claim(name) for name in arguments}
    body = lower(unrolled(program), names, {}, Scope(_RESERVED))
    printer = JavaScriptPrinter()
    formals = ", ".join(names[item.name] for item in program.inputs)
    lines = [f"function {program.name}({formals}) {{"]
    for block in body.blocks:
        for item in block.assignments:
            lines.append(f"  const {item.identifier} = {printer.format(item.expression)};")
    results = ", ".join(_array(result, printer) for result in body.results)
    return "\n".join([*lines, f"  return {{{results}}};", "}"])


def _array(result: Result, printer: JavaScriptPrinter) -> str:
    return f"{result.identifier}: [{', '.join(printer.format(entry) for entry in result.entries)}]"
