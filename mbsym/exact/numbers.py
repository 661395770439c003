"""What numbers the derivation runs over: residues of a field, or real numbers of many digits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Final, Protocol

from mbsym.exact.residues import Circle
from mbsym.symbolic.finite_field import PRIME
from mbsym.texts.several import Several

DIGITS: Final = 40


class NumberClass(Protocol):
    """A class of numbers at one random point."""

    circle: Circle

    def of(self, value: int | float | Fraction) -> Any: ...
    def drawn(self, *name: object) -> Any: ...
    def pi(self) -> Any: ...
    def relate(self, angle: Any, multiples: Sequence[Fraction]) -> None: ...


class Real:
    """A real number of 40 digits, with Python's and NumPy's operators; a random point has a class of its own."""

    __slots__ = ("value",)
    circle: ClassVar[Circle]
    context: ClassVar[Any]

    def __init__(self, value: Any) -> None:
        self.value = value

    @classmethod
    def of(cls, value: int | float | Fraction) -> Any:
        """A rational number."""
        found = Fraction(value)
        return cls(cls.context.mpf(found.numerator) / found.denominator)

    @classmethod
    def drawn(cls, *name: object) -> Any:
        """A random number between a half and three halves, the same one for a name."""
        return cls(cls.context.mpf(cls.circle.random(*name)) / PRIME + 0.5)

    @classmethod
    def pi(cls) -> Any:
        """Pi."""
        return cls(+cls.context.pi)

    @classmethod
    def relate(cls, angle: Any, multiples: Sequence[Fraction]) -> None:
        """Real angles are related as they are."""

    def _other(self, other: Any) -> Any:
        if isinstance(other, Real):
            return other.value
        if isinstance(other, (int, float, Fraction)) or (
            type(other).__module__ == "numpy" and not hasattr(other, "__len__")
        ):
            return self.of(
                other if isinstance(other, Fraction) else other.item() if hasattr(other, "item") else other
            ).value
        return None

    def _made(self, other: Any, operation: str, swapped: bool = False) -> Any:
        value = self._other(other)
        if value is None:
            return NotImplemented
        a, b = (value, self.value) if swapped else (self.value, value)
        if operation == "+":
            return self.__class__(a + b)
        if operation == "-":
            return self.__class__(a - b)
        return self.__class__(a * b if operation == "*" else a / b)

    def __add__(self, other: Any) -> Any:
        return self._made(other, "+")

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._made(other, "-")

    def __rsub__(self, other: Any) -> Any:
        return self._made(other, "-", swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._made(other, "*")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._made(other, "/")

    def __rtruediv__(self, other: Any) -> Any:
        return self._made(other, "/", swapped=True)

    def __neg__(self) -> Any:
        return self.__class__(-self.value)

    def __pos__(self) -> Any:
        return self

    def __eq__(self, other: object) -> bool:
        value = self._other(other)
        return value is not None and bool(abs(self.value - value) < self.context.mpf(10) ** (8 - DIGITS))

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < self._other(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= self._other(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > self._other(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= self._other(other))

    @property
    def vanishes(self) -> bool:
        """Whether it is zero but for rounding."""
        return self == 0

    def sin(self) -> Any:
        """Sine."""
        return self.__class__(self.context.sin(self.value))

    def cos(self) -> Any:
        """Cosine."""
        return self.__class__(self.context.cos(self.value))

    def tan(self) -> Any:
        """Tangent."""
        return self.__class__(self.context.tan(self.value))

    def sqrt(self) -> Any:
        """Root."""
        return self.__class__(self.context.sqrt(self.value))

    def stands(self, name: str, *others: Any) -> Any:
        """An elementary function by its name."""
        if name in ("min", "max"):
            return min(self, *others) if name == "min" else max(self, *others)
        if name == "sign":
            return self.of((self.value > 0) - (self.value < 0))
        of = getattr(self.context, {"abs": "fabs", "pow": "power"}.get(name, name))
        return self.__class__(of(self.value, *(each.value for each in others)))

    def piece(self, starts: Sequence[float]) -> Several:
        """Which of some pieces it lies in."""
        own = max(bisect_right(starts, float(self.value)) - 1, 0)
        return Several.of(int(k == own) for k in range(len(starts)))

    def twice(self) -> int:
        """Twice a number that is whole or halves one."""
        return int(self.context.nint(2 * self.value))


def real_point(key: str) -> type[Real]:
    """The numbers of one random point."""
    from mpmath import MPContext

    context = MPContext()
    context.dps = DIGITS
    return type("RealHere", (Real,), {"__slots__": (), "circle": Circle(key), "context": context})
