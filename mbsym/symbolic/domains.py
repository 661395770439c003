"""Where a program has no value: what it divides by and may vanish, and arguments that may leave a function's domain.

Every division and every function of the graph is looked at. Left out is what the signs of the operations show to be
harmless, such as a divisor 1 + x^2; what a derivation has proved and says of its values (``Graph.never_zero``); what
depends on parameters alone, unless a derivation says that these may make it vanish; and what is only needed on one side
of a ``select``, whose author has thought of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, isfinite
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mbsym.doors import numpy as np
from mbsym.symbolic.graph import LEAVES, Graph, Reference
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program

if TYPE_CHECKING:
    import numpy as np

Need: TypeAlias = Literal["nonzero", "not negative", "positive", "within one"]

_ARGUMENTS: Final[dict[str, Need]] = {
    "sqrt": "not negative",
    "log": "positive",
    "asin": "within one",
    "acos": "within one",
    "pow": "positive",
}
"""What functions need of their first argument."""

_STATES: Final = 16
"""Random states at which the sizes of divisors are measured."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A value without which a program has no results.

    Attributes:
        value: of the graph, a node.
        need: what it must be.
        size: for a divisor, its size in ordinary states, a power of two: it counts as zero where rounding of numbers
            of this size is all that is left of it; 1 for others.
        section: title of the section in which it was made.
    """

    value: Reference
    need: Need
    size: float
    section: str


def guards(program: Program) -> tuple[Guard, ...]:
    """What must be looked at before the results of a program are used, in the order of the graph; of loops, in each of
    their steps, whose graphs have the values."""
    if program.body:
        return tuple(guard for step in program.steps for guard in guards(step.program))
    graph = program.graph
    nodes = program.nodes()
    signs = _Signs(graph, nodes)
    moving = _depends_on(graph, nodes, {abs(ref) for item in program.inputs for ref in item.symbols})
    found: dict[tuple[int, Need], None] = {}
    for node in _always_needed(program):
        kind = graph.kinds[node]
        if kind == "div":
            divisor = graph.arguments[node][1]
            if (divisor in moving or divisor in graph.may_vanish) and not signs.is_nonzero(divisor):
                found[divisor, "nonzero"] = None
        elif kind in _ARGUMENTS:
            argument, need = graph.arguments[node][0], _ARGUMENTS[kind]
            harmless = signs.is_positive(argument) or (need == "not negative" and signs.is_not_negative(argument))
            if abs(argument) in moving and (need == "within one" or not harmless):
                found[argument, need] = None
    divisors = [value for value, need in found if need == "nonzero"]
    sizes = dict(zip(divisors, _sizes(program, divisors), strict=True))
    return tuple(
        Guard(value, need, sizes.get(value, 1.0), graph.sections[graph.section_of[abs(value)]])
        for value, need in sorted(found)
    )


def _depends_on(graph: Graph, nodes: list[int], symbols: set[int]) -> set[int]:
    found = set(symbols)
    for node in nodes:
        if any(abs(ref) in found for ref in graph.operands(node)):
            found.add(node)
    return found


def _always_needed(program: Program) -> list[int]:
    """Nodes on which results depend whatever way each ``select`` goes."""
    graph = program.graph
    needed = {abs(ref) for ref in program.output_references}
    found = []
    for node in reversed(program.nodes()):
        if node in needed:
            found.append(node)
            operands = graph.operands(node)
            needed.update(abs(ref) for ref in (operands[:1] if graph.kinds[node] == "select" else operands))
    return found[::-1]


class _Signs:
    """What the operations alone show of the signs of values."""

    def __init__(self, graph: Graph, nodes: list[int]) -> None:
        self._positive: set[int] = set()
        self._not_negative: set[int] = set()
        self._nonzero = set(graph.never_zero)
        for node in nodes:
            if self._shows_positive(graph, node):
                self._positive.add(node)
            elif self._shows_not_negative(graph, node):
                self._not_negative.add(node)
            if self._shows_nonzero(graph, node):
                self._nonzero.add(node)

    def is_nonzero(self, ref: Reference) -> bool:
        return abs(ref) in self._nonzero or abs(ref) in self._positive

    def is_positive(self, ref: Reference) -> bool:
        return ref in self._positive

    def is_not_negative(self, ref: Reference) -> bool:
        return ref == 0 or ref in self._positive or ref in self._not_negative

    def _shows_positive(self, graph: Graph, node: int) -> bool:
        kind = graph.kinds[node]
        if kind in LEAVES:
            return kind == "pi" or (kind == "const" and node != 0)
        refs = graph.arguments[node]
        if kind == "add":
            return any(self.is_positive(ref) for ref in refs) and all(self.is_not_negative(ref) for ref in refs)
        if kind in ("mul", "div", "sqrt", "min", "pow"):
            return all(self.is_positive(ref) for ref in (refs[:1] if kind == "pow" else refs))
        if kind == "max":
            return any(self.is_positive(ref) for ref in refs)
        return kind == "exp" or (kind == "abs" and self.is_positive(refs[0]))

    def _shows_not_negative(self, graph: Graph, node: int) -> bool:
        kind = graph.kinds[node]
        if kind in LEAVES:
            return False
        refs = graph.arguments[node]
        if kind in ("abs", "sqrt"):
            return True
        if kind == "mul" and refs[0] == refs[1]:
            return True
        if kind == "max":
            return any(self.is_not_negative(ref) for ref in refs)
        return kind in ("add", "mul", "div", "min") and all(self.is_not_negative(ref) for ref in refs)

    def _shows_nonzero(self, graph: Graph, node: int) -> bool:
        kind = graph.kinds[node]
        if kind in LEAVES:
            return False
        refs = graph.arguments[node]
        if kind == "mul":
            return all(self.is_nonzero(ref) for ref in refs)
        return kind in ("div", "sqrt", "abs") and self.is_nonzero(refs[0])


def _sizes(program: Program, divisors: list[int]) -> list[float]:
    """Sizes of values in ordinary states, rounded down to powers of two, so that every machine finds the same."""
    if not divisors:
        return []
    random = np.random.default_rng(0)
    states = {item.name: random.uniform(-1, 1, (_STATES, *item.shape)) for item in program.inputs}
    for item in program.inputs:
        flat = states[item.name].reshape(_STATES, -1)
        for first in item.quaternions:
            flat[:, first : first + 4] /= np.linalg.norm(flat[:, first : first + 4], axis=1, keepdims=True)
    values = Program("divisors", program.graph, program.inputs, (Output("d", (len(divisors),), tuple(divisors)),),
                     program.parameters)  # fmt: skip
    with np.errstate(all="ignore"):
        found = np.abs(interpret(values, states)["d"]).reshape(-1, len(divisors))
    return [_power_of_two(found[:, k]) for k in range(len(divisors))]


def _power_of_two(sizes: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    largest = max((float(size) for size in sizes if isfinite(size)), default=0.0)
    return 2.0 ** (frexp(largest)[1] - 1) if largest > 0 else 1.0
