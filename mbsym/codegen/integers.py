"""Integers in expressions of functions that iterate: sums of multiples, as which they are compared and printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbsym.codegen.expressions import Call, Constant, Expression, MatrixProduct, Place, Product, Span, Sum, operands


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of multiples of integers, and a number."""

    terms: Mapping[Expression, int]
    number: int = 0

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """The sum with a multiple of another."""
        terms = dict(self.terms)
        for key, count in other.terms.items():
            terms[key] = terms.get(key, 0) + factor * count
        return Linear({key: count for key, count in terms.items() if count}, self.number + factor * other.number)


def linear(node: Expression) -> Linear:
    """An integer as a sum of multiples."""
    match node:
        case Constant(value):
            return Linear({}, int(value))
        case Sum(terms):
            total = Linear({})
            for negative, term in terms:
                total = total.plus(linear(term), -1 if negative else 1)
            return total
        case Product((first, second)):
            left, right = linear(first), linear(second)
            if not left.terms or not right.terms:
                one, factor = (right, left.number) if not left.terms else (left, right.number)
                return Linear({}).plus(one, factor)
    return Linear({node: 1})


def length(span: Span) -> int | None:
    """Number of entries, None where it is not known beforehand."""
    difference = linear(span.stop).plus(linear(span.start), -1)
    return None if difference.terms else difference.number // span.step


def lengths(node: Expression) -> tuple[int | None, ...]:
    """Entries along the axes of a vector, where they are known beforehand; () for scalars."""
    if isinstance(node, Place):
        return tuple(length(span) for span in node.spans)
    if isinstance(node, MatrixProduct):
        left, right = lengths(node.left), lengths(node.right)
        return (*left[:-1], *right[1:])
    if isinstance(node, Call) and node.function == "zeros":
        return tuple(int(each.value) if isinstance(each, Constant) else None for each in operands(node))
    inner = operands(node) if node.axes else ()
    return next((found for each in inner if (found := lengths(each))), ())


class Integer:
    """An integer: a text, perhaps empty, plus a number."""

    __slots__ = ("number", "text")

    def __init__(self, text: str, number: int = 0) -> None:
        self.text, self.number = text, number

    def __str__(self) -> str:
        if not self.text or not self.number:
            return self.text or str(self.number)
        return f"{self.text} {'-' if self.number < 0 else '+'} {abs(self.number)}"

    def plus(self, other: Integer) -> Integer:
        """The sum of both."""
        return Integer(" + ".join(filter(None, (self.text, other.text))), self.number + other.number)

    def times(self, factor: int) -> Integer:
        """The multiple."""
        if not self.text or factor == 1:
            return Integer(self.text, self.number * factor)
        text = str(self)
        return Integer(f"({text}) * {factor}" if " + " in text or " - " in text else f"{text} * {factor}")


def as_integer(text: str) -> Integer:
    """An integer that is a text."""
    return Integer("", int(text)) if text.lstrip("-").isdigit() else Integer(text)
