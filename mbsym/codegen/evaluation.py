"""What expressions come to in some kind of numbers: graph values, residues, floats with faults, or text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar

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

T = TypeVar("T")


class Arithmetic(ABC, Generic[T]):
    """A kind of numbers, and what those have that are given."""

    __slots__ = ()

    @abstractmethod
    def constant(self, value: Fraction) -> T:
        """An exact number."""

    @abstractmethod
    def variable(self, identifier: str) -> T:
        """A temporary, a parameter or a scalar argument."""

    @abstractmethod
    def element(self, array: str, index: int) -> T:
        """An entry of an array."""

    @abstractmethod
    def total(self, terms: Iterator[tuple[bool, T]]) -> T:
        """Terms from left to right; one whose flag is set is subtracted."""

    @abstractmethod
    def product(self, factors: Iterator[T]) -> T:
        """Factors from left to right."""

    @abstractmethod
    def quotient(self, numerator: T, denominator: T) -> T:
        """Of two numbers."""

    @abstractmethod
    def call(self, function: str, arguments: Sequence[T]) -> T:
        """An elementary function, by its name in the graph."""

    @abstractmethod
    def select(self, condition: T, positive: T, otherwise: T) -> T:
        """``positive`` where ``condition`` > 0, else ``otherwise``."""

    @abstractmethod
    def negative(self, operand: T) -> T:
        """The opposite."""


def evaluated(expression: Expression, numbers: Arithmetic[T]) -> T:
    """The expression as it is written."""
    found: T = _VISITS[expression.__class__](expression, numbers)
    return found


_VISITS: Final[Mapping[type, Callable[[Any, Arithmetic[Any]], Any]]] = {
    Constant: lambda e, numbers: numbers.constant(e.value),
    Variable: lambda e, numbers: numbers.variable(e.identifier),
    Element: lambda e, numbers: numbers.element(e.array, e.index),
    Sum: lambda e, numbers: numbers.total((minus, evaluated(term, numbers)) for minus, term in e.terms),
    Product: lambda e, numbers: numbers.product(evaluated(factor, numbers) for factor in e.factors),
    Quotient: lambda e, numbers: numbers.quotient(evaluated(e.numerator, numbers), evaluated(e.denominator, numbers)),
    Call: lambda e, numbers: numbers.call(e.function, [evaluated(argument, numbers) for argument in e.arguments]),
    Select: lambda e, numbers: numbers.select(
        *(evaluated(part, numbers) for part in (e.condition, e.positive, e.otherwise))
    ),
    Negation: lambda e, numbers: numbers.negative(evaluated(e.operand, numbers)),
}
