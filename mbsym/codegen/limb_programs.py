"""Programs in which one limb stands for all that are equal to it: where their entries stand, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from mbsym.passes.rebuild import depending_on, edge, rebuild
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program

NUMBERS: Final = "numbers of limbs"
"""Input of the program: the symbols of numbers in which limbs differ."""
SUMS: Final = "sums over limbs"
"""Input of the program: the symbols of sums over the limbs."""
SUMMANDS: Final = "summands of limbs"
"""Output of the program: what is summed."""
WIDTHS: Final = (2, 4, 8, 16)
"""Lanes that a vector may have; in those that are too many the last limb is repeated."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Where entries of an array stand: for each the group of limbs, -1 for scalars, and the places in the whole array.

    An entry without places is none of the function's.
    """

    groups: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class LimbProgram:
    """A program in which one limb of each group stands for all.

    Attributes:
        program: with the inputs ``NUMBERS`` and ``SUMS`` behind its own, and the output ``SUMMANDS``.
        limbs: how many each group has.
        arrays: where the entries of its own inputs and outputs stand, by name.
        shapes: of the whole outputs, by name.
        numbers: group and values of the entries of ``NUMBERS``.
        sums: groups of the entries of ``SUMS``.
    """

    program: Program
    limbs: tuple[int, ...]
    arrays: Mapping[str, Entries]
    shapes: Mapping[str, tuple[int, ...]]
    numbers: tuple[tuple[int, tuple[Fraction, ...]], ...]
    sums: tuple[int, ...]

    def operations(self) -> tuple[int, tuple[int, ...]]:
        """+ - * / of scalars, and of one lane by group; sums over limbs are none of them."""
        graph = self.program.graph
        groups = self._groups_of_nodes()
        counts = [0] * (len(self.limbs) + 1)
        for node in self.program.nodes():
            counts[groups[node]] += graph.kinds[node] in ("add", "mul", "div")
        return counts[-1], tuple(counts[:-1])

    @property
    def cost(self) -> int:
        """Operations in all where two lanes cost what a scalar does, as they do in the narrowest vectors."""
        scalars, lanes = self.operations()
        widths = (next(width for width in WIDTHS if width >= count) for count in self.limbs)
        pairs = (count * width // 2 for count, width in zip(lanes, widths, strict=True))
        return scalars + sum(pairs) + sum(self.limbs[group] - 1 for group in self.sums)

    def _groups_of_nodes(self) -> dict[int, int]:
        graph, found = self.program.graph, dict[int, int]()
        for item in self.program.inputs:
            found |= zip(map(abs, item.symbols), self._groups(item.name), strict=True)
        for node in self.program.nodes():
            found.setdefault(node, max((found[abs(each)] for each in graph.operands(node)), default=-1))
        return found

    def _groups(self, name: str) -> Sequence[int]:
        if name == NUMBERS:
            return [group for group, _ in self.numbers]
        return [-1] * len(self.sums) if name == SUMS else self.arrays[name].groups

    def folded(self) -> LimbProgram:
        """The program in which numbers of the limbs that meet are one."""
        program, numbers, made = self.program, list(self.numbers), dict[int, Reference]()
        graph, names = program.graph, []
        item = next(item for item in program.inputs if item.name == NUMBERS)
        for group, count in enumerate(self.limbs):
            own = {ref: values for ref, (g, values) in zip(item.symbols, self.numbers, strict=True) if g == group}
            inside = depending_on(program, own, ("add", "mul", "div"))
            for node in edge(program, inside):
                values = tuple(
                    _exact(graph, node, {ref: row[lane] for ref, row in own.items()}) for lane in range(count)
                )
                if node in own:
                    continue
                if all(value == values[0] for value in values):
                    made[node] = graph.const(values[0])
                    continue
                names.append(f"number of limbs {len(numbers)}, folded")
                made[node] = graph.symbol(names[-1])
                numbers.append((group, values))
        more = replace(item, shape=(len(numbers),), symbols=(*item.symbols, *map(graph.symbol, names)))
        inputs = tuple(more if each is item else each for each in program.inputs)

        def image(target: Graph, node: int, _: Mapping[int, Reference]) -> Reference:
            ref = made[node]
            value = graph.constant_value(ref)
            return target.const(value) if value is not None else target.symbol(graph.arguments[ref][0])

        return replace(self, program=rebuild(replace(program, inputs=inputs), image, made), numbers=tuple(numbers))


def _exact(graph: Graph, node: Reference, known: Mapping[int, Fraction]) -> Fraction:
    """A value that follows from numbers."""
    if node < 0:
        return -_exact(graph, -node, known)
    if node in known:
        return known[node]
    if graph.kinds[node] == "const":
        value: Fraction = graph.arguments[node][0]
        return value
    first, second = (_exact(graph, each, known) for each in graph.arguments[node])
    kind = graph.kinds[node]
    return first + second if kind == "add" else first * second if kind == "mul" else first / second
