"""Functions that a graph is given, besides the elementary ones it has.

The kind of their nodes is their name, an object that knows what they are of floats: it goes wherever kinds go, from
graph to graph and into the expressions that are printed. Of a step function the derivative is zero, almost everywhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from mbsym.doors import numpy as np

if TYPE_CHECKING:
    import numpy as np

ROUNDING = 4 * 2.0**-52
"""Of the largest start, by which starts may be off where they count as evenly spaced."""


class Definition(NamedTuple):
    """What a name is in expressions: how many arguments it takes, and what makes its value in a graph of them."""

    arguments: int
    write: Callable[[Any, Sequence[int]], int]


class GivenFunction(str):
    """The name of a function of floats, which may be called."""

    compute: Callable[..., float]

    def __new__(cls, name: str, compute: Callable[..., float]) -> GivenFunction:
        """A function by what it computes."""
        found = str.__new__(cls, name)
        found.compute = compute
        return found

    def __call__(self, *arguments: float) -> float:
        return self.compute(*arguments)

    def of_array(self, *arguments: Any) -> np.ndarray[Any, Any]:
        """The values at all entries, of complex ones at their real parts."""
        return np.asarray(np.vectorize(self.compute, otypes=[float])(*map(np.real, arguments)))

    @property
    def identity(self) -> str:
        """What tells it from others."""
        return str(self)


class StepFunction(GivenFunction):
    """A piecewise constant function: ``values[k]`` where x lies between ``starts[k]`` and the next start.

    Below the first start it is the first value. For what is not a number it is one of the values.

    Attributes:
        starts: where pieces start, increasing.
        values: one for each.
        array: what its numbers are called in code; functions of one array share it.
    """

    starts: Sequence[float]
    values: Sequence[float]
    array: str

    def __call__(self, *arguments: float) -> float:
        (x,) = arguments
        return self.values[max(bisect_right(self.starts, x) - 1, 0)]

    def of_array(self, *arguments: Any) -> np.ndarray[Any, Any]:
        (x,), (starts, values) = arguments, self._arrays
        return np.asarray(values[np.maximum(np.searchsorted(starts, np.real(x), side="right") - 1, 0)])

    @cached_property
    def _arrays(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        return np.array(self.starts, dtype=float), np.array(self.values, dtype=float)

    @property
    def numbers(self) -> Sequence[float]:
        """The numbers that code needs, which stand in its array."""
        return self.starts

    @cached_property
    def identity(self) -> str:
        """Its name, and a hash of its steps."""
        digest = blake2b(repr((self.starts, self.values)).encode(), digest_size=8).hexdigest()
        return f"{self}#{digest}"


class PieceNumber(StepFunction):
    """The number of the piece that x lies in, from zero."""

    def __new__(cls, name: str, starts: Sequence[float], array: str) -> PieceNumber:
        """The number of a piece by where pieces start."""
        found = str.__new__(cls, name)
        found.starts, found.values, found.array = tuple(starts), range(len(starts)), array
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.starts, self.array

    @cached_property
    def spacing(self) -> float | None:
        """The distance of its starts, None where they are not evenly spaced."""
        first, last, count = self.starts[0], self.starts[-1], len(self.starts) - 1
        step, allowed = (last - first) / count, ROUNDING * max(abs(first), abs(last))
        even = all(abs(start - (first + k * step)) <= allowed for k, start in enumerate(self.starts))
        return step if even else None


class Column(StepFunction):
    """What belongs to the piece of a number, which is its argument."""

    def __new__(cls, name: str, values: Sequence[float]) -> Column:
        """A column by its entries."""
        found = str.__new__(cls, name)
        found.starts, found.values, found.array = range(len(values)), tuple(values), name
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.values

    @property
    def numbers(self) -> Sequence[float]:
        return self.values
