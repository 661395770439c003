"""Program: named inputs, named outputs, and the graph between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph, Reference


@dataclass(frozen=True, slots=True)
class Input:
    """An argument array.

    Attributes:
        name: identifier of the argument.
        shape: () for a scalar.
        symbols: references of its symbol nodes, row-major.
        unit: of its entries, or "" where they differ.
        description: one line for headers and documentation.
        quaternions: flat index of the first component of each unit quaternion (w, x, y, z) inside the array.
        labels: what entries are called in names of their sines and cosines, entry by entry; "" for their index.
    """

    name: str
    shape: tuple[int, ...]
    symbols: tuple[Reference, ...]
    unit: str = ""
    description: str = ""
    quaternions: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_size(self.name, self.shape, len(self.symbols))


@dataclass(frozen=True, slots=True)
class ParameterInput:
    """A model parameter that stays an argument at run time."""

    name: str
    symbol: Reference
    default: Fraction
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """A result array: references of its entries, row-major."""

    name: str
    shape: tuple[int, ...]
    values: tuple[Reference, ...]
    unit: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        _check_size(self.name, self.shape, len(self.values))


def _check_size(name: str, shape: tuple[int, ...], size: int) -> None:
    if prod(shape) != size:
        raise SymbolicError(f"array {name} of shape {shape} has {size} entries", remedy=f"give it {prod(shape)}")


@dataclass(frozen=True, slots=True)
class OperationCount:
    """Distinct scalar operations; changes of sign are free, a sine and cosine of one angle are one pair."""

    add: int = 0
    mul: int = 0
    div: int = 0
    sqrt: int = 0
    sincos: int = 0
    other: int = 0

    @property
    def arithmetic(self) -> int:
        """Additions, subtractions, multiplications and divisions."""
        return self.add + self.mul + self.div

    def as_dict(self) -> dict[str, int]:
        """The counts by name, in the manifest's order."""
        return {key: getattr(self, key) for key in ("add", "mul", "div", "sqrt", "sincos", "other")}


@dataclass(frozen=True, slots=True)
class Program:
    """A function of arrays written as a graph of scalar operations.

    Attributes:
        name: identifier of the function.
        graph: where its values live; several programs may share one graph.
        inputs: arguments in order.
        outputs: results in order.
        parameters: run-time parameters it may use.
        description: one line for headers and documentation.
        trusting: whoever calls it looks at its results, so that it is not guarded.
    """

    name: str
    graph: Graph
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    parameters: tuple[ParameterInput, ...] = ()
    description: str = ""
    notes: tuple[str, ...] = field(default=())
    trusting: bool = False
    _known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was found out once; a graph only grows, so that it stays true."""

    @property
    def output_references(self) -> tuple[Reference, ...]:
        """All output entries, in order."""
        return tuple(ref for output in self.outputs for ref in output.values)

    def nodes(self) -> list[int]:
        """Nodes that the outputs depend on, in topological order, leaves included."""
        if "nodes" not in self._known:
            self._known["nodes"] = self.graph.reachable(self.output_references)
        return [*self._known["nodes"]]

    def operation_count(self) -> OperationCount:
        """Operations that an evaluation of all outputs needs."""
        if "operations" not in self._known:
            self._known["operations"] = count_operations(self.graph, self.nodes())
        count: OperationCount = self._known["operations"]
        return count

    def free_symbols(self) -> tuple[int, ...]:
        """Symbol nodes that the outputs depend on and that no input or parameter provides."""
        bound = {ref for item in self.inputs for ref in item.symbols} | {item.symbol for item in self.parameters}
        return tuple(node for node in self.nodes() if self.graph.kinds[node] == "symbol" and node not in bound)

    def output(self, name: str) -> Output:
        """The output of that name."""
        for item in self.outputs:
            if item.name == name:
                return item
        raise SymbolicError(f"{self.name} has no output {name}", remedy=f"it has {[o.name for o in self.outputs]}")


def count_operations(graph: Graph, nodes: Sequence[int]) -> OperationCount:
    """Operations among the given nodes."""
    tally: dict[str, int] = {}
    angles: set[object] = set()
    for node in nodes:
        kind = graph.kinds[node]
        if kind in ("sin", "cos"):
            angles.add(graph.arguments[node][0])
        else:
            tally[kind] = tally.get(kind, 0) + 1
    leaves = sum(tally.get(kind, 0) for kind in ("const", "pi", "symbol"))
    known: Mapping[str, int] = {kind: tally.get(kind, 0) for kind in ("add", "mul", "div", "sqrt")}
    other = sum(tally.values()) - leaves - sum(known.values())
    return OperationCount(**known, sincos=len(angles), other=other)
