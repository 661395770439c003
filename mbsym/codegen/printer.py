"""What the expression printers of all languages share: operators, their precedence and their blanks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import final

from mbsym.codegen.expressions import (
    Call,
    Constant,
    Element,
    Expression,
    Negation,
    Product,
    Quotient,
    Select,
    Sum,
    Variable,
)
from mbsym.errors import CodegenError


class ExpressionPrinter(ABC):
    """Text of an expression, one method for each kind of it."""

    __slots__ = ("_formats",)

    def __init__(self) -> None:
        self._formats: dict[type, Callable[..., str]] = {
            Constant: self.format_constant,
            Variable: self.format_variable,
            Element: self.format_element,
            Sum: self.format_sum,
            Product: self.format_product,
            Quotient: self.format_quotient,
            Call: self.format_call,
            Select: self.format_select,
            Negation: self.format_negation,
        }

    @final
    def format(self, expression: Expression) -> str:
        """The expression as text that needs parentheses only as an operand."""
        return self._formats[expression.__class__](expression)

    @abstractmethod
    def format_constant(self, expression: Constant) -> str:
        """A literal."""

    @abstractmethod
    def format_call(self, expression: Call) -> str:
        """An elementary function; binds as tightly as a name."""

    @abstractmethod
    def format_select(self, expression: Select) -> str:
        """The choice by the sign of a condition; binds as tightly as a name."""

    @final
    def format_variable(self, expression: Variable) -> str:
        """The identifier."""
        return expression.identifier

    @final
    def format_element(self, expression: Element) -> str:
        """Array and index from 0."""
        return f"{expression.array}[{expression.index}]"

    @final
    def format_sum(self, expression: Sum) -> str:
        """Terms from left to right; a sum as a term was flattened before."""
        formats = self._formats
        negative, term = expression.terms[0]
        text = formats[term.__class__](term)
        parts = [f"-{text}" if negative else text]
        for negative, term in expression.terms[1:]:
            text = formats[term.__class__](term)
            parts.append(f" - {text}" if negative else f" + {text}")
        return "".join(parts)

    @final
    def format_product(self, expression: Product) -> str:
        """Factors from left to right without blanks; only sums and later quotients need parentheses."""
        parts = []
        for place, factor in enumerate(expression.factors):
            text = self._formats[factor.__class__](factor)
            kind = factor.__class__
            enclosed = kind is Sum or kind is Negation or (place > 0 and kind is Quotient)
            parts.append(f"({text})" if enclosed else text)
        return "*".join(parts)

    @final
    def format_quotient(self, expression: Quotient) -> str:
        """Numerator and denominator; a denominator with any operator needs parentheses."""
        numerator, denominator = self.format(expression.numerator), self.format(expression.denominator)
        if isinstance(expression.numerator, (Sum, Negation)):
            numerator = f"({numerator})"
        if isinstance(expression.denominator, (Sum, Product, Quotient, Negation)):
            denominator = f"({denominator})"
        return f"{numerator}/{denominator}"

    @final
    def format_negation(self, expression: Negation) -> str:
        """A unary minus."""
        text = self.format(expression.operand)
        return f"-({text})" if isinstance(expression.operand, (Sum, Negation)) else f"-{text}"


def double_literal(value: Fraction) -> str:
    """The shortest decimal that reads back as the double nearest to the value (at most 17 digits).

    Raises:
        CodegenError: the value exceeds the range of a double.
    """
    try:
        return repr(float(value))
    except OverflowError:
        raise CodegenError(
            "a constant exceeds the range of a double", remedy="choose units in which the numbers are moderate"
        ) from None
