"""Formulas of named vectors in each notation: text, Python, LaTeX and MathML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from mbsym.report.formulas import FormulaWriter
from mbsym.report.numerals import text, with_decimals
from mbsym.report.rows import is_negative
from mbsym.report.sections import VectorRow
from mbsym.spatial.vector_formula import Applied, Cross, Dot, Formula, Name, Number, Sum, parts
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.scalar import Scalar


@dataclass(frozen=True, slots=True)
class VectorNotation:
    """How a notation writes vectors.

    Attributes:
        vector: a vector or a dyad by name.
        number: of an expression that is not a sum.
        cross, dot: products of what is written.
        factor: a number times what is written.
        parentheses: around what is written.
        signs: minus of a first term, plus and minus of those behind it.
        comma: between components.
        matrix: of rows of written entries.
        infix: True where products need parentheses around what they are made of.
    """

    vector: Callable[[str], str]
    number: Callable[[Any], str]
    cross: Callable[[str, str], str]
    dot: Callable[[str, str], str]
    factor: Callable[[str, str], str]
    parentheses: Callable[[str], str]
    signs: tuple[str, str, str]
    comma: str = ", "
    matrix: Callable[[Sequence[Sequence[str]]], str] = lambda rows: _rows_in_text(rows)
    infix: bool = True

    def right_side(self, row: VectorRow) -> list[str]:
        """A row's formula in terms with their signs, or its components."""
        if row.formula is not None:
            return self.terms(row.formula, row)
        shown = [self.number(with_decimals(value)) for value in row.components]
        if row.is_number:
            return shown
        if row.rows == 1:
            return [self.parentheses(self.comma.join(shown))]
        size = len(shown) // row.rows
        return [self.matrix([shown[k : k + size] for k in range(0, len(shown), size)])]

    def terms(self, formula: Formula, row: VectorRow) -> list[str]:
        """The formula in terms with their signs."""
        if not isinstance(formula, Sum):
            return [self._term(formula, row)]
        found = []
        first, plus, minus = self.signs
        for k, (factor, part) in enumerate(formula.terms):
            number = row.numbers[factor]
            inner = row.numbers[part.value] if isinstance(part, Number) else None
            value = number if inner is None else number * inner
            # A number that is a sum stands in parentheses as a factor, and without them as a term of its own.
            negative = is_negative(value) and not value.is_Add
            size = -value if negative else value
            sign = (minus if negative else plus) if k else (first if negative else "")
            if inner is not None:
                shown = self.parentheses(self.number(size)) if size.is_Add else self.number(size)
            elif size == 1:
                shown = self._operand(part, row, sums_alone=False)
            else:
                letters = self.parentheses(self.number(size)) if size.is_Add else self.number(size)
                shown = self.factor(letters, self._operand(part, row, sums_alone=False))
            found.append(f"{sign}{shown}")
        return found or [self.number(0)]

    def _term(self, formula: Formula, row: VectorRow) -> str:
        match formula:
            case Name(name):
                return self.vector(name)
            case Cross(a, b):
                return self.cross(self._operand(a, row), self._operand(b, row))
            case Dot(a, b):
                return self.dot(self._operand(a, row), self._operand(b, row))
            case Applied(dyad, vector):
                return self.dot(self.vector(dyad), self._operand(vector, row))
        return "".join(self.terms(formula, row))

    def _operand(self, formula: Formula, row: VectorRow, *, sums_alone: bool = True) -> str:
        """What stands in a product; sums and, between signs of products, products are in parentheses."""
        shown = self._term(formula, row)
        enclosed = isinstance(formula, Sum) or (sums_alone and not isinstance(formula, Name))
        if not self.infix:
            enclosed = isinstance(formula, Sum) and not sums_alone
        return self.parentheses(shown) if enclosed else shown


def notation_of(writer: FormulaWriter, bold: Callable[[str], str], cross: str, dot: str, comma: str) -> VectorNotation:
    return VectorNotation(
        vector=bold,
        number=writer.expression,
        cross=lambda a, b: writer.one_after_another([a, cross, b]),
        dot=lambda a, b: writer.one_after_another([a, dot, b]),
        factor=lambda number, vector: writer.side_by_side([number, vector]),
        parentheses=writer.parentheses,
        signs=(writer.sign("-", between=False), writer.sign("+", between=True), writer.sign("-", between=True)),
        comma=comma,
        matrix=writer.matrix,
    )


TEXT: Final = VectorNotation(
    vector=str,
    number=text,
    cross=lambda a, b: f"{a} x {b}",
    dot=lambda a, b: f"{a} . {b}",
    factor=lambda number, vector: f"{number} {vector}",
    parentheses=lambda inner: f"({inner})",
    signs=("-", " + ", " - "),
)

PYTHON: Final = VectorNotation(
    vector=lambda name: name.replace(",", "_"),
    number=str,
    cross=lambda a, b: f"cross({a}, {b})",
    dot=lambda a, b: f"dot({a}, {b})",
    factor=lambda number, vector: f"{number}*{vector}",
    parentheses=lambda inner: f"({inner})",
    signs=("-", " + ", " - "),
    infix=False,
)
"""With ``dot`` and ``cross`` as NumPy has them; a dyad is a symmetric matrix."""


def _rows_in_text(rows: Sequence[Sequence[str]]) -> str:
    """A matrix in a line, a diagonal one by its diagonal."""
    if all(entry == "0" for i, row in enumerate(rows) for j, entry in enumerate(row) if i != j):
        return f"diag({', '.join(row[k] for k, row in enumerate(rows))})"
    lines = ", ".join(f"[{', '.join(row)}]" for row in rows)
    return f"[{lines}]"


def with_short_numbers(row: VectorRow, short: Mapping[Any, Any]) -> VectorRow:
    """The row with other symbols in its numbers."""
    names = dict(short)
    numbers = {scalar: value.xreplace(names) for scalar, value in row.numbers.items()}
    return replace(row, numbers=numbers, components=tuple(value.xreplace(names) for value in row.components))


def operations(formula: Formula, sizes: PrintedSizes, short: Mapping[Scalar, Scalar]) -> int:
    """Operations in the printed formula: sums, products of vectors and with numbers, and what numbers have.

    Args:
        formula: what is printed.
        sizes: of the graph's values.
        short: numbers as they are printed.
    """
    inside = sum(operations(part, sizes, short) for part in parts(formula))
    match formula:
        case Number(value):
            return sizes.of(short[value].ref)
        case Sum(terms):
            factors = sum(0 if factor in (1, -1) else sizes.of(short[factor].ref) + 1 for factor, _ in terms)
            return inside + max(len(terms) - 1, 0) + factors
        case Name():
            return 0
    return inside + 1
