"""RolledProgram: a function that calls a few small Programs, its steps, again and again on entries of a memory.

What is alike in a function of many bodies is one step then, called once for each body with numbers of its own. A call
reads entries of the function's arguments and what earlier calls left in the memory, and writes entries of the results
and of the memory; every entry is written once, so that the calls written out one behind the other are a Program.

What there is for each two of many things, such as an entry of a mass matrix, is the last part: a step that is called
for each item of one list with those of another, which follow each other along a path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from mbsym.errors import SymbolicError
from mbsym.symbolic.compose import copy_nodes, image
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import OperationCount, Program

MEMORY = ""
"""In the place of an argument's name: what calls hand on to later ones."""


@dataclass(frozen=True, slots=True)
class Step:
    """A Program that is called again and again.

    Attributes:
        program: its inputs are one for each of ``reads``, and, where ``numbers`` says so, the numbers of a call behind
            them; its outputs are one for each of ``writes``.
        reads: where the entries of each input stand: an argument of the function, or the memory.
        writes: where those of each output go: a result of the function, or the memory.
        numbers: how many a call brings.
    """

    program: Program
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    numbers: int


@dataclass(frozen=True, slots=True)
class Call:
    """A step with the places that it reads and writes.

    Attributes:
        step: which.
        reads, writes: the first entry in an argument or result, or the number of a block of the memory.
        numbers: of this call.
        part: of its sweep; calls of one part follow each other, and no part reads what another one writes.
    """

    step: int
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    numbers: tuple[Fraction, ...] = ()
    part: int = 0


@dataclass(frozen=True, slots=True)
class Sweep:
    """Calls in order under a title."""

    title: str
    calls: tuple[Call, ...]


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
class Pairs:
    """A step that is called for each outer item with the inner ones on its path.

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


@dataclass(frozen=True, slots=True, repr=False)
class RolledProgram:
    """A function made of steps.

    Attributes:
        head: its name, arguments, results and parameters, with zeros as results.
        steps: what is called.
        blocks: the size of each block of the memory, every one of which some call writes before others read it.
        sweeps: the calls.
        pairs: what follows the sweeps.
        zeroed: results whose entries are zero unless something is written there.
        arrays: the function's own arrays, which calls fill and read by places as they do arguments and results, by name
            with their sizes.
        threads: that may share the parts of a sweep; none where one thread does all.
    """

    head: Program
    steps: tuple[Step, ...]
    blocks: tuple[int, ...]
    sweeps: tuple[Sweep, ...]
    pairs: tuple[Pairs, ...] = ()
    zeroed: tuple[str, ...] = ()
    arrays: Mapping[str, int] = field(default_factory=dict)
    threads: int = 0

    def __repr__(self) -> str:
        return f"<RolledProgram {self.name}: {len(self.steps)} steps, {len(self.calls)} calls>"

    @property
    def name(self) -> str:
        """Identifier of the function."""
        return self.head.name

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls in order."""
        return tuple(call for sweep in self.sweeps for call in sweep.calls)

    def operation_count(self) -> OperationCount:
        """Operations of an evaluation."""
        return total_operations(self, [step.program.operation_count() for step in self.steps])


def total_operations(rolled: RolledProgram, of_steps: Sequence[OperationCount]) -> OperationCount:
    """Operations of all calls, from those of the steps."""
    total = OperationCount().as_dict()
    times = [0] * len(of_steps)
    for call in rolled.calls:
        times[call.step] += 1
    for pairs in rolled.pairs:
        times[pairs.step] += pairs.count
    for count, own in zip(times, of_steps, strict=True):
        for kind, number in own.as_dict().items():
            total[kind] += count * number
    return OperationCount(**total)


