"""Derived functions in JavaScript: the statements that C gets, in double precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

from mbsym.codegen.expressions import Call, Expression, Select, operands
from mbsym.codegen.guards import GUARDED
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.printer import ExpressionPrinter, Item, double_literal
from mbsym.codegen.text import c_comment, wrapped
from mbsym.symbolic.given_functions import StepFunction

INDENT: Final = "    "
ZERO: Final = double_literal(Fraction(0))
FEW_ZEROS: Final = 4
"""Entries of a result that are zero, of which more are written at once."""


class JavaScriptPrinter(ExpressionPrinter):
    """Prints for numbers, which are doubles."""

    WORDS: ClassVar[Mapping[str, str]] = {"and": "&&", "or": "||", "not": "!"}

    def number(self, value: Fraction | bool | int | float) -> str:
        return str(value).lower() if isinstance(value, bool) else double_literal(value)

    def call(self, node: Call, items: Sequence[Item] = ()) -> str:
        """A function of the library, which has all of the graph's under their names."""
        if isinstance(node.function, StepFunction):
            return self.stepped(node.function, node.arguments[0])
        return f"Math.{node.function}({', '.join(map(self.expression, node.arguments))})"

    def entry(self, array: str, number: Expression) -> str:
        return f"{array}[Math.trunc({self.expression(number)})]"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{test} ? {first} : {second}"

    def format_select(self, node: Select, items: Sequence[Item] = ()) -> str:
        condition, positive, otherwise = map(self.expression, operands(node))
        return f"({self.choice(f'{condition} > 0', positive, otherwise)})"


def formals(module: LoweredModule, function: ModuleFunction) -> str:
    """What a function takes: the object of parameters, inputs, and arrays that it fills."""
    return ", ".join((*["parameters"] * module.takes_parameters(function), *function.identifiers))


def function_lines(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> tuple[str, ...]:
    """The statements of a function."""
    printer = JavaScriptPrinter()
    if function.equal:
        return (f"{INDENT}{module.names.functions[function.equal]}({formals(module, function)});",)
    lines = [
        f"{INDENT}const {identifier} = parameters.{identifier};"
        for identifier in module.names.parameters.values()
        if identifier in body.used
    ]
    if function.guards:
        lines.append(f"{INDENT}const {module.names.inner[GUARDED]} = new Float64Array({len(function.guards)});")
    for block in body.blocks:
        lines += ["", f"{INDENT}// {c_comment(block.title)}"] if block.title else []
        lines += [
            _statement(f"const {item.identifier}", printer.expression(item.expression)) for item in block.assignments
        ]
    lines += [""] * bool(lines)
    for result in body.results:
        texts = list(map(printer.expression, result.entries))
        kept = {k: text for k, text in enumerate(texts) if text != ZERO}
        if len(texts) - len(kept) <= FEW_ZEROS:
            kept = dict(enumerate(texts))
        else:
            lines.append(f"{INDENT}{result.identifier}.fill(0, 0, {len(texts)});")
        lines += (_statement(f"{result.identifier}[{k}]", text) for k, text in kept.items())
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
