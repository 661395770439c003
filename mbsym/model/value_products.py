"""Products and quotients of values of a model, exact where they are numbers, text where they are expressions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from mbsym.values.numbers import decimal_number
from mbsym.values.parameter import Value

DIGITS: Final = 15
"""Of factors that were computed in floating point: what round-off changes from machine to machine is left out."""


def rounded(number: float | Fraction) -> Decimal:
    """A computed factor as a decimal of ``DIGITS`` digits."""
    return Decimal(f"{float(number):.{DIGITS}g}")


def times(value: Value, factor: Fraction | Decimal | int) -> Value:
    """The value times a number, exactly."""
    number = number_of(value)
    if number is not None:
        found = number * Fraction(factor)
        return int(found) if found.denominator == 1 else found
    if isinstance(value, str):
        if isinstance(factor, Decimal):
            return f"({value})*{factor:f}"
        ratio = Fraction(factor)
        return f"({value})*{ratio.numerator}" + (f"/{ratio.denominator}" if ratio.denominator != 1 else "")
    expression: Any = value
    return expression * Fraction(factor)


def product(a: Value, b: Value) -> Value:
    """The product of two values."""
    first, second = number_of(a), number_of(b)
    if second is not None:
        return times(a, second)
    if first is not None:
        return times(b, first)
    return f"({a})*({b})"


def divided(a: Value, b: Value) -> Value:
    """The quotient of two values."""
    number = number_of(b)
    return times(a, 1 / number) if number else f"({a})/({b})"


def number_of(value: Value) -> Fraction | None:
    """The exact number that a value is, None of expressions."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Decimal | Fraction):
        return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    return decimal_number(value) if isinstance(value, str) else None
