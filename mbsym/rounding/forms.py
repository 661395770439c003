"""Enclosures of many boxes at once: affine forms and intervals, rounded outward.

A form of n inputs says for each box: the value is c + a_1 e_1 + ... + a_n e_n + r e with all e in [-1, 1], where e_k is
the place of input k within the box, and e is unknown; and it lies between low and high. What is lost by computing the
form itself in doubles is less than ``SLACK`` times the sizes that went in: each number of a form is the result of fewer
than 2^10 roundings of 2^-53. So r grows by that much with each operation, and intervals are widened by it.

A number that cannot be bounded has r infinite; not-a-number means the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from mbsym.doors import Array

SLACK: Final = 2.0**-40
TINY: Final = 1e-300
"""What underflow of a product can lose, and more."""

WIDE: Final = 1.9
"""Angle [rad] on either side of the middle, beyond which a sine is only known to lie between its least and greatest."""

NARROWER: Final = 0.53
"""Part of the radius of a form below which an interval replaces it."""

BENT: Final = 0.22
"""How far the slope of the line through a sine goes from its secant towards its tangent: both sides lose alike."""


@dataclass(frozen=True, slots=True)
class Form:
    """A value over B boxes.

    Attributes:
        c: middle, (B,).
        a: coefficients of n inputs, (n, B); None for all zero.
        r: what is left, not negative, (B,).
        low, high: the least and the greatest value, (B,).
        radius: sum of the absolute coefficients, and r.
        angle: of which it is the sine (True) or the cosine, by its object, and with which sign.
        term: a product by a sine or a cosine that it has as a term.
        rotated: of a component of a rotated vector, how it was made.
        opposite: the form that it has the other sign of.
    """

    c: Array
    a: Array | None
    r: Array
    low: Array
    high: Array
    radius: Array
    angle: tuple[Form, bool, int] | None = None
    term: Term | None = None
    rotated: Rotated | None = None
    opposite: Form | None = None

    @property
    def size(self) -> Array:
        """Bound of the absolute value of the form and of its parts."""
        return np.abs(self.c) + self.radius

    @property
    def greatest(self) -> Array:
        """Bound of the absolute value."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    @property
    def least(self) -> Array:
        """Lower bound of the absolute value, 0 where the sign is open."""
        return np.where(self.low > 0, self.low, np.where(self.high < 0, -self.high, 0.0))


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a sum: the sine or cosine of an angle times something.

    Attributes:
        angle: by its object.
        is_sine: or cosine.
        sign: of the term.
        factor: the other one.
        low, high: the least and the greatest of the other terms.
        is_alone: there are none.
    """

    angle: Form
    is_sine: bool
    sign: int
    factor: Form
    low: Array
    high: Array
    is_alone: bool


@dataclass(frozen=True, slots=True)
class Rotated:
    """A sum of one form times the cosine and another one times the sine of an angle; the product of both signs."""

    angle: Form
    by_cosine: Form
    by_sine: Form
    sign: int

    def is_other_component(self, other: Rotated) -> bool:
        """True where both are components of one vector that was rotated, or reflected."""
        return (
            self.angle is other.angle
            and self.by_cosine is other.by_sine
            and self.by_sine is other.by_cosine
            and self.sign == -other.sign
        )


def _length(x: Form, y: Form) -> Array:
    """Bound of the root of x^2 + y^2; what both were rotated from is as long."""
    length, a, b = np.hypot(x.greatest, y.greatest), x.rotated, y.rotated
    if a is not None and b is not None and a.is_other_component(b):
        length = np.minimum(length, _length(a.by_cosine, a.by_sine))
    return length * (1 + SLACK)


def _form(c: Array, a: Array | None, r: Array, low: Array, high: Array) -> Form:
    """A form that lies between low and high, and between what it says itself."""
    radius = r if a is None else np.abs(a).sum(axis=0) + r
    radius = radius * (1 + SLACK)
    edge = SLACK * np.abs(c)
    low = np.maximum(c - radius - edge, low - SLACK * np.abs(low) - TINY)
    high = np.minimum(c + radius + edge, high + SLACK * np.abs(high) + TINY)
    # What is known between its ends better than by its coefficients is no longer known by these.
    half = (high - low) / 2 * (1 + SLACK) + SLACK * (np.abs(low) + np.abs(high))
    wide = half < NARROWER * radius
    return Form(
        np.where(wide, low + (high - low) / 2, c),
        None if a is None else np.where(wide, 0.0, a),
        np.where(wide, half, r),
        low,
        high,
        np.where(wide, half, radius),
    )


def box(low: Array, high: Array) -> list[Form]:
    """Forms of the n inputs of boxes between low and high, (n, B) each."""
    middle, half = (low + high) / 2, (high - low) / 2 * (1 + SLACK)
    nothing, forms = np.zeros(low.shape[1]), []
    for k in range(len(low)):
        a = np.zeros(low.shape)
        a[k] = half[k]
        rest = SLACK * np.abs(middle[k]) * (half[k] > 0)
        forms.append(Form(middle[k], a, nothing + rest, low[k], high[k], half[k] + rest))
    return forms


def constant(value: Fraction | float, boxes: int, off: float = 0.0) -> Form:
    """A number that may be off by so much; what the nearest double leaves of it is in r."""
    nearest = float(value)
    c, is_double = np.full(boxes, nearest), Fraction(value) == Fraction(nearest)
    r = np.full(boxes, off + (0.0 if is_double and not off else SLACK * abs(nearest)))
    return Form(c, None, r, c - r, c + r, r)


def between(low: Array, high: Array) -> Form:
    """A value that is known to lie between two, and no more."""
    c = (low + high) / 2
    r = (high - low) / 2 * (1 + SLACK) + SLACK * np.abs(c)
    return Form(c, None, r, low, high, r)


def plus(x: Form, y: Form) -> Form:
    """x + y."""
    a = y.a if x.a is None else x.a if y.a is None else x.a + y.a
    low, high = x.low + y.low, x.high + y.high
    first, second, rotated = x.term, y.term, None
    if first is not None and second is not None and first.angle is second.angle and first.is_sine != second.is_sine:
        # A rotation: no component is longer than the vector.
        length = _length(first.factor, second.factor)
        low = np.maximum(low, first.low + second.low - length)
        high = np.minimum(high, first.high + second.high + length)
        if first.is_alone and second.is_alone:
            by_cosine, by_sine = (second, first) if first.is_sine else (first, second)
            rotated = Rotated(first.angle, by_cosine.factor, by_sine.factor, first.sign * second.sign)
    found = _form(x.c + y.c, a, x.r + y.r + SLACK * (x.size + y.size), low, high)
    for term, other in ((second, x), (first, y)):
        if term is not None:
            term = replace(term, low=term.low + other.low, high=term.high + other.high, is_alone=False)
            return replace(found, term=term, rotated=rotated)
    return found


def minus(x: Form, y: Form) -> Form:
    """x - y."""
    return plus(x, negative(y))


def negative(x: Form) -> Form:
    """-x."""
    if x.opposite is not None:
        return x.opposite
    angle = None if x.angle is None else (*x.angle[:2], -x.angle[2])
    term = None if x.term is None else replace(x.term, sign=-x.term.sign, low=-x.term.high, high=-x.term.low)
    a = None if x.a is None else -x.a
    return Form(-x.c, a, x.r, -x.high, -x.low, x.radius, angle, term, x.rotated, x)


def times(x: Form, y: Form) -> Form:
    """x y; a square where both are the same form.

    The product of what deviates from the middles is unknown but for the squares e_k^2, which lie in [0, 1].
    """
    c, r = x.c * y.c, np.abs(x.c) * y.r + np.abs(y.c) * x.r + x.radius * y.radius
    if x.a is None or y.a is None:
        a = None if x.a is None and y.a is None else x.c * y.a if x.a is None else y.c * x.a
    else:
        squares = x.a * y.a
        c, r = c + squares.sum(axis=0) / 2, r - np.abs(squares).sum(axis=0) / 2
        a = x.c * y.a + y.c * x.a
    ends = (x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high)
    low = np.minimum(np.minimum(ends[0], ends[1]), np.minimum(ends[2], ends[3]))
    high = np.maximum(np.maximum(ends[0], ends[1]), np.maximum(ends[2], ends[3]))
    if x is y:
        c, r, low = c + x.r * x.r / 2, r - x.r * x.r / 2, x.least**2
    found = _form(c, a, np.maximum(r, 0.0) + SLACK * (x.size * y.size) + TINY, low, high)
    for turning, other in ((x, y), (y, x)):
        if turning.angle is not None:
            angle, is_sine, sign = turning.angle
            sign, factor = (sign, other) if other.opposite is None else (-sign, other.opposite)
            nothing = np.zeros_like(c)
            return replace(found, term=Term(angle, is_sine, sign, factor, nothing, nothing, is_alone=True))
    return found


def reciprocal(x: Form) -> Form:
    """1/x by the line that is nearest to it over the interval; unbounded where x may be zero."""
    known = (x.low > 0) | (x.high < 0)
    sign = np.where(x.low > 0, 1.0, -1.0)
    near = np.where(known, x.least, 1.0) * (1 - SLACK)
    far = np.maximum(np.where(known, x.greatest, 1.0) * (1 + SLACK), near)
    slope = -1 / (near * far)
    top, bottom = 1 / near + 1 / far, 2 * np.sqrt(-slope)
    unknown = np.where(known, 0.0, np.inf)
    r = np.abs(slope) * x.r + np.maximum(top - bottom, 0.0) / 2 + SLACK * (np.abs(slope) * x.size + top) + unknown
    low, high = np.where(sign > 0, 1 / far, -1 / near), np.where(sign > 0, 1 / near, -1 / far)
    a = None if x.a is None else slope * x.a
    return _form(slope * x.c + sign * (top + bottom) / 2, a, r, low - unknown, high + unknown)


def sine_and_cosine(x: Form) -> tuple[Form, Form]:
    """sin(x) and cos(x).

    With x = c + d and |d| at most R: sin(x) = sin(c) cos(d) + cos(c) sin(d), cos(d) lies in [cos R, 1], and sin(d) is
    near a line through 0.
    """
    reach = np.where(x.radius <= WIDE, x.radius, WIDE) * (1 + SLACK)
    middle, off = (1 + np.cos(reach)) / 2, (1 - np.cos(reach)) / 2
    secant = np.sinc(reach / np.pi)
    slope = secant + BENT * (1 - secant)
    touched = np.arccos(np.minimum(slope, 1.0))
    inside = np.sqrt(np.maximum(1 - slope * slope, 0.0)) - slope * touched
    away = np.maximum(inside, np.abs(np.sin(reach) - slope * reach)) + SLACK
    sine, cosine = np.sin(x.c), np.cos(x.c)
    quarter = np.pi / 2
    found = (
        _turned(x, (sine * middle, np.abs(sine) * off), (cosine, slope, away), _range(x, quarter)),
        _turned(x, (cosine * middle, np.abs(cosine) * off), (-sine, slope, away), _range(x, 0.0)),
    )
    return replace(found[0], angle=(x, True, 1)), replace(found[1], angle=(x, False, 1))


def _turned(x: Form, even: tuple[Array, Array], odd: tuple[Array, Array, Array], ends: tuple[Array, Array]) -> Form:
    """A form of ``even`` (a middle and what is off), and of a factor times a line within some distance of a sine."""
    factor, slope, away = odd
    wide = ~(x.radius <= WIDE)
    known = between(*ends)
    r = even[1] + np.abs(factor) * (away + slope * x.r) + SLACK * (1 + x.radius)
    a = None if x.a is None else np.where(wide, 0.0, factor * slope * x.a)
    return _form(np.where(wide, known.c, even[0]), a, np.where(wide, known.r, r), *ends)


def _range(x: Form, peak: float) -> tuple[Array, Array]:
    """Least and greatest of cos(x - peak) by the interval of x."""
    low, high = x.low - peak, x.high - peak
    at_ends = np.cos(low), np.cos(high)
    edge = SLACK * (1 + np.abs(low) + np.abs(high))
    turns = 2 * np.pi
    full = ~(high - low < turns)
    top = full | (np.floor((high + edge) / turns) >= np.ceil((low - edge) / turns))
    bottom = full | (np.floor((high + edge) / turns - 0.5) >= np.ceil((low - edge) / turns - 0.5))
    least = np.where(bottom, -1.0, np.maximum(np.minimum(*at_ends) - edge, -1.0))
    return least, np.where(top, 1.0, np.minimum(np.maximum(*at_ends) + edge, 1.0))


def root(x: Form) -> Form:
    """The square root by the line that is nearest to it; unbounded where x may be negative."""
    known = x.low >= 0
    low = np.sqrt(np.where(known, x.low, 1.0)) * (1 - SLACK)
    high = np.maximum(np.sqrt(np.where(known, x.high, 1.0)) * (1 + SLACK), low + TINY)
    slope = 1 / (low + high)
    top, bottom = (low + high) / 4, slope * low * high
    unknown = np.where(known, 0.0, np.inf)
    r = slope * x.r + np.maximum(top - bottom, 0.0) / 2 + SLACK * (slope * x.size + high) + unknown
    a = None if x.a is None else slope * x.a
    return _form(slope * x.c + (top + bottom) / 2, a, r, low - unknown, high + unknown)


def absolute(x: Form) -> tuple[Form, Form]:
    """|x|, and the factor in [-1, 1] by which a change of x becomes one of it."""
    sign = np.where(x.low >= 0, 1.0, np.where(x.high <= 0, -1.0, 0.0))
    open_ = sign == 0
    r = np.where(open_, x.greatest / 2, x.r)
    a = None if x.a is None else np.where(open_, 0.0, sign * x.a)
    c = np.where(open_, x.greatest / 2, sign * x.c)
    return _form(c, a, r * (1 + SLACK), x.least, x.greatest), Form(
        sign, None, open_ * 1.0, np.where(open_, -1.0, sign), np.where(open_, 1.0, sign), open_ * 1.0
    )
