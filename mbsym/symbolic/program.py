"""Program: a function of arrays. Straight ones have the graph between inputs and outputs; others go through loops.

A loop calls small straight Programs, the steps, again and again on entries of a memory. What is alike in a function of
many bodies is one step then, called once for each body with numbers of its own. A call reads entries of the function's
arguments and what earlier calls left in the memory, and writes entries of the results and of the memory; every entry is
written once, so that the calls written out one behind the other are a straight Program: ``unrolled`` makes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any, Final, TypeAlias

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


# ---- statements ------------------------------------------------------------------------------------------------------

MEMORY: Final = ""
"""In the place of an argument's name: what calls hand on to later ones."""

WRITTEN: Final[Reference] = 1 << 62
"""In the place of an entry of a result: statements write it. It is not zero, and no node."""


@dataclass(frozen=True, slots=True)
class Call:
    """A step with the places that it reads and writes.

    Attributes:
        step: which.
        reads, writes: the first entry in an argument or result, or the number of a block of the memory.
        numbers: of this call.
        part: of its loop; calls of one part follow each other, and no part reads what another one writes.
    """

    step: int
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    numbers: tuple[Fraction, ...] = ()
    part: int = 0


@dataclass(frozen=True, slots=True)
class For:
    """Calls in order under a title.

    Attributes:
        title: of them all.
        calls: the table.
        threads: that may share its parts; none where one thread does all.
    """

    title: str
    calls: tuple[Call, ...]
    threads: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """What one of a pair brings.

    Attributes:
        reads: blocks of the memory.
        starts: its share of the place of the first entry, for each target.
        following: of an outer item, the inner one that it is paired with first; of an inner item, the one that comes
            next; -1 for none.
    """

    reads: tuple[int, ...]
    starts: tuple[int, ...]
    following: int


@dataclass(frozen=True, slots=True)
class Target:
    """Where the entries of a pair go: a result, and how far they are apart there."""

    result: str
    stride: int = 1


@dataclass(frozen=True, slots=True)
class ForPairs:
    """A step that is called for each outer item with the inner ones on its path: what there is for each two of many.

    Attributes:
        title: what is found.
        step: which; it reads what the outer item and then what the inner item names, and has one output.
        outer, inner: the items.
        targets: results that take the output, from the sum of both items' starts on.
    """

    title: str
    step: int
    outer: tuple[Item, ...]
    inner: tuple[Item, ...]
    targets: tuple[Target, ...]

    def each(self) -> Iterator[tuple[Item, Item]]:
        """The pairs in order."""
        for item in self.outer:
            place = item.following
            while place >= 0:
                yield item, self.inner[place]
                place = self.inner[place].following

    @property
    def count(self) -> int:
        """How many there are."""
        lengths: dict[int, int] = {-1: 0}
        for item in self.outer:
            path, place = [], item.following
            while place not in lengths:
                path.append(place)
                place = self.inner[place].following
            for place in reversed(path):
                lengths[place] = lengths[self.inner[place].following] + 1
        return sum(lengths[item.following] for item in self.outer)


@dataclass(frozen=True, slots=True)
class Zeros:
    """The entries of a result are zero, unless statements that follow write them."""

    result: str


Statement: TypeAlias = Zeros | For | ForPairs


# ---- functions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A straight Program that is called again and again.

    Attributes:
        program: its inputs are one for each of ``reads``, and, where ``numbers`` says so, the numbers of a call behind
            them; its outputs are one for each of ``writes``.
        reads: where the entries of each input stand: an argument of the function, the memory, or an array of the
            function's own, which an earlier call has filled.
        writes: where those of each output go: a result of the function, the memory, or an array of its own.
        numbers: how many a call brings.
    """

    program: Program
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    numbers: int


@dataclass(frozen=True, slots=True)
class Program:
    """A function of arrays.

    Attributes:
        name: identifier of the function.
        graph: where its values live; several programs may share one graph.
        inputs: arguments in order.
        outputs: results in order; entries that statements find are ``WRITTEN``.
        parameters: run-time parameters it may use.
        description: one line for headers and documentation.
        trusting: whoever calls it looks at its results, so that it is not guarded.
        body: statements that find the results; none in a straight Program, whose graph does.
        steps: what they call.
    """

    name: str
    graph: Graph
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    parameters: tuple[ParameterInput, ...] = ()
    description: str = ""
    notes: tuple[str, ...] = field(default=())
    trusting: bool = False
    body: tuple[Statement, ...] = ()
    steps: tuple[Step, ...] = ()
    known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was found out once; a graph only grows, so that it stays true."""

    @property
    def output_references(self) -> tuple[Reference, ...]:
        """All output entries, in order."""
        return tuple(ref for output in self.outputs for ref in output.values)

    def __repr__(self) -> str:
        about = f"{len(self.steps)} steps, {len(self.calls)} calls" if self.body else f"{len(self.graph.kinds)} nodes"
        return f"<Program {self.name}: {about}>"

    def nodes(self) -> list[int]:
        """Nodes that the outputs of a straight program depend on, in topological order, leaves included.

        Raises:
            SymbolicError: it has statements.
        """
        if self.body:
            raise SymbolicError("a function with loops has no graph", where=self.name, remedy="take what is unrolled")
        if "nodes" not in self.known:
            self.known["nodes"] = self.graph.reachable(self.output_references)
        return [*self.known["nodes"]]

    def operation_count(self) -> OperationCount:
        """Operations that an evaluation of all outputs needs."""
        if "operations" not in self.known:
            of_steps = [step.program.operation_count() for step in self.steps]
            found = total_operations(self, of_steps) if self.body else count_operations(self.graph, self.nodes())
            self.known["operations"] = found
        count: OperationCount = self.known["operations"]
        return count

    @property
    def sweeps(self) -> tuple[For, ...]:
        """Its loops over tables of calls."""
        return tuple(statement for statement in self.body if isinstance(statement, For))

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls of its loops in order."""
        return tuple(call for sweep in self.sweeps for call in sweep.calls)

    @property
    def pairs(self) -> tuple[ForPairs, ...]:
        """Its loops over pairs."""
        return tuple(statement for statement in self.body if isinstance(statement, ForPairs))

    @property
    def threads(self) -> int:
        """That may share its work; none where one thread does all."""
        return max((sweep.threads for sweep in self.sweeps), default=0)

    @property
    def arrays(self) -> dict[str, int]:
        """Its own arrays with their sizes."""
        given = {MEMORY, *(item.name for item in self.outputs)}
        found: dict[str, int] = {}
        for call in self.calls:
            step = self.steps[call.step]
            for item, array, place in zip(step.program.outputs, step.writes, call.writes, strict=True):
                if array not in given:
                    found[array] = max(found.get(array, 0), place + len(item.values))
        return found

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


def total_operations(program: Program, of_steps: Sequence[OperationCount]) -> OperationCount:
    """Operations of all calls of a program, from those of its steps."""
    times = [0] * len(of_steps)
    for call in program.calls:
        times[call.step] += 1
    for pairs in program.pairs:
        times[pairs.step] += pairs.count
    total = OperationCount().as_dict()
    for count, own in zip(times, of_steps, strict=True):
        for kind, number in own.as_dict().items():
            total[kind] += count * number
    return OperationCount(**total)


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
