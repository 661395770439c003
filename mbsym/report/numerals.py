"""Decimals where people write decimals: 9.81, not 981/100, and twelve digits where a number has more."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from mbsym.doors import sympy
from mbsym.symbolic.printed_size import is_written_as_decimal

DIGITS: Final = 12
"""Of a number that is no short fraction."""


def with_decimals(value: Any) -> Any:
    """An expression or matrix with each rational that is written as a decimal in its place; for printing only.

    Exponents stay as they are. Numbers of more than twelve digits are rounded to them.
    """
    if isinstance(value, sympy.MatrixBase):
        return value.applyfunc(with_decimals)
    if not isinstance(value, sympy.Expr):
        return value
    return _replaced(value)


def text(value: Any) -> str:
    """An expression as SymPy prints it, with decimals."""
    return str(sympy.sstr(with_decimals(value), full_prec=False))


def _replaced(value: sympy.Expr) -> Any:
    if value.is_Rational:
        number = Fraction(int(value.p), int(value.q))
        if number.denominator == 1 or not (_is_long(number) or is_written_as_decimal(number)):
            return value
        return sympy.Float(value, DIGITS)
    if isinstance(value, sympy.Pow):
        return sympy.Pow(_replaced(value.base), value.exp)
    if not value.args or not value.atoms(sympy.Rational) - value.atoms(sympy.Integer):
        return value
    return value.func(*(_replaced(each) if isinstance(each, sympy.Expr) else each for each in value.args))


def _is_long(number: Fraction) -> bool:
    return max(len(str(abs(number.numerator))), len(str(number.denominator))) > DIGITS // 2
