"""Expressions as text, in any language: operators, how tightly they hold together, and where they have blanks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Final

from mbsym.codegen import expressions as ex
from mbsym.codegen.identifiers import spelled
from mbsym.codegen.integers import Integer, Linear, as_integer, linear
from mbsym.errors import CodegenError
from mbsym.symbolic.given_functions import PieceNumber, StepFunction

CONDITION, OR, AND, COMPARISON, SUM, SIGN, PRODUCT, ATOM = range(8)
"""How tightly expressions hold together."""

_OPERATORS: Final[Mapping[str, int]] = {"choice": CONDITION, "or": OR, "and": AND}
_LEVELS: Final[Mapping[type, int]] = {ex.Sum: SUM, ex.Product: PRODUCT, ex.Quotient: PRODUCT, ex.Negation: SIGN}


class ExpressionPrinter(ABC):
    """Text of an expression, one method for each kind of it.

    Vectors are printed entry by entry, where ``items`` are the entries' places along the axes, or whole,
    where there are none; each language does it in its own way.
    """

    TIMES: ClassVar[str] = "*"
    OVER: ClassVar[str] = "/"
    WORDS: ClassVar[Mapping[str, str]]
    """How the language writes and, or, not."""

    def expression(self, node: ex.Expression, level: int = CONDITION, items: Sequence[Item] = ()) -> str:
        """The text of an expression, in parentheses where its own level is lower."""
        text = _FORMATS[node.__class__](self, node, items)
        return f"({text})" if level and self.level(node) < level else text

    def level(self, node: ex.Expression) -> int:
        """How tightly an expression holds together."""
        if isinstance(node, ex.Operation):
            return _OPERATORS.get(node.operator, COMPARISON)
        own = _LEVELS.get(node.__class__, ATOM)
        return SUM if own == PRODUCT and node.kind == "int" else own

    # ---- what each language says in its own way ----------------------------------------------------------------------

    @abstractmethod
    def number(self, value: Fraction | bool | int | float) -> str:
        """A number or truth value."""

    @abstractmethod
    def call(self, node: ex.Call, items: Sequence[Item] = ()) -> str:
        """A function; binds as tightly as a name."""

    @abstractmethod
    def format_select(self, node: ex.Select, items: Sequence[Item] = ()) -> str:
        """The choice by the sign of a condition; binds as tightly as a name."""

    @abstractmethod
    def choice(self, test: str, first: str, second: str) -> str:
        """One of two values."""

    def outside(self, name: str) -> str:
        """What is no function's own but the module's."""
        return f"_{name}"

    def entry(self, array: str, number: ex.Expression) -> str:
        """What an array has for the piece of a number."""
        return f"{self.outside('entry')}({array}, {self.expression(number)})"

    def stepped(self, function: StepFunction, x: ex.Expression) -> str:
        """A step function: what a column has for a piece, or the number of the piece that x lies in."""
        array = self.outside(spelled(function.array))
        if not isinstance(function, PieceNumber):
            return self.entry(array, x)
        last, spacing = len(function.starts) - 1, function.spacing
        if spacing is None:
            return f"{self.outside('piece')}({self.expression(x)}, {array}, {last})"
        numbers = ", ".join(self.number(Fraction(each)) for each in (function.starts[0], 1 / spacing))
        return f"{self.outside('even_piece')}({self.expression(x)}, {numbers}, {last})"

    def constant(self, node: ex.NamedConstant) -> str:
        """A constant that keeps its name."""
        return node.name

    def variable(self, node: ex.Variable) -> str:
        """A scalar."""
        return node.identifier

    def format_record(self, node: ex.RecordName, items: Sequence[Item] = ()) -> str:
        """A whole record."""
        return node.name

    # ---- operators ---------------------------------------------------------------------------------------------------

    def format_element(self, node: ex.Element, items: Sequence[Item] = ()) -> str:
        """Array and index from 0."""
        return f"{node.array}[{node.index}]"

    def format_sum(self, node: ex.Sum, items: Sequence[Item] = ()) -> str:
        """Terms from left to right."""
        if node.kind == "int":
            return str(self.integer(node))
        texts = [self.expression(term, PRODUCT if negative else SUM, items) for negative, term in node.terms]
        signs = [" - " if negative else " + " for negative, _ in node.terms]
        signs[0] = "-" if node.terms[0][0] else ""
        return "".join([part for pair in zip(signs, texts, strict=True) for part in pair])

    def format_product(self, node: ex.Product, items: Sequence[Item] = ()) -> str:
        """Factors from left to right; only sums and later quotients need parentheses."""
        if node.kind == "int":
            return str(self.integer(node))
        first, *others = node.factors
        texts = [self.expression(each, ATOM if isinstance(each, ex.Quotient) else PRODUCT, items) for each in others]
        return self.TIMES.join([self.expression(first, PRODUCT, items), *texts])

    def format_quotient(self, node: ex.Quotient, items: Sequence[Item] = ()) -> str:
        """Numerator and denominator; a denominator with any operator needs parentheses."""
        numerator, denominator = node.numerator, node.denominator
        return f"{self.expression(numerator, PRODUCT, items)}{self.OVER}{self.expression(denominator, ATOM, items)}"

    def format_negation(self, node: ex.Negation, items: Sequence[Item] = ()) -> str:
        """A unary minus."""
        return f"-{self.expression(node.operand, PRODUCT, items)}"

    def operation(self, node: ex.Operation, items: Sequence[Item] = ()) -> str:
        """The text of a comparison, condition or choice."""
        operator, operands = node.operator, node.operands
        if operator == "choice":
            test, first, second = (self.expression(part, OR, items) for part in operands)
            return self.choice(test, first, second)
        if operator in ("and", "or"):
            # Compilers warn of an and inside an or without parentheses.
            return f" {self.WORDS[operator]} ".join(self.expression(part, COMPARISON, items) for part in operands)
        if operator == "not":
            return f"{self.WORDS['not']}{self.expression(operands[0], ATOM, items)}"
        return f" {operator} ".join(self.expression(side, SUM, items) for side in operands)

    def integer(self, node: ex.Expression) -> Integer:
        """An integer as a text plus a number."""
        return self.total(linear(node))

    def total(self, found: Linear) -> Integer:
        """A sum of multiples as a text plus a number."""
        terms = [(Integer(self.expression(term, SUM)), count) for term, count in found.terms.items()]
        gained = [text.times(count).text for text, count in terms if count > 0]
        taken = [text.times(-count).text for text, count in terms if count < 0]
        if not taken or gained:
            return Integer(" - ".join([" + ".join(gained), *taken]), found.number)
        return Integer(" - ".join([str(found.number), *taken]))


_FORMATS: Final[Mapping[type, Callable[[Any, Any, Sequence[Item]], str]]] = {
    ex.Constant: lambda printer, node, items: printer.number(node.value),
    ex.NamedConstant: lambda printer, node, items: printer.constant(node),
    ex.Variable: lambda printer, node, items: printer.variable(node),
    ex.Element: lambda printer, node, items: printer.format_element(node, items),
    ex.RecordName: lambda printer, node, items: printer.format_record(node, items),
    ex.Place: lambda printer, node, items: printer.place(node, items),
    ex.Sum: lambda printer, node, items: printer.format_sum(node, items),
    ex.Product: lambda printer, node, items: printer.format_product(node, items),
    ex.Quotient: lambda printer, node, items: printer.format_quotient(node, items),
    ex.Negation: lambda printer, node, items: printer.format_negation(node, items),
    ex.Select: lambda printer, node, items: printer.format_select(node, items),
    ex.Operation: lambda printer, node, items: printer.operation(node, items),
    ex.MatrixProduct: lambda printer, node, items: printer.product(node),
    ex.Call: lambda printer, node, items: printer.call(node, items),
    # C alone has vectors of limbs.
    ex.Gather: lambda printer, node, items: f"{{{', '.join(map(printer.expression, node.lanes))}}}",
}


class Item:
    """The place of an entry along a span: counted from the start, or from zero where the start is the base."""

    __slots__ = ("base", "text")

    def __init__(self, text: str, base: ex.Expression | None = None) -> None:
        self.text, self.base = text, base

    def along(self, span: ex.Span, printer: ExpressionPrinter) -> Integer:
        """The index in a span."""
        start = linear(span.start) if self.base is None else linear(span.start).plus(linear(self.base), -1)
        return printer.total(start).plus(as_integer(self.text).times(span.step))


def double_literal(value: Fraction | float) -> str:
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
