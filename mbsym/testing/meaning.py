"""Which fraction a number in a user's text means."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar, Final

_SHORT: Final = 12
"""Digits of a number that is meant as it stands; one in a hundred thousand that were rounded has no more."""

_SIMPLE: Final = 1000
"""Largest denominator of a fraction that a number with more digits is: one number in 10^10 is such a one by chance."""


def meant(value: float) -> tuple[Fraction, bool]:
    """The fraction that a double is likely to be, and whether it may be rounded."""
    digits = repr(float(value))
    mantissa = digits.partition("e")[0].replace(".", "").lstrip("-").strip("0")
    if len(mantissa) <= _SHORT:
        return Fraction(digits), False
    near = Fraction(value).limit_denominator(_SIMPLE)
    return (near, False) if float(near) == value else (Fraction(digits), True)


class Meant(Fraction):
    """A fraction that stays one where a double is added or multiplied; those of one function have a class of their own.

    Attributes:
        rounded: doubles that were met and may be rounded.
    """

    __slots__ = ()
    rounded: ClassVar[set[float]]

    def __neg__(self) -> Meant:
        return type(self)(Fraction.__neg__(self))

    def __pos__(self) -> Meant:
        return self


def _staying(name: str) -> Callable[[Meant, Any], Any]:
    of = getattr(Fraction, name)

    def operation(self: Meant, other: Any) -> Any:
        if isinstance(other, float) and math.isfinite(other):
            other, is_rounded = meant(other)
            if is_rounded:
                self.rounded.add(float(other))
        found = of(self, other)
        return type(self)(found) if isinstance(found, Fraction) else found

    return operation


def fractions_of(rounded: set[float]) -> type[Meant]:
    """The fractions of one function, with the set of its numbers that may be rounded."""
    letters = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow")
    own = {f"__{name}__": _staying(f"__{name}__") for name in letters}
    return type("MeantHere", (Meant,), {"__slots__": (), "rounded": rounded, **own})
