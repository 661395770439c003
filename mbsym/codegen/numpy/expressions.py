"""Expressions in Python, for floats and for NumPy arrays alike."""

from __future__ import annotations

from fractions import Fraction

from mbsym.codegen.expressions import Call, Constant, Select
from mbsym.codegen.printer import ExpressionPrinter, double_literal


class NumpyPrinter(ExpressionPrinter):
    """Prints functions by their names in the graph, which the generated module binds for floats or for arrays."""

    __slots__ = ()

    def format_number(self, value: Fraction) -> str:
        """A literal of at most 17 digits."""
        return double_literal(value)

    def format_constant(self, expression: Constant) -> str:
        """A literal."""
        return double_literal(expression.value)

    def format_call(self, expression: Call) -> str:
        """A call."""
        arguments = ", ".join(self.format(argument) for argument in expression.arguments)
        return f"{expression.function}({arguments})"

    def format_select(self, expression: Select) -> str:
        """A call, since arrays choose entry by entry."""
        parts = (expression.condition, expression.positive, expression.otherwise)
        return f"select({', '.join(self.format(part) for part in parts)})"
