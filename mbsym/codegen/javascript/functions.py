"""Programs as functions in JavaScript: the statements that C gets, in double precision.

Pages carry them, modules do not: what is certified is C and NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

from mbsym.codegen.expressions import Call, Select, operands
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lower import lower
from mbsym.codegen.lowered import Result
from mbsym.codegen.printer import ExpressionPrinter, Item, double_literal
from mbsym.symbolic.program import Program
from mbsym.symbolic.unroll import unrolled

_RESERVED: Final = frozenset(
    ("arguments", "debugger", "eval", "export", "implements", "instanceof", "interface", "let", "null", "package",
     "super", "undefined", "var", "Math")
)  # fmt: skip
"""Words that are none in the other languages."""


class JavaScriptPrinter(ExpressionPrinter):
    """Prints for numbers, which are doubles."""

    WORDS: ClassVar[Mapping[str, str]] = {"and": "&&", "or": "||", "not": "!"}

    def number(self, value: Fraction | bool | int | float) -> str:
        return str(value).lower() if isinstance(value, bool) else double_literal(value)

    def call(self, node: Call, items: Sequence[Item] = ()) -> str:
        """A function of the library, which has all of the graph's under their names."""
        return f"Math.{node.function}({', '.join(map(self.expression, node.arguments))})"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{test} ? {first} : {second}"

    def format_select(self, node: Select, items: Sequence[Item] = ()) -> str:
        condition, positive, otherwise = map(self.expression, operands(node))
        return f"({self.choice(f'{condition} > 0', positive, otherwise)})"


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
            lines.append(f"  const {item.identifier} = {printer.expression(item.expression)};")
    results = ", ".join(_array(result, printer) for result in body.results)
    return "\n".join([*lines, f"  return {{{results}}};", "}"])


def _array(result: Result, printer: JavaScriptPrinter) -> str:
    return f"{result.identifier}: [{', '.join(printer.expression(entry) for entry in result.entries)}]"
