"""Conditions of derived functions: where their Programs branch, and what the guards around their results ask.

A condition is a value of the graph and what decides on it. It has two sides; states are on one or the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.description import VANISHES
from mbsym.doors import Array
from mbsym.symbolic.domains import Guard, Need
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Output, Program

Kind: TypeAlias = Literal["select", "abs", "sign", "min", "max"] | Need

BRANCHING: Final = ("select", "abs", "sign", "min", "max")
"""Functions of the graph that are something else on either side of a value."""

DOUBTFUL: Final = 1.25
"""Factor around the bound of a divisor within which a text may be on the other side than its Program."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A value that code looks at.

    Attributes:
        value: of the graph; zero, or the bound, is where the sides meet.
        kind: the function that branches, or what a guard needs.
        bound: size up to which a divisor counts as zero, else 0.
        section: title of the section that it stands in.
    """

    value: Reference
    kind: Kind
    bound: float
    section: str

    @property
    def sides(self) -> tuple[str, str]:
        """What is said of the side that values above lie on, and of the other."""
        match self.kind:
            case "nonzero":
                return "a divisor is not zero", "a divisor vanishes"
            case "not negative" | "positive":
                return "an argument is in the domain", "an argument is outside the domain"
            case "within one":
                return "an argument is within one", "an argument is beyond one"
            case _:
                return f"{self.kind} above zero", f"{self.kind} at or below zero"

    def is_above(self, values: Array) -> NDArray[np.bool_]:
        """Which values lie on the first side; not a number lies on the other."""
        match self.kind:
            case "nonzero":
                return np.asarray(np.abs(values) > self.bound)
            case "not negative":
                return np.asarray(values >= 0)
            case "within one":
                return np.asarray(np.abs(values) <= 1)
            case _:
                return np.asarray(values > 0)

    def is_doubtful(self, values: Array, rounding: Array) -> NDArray[np.bool_]:
        """Which values are so near the border that their rounding may take them across."""
        size = np.abs(values)
        if self.kind == "nonzero":
            near = (size > self.bound / DOUBTFUL) & (size < self.bound * DOUBTFUL)
            return np.asarray(near | (np.abs(size - self.bound) < rounding))
        return np.asarray(np.abs(size - 1) < rounding if self.kind == "within one" else size < rounding)


def conditions_of(program: Program, guards: Sequence[Guard], single: bool = False) -> tuple[Condition, ...]:
    """Branches of a Program in the order of its graph, and then what its guards look at."""
    graph = program.graph
    sections = graph.sections
    found: dict[tuple[Reference, Kind], Condition] = {}
    for node in program.nodes():
        kind = graph.kinds[node]
        if kind not in BRANCHING:
            continue
        first, *rest = graph.arguments[node]
        value = graph.sub(first, rest[0]) if kind in ("min", "max") else first
        found[value, kind] = Condition(value, kind, 0.0, sections[graph.section_of[node]])  # type: ignore[arg-type, index]
    of_rounding = VANISHES.single if single else VANISHES.double
    for guard in guards:
        bound = of_rounding * guard.size if guard.need == "nonzero" else 0.0
        found[guard.value, guard.need] = Condition(guard.value, guard.need, bound, guard.section)
    return tuple(found.values())


def with_values(program: Program, values: Sequence[Reference]) -> Program:
    """The Program of some values of a graph in place of its results."""
    return replace(program, outputs=(Output("values", (len(values),), tuple(values)),))


def squares(graph: Graph, value: Reference) -> tuple[Reference, ...]:
    """Values that vanish all at once where the one does: the terms of a sum of squares, or the value itself.

    Lengths and sums of squares touch zero without crossing it, which nothing finds that looks for a change of sign.
    """
    node = abs(value)
    kind = graph.kinds[node]
    if kind == "sqrt" and graph.arguments[node][0] > 0:
        inside = squares(graph, graph.arguments[node][0])
        # A root of what only touches zero is a cone, to whose tip one step leads.
        return inside if inside != (graph.arguments[node][0],) else (value,)
    if kind == "abs":
        return squares(graph, graph.arguments[node][0])
    if kind == "mul":
        first, second = graph.arguments[node]
        if first == second:
            return squares(graph, first)
    if kind == "add" and all(_is_square(graph, ref) for ref in graph.arguments[node]):
        return tuple(root for ref in graph.arguments[node] for root in squares(graph, ref))
    return (value,)


def _is_square(graph: Graph, ref: Reference) -> bool:
    if ref <= 0:
        return False
    kind, arguments = graph.kinds[ref], graph.arguments[ref]
    if kind == "add":
        return all(_is_square(graph, part) for part in arguments)
    return bool(kind == "mul" and arguments[0] == arguments[1])
