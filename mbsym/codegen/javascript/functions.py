"""Derived functions in JavaScript: the statements that C gets, in double precision."""

from __future__ import annotations

from typing import Final

from mbsym.codegen.expressions import Call, Constant, Select
from mbsym.codegen.guards import GUARDED
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.printer import ExpressionPrinter, double_literal
from mbsym.codegen.text import c_comment, wrapped

INDENT: Final = "    "


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


def formals(module: LoweredModule, function: ModuleFunction) -> str:
    """What a function takes: the object of parameters, inputs, and arrays that it fills."""
    return ", ".join((*["parameters"] * module.takes_parameters(function), *function.identifiers))


def function_lines(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> tuple[str, ...]:
    """The statements of a function."""
    printer = JavaScriptPrinter()
    lines = [
        f"{INDENT}const {identifier} = parameters.{identifier};"
        for identifier in module.names.parameters.values()
        if identifier in body.used
    ]
    if function.guards:
        lines.append(f"{INDENT}const {module.names.inner[GUARDED]} = new Float64Array({len(function.guards)});")
    for block in body.blocks:
        lines += ["", f"{INDENT}// {c_comment(block.title)}"] if block.title else []
        lines += [_statement(f"const {item.identifier}", printer.format(item.expression)) for item in block.assignments]
    lines += [""] * bool(lines)
    for result in body.results:
        for place, entry in enumerate(result.entries):
            lines.append(_statement(f"{result.identifier}[{place}]", printer.format(entry)))
    return (*lines, *_verdict(module, function))


def _statement(target: str, text: str) -> str:
    before = f"{INDENT}{target} = "
    return f"{before}{wrapped(text, first=len(before) + 1, following=INDENT * 2)};"


def _verdict(module: LoweredModule, function: ModuleFunction) -> list[str]:
    """The end of a function that can fail."""
    if not function.guards:
        return []
    needs = ", ".join(f'["{guard.need}", {guard.size!r}]' for guard in function.guards)
    given = [x if item.shape else f"[{x}]" for item, x in function.paired if item.direction == "in"]
    found = [x for item, x in function.paired if item.direction == "out"]
    actual = f"{module.names.inner[GUARDED]}, [{', '.join(given)}], [{', '.join(found)}]"
    text = wrapped(f"settled([{needs}], {actual})", first=12, following=INDENT * 2)
    return ["", f"{INDENT}return {text};"]
