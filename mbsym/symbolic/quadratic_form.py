"""Quadratic forms with integer coefficients that are products of two linear forms with rational ones."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import TypeAlias

Linear: TypeAlias = dict[int, int]
"""Coefficients by variable."""

Quadratic: TypeAlias = Mapping[tuple[int, int], int | Fraction]
"""Coefficients of products of variables, the smaller one first. A variable may stand for the number one."""


def linear_factors(form: Quadratic) -> tuple[Fraction, Linear, Linear] | None:
    """A number and two linear forms with coprime integers whose product the form is.

    With a variable x that occurs squared, the form is a x^2 + b x + c with b linear and c quadratic in the others; it
    has linear factors exactly if b^2 - 4 a c is the square of a linear form r, and these are 2 a x + b +- r. Forms
    without any square are not looked at.

    Returns:
        None where there are no such factors.
    """
    lead = min((i for i, j in form if i == j and i >= 0), default=None)
    if lead is None:
        return None
    a = form[lead, lead]
    b = {i + j - lead: factor for (i, j), factor in form.items() if lead in (i, j) and i != j}
    discriminant: dict[tuple[int, int], int | Fraction] = _square(b)
    for (i, j), factor in form.items():
        if lead not in (i, j):
            discriminant[i, j] = discriminant.get((i, j), 0) - 4 * a * factor
    root = _linear_root({key: factor for key, factor in discriminant.items() if factor})
    if root is None:
        return None
    number = Fraction(1) / (4 * a)
    factors = []
    for sign in (1, -1):
        linear = {lead: Fraction(2 * a)}
        for i in sorted({*b, *root}):
            linear[i] = b.get(i, 0) + sign * root.get(i, Fraction(0))
        content, whole = _coprime({i: factor for i, factor in linear.items() if factor})
        number *= content
        factors.append(whole)
    return number, factors[0], factors[1]


def _square(linear: Mapping[int, int | Fraction]) -> dict[tuple[int, int], int | Fraction]:
    product: dict[tuple[int, int], int | Fraction] = {}
    for i, factor in linear.items():
        for j, other in linear.items():
            key = (min(i, j), max(i, j))
            product[key] = product.get(key, 0) + factor * other
    return product


def _linear_root(form: Quadratic) -> dict[int, Fraction] | None:
    """The linear form whose square a form is."""
    squares = sorted(i for i, j in form if i == j)
    if not squares:
        return None if form else {}
    first = squares[0]
    size = Fraction(form[first, first])
    if size < 0:
        return None
    root = Fraction(isqrt(size.numerator), isqrt(size.denominator))
    if root * root != size:
        return None
    linear = {first: root}
    for (i, j), factor in form.items():
        if first in (i, j) and i != j:
            linear[i + j - first] = factor / (2 * root)
    return linear if {key: f for key, f in _square(linear).items() if f} == dict(form) else None


def _coprime(linear: Mapping[int, Fraction]) -> tuple[Fraction, Linear]:
    """A number, and coprime integers of which the first is positive, whose product a linear form is."""
    numerator = gcd(*(factor.numerator for factor in linear.values()))
    denominator = lcm(*(factor.denominator for factor in linear.values()))
    sign = -1 if next(iter(linear.values())) < 0 else 1
    number = Fraction(sign * numerator, denominator)
    return number, {i: int(factor / number) for i, factor in linear.items()}
