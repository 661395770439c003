"""Whole numbers that stand for several at once, each with a weight: which piece of a table an argument lies in.

What is read at such a place is the sum of what stands at each, by their weights. What holds for all weights whose sum
is one holds for each piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


class Several:
    """A whole number, or one and a half more, that stands for several.

    Attributes:
        weights: of twice each of these numbers.
    """

    __slots__ = ("weights",)

    def __init__(self, weights: Mapping[int, Any]) -> None:
        self.weights = dict(weights)

    @classmethod
    def of(cls, weights: Iterable[Any]) -> Several:
        """One of the whole numbers from zero on, by the weight of each."""
        return cls({2 * place: weight for place, weight in enumerate(weights)})

    def __add__(self, other: Any) -> Several:
        if not isinstance(other, Several):
            more = twice(other)
            return Several({key + more: weight for key, weight in self.weights.items()})
        found: dict[int, Any] = {}
        for key, weight in self.weights.items():
            for more, share in other.weights.items():
                found[key + more] = found.get(key + more, 0) + weight * share
        return Several(found)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Several:
        times = twice(other)
        return Several({key * times // 2: weight for key, weight in self.weights.items()})

    __rmul__ = __mul__

    def read(self, entry: Callable[[int], Any]) -> Any:
        """What stands at these places, halves left out.

        Args:
            entry: what stands at one.
        """
        first, *others = ((key // 2, weight) for key, weight in self.weights.items())
        total = entry(first[0]) * first[1]
        for place, weight in others:
            total = total + entry(place) * weight
        return total


def twice(number: Any) -> int:
    """Twice a number that is whole or halves one."""
    return number * 2 if number.__class__ is int else int(number.twice())
