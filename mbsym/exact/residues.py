"""Numbers of the field GF(2^61 - 1) and power series over them, with Python's and NumPy's operators.

Sine and cosine of a residue are a point of the unit circle, which a ``Circle`` has for each angle that is known: the
angles of joints get (2t, 1 - t^2)/(1 + t^2) for a random t, their multiples follow by the group law. Two angles that
are not known to be related have independent points, so what holds for them holds for all angles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b
from math import isqrt
from typing import Any, ClassVar, Final

import numpy as np

from mbsym.errors import MbsymError
from mbsym.symbolic.finite_field import PRIME, Point, inverse, root
from mbsym.texts.several import Several

_UNIT: Final = (0, 1)
_ODD: Final = frozenset(("tanh", "asin", "sign"))
ROOT: Final = "sqrt"
NO_SQUARE: Final = "the root of what is no square of the field"
_SMALL: Final = 1 << 40
COMPARED: Final = "a comparison of numbers"


class UndecidedError(MbsymError):
    """The field does not decide: a comparison, or a function that it knows nothing of."""


@dataclass(slots=True)
class Circle:
    """One random point of the field: numbers by name, and sines and cosines by angle.

    Attributes:
        key: says which point.
        points: sine and cosine of the angles that are known, by their residue.
        is_open: an angle that is not known gets a point of its own; else it is not decided.
        unknown: functions that stand for themselves and were asked for.
    """

    key: str
    points: dict[int, Point] = field(default_factory=lambda: {0: _UNIT})
    is_open: bool = True
    unknown: set[str] = field(default_factory=set)

    def random(self, *name: object) -> int:
        """A number that depends on the point and a name alone."""
        digest = blake2b(repr(name).encode(), key=self.key.encode(), digest_size=16).digest()
        return int.from_bytes(digest, "little") % PRIME

    def know(self, angle: int, multiples: Sequence[Fraction]) -> None:
        """Gives an angle and multiples of it a point, by a common part of all of them."""
        parts = 1
        for each in multiples:
            parts = parts * each.denominator // np.gcd(parts, each.denominator)
        t = self.random("angle", angle)
        divided = inverse((1 + t * t) % PRIME)
        unit = (2 * t * divided % PRIME, (1 - t * t) * divided % PRIME)
        for each in (Fraction(1), *multiples):
            steps = int(each * int(parts))
            turned = _UNIT
            for _ in range(abs(steps)):
                turned = _sum(turned, unit)
            place = angle * each.numerator * inverse(each.denominator) % PRIME
            self._set(place, turned if steps >= 0 else (-turned[0] % PRIME, turned[1]))

    def know_turns(self, pi: int) -> None:
        """The multiples of pi/4 within two turns."""
        half = root(inverse(2))
        assert half is not None, "2 is a square of this field"
        turned, eighth = _UNIT, (half, half)
        for steps in range(17):
            self._set(pi * steps % PRIME * inverse(4) % PRIME, turned)
            turned = _sum(turned, eighth)

    def _set(self, angle: int, point: Point) -> None:
        self.points[angle] = point
        self.points[-angle % PRIME] = (-point[0] % PRIME, point[1])

    def point(self, angle: int) -> Point:
        """Sine and cosine of an angle.

        Raises:
            UndecidedError: it is none that is known, nor the sum or difference of two.
        """
        if angle not in self.points:
            found = next((other for other in self.points if (angle - other) % PRIME in self.points), None)
            if found is not None:
                self._set(angle, _sum(self.points[found], self.points[(angle - found) % PRIME]))
            elif self.is_open:
                self.know(angle, ())
            else:
                raise UndecidedError("the sine of what is no angle of a joint")
        return self.points[angle]


def _sum(a: Point, b: Point) -> Point:
    """The point of the sum of two angles."""
    return (a[0] * b[1] + a[1] * b[0]) % PRIME, (a[1] * b[1] - a[0] * b[0]) % PRIME


class Residue:
    """A number of the field; a point of it has a class of its own, which knows its circle."""

    __slots__ = ("number",)
    circle: ClassVar[Circle]

    def __init__(self, number: int) -> None:
        self.number = number

    @classmethod
    def of(cls, value: int | float | Fraction) -> Any:
        """A rational number; a float is the fraction that it is.

        Raises:
            ZeroDivisionError: its denominator vanishes in the field.
        """
        found = Fraction(value)
        return cls(found.numerator * inverse(found.denominator % PRIME) % PRIME)

    @classmethod
    def drawn(cls, *name: object) -> Any:
        """A random number, the same one for a name."""
        return cls(cls.circle.random(*name))

    @classmethod
    def pi(cls) -> Any:
        """Pi, of which the field knows no more than the sines of its multiples."""
        return cls.drawn("pi")

    @classmethod
    def relate(cls, angle: Any, multiples: Sequence[Fraction]) -> None:
        """Lets an angle and multiples of it have a common part."""
        cls.circle.know(angle.number, multiples)

    def _other(self, other: Any) -> int | None:
        if other.__class__ is self.__class__:
            return int(other.number)
        if isinstance(other, (int, np.integer)):
            return int(other)
        if isinstance(other, (float, Fraction)):
            return int(self.of(other).number)
        return None

    def __add__(self, other: Any) -> Any:
        n = self._other(other)
        return NotImplemented if n is None else self.__class__((self.number + n) % PRIME)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        n = self._other(other)
        return NotImplemented if n is None else self.__class__((self.number - n) % PRIME)

    def __rsub__(self, other: Any) -> Any:
        n = self._other(other)
        return NotImplemented if n is None else self.__class__((n - self.number) % PRIME)

    def __mul__(self, other: Any) -> Any:
        n = self._other(other)
        return NotImplemented if n is None else self.__class__(self.number * n % PRIME)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        n = self._other(other)
        return NotImplemented if n is None else self.__class__(self.number * inverse(n % PRIME) % PRIME)

    def __rtruediv__(self, other: Any) -> Any:
        n = self._other(other)
        return NotImplemented if n is None else self.__class__(n * inverse(self.number) % PRIME)

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, (int, float, Fraction, np.integer)) or exponent != int(exponent):
            return NotImplemented
        power = pow(self.number, abs(int(exponent)), PRIME)
        return self.__class__(power if exponent >= 0 else inverse(power))

    def __neg__(self) -> Any:
        return self.__class__(-self.number % PRIME)

    def __pos__(self) -> Any:
        return self

    def __eq__(self, other: object) -> bool:
        n = self._other(other)
        return n is not None and (self.number - n) % PRIME == 0

    __hash__ = None  # type: ignore[assignment]

    def _compared(self, other: Any) -> bool:
        raise UndecidedError(COMPARED)

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    @property
    def vanishes(self) -> bool:
        """Whether it is zero."""
        return self.number == 0

    def sin(self) -> Any:
        """Sine, by the circle."""
        return self.__class__(self.circle.point(self.number)[0])

    def cos(self) -> Any:
        """Cosine, by the circle."""
        return self.__class__(self.circle.point(self.number)[1])

    def tan(self) -> Any:
        """Tangent."""
        return self.sin() / self.cos()

    def sqrt(self) -> Any:
        """The root that is a square itself.

        Raises:
            UndecidedError: there is none.
        """
        self.circle.unknown.add(ROOT)
        found = root(self.number)
        if found is None:
            raise UndecidedError(NO_SQUARE)
        return self.__class__(found)

    def stands(self, name: str, *others: Any) -> Any:
        """A function of which no more is known than that equal arguments give equal values, and opposite ones opposite
        values if it is odd. Sizes, the smaller and the larger of two are made of signs, which are such a function.

        Raises:
            UndecidedError: an argument is a series, whose derivatives are not known.
        """
        if name in _OF_SIGNS:
            return _OF_SIGNS[name](self, *others)
        if any(isinstance(each, Series) for each in others):
            raise UndecidedError(f"a derivative of {name}")
        self.circle.unknown.add(name)
        if others:
            return self.__class__(self.circle.random(name, self.number, *(each.number for each in others)))
        if name not in _ODD:
            return self.__class__(self.circle.random(name, self.number))
        size = min(self.number, PRIME - self.number)
        found = self.__class__(self.circle.random(name, size) if size else 0)
        return -found if size != self.number else found

    def piece(self, starts: Sequence[float]) -> Several:
        """Which of some pieces it lies in, of which no more is known than that equal numbers lie in the same one."""
        count = len(starts)
        self.circle.unknown.add("piece")
        shares = [self.__class__(self.circle.random("piece", count, k, self.number)) for k in range(1, count)]
        return Several.of([1 - sum(shares, self.__class__(0)), *shares])

    def twice(self) -> int:
        """Twice a small number that is whole or halves one.

        Raises:
            UndecidedError: it is another.
        """
        found = self.number * 2 % PRIME
        if found > _SMALL:
            raise UndecidedError("a place in a table")
        return found


def field_point(key: str) -> type[Residue]:
    """The numbers of one random point."""
    circle = Circle(key)
    circle.know_turns(circle.random("pi"))
    return type("ResidueHere", (Residue,), {"__slots__": (), "circle": circle})


def exact_root(value: Fraction) -> Fraction | None:
    """The positive root of a rational number, None where it is irrational."""
    numerator, denominator = isqrt(max(value.numerator, 0)), isqrt(value.denominator)
    found = Fraction(numerator, denominator)
    return found if found * found == value else None


class Series:
    """A power series in one variable, cut off behind its last coefficient.

    Series of a higher level have those of lower ones for coefficients: one variable each.
    """

    __slots__ = ("level", "terms")

    def __init__(self, terms: Sequence[Any], level: int) -> None:
        self.terms, self.level = tuple(terms), level

    def _other(self, other: Any) -> Sequence[Any] | None:
        """Coefficients of another number as a series of this level, None if that is an array."""
        if isinstance(other, Series) and other.level == self.level:
            return other.terms
        return None if isinstance(other, np.ndarray) else (other, *[0] * (len(self.terms) - 1))

    def _below(self, other: Any) -> bool:
        """Whether another number is a series that has this one for a coefficient."""
        return isinstance(other, Series) and other.level > self.level

    def _made(self, terms: Sequence[Any]) -> Series:
        return Series(terms, self.level)

    def __add__(self, other: Any) -> Any:
        if self._below(other):
            return other + self
        found = self._other(other)
        return NotImplemented if found is None else self._made([a + b for a, b in zip(self.terms, found, strict=True)])

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._made([-a for a in self.terms])

    def __pos__(self) -> Any:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if self._below(other):
            return other * self
        found = self._other(other)
        if found is None:
            return NotImplemented
        if not isinstance(other, Series) or other.level < self.level:
            return self._made([a * other for a in self.terms])
        a, b = self.terms, found
        return self._made([sum((a[i] * b[k - i] for i in range(1, k + 1)), a[0] * b[k]) for k in range(len(a))])

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if self._below(other):
            return other.__rtruediv__(self)
        found = self._other(other)
        if found is None:
            return NotImplemented
        first = 1 / (found[0] if not isinstance(found[0], int) else Fraction(found[0]))
        quotient: list[Any] = []
        for k, a in enumerate(self.terms):
            quotient.append((a - sum((found[k - i] * quotient[i] for i in range(k)), 0)) * first)
        return self._made(quotient)

    def __rtruediv__(self, other: Any) -> Any:
        return self._made((other, *[0] * (len(self.terms) - 1))) / self

    @property
    def vanishes(self) -> bool:
        """Whether its first coefficient is zero, so that nothing can be divided by it."""
        return vanishes(self.terms[0])

    def sin(self) -> Any:
        """Sine."""
        return self._turned(np.sin(self.terms[0]), np.cos(self.terms[0]))

    def cos(self) -> Any:
        """Cosine."""
        return self._turned(np.cos(self.terms[0]), -np.sin(self.terms[0]))

    def _turned(self, value: Any, slope: Any) -> Any:
        """A function f with f'' = -f, by its value and slope at the first coefficient."""
        if len(self.terms) == 2:
            return self._made([value, slope * self.terms[1]])
        _, first, second = self.terms
        return self._made([value, slope * first, slope * second - value * first * first * Fraction(1, 2)])

    def sqrt(self) -> Any:
        """Square root."""
        found = [np.sqrt(self.terms[0])]
        for k in range(1, len(self.terms)):
            rest = self.terms[k] - sum((found[i] * found[k - i] for i in range(1, k)), 0)
            found.append(rest / (found[0] + found[0]))
        return self._made(found)

    def stands(self, name: str, *others: Any) -> Any:
        """Of functions that stand for themselves an angle and signs alone have derivatives that are known.

        Raises:
            UndecidedError: a derivative of another.
        """
        if name == "sign":
            return sign(self.terms[0])
        if name in _OF_SIGNS:
            return _OF_SIGNS[name](self, *others)
        if name != "atan2":
            raise UndecidedError(f"a derivative of {name}")
        y, x = self, self._made(self._other(others[0]) or ())
        turning = (x._cut() * y._slope() - y._cut() * x._slope()) / (x * x + y * y)._cut()
        rates = (each / order for order, each in enumerate(turning.terms, start=1))
        return self._made([y.terms[0].stands(name, x.terms[0]), *rates])

    def piece(self, starts: Sequence[float]) -> Any:
        """Which of some pieces it lies in, where the variable is zero."""
        return self.terms[0].piece(starts)

    def _cut(self) -> Series:
        """Without its last coefficient."""
        return self._made(self.terms[:-1])

    def _slope(self) -> Series:
        """Its derivative."""
        return self._made([order * each for order, each in enumerate(self.terms)][1:])


def sign(value: Any) -> Any:
    """Of any number."""
    return value.stands("sign") if hasattr(value, "stands") else (value > 0) - (value < 0)


def chosen(test: Any, positive: Any, otherwise: Any) -> Any:
    """One number where another is positive, else a third: the one that is half of both and their difference by sign."""
    return (positive + otherwise + (positive - otherwise) * sign(test)) * Fraction(1, 2)


_OF_SIGNS: Final[dict[str, Any]] = {
    "abs": lambda x: x * sign(x),
    "max": lambda x, y: chosen(x - y, x, y),
    "min": lambda x, y: chosen(x - y, y, x),
}


def vanishes(value: Any) -> bool:
    """Whether nothing can be divided by a number."""
    return bool(value.vanishes if isinstance(value, (Residue, Series)) else value == 0)


def term(value: Any, order: int, level: int) -> Any:
    """A coefficient of a number as a series of a level."""
    if isinstance(value, Series) and value.level == level:
        return value.terms[order]
    return value if order == 0 else 0
