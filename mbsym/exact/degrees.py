"""How large a degree a text's results can have as rational functions of what is drawn at random.

A result is a polynomial in the numbers drawn, in sines and cosines, and in the inverses of what is divided by. Sums
take the larger exponents, products their sums. Sines and cosines are of degree two over a common denominator of degree
two, so that they count twice; an inverse counts for the degree of what it inverts. By Schwartz and Zippel a function
that is not zero vanishes at a random point with probability of at most its degree over 2^61 - 1.
"""

from __future__ import annotations

from typing import Any, Final

from mbsym.errors import MbsymError

VARIABLE: Final = -1
"""The exponent of all that is drawn."""


class UncountedError(MbsymError):
    """A text compares, so that its degree depends on the branch."""


class Degrees:
    """Inverses that occurred in one function.

    Attributes:
        inverses: the degree of each, by number.
    """

    def __init__(self) -> None:
        self.inverses: list[int] = []

    def drawn(self) -> Degree:
        """A number that is drawn."""
        return Degree(self, {VARIABLE: 1})

    def constant(self) -> Degree:
        """A number that is not."""
        return Degree(self, {})


class Degree:
    """Exponents of one number."""

    __slots__ = ("all", "exponents")

    def __init__(self, every: Degrees, exponents: dict[int, int]) -> None:
        self.all, self.exponents = every, exponents

    @property
    def bound(self) -> int:
        """Of its numerator and denominator."""
        own = self.exponents.get(VARIABLE, 0)
        return own + sum(count * self.all.inverses[k] for k, count in self.exponents.items() if k != VARIABLE)

    def _sum(self, other: Any) -> Degree:
        if not isinstance(other, Degree):
            return self
        found = dict(self.exponents)
        for k, count in other.exponents.items():
            if count > found.get(k, 0):
                found[k] = count
        return Degree(self.all, found)

    __add__ = __radd__ = __sub__ = __rsub__ = _sum

    def __mul__(self, other: Any) -> Degree:
        if not isinstance(other, Degree):
            return self
        found = dict(self.exponents)
        for k, count in other.exponents.items():
            found[k] = found.get(k, 0) + count
        return Degree(self.all, found)

    __rmul__ = __mul__

    def _inverse(self) -> Degree:
        if not self.exponents:
            return self
        self.all.inverses.append(max(self.bound, 1))
        return Degree(self.all, {len(self.all.inverses) - 1: 1})

    def __truediv__(self, other: Any) -> Degree:
        return self * other._inverse() if isinstance(other, Degree) else self

    def __rtruediv__(self, other: Any) -> Degree:
        return self._inverse()

    def __neg__(self) -> Degree:
        return self

    def __pow__(self, exponent: Any) -> Degree:
        found = Degree(self.all, {k: count * abs(int(exponent)) for k, count in self.exponents.items()})
        return found if exponent >= 0 else found._inverse()

    def turned(self) -> Degree:
        """Its sine or cosine, of an angle that is drawn."""
        return Degree(self.all, {VARIABLE: 2})

    def root(self) -> Degree:
        """Its root, a coordinate of a cover of degree two."""
        return Degree(self.all, {VARIABLE: 2 * max(self.bound, 1)})

    # NumPy's functions of arrays of objects call these.
    sin = cos = tan = turned
    sqrt = root

    def twice(self) -> int:
        """No place in a table, of which one stands for all."""
        return 0

    def _compared(self, other: Any) -> bool:
        raise UncountedError("degrees are not compared")

    __lt__ = __le__ = __gt__ = __ge__ = _compared


def of_definition(bodies: int, joints: int) -> int:
    """An estimate of the degree of what a mechanism's functions must return.

    By Cramer's rule: entries of its equations are products of what is drawn along a path.
    """
    size = 12 * bodies + 6 * joints + 1
    return size * 8 * size
