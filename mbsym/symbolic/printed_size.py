"""How long the text of a value is: operations counted as often as they are printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from mbsym.symbolic.graph import ONE, Graph, Reference


@dataclass(slots=True)
class PrintedSizes:
    """Sizes of a graph's values, kept for reuse.

    Attributes:
        graph: whose values they are.
        letters: True where sines and cosines are letters, as s_12 in books, which are no operations.
    """

    graph: Graph
    letters: bool = False
    sizes: dict[int, int] = field(default_factory=dict)
    summands: dict[int, int] = field(default_factory=dict)

    def of(self, ref: Reference) -> int:
        """Operations and functions in the text of a value; changes of sign are free, x**n is one."""
        node = abs(ref)
        if node not in self.sizes:
            for each in self._missing(node):
                self._measure(each)
        return self.sizes[node]

    def of_all(self, refs: Iterable[Reference]) -> int:
        """The sizes of several values added."""
        return sum(self.of(ref) for ref in refs)

    def terms_of(self, ref: Reference) -> int:
        """Terms of the outermost sum in the text of a value, none for zero."""
        self.of(ref)
        return self.summands[abs(ref)] if ref else 0

    def _missing(self, top: int) -> list[int]:
        seen: set[int] = set()
        stack = [top]
        while stack:
            node = stack.pop()
            if node not in seen and node not in self.sizes:
                seen.add(node)
                stack += (abs(ref) for ref in self.graph.operands(node))
        return sorted(seen)

    def _measure(self, node: int) -> None:
        graph = self.graph
        operands = [abs(ref) for ref in graph.operands(node)]
        kind = graph.kinds[node]
        self.summands[node] = sum(self.summands[each] for each in operands) if kind == "add" else 1
        if kind == "const":
            value = graph.arguments[node][0]
            self.sizes[node] = int(value.denominator != 1 and not is_written_as_decimal(value))
            return
        if self.letters and kind in ("sin", "cos"):
            self.sizes[node] = 0
            return
        size = sum(self.sizes[each] for each in operands) + (1 if operands else 0)
        if kind == "mul":
            first, second = operands
            for number, other in ((first, second), (second, first)):
                if graph.kinds[number] == "const":
                    # A number times a sum is written as the sum of multiples.
                    size = self.sizes[other] + number_size(graph.arguments[number][0]) * self.summands[other]
            # x times 1/y is written x/y.
            size -= any(self.is_reciprocal(each) for each in operands)
        self.sizes[node] = size

    def is_reciprocal(self, ref: Reference) -> bool:
        """Whether a value is one over another."""
        return self.graph.kinds[abs(ref)] == "div" and self.graph.arguments[abs(ref)][0] == ONE


def number_size(coefficient: Fraction) -> int:
    """Operations that a factor p/q adds to a product."""
    if is_written_as_decimal(coefficient):
        return 1
    return int(abs(coefficient.numerator) != 1) + int(coefficient.denominator != 1)


def is_written_as_decimal(value: Fraction) -> bool:
    """Whether people write a number as 9.81 rather than 981/100: all that end after the point but 1/2, 3/4, 5/8, ..."""
    rest = value.denominator
    if rest == 1:
        return False
    rest >>= (rest & -rest).bit_length() - 1
    if rest == 1 and value.denominator <= 64 and abs(value.numerator) < 10:
        return False
    while rest % 5 == 0:
        rest //= 5
    return rest == 1