def unrolled(rolled: RolledProgram) -> Program:
    """The same function as a Program: all calls written out.

    Raises:
        SymbolicError: a call reads what no call has written, or what another part of its sweep writes, or an entry is
            written twice.
    """
    graph = Graph()
    images: dict[int, Reference] = {}
    head = rolled.head
    symbols = sorted({abs(ref) for item in head.inputs for ref in item.symbols} | {p.symbol for p in head.parameters})
    copy_nodes(head.graph, symbols, graph, images)
    inputs = tuple(replace(item, symbols=tuple(images[ref] for ref in item.symbols)) for item in head.inputs)
    parameters = tuple(replace(item, symbol=images[item.symbol]) for item in head.parameters)
    arguments = {item.name: list(item.symbols) for item in inputs}
    results: dict[str, list[Reference | None]] = {item.name: [None] * len(item.values) for item in head.outputs}
    results.update({name: [None] * size for name, size in rolled.arrays.items()})
    memory: dict[int, list[Reference]] = {}
    writers: dict[int, tuple[int, int]] = {}
    numbered = [(number, call) for number, sweep in enumerate(rolled.sweeps) for call in sweep.calls]
    for number, call in numbered:
        step = rolled.steps[call.step]
        program = step.program
        bound = {item.symbol: graph.symbol(item.name) for item in program.parameters}
        for item, array, place in zip(program.inputs, step.reads, call.reads, strict=False):
            stop = place + len(item.symbols)
            known: Sequence[Reference | None] = results.get(array, arguments.get(array, ()))[place:stop]
            source = [ref for ref in (memory.get(place, ()) if array == MEMORY else known) if ref is not None]
            if len(source) < len(item.symbols):
                raise SymbolicError(f"step {program.name} reads what was not written", where=rolled.name)
            if array == MEMORY and writers[place][0] == number and writers[place][1] != call.part:
                raise SymbolicError(f"step {program.name} reads what another part writes", where=rolled.name)
            bound.update(zip(item.symbols, source, strict=False))
        if step.numbers:
            bound.update(zip(program.inputs[-1].symbols, map(graph.const, call.numbers), strict=True))
        copy_nodes(program.graph, program.nodes(), graph, bound)
        for output, array, place in zip(program.outputs, step.writes, call.writes, strict=True):
            values = [image(bound, ref) if abs(ref) > 1 else ref for ref in output.values]
            if array == MEMORY:
                if place in memory:
                    raise SymbolicError(f"step {program.name} writes a block again", where=rolled.name)
                memory[place] = values
                writers[place] = number, call.part
                continue
            for index, value in enumerate(values, start=place):
                if results[array][index] is not None:
                    raise SymbolicError(f"step {program.name} writes {array}[{index}] again", where=rolled.name)
                results[array][index] = value
    for pairs in rolled.pairs:
        _write_out(pairs, rolled, graph, memory, results)
    outputs = []
    for result in head.outputs:
        rest = graph.const(0) if result.name in rolled.zeroed else None
        found = [rest if value is None else value for value in results[result.name]]
        entries = tuple(value for value in found if value is not None)
        if len(entries) < len(result.values):
            raise SymbolicError(f"some of {result.name} is never written", where=rolled.name)
        outputs.append(replace(result, values=entries))
    return replace(head, graph=graph, inputs=inputs, outputs=tuple(outputs), parameters=parameters)


def _write_out(
    pairs: Pairs,
    rolled: RolledProgram,
    graph: Graph,
    memory: dict[int, list[Reference]],
    results: dict[str, list[Reference | None]],
) -> None:
    """Writes what a step finds for each pair."""
    program = rolled.steps[pairs.step].program
    nodes = program.nodes()
    for outer, inner in pairs.each():
        bound: dict[int, Reference] = {}
        for item, place in zip(program.inputs, (*outer.reads, *inner.reads), strict=True):
            if place not in memory:
                raise SymbolicError(f"step {program.name} reads what was not written", where=rolled.name)
            bound.update(zip(item.symbols, memory[place], strict=True))
        copy_nodes(program.graph, nodes, graph, bound)
        values = [image(bound, ref) if abs(ref) > 1 else ref for ref in program.outputs[0].values]
        for target, first, second in zip(pairs.targets, outer.starts, inner.starts, strict=True):
            for k, value in enumerate(values):
                index = first + second + k * target.stride
                if results[target.result][index] is not None:
                    raise SymbolicError(f"step {program.name} writes {target.result}[{index}] again", where=rolled.name)
                results[target.result][index] = value
