"""What expressions come to in some kind of numbers: graph values, residues as text, or floats with faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from mbsym.codegen.expressions import Constant, Element, Expression, Product, Sum, Variable, operands

Rules: TypeAlias = Mapping[type, Callable[[Any, Any, list[Any]], Any]]
"""By class of expressions: what one comes to, of the numbers that are given, itself, and what its operands come to; for
sums these are pairs, of whether a minus stands before a term and what it comes to."""

_LEAVES: Final = frozenset((Constant, Variable, Element))


def evaluated(expression: Expression, rules: Rules, numbers: Any) -> Any:
    """The expression as it is written, operands from left to right."""
    kind = expression.__class__
    if kind in _LEAVES:
        return rules[kind](numbers, expression, [])
    if isinstance(expression, Sum):
        terms = [(negative, evaluated(term, rules, numbers)) for negative, term in expression.terms]
        return rules[kind](numbers, expression, terms)
    below = expression.factors if isinstance(expression, Product) else operands(expression)
    return rules[kind](numbers, expression, [evaluated(each, rules, numbers) for each in below])
