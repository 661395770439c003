"""A function's text as one list of real operations, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter, pi
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["input", "constant", "+", "-", "*", "/", "negative", "sin", "cos", "sqrt", "abs"]

TURN: Final = (-nextafter(pi, inf), nextafter(pi, inf))
"""An interval that holds a whole turn [rad]."""

ROUNDED_BY_LIBRARY: Final = ("sin", "cos")
"""Operations that a library computes, with a bound that is wider than half a unit in the last place."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation.

    Attributes:
        kind: what it does.
        operands: places of its operands on the tape, all before its own.
        value: of a constant, exactly as its decimal says.
        line: of the text that it stands in.
    """

    kind: Kind
    operands: tuple[int, ...] = ()
    value: Fraction = Fraction(0)
    line: int = 0


@dataclass(frozen=True)
class Tape:
    """A function without branches: results are rounded as the text says, one after the other.

    Attributes:
        steps: operations; inputs come first.
        inputs: names of the inputs, "q[0]", in the order of their steps.
        outputs: places of the results by name, "tau[0]", in the order of the text.
    """

    steps: tuple[Step, ...]
    inputs: tuple[str, ...]
    outputs: Mapping[str, int]

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Places of different results, in order: what two names share is bounded once."""
        return tuple(dict.fromkeys(self.outputs.values()))

    @cached_property
    def rounded(self) -> tuple[bool, ...]:
        """Whether a step rounds, or takes up something rounded: others have no error."""
        found: list[bool] = []
        for step in self.steps:
            found.append(step.kind not in ("input", "negative", "abs") or any(found[k] for k in step.operands))
            if step.kind == "constant":
                found[-1] = not is_exact(step.value)
        return tuple(found)

    def used(self) -> tuple[bool, ...]:
        """Of each input whether anything that is computed takes it."""
        taken = {operand for step in self.steps for operand in step.operands} | set(self.places)
        return tuple(place in taken for place, step in enumerate(self.steps) if step.kind == "input")

    def one_turn(self, low: Sequence[float], high: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Ends of a box of which angles over more than a turn are one turn, if nothing but their sines is taken.

        Sines and cosines are the same then, and their rounding is bounded by a unit wherever the angle is.
        """
        others = {k for step in self.steps if step.kind not in ROUNDED_BY_LIBRARY for k in step.operands}
        others.update(self.places)
        places = [place for place, step in enumerate(self.steps) if step.kind == "input"]
        ends = [
            TURN if place not in others and last - first > 2 * TURN[1] else (first, last)
            for place, first, last in zip(places, low, high, strict=True)
        ]
        return tuple(first for first, _ in ends), tuple(last for _, last in ends)

    def work(self) -> int:
        """Steps that one box costs: once ahead, and back from each result."""
        return len(self.steps) + sum(sum(1 for _ in self.behind(place)) for place in self.places)

    def behind(self, place: int) -> Iterator[int]:
        """Places that a result depends on and whose error reaches it, from the last to the first, itself among them."""
        wanted = {place}
        for k in range(place, -1, -1):
            if k in wanted:
                yield k
                wanted.update(operand for operand in self.steps[k].operands if self.rounded[operand])


def is_exact(value: Fraction) -> bool:
    """True for a constant that every binary format has: few bits behind the point, as 2, 0.5 and 0.75."""
    return value.denominator.bit_count() == 1 and abs(value.numerator) < 2**24 and value.denominator < 2**24


def is_power_of_two(value: Fraction) -> bool:
    """True for a factor that changes the exponent alone: the product is exact."""
    return is_exact(value) and value.denominator.bit_count() == 1 == abs(value.numerator).bit_count()
