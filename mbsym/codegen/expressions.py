"""Expressions as they are printed: trees without shared parts, independent of the language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from mbsym.symbolic.graph import ODD_FUNCTIONS


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, exact until it is printed."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Variable:
    """A temporary, a parameter or a scalar argument."""

    identifier: str


@dataclass(frozen=True, slots=True)
class Element:
    """An entry of an argument array, by its flat index from 0."""

    array: str
    index: int


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms added from left to right; a term whose flag is set is subtracted."""

    terms: tuple[tuple[bool, Expression], ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Factors multiplied from left to right."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """numerator / denominator."""

    numerator: Expression
    denominator: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """An elementary function, by its name in the graph."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Select:
    """``positive`` where ``condition`` > 0, else ``otherwise``."""

    condition: Expression
    positive: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Negation:
    """A change of sign that nothing could absorb."""

    operand: Expression


Expression: TypeAlias = Constant | Variable | Element | Sum | Product | Quotient | Call | Select | Negation


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    if isinstance(expression, Sum):
        return tuple(term for _, term in expression.terms)
    if isinstance(expression, Product):
        return expression.factors
    if isinstance(expression, Quotient):
        return expression.numerator, expression.denominator
    if isinstance(expression, Call):
        return expression.arguments
    if isinstance(expression, Select):
        return expression.condition, expression.positive, expression.otherwise
    return (expression.operand,) if isinstance(expression, Negation) else ()


def with_operands(expression: Expression, parts: tuple[Expression, ...]) -> Expression:
    """The expression with others in the place of its operands."""
    if isinstance(expression, Sum):
        flags = (negative for negative, _ in expression.terms)
        return Sum(tuple(zip(flags, parts, strict=True)))
    if isinstance(expression, Product):
        return Product(parts)
    if isinstance(expression, Quotient):
        return Quotient(*parts)
    if isinstance(expression, Call):
        return Call(expression.function, parts)
    if isinstance(expression, Select):
        return Select(*parts)
    return Negation(*parts) if isinstance(expression, Negation) else expression


def leaves(expression: Expression) -> Iterator[Constant | Variable | Element]:
    """Constants, variables and elements from left to right, as often as they occur."""
    if isinstance(expression, (Constant, Variable, Element)):
        yield expression
    for operand in operands(expression):
        yield from leaves(operand)


def operations(expression: Expression) -> int:
    """Number of + - * / in an expression."""
    own = 0
    if isinstance(expression, Sum):
        own = len(expression.terms) - 1
    elif isinstance(expression, Product):
        own = len(expression.factors) - 1
    elif isinstance(expression, Quotient):
        own = 1
    return own + sum(operations(operand) for operand in operands(expression))


def negated(expression: Expression) -> Expression:
    """The expression of opposite value: ``b - a`` for ``a - b``; a unary minus only where nothing absorbs it."""
    if isinstance(expression, Negation):
        return expression.operand
    absorbed = _absorb_sign(expression)
    if absorbed is not None:
        return absorbed
    if isinstance(expression, Sum):
        return ordered_sum(tuple((not negative, term) for negative, term in expression.terms))
    return Negation(expression)


def _absorb_sign(expression: Expression) -> Expression | None:
    """The expression of opposite value if it costs no unary minus, else None."""
    if isinstance(expression, Constant):
        return Constant(-expression.value)
    if isinstance(expression, Sum):
        if not any(negative for negative, _ in expression.terms):
            return None
        return ordered_sum(tuple((not negative, term) for negative, term in expression.terms))
    if isinstance(expression, Product):
        for place, factor in enumerate(expression.factors):
            absorbed = _absorb_sign(factor)
            if absorbed is not None:
                return Product((*expression.factors[:place], absorbed, *expression.factors[place + 1 :]))
        return None
    if isinstance(expression, Quotient):
        absorbed = _absorb_sign(expression.numerator)
        if absorbed is not None:
            return Quotient(absorbed, expression.denominator)
        absorbed = _absorb_sign(expression.denominator)
        return None if absorbed is None else Quotient(expression.numerator, absorbed)
    if isinstance(expression, Call) and expression.function in ODD_FUNCTIONS:
        absorbed = _absorb_sign(expression.arguments[0])
        return None if absorbed is None else Call(expression.function, (absorbed,))
    return None


def ordered_sum(terms: tuple[tuple[bool, Expression], ...]) -> Sum:
    """The terms with the first added one in front, so that no sum begins with a minus where it need not."""
    if terms[0][0]:
        for place, (negative, _) in enumerate(terms):
            if not negative:
                return Sum((terms[place], *terms[:place], *terms[place + 1 :]))
    return Sum(terms)
