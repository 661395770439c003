"""Expressions of SymPy taken apart into fractions, powers and sums in parentheses, which each format draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from mbsym.doors import sympy
from mbsym.report.numerals import with_decimals
from mbsym.report.rows import Piece, broken_rows, factors_in_order, is_negative, matrix_width, terms
from mbsym.report.sections import NamedMatrix
from mbsym.report.symbols import SymbolParts, symbol_parts

FUNCTION_NAMES: Final = {"Abs": "abs", "Min": "min", "Max": "max", "asin": "arcsin", "acos": "arccos", "log": "ln"}


def entries_of(item: NamedMatrix, shown: Any, width: float) -> list[tuple[str, Any]]:
    """Names and values of a matrix' entries that are not zero, if it is wider than a width as shown, else nothing."""
    if not hasattr(shown, "tolist") or matrix_width(with_decimals(shown)) <= width:
        return []
    join = ";" if "_" in item.name else "_"
    return [(f"{item.name}{join}{i + 1}{j + 1}", item.value[i, j]) for i, j in sorted(item.value.todok())]


class FormulaWriter(ABC):
    """Formulas in one notation."""

    # ---- what a notation draws ----

    @abstractmethod
    def symbol(self, parts: SymbolParts, power: str = "") -> str:
        """A symbol, perhaps raised to a power."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Words, or what has no notation."""

    @abstractmethod
    def number(self, digits: str, exponent: str) -> str:
        """A number that is not negative, times ten to the exponent where there is one."""

    @abstractmethod
    def sign(self, sign: str, *, between: bool) -> str:
        """Plus or minus between terms, or before the first."""

    @abstractmethod
    def fraction(self, above: str, below: str) -> str:
        """A quotient."""

    @abstractmethod
    def power(self, base: str, exponent: str) -> str:
        """A power of something that stands alone."""

    @abstractmethod
    def root(self, content: str) -> str:
        """A square root."""

    @abstractmethod
    def function(self, name: str, power: str) -> str:
        """The name of a function, perhaps raised to a power."""

    @abstractmethod
    def call(self, function: str, arguments: Sequence[str], *, bare: bool) -> str:
        """A function of arguments, without parentheses if ``bare``."""

    @abstractmethod
    def parentheses(self, content: str) -> str:
        """Something in parentheses of its size."""

    @abstractmethod
    def parenthesis(self, which: str) -> str:
        """One parenthesis of the size of letters, "(" or ")"."""

    @abstractmethod
    def side_by_side(self, factors: Sequence[str]) -> str:
        """Factors of a product."""

    @abstractmethod
    def one_after_another(self, parts: Sequence[str]) -> str:
        """Signs and terms of a sum."""

    @abstractmethod
    def cases(self, rows: Sequence[tuple[str, str]]) -> str:
        """Values and where they hold."""

    @abstractmethod
    def relation(self, left: str, sign: str, right: str) -> str:
        """A comparison."""

    @abstractmethod
    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        """A matrix in brackets."""

    # ---- how formulas are made of it ----

    def name(self, text: str) -> str:
        """A symbol by its name."""
        return self.symbol(symbol_parts(text))

    def placed(self, letter: str, place: Sequence[int]) -> str:
        """An entry's name, as in M_12 or M_1,12."""
        if not place:
            return self.name(letter)
        return self.name(f"{letter}_{('' if all(k < 10 for k in place) else ',').join(map(str, place))}")

    def expression(self, value: Any) -> str:
        """An expression, or a matrix."""
        shown = with_decimals(value)
        if not hasattr(shown, "tolist"):
            return self._sum(shown)
        return self.matrix([[self._sum(entry) for entry in row] for row in shown.tolist()])

    def rows(self, value: Any, width: float) -> list[tuple[str, int]]:
        """An expression in rows of about a width, and how many parentheses each row begins in."""
        found = broken_rows(with_decimals(value), width)
        return [(self._row(pieces, k > 0), pieces[0].depth) for k, pieces in enumerate(found)]

    def terms(self, value: Any, width: float) -> list[list[str]]:
        """An expression in terms, each in parts that may stand in rows of their own; see ``rows.terms``."""
        found = terms(with_decimals(value), width)
        return [
            [self._row(pieces, bool(k or part)) for part, pieces in enumerate(parts)] for k, parts in enumerate(found)
        ]

    def _row(self, pieces: Sequence[Piece], continued: bool) -> str:
        parts: list[str] = []
        between = continued
        for k, piece in enumerate(pieces):
            opens = k + 1 < len(pieces) and pieces[k + 1].kind == "open"
            if piece.kind in ("open", "close"):
                parts.append(self.parenthesis("(" if piece.kind == "open" else ")"))
            else:
                if piece.sign:
                    parts.append(self.sign(piece.sign, between=between))
                if piece.value != 1 or not opens:
                    bare = piece.value is not None and piece.value.is_Add and not (opens or piece.factor)
                    parts.append(self._sum(piece.value) if bare else self._product(piece.value, True))
            between = piece.kind != "open"
        return self.one_after_another(parts)

    def _sum(self, value: Any) -> str:
        if not isinstance(value, sympy.Expr) or not value.is_commutative:
            return self._atom(value)
        terms = value.as_ordered_terms() if value.is_Add else [value]
        parts: list[str] = []
        for k, term in enumerate(terms):
            negative = is_negative(term)
            if k or negative:
                parts.append(self.sign("-" if negative else "+", between=k > 0))
            parts.append(self._product(-term if negative else term, len(terms) > 1))
        return parts[0] if len(parts) == 1 else self.one_after_another(parts)

    def _product(self, value: Any, beside: bool) -> str:
        """A term without sign; sums are in parentheses if something stands beside them."""
        if not isinstance(value, sympy.Mul):
            return self._factor(value) if beside else self._atom(value)
        coefficient, rest = value.as_coeff_Mul()
        above, below = [], []
        for factor in factors_in_order(rest):
            power = factor.exp if isinstance(factor, sympy.Pow) else None
            if power is not None and power.is_Rational and power < 0:
                below.append(sympy.Pow(factor.base, -power))
            else:
                above.append(factor)
        front = [] if coefficient == 1 else [self._atom(coefficient)]
        if not below:
            return self.side_by_side([*front, *map(self._factor, above)])
        if coefficient.is_Integer:
            front, above = [], above if coefficient == 1 else [coefficient, *above]
        top, bottom = self._beside(above or [sympy.S.One]), self._beside(below)
        return self.side_by_side([*front, self.fraction(top, bottom)])

    def _beside(self, factors: Sequence[Any]) -> str:
        if len(factors) == 1:
            return self._sum(factors[0])
        return self.side_by_side([self._factor(factor) for factor in factors])

    def _factor(self, value: Any) -> str:
        inner = self._atom(value)
        return self.parentheses(inner) if getattr(value, "is_Add", False) else inner

    def _atom(self, value: Any) -> str:
        if isinstance(value, (sympy.Symbol, sympy.MatrixSymbol)):
            return self.name(str(value.name))
        if value is sympy.pi:
            return self.name("pi")
        if getattr(value, "is_Number", False):
            return self._number(value)
        if isinstance(value, sympy.Pow):
            return self._power(value)
        if isinstance(value, (sympy.MatMul, sympy.Mul)) and not value.is_commutative:
            return self.side_by_side([self._atom(each) for each in value.args])
        if isinstance(value, (sympy.Add, sympy.Mul)) and value.is_commutative:
            return self._sum(value)
        if isinstance(value, sympy.Piecewise):
            return self.cases([(self._sum(piece), self._condition(condition)) for piece, condition in value.args])
        if isinstance(value, sympy.core.function.Application):
            return self._call(value, "")
        return self.text(str(value))

    def _number(self, value: Any) -> str:
        if value.is_Rational and not value.is_Integer:
            shown = self.fraction(self.number(str(abs(value.p)), ""), self.number(str(value.q), ""))
        else:
            digits, _, exponent = sympy.sstr(abs(value), full_prec=False).partition("e")
            shown = self.number(digits.removesuffix(".0"), exponent.removeprefix("+"))
        return self.one_after_another([self.sign("-", between=False), shown]) if value < 0 else shown

    def _power(self, value: Any) -> str:
        base, exponent = value.base, value.exp
        if exponent == sympy.S.Half:
            return self.root(self._sum(base))
        if exponent.is_Rational and exponent < 0:
            return self.fraction(self.number("1", ""), self._sum(sympy.Pow(base, -exponent)))
        raised = self._sum(exponent)
        if isinstance(base, sympy.Symbol):
            return self.symbol(symbol_parts(str(base.name)), raised)
        if isinstance(base, (sympy.sin, sympy.cos, sympy.tan)) and exponent.is_Integer:
            return self._call(base, raised)
        if base.is_Integer and base >= 0:
            return self.power(self._atom(base), raised)
        return self.power(self.parentheses(self._sum(base)), raised)

    def _call(self, value: Any, power: str) -> str:
        kind = type(value).__name__
        function = self.function(FUNCTION_NAMES.get(kind, kind), power)
        bare = kind in ("sin", "cos", "tan") and value.args[0].is_Symbol
        return self.call(function, [self._sum(each) for each in value.args], bare=bare)

    def _condition(self, condition: Any) -> str:
        if condition.is_Relational:
            return self.relation(self._sum(condition.lhs), condition.rel_op, self._sum(condition.rhs))
        return self.text("otherwise")
