"""RolledProgram: a function that calls a few small Programs, its steps, again and again on entries of a memory.

What is alike in a function of many bodies is one step then, called once for each body with numbers of its own. A call
reads entries of the function's arguments and what earlier calls left in the memory, and writes entries of the results
and of the memory; every entry is written once, so that the calls written out one behind the other are a Program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    """

    step: int
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    numbers: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class Sweep:
    """Calls in order under a title."""

    title: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True, repr=False)
class RolledProgram:
    """A function made of steps.

    Attributes:
        head: its name, arguments, results and parameters, with zeros as results.
        steps: what is called.
        blocks: the size of each block of the memory, every one of which some call writes before others read it.
        sweeps: the calls.
    """

    head: Program
    steps: tuple[Step, ...]
    blocks: tuple[int, ...]
    sweeps: tuple[Sweep, ...]

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
    for count, own in zip(times, of_steps, strict=True):
        for kind, number in own.as_dict().items():
            total[kind] += count * number
    return OperationCount(**total)


def unrolled(rolled: RolledProgram) -> Program:
    """The same function as a Program: all calls written out.

    Raises:
        SymbolicError: a call reads what no call has written, or an entry is written twice.
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
    memory: dict[int, list[Reference]] = {}
    for call in rolled.calls:
        step = rolled.steps[call.step]
        program = step.program
        bound = {item.symbol: graph.symbol(item.name) for item in program.parameters}
        for item, array, place in zip(program.inputs, step.reads, call.reads, strict=False):
            source = memory.get(place) if array == MEMORY else arguments[array][place : place + len(item.symbols)]
            if source is None or len(source) < len(item.symbols):
                raise SymbolicError(f"step {program.name} reads what was not written", where=rolled.name)
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
                continue
            for index, value in enumerate(values, start=place):
                if results[array][index] is not None:
                    raise SymbolicError(f"step {program.name} writes {array}[{index}] again", where=rolled.name)
                results[array][index] = value
    outputs = []
    for result in head.outputs:
        entries = tuple(value for value in results[result.name] if value is not None)
        if len(entries) < len(result.values):
            raise SymbolicError(f"some of {result.name} is never written", where=rolled.name)
        outputs.append(replace(result, values=entries))
    return replace(head, graph=graph, inputs=inputs, outputs=tuple(outputs), parameters=parameters)
