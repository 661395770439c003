"""Enclosures of one box in whole numbers: the mathematics of ``forms``, in another arithmetic, one value at a time.

All numbers are whole multiples of 2^-BITS, rounded away from what is enclosed; sines are those of mpmath with more
digits than are kept. Nothing here is shared with ``forms`` but its three constants.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Final

import mpmath

from mbsym.rounding.forms import BENT, NARROWER, WIDE

BITS: Final = 160
ONE: Final = 1 << BITS

_MORE: Final = 40
"""Bits beyond those that are kept, with which mpmath computes."""


def floor_of(value: Fraction) -> int:
    """The greatest multiple that is not above a number."""
    return (value.numerator << BITS) // value.denominator


def ceiling_of(value: Fraction) -> int:
    """The least multiple that is not below a number."""
    return -((-value.numerator << BITS) // value.denominator)


def down(x: int, y: int) -> int:
    """x y, rounded down."""
    return (x * y) >> BITS


def up(x: int, y: int) -> int:
    """x y, rounded up."""
    return -((-x * y) >> BITS)


def over(x: int, y: int) -> int:
    """x / y for positive numbers, rounded up."""
    return -((-x << BITS) // y)


def under(x: int, y: int) -> int:
    """x / y for positive numbers, rounded down."""
    return (x << BITS) // y


@dataclass(frozen=True, slots=True)
class ExactForm:
    """A middle, coefficients of inputs, what is left, the least and the greatest value; see ``forms.Form``.

    Attributes:
        angle: of which it is the sine (True) or the cosine, by its object, and the sign.
        term: a product by a sine or a cosine among the terms of a sum: angle, which of the two, sign, other factor,
            least and greatest of the other terms, None for both where there are none.
        rotated: angle, what its cosine and what its sine is multiplied by, product of the signs.
        opposite: what it is the negative of.
    """

    c: int
    a: dict[int, int]
    r: int
    low: int
    high: int
    angle: tuple[ExactForm, bool, int] | None = None
    term: tuple[ExactForm, bool, int, ExactForm, int | None, int | None] | None = None
    rotated: tuple[ExactForm, ExactForm, ExactForm, int] | None = None
    opposite: ExactForm | None = None

    @property
    def radius(self) -> int:
        """Greatest distance from the middle."""
        return sum(map(abs, self.a.values())) + self.r

    @property
    def greatest(self) -> int:
        """Bound of the absolute value."""
        return max(abs(self.low), abs(self.high))

    @property
    def least(self) -> int:
        """Lower bound of the absolute value."""
        return max(self.low, -self.high, 0)


class UnboundedError(ArithmeticError):
    """A reciprocal or a root over an interval where there is none."""


def _form(c: int, a: dict[int, int], r: int, low: int, high: int) -> ExactForm:
    radius = sum(map(abs, a.values())) + r
    low, high = max(low, c - radius), min(high, c + radius)
    if high - low < floor_of(Fraction(2 * NARROWER) * radius / ONE):
        return between(low, high)
    return ExactForm(c, a, r, low, high)


def of_input(place: int, low: Fraction, high: Fraction) -> ExactForm:
    """An input between two numbers."""
    ends = floor_of(low), ceiling_of(high)
    c = (ends[0] + ends[1]) >> 1
    return ExactForm(c, {place: max(ends[1] - c, c - ends[0])}, 0, *ends)


def of_number(value: Fraction, off: int = 0) -> ExactForm:
    """A number that may be off by so much."""
    c, end = floor_of(value), ceiling_of(value)
    return ExactForm(c, {}, end - c + off, c - off, end + off)


def between(low: int, high: int) -> ExactForm:
    """A value between two, of which no more is known."""
    c = (low + high) >> 1
    return ExactForm(c, {}, high - c, low, high)


def plus(x: ExactForm, y: ExactForm) -> ExactForm:
    """x + y."""
    a = dict(x.a)
    for k, value in y.a.items():
        a[k] = a.get(k, 0) + value
    low, high = x.low + y.low, x.high + y.high
    rotated = None
    if x.term and y.term and x.term[0] is y.term[0] and x.term[1] != y.term[1]:
        (angle, is_sine, *_), rest = x.term, [end or 0 for end in (*x.term[4:], *y.term[4:])]
        by_cosine, by_sine = (y.term[3], x.term[3]) if is_sine else (x.term[3], y.term[3])
        square = _square(by_cosine, by_sine)
        length = isqrt(square) + 1
        low, high = max(low, rest[0] + rest[2] - length), min(high, rest[1] + rest[3] + length)
        if x.term[4] is None and y.term[4] is None:
            rotated = (angle, by_cosine, by_sine, x.term[2] * y.term[2])
    found = _form(x.c + y.c, a, x.r + y.r, low, high)
    for one, other in ((y, x), (x, y)):
        if one.term:
            least, most = ((end or 0) for end in one.term[4:])
            return replace(found, term=(*one.term[:4], least + other.low, most + other.high), rotated=rotated)
    return found


def _square(x: ExactForm, y: ExactForm) -> int:
    """Bound of x^2 + y^2, at twice the bits: what the two were rotated from is as long."""
    square, a, b = x.greatest**2 + y.greatest**2, x.rotated, y.rotated
    if a and b and (a[0] is b[0]) and (a[1] is b[2]) and (a[2] is b[1]) and a[3] == -b[3]:
        square = min(square, _square(a[1], a[2]))
    return square


def negative(x: ExactForm) -> ExactForm:
    """-x."""
    if x.opposite:
        return x.opposite
    found = ExactForm(
        -x.c, {k: -value for k, value in x.a.items()}, x.r, -x.high, -x.low, opposite=x, rotated=x.rotated
    )
    if x.angle:
        found = replace(found, angle=(x.angle[0], x.angle[1], -x.angle[2]))
    if x.term:
        least, most = (None if end is None else -end for end in x.term[4:])
        found = replace(found, term=(*x.term[:2], -x.term[2], x.term[3], most, least))
    return found


def times(x: ExactForm, y: ExactForm) -> ExactForm:
    """x y."""
    shared = {k: x.a[k] * y.a[k] for k in x.a.keys() & y.a.keys()}
    squares, sizes = sum(shared.values()), sum(map(abs, shared.values()))
    a = {k: (x.c * y.a.get(k, 0) + y.c * x.a.get(k, 0)) >> BITS for k in x.a.keys() | y.a.keys()}
    # Twice the middle and twice what is left, at twice the bits: halved and rounded once.
    middle = 2 * x.c * y.c + squares
    left = 2 * (abs(x.c) * y.r + abs(y.c) * x.r + x.radius * y.radius) - sizes
    ends = (x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high)
    low, high = min(ends) >> BITS, -(-max(ends) >> BITS)
    if x is y:
        middle, left, low = middle + x.r * x.r, left - x.r * x.r, down(x.least, x.least)
    found = _form(middle >> (BITS + 1), a, -(-left >> (BITS + 1)) + len(a) + 1, low, high)
    for one, other in ((x, y), (y, x)):
        if one.angle:
            angle, is_sine, sign = one.angle
            return replace(
                found,
                term=(angle, is_sine, -sign if other.opposite else sign, other.opposite or other, None, None),
            )
    return found


def reciprocal(x: ExactForm) -> ExactForm:
    """1 / x.

    Raises:
        UnboundedError: x may be zero.
    """
    near, far = x.least, x.greatest
    if near <= 0:
        raise UnboundedError
    sign = 1 if x.low > 0 else -1
    slope = under(ONE, up(near, far))
    top = max(over(ONE, near) + up(slope, near), over(ONE, far) + up(slope, far))
    bottom = 2 * isqrt(slope << BITS)
    middle = (top + bottom) >> 1
    a = {k: -down(slope, value) for k, value in x.a.items()}
    c = -down(slope, x.c) + sign * middle
    r = up(slope, x.r) + top - middle + len(a) + 2
    ends = (under(ONE, far), over(ONE, near))
    return _form(c, a, r, *(ends if sign > 0 else (-ends[1], -ends[0])))


def _sine(x: int) -> tuple[int, int]:
    """sin(x) and cos(x), each within 1 of what it is times 2^BITS."""
    with mpmath.workprec(BITS + _MORE + max(0, x.bit_length() - BITS)):
        angle = mpmath.ldexp(mpmath.mpf(x), -BITS)
        return tuple(int(mpmath.floor(mpmath.ldexp(f(angle), BITS))) for f in (mpmath.sin, mpmath.cos))  # type: ignore[return-value]


def _lines(reach: int) -> tuple[int, int, int]:
    """Slope of the line through sines of angles up to ``reach``, how far they are from it, and cos(reach)."""
    with mpmath.workprec(BITS + _MORE):
        angle = mpmath.ldexp(mpmath.mpf(reach), -BITS)
        secant = mpmath.sin(angle) / angle if reach else mpmath.mpf(1)
        slope = int(mpmath.floor(mpmath.ldexp(secant + mpmath.mpf(BENT) * (1 - secant), BITS)))
        exact = mpmath.ldexp(mpmath.mpf(slope), -BITS)
        inside = mpmath.sqrt(1 - exact * exact) - exact * mpmath.acos(exact)
        away = max(inside, abs(mpmath.sin(angle) - exact * angle))
        return (
            slope,
            int(mpmath.ceil(mpmath.ldexp(away, BITS))) + 1,
            int(mpmath.floor(mpmath.ldexp(mpmath.cos(angle), BITS))),
        )


def sine_and_cosine(x: ExactForm) -> tuple[ExactForm, ExactForm]:
    """sin(x) and cos(x)."""
    ends = _range(x.low, x.high)
    if x.radius > floor_of(Fraction(WIDE)):
        return replace(between(*ends[0]), angle=(x, True, 1)), replace(between(*ends[1]), angle=(x, False, 1))
    sine, cosine = _sine(x.c)
    slope, away, least = _lines(x.radius)
    middle, off = (ONE + least) >> 1, (ONE - least + 3) >> 1
    found = []
    for even, odd, limits in ((sine, cosine, ends[0]), (cosine, -sine, ends[1])):
        factor = down(odd, slope)
        a = {k: down(factor, value) for k, value in x.a.items()}
        rest = up(abs(even), off) + up(abs(odd) + 1, away) + up(abs(factor) + 2, x.r)
        # Each rounding of a factor counts with what it is multiplied by.
        loose = 4 + 2 * len(a) + up(3, x.radius)
        found.append(_form(down(even, middle), a, rest + loose, *limits))
    return replace(found[0], angle=(x, True, 1)), replace(found[1], angle=(x, False, 1))


def _range(low: int, high: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Least and greatest sine and cosine of angles in an interval."""
    if high - low >= 7 * ONE:
        return (-ONE, ONE), (-ONE, ONE)
    (sine_low, cosine_low), (sine_high, cosine_high) = _sine(low), _sine(high)
    sines, cosines = (sine_low, sine_high), (cosine_low, cosine_high)
    with mpmath.workprec(BITS + _MORE + max(low.bit_length(), high.bit_length())):
        first, last = (mpmath.ldexp(mpmath.mpf(end), 1 - BITS) / mpmath.pi for end in (low, high))
        # Quarters of turns in between; one too many at an end widens the range alone.
        quarters = range(
            int(mpmath.ceil(first - mpmath.ldexp(1, -80))), int(mpmath.floor(last + mpmath.ldexp(1, -80))) + 1
        )
    peaks = {quarter % 4 for quarter in quarters}
    return (
        (-ONE if 3 in peaks else max(min(sines) - 1, -ONE), ONE if 1 in peaks else min(max(sines) + 2, ONE)),
        (-ONE if 2 in peaks else max(min(cosines) - 1, -ONE), ONE if 0 in peaks else min(max(cosines) + 2, ONE)),
    )


def root(x: ExactForm) -> ExactForm:
    """The square root.

    Raises:
        UnboundedError: x may be negative.
    """
    if x.low < 0:
        raise UnboundedError
    low, high = isqrt(x.low << BITS), isqrt(x.high << BITS) + 1
    slope = under(ONE, low + high)
    top = over(ONE, 4 * slope)
    bottom = min(low - up(slope, x.low), high - 1 - up(slope, x.high))
    middle = (top + bottom) >> 1
    a = {k: down(slope, value) for k, value in x.a.items()}
    return _form(down(slope, x.c) + middle, a, up(slope, x.r) + top - middle + len(a) + 2, low, high)


def absolute(x: ExactForm) -> tuple[ExactForm, ExactForm]:
    """|x| and the factor of a change of x."""
    if x.low >= 0:
        return x, of_number(Fraction(1))
    if x.high <= 0:
        return negative(x), of_number(Fraction(-1))
    return between(0, x.greatest), between(-ONE, ONE)
