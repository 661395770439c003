"""Programs with loops written out: what every loop means, call by call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mbsym.errors import SymbolicError
from mbsym.symbolic.compose import copy_nodes, image
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import MEMORY, For, ForPairs, Program, Step, Zeros


def unrolled(program: Program) -> Program:
    """The same function with all calls written out; a straight one as it is.

    Raises:
        SymbolicError: a call reads what no call has written, or what another part of its loop writes, or an entry is
            written twice.
    """
    if not program.body:
        return program
    if "unrolled" not in program.known:
        program.known["unrolled"] = _Unrolling.of(program).result()
    found: Program = program.known["unrolled"]
    return found


@dataclass(slots=True)
class _Unrolling:
    """One run through the statements of a program.

    Attributes:
        program: with its arguments in the new graph.
        graph: the new one.
        arguments: entries of these, by name.
        written: entries of results and of the program's own arrays, by name.
        memory: blocks.
        writers: the statement and the part that wrote each of them.
        zeroed: results whose other entries are zero.
    """

    program: Program
    graph: Graph
    arguments: dict[str, tuple[Reference, ...]]
    written: dict[str, list[Reference | None]]
    memory: dict[int, list[Reference]] = field(default_factory=dict)
    writers: dict[int, tuple[int, int]] = field(default_factory=dict)
    zeroed: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, program: Program) -> _Unrolling:
        """Before the first statement."""
        graph = Graph()
        images: dict[int, Reference] = {}
        symbols = {abs(ref) for item in program.inputs for ref in item.symbols}
        copy_nodes(program.graph, sorted(symbols | {item.symbol for item in program.parameters}), graph, images)
        inputs = tuple(replace(item, symbols=tuple(images[ref] for ref in item.symbols)) for item in program.inputs)
        parameters = tuple(replace(item, symbol=images[item.symbol]) for item in program.parameters)
        sizes = {item.name: len(item.values) for item in program.outputs} | program.arrays
        moved = replace(program, graph=graph, inputs=inputs, parameters=parameters)
        arguments = {item.name: item.symbols for item in inputs}
        return cls(moved, graph, arguments, {name: [None] * size for name, size in sizes.items()})

    def result(self) -> Program:
        """The program without statements."""
        for number, statement in enumerate(self.program.body):
            if isinstance(statement, Zeros):
                self.zeroed.add(statement.result)
            elif isinstance(statement, For):
                self._loop(number, statement)
            else:
                self._pairs(statement)
        outputs = []
        for item in self.program.outputs:
            rest = 0 if item.name in self.zeroed else None
            found = [rest if value is None else value for value in self.written[item.name]]
            entries = tuple(value for value in found if value is not None)
            if len(entries) < len(item.values):
                raise SymbolicError(f"some of {item.name} is never written", where=self.program.name)
            outputs.append(replace(item, values=entries))
        return replace(self.program, outputs=tuple(outputs), body=(), steps=())

    def _loop(self, number: int, loop: For) -> None:
        for call in loop.calls:
            step = self.program.steps[call.step]
            given: list[Sequence[Reference]] = []
            for item, array, place in zip(step.program.inputs, step.reads, call.reads, strict=False):
                source = self._read(array, place, len(item.symbols), step)
                if array == MEMORY and self.writers[place][0] == number and self.writers[place][1] != call.part:
                    where = self.program.name
                    raise SymbolicError(f"step {step.program.name} reads what another part writes", where=where)
                given.append(source)
            if step.numbers:
                given.append([self.graph.const(value) for value in call.numbers])
            for array, place, values in zip(step.writes, call.writes, self._called(step, given), strict=True):
                if array != MEMORY:
                    for index, value in enumerate(values, start=place):
                        self._write(array, index, value, step)
                    continue
                if place in self.memory:
                    raise SymbolicError(f"step {step.program.name} writes a block again", where=self.program.name)
                self.memory[place] = values
                self.writers[place] = number, call.part

    def _pairs(self, pairs: ForPairs) -> None:
        step = self.program.steps[pairs.step]
        for outer, inner in pairs.each():
            places = zip(step.program.inputs, (*outer.reads, *inner.reads), strict=True)
            given = [self._read(MEMORY, place, len(item.symbols), step) for item, place in places]
            (values,) = self._called(step, given)
            for target, first, second in zip(pairs.targets, outer.starts, inner.starts, strict=True):
                for k, value in enumerate(values):
                    self._write(target.result, first + second + k * target.stride, value, step)

    def _read(self, array: str, place: int, size: int, step: Step) -> list[Reference]:
        """Entries that stand behind each other."""
        known: Sequence[Reference | None] = self.written.get(array, self.arguments.get(array, ()))[place : place + size]
        found = [ref for ref in (self.memory.get(place, ()) if array == MEMORY else known) if ref is not None]
        if len(found) < size:
            raise SymbolicError(f"step {step.program.name} reads what was not written", where=self.program.name)
        return found

    def _called(self, step: Step, given: Sequence[Sequence[Reference]]) -> list[list[Reference]]:
        """The outputs of a step."""
        program = step.program
        bound = {item.symbol: self.graph.symbol(item.name) for item in program.parameters}
        for item, values in zip(program.inputs, given, strict=True):
            bound.update(zip(item.symbols, values, strict=False))
        copy_nodes(program.graph, program.nodes(), self.graph, bound)
        return [[image(bound, ref) if abs(ref) > 1 else ref for ref in item.values] for item in program.outputs]

    def _write(self, array: str, index: int, value: Reference, step: Step) -> None:
        if self.written[array][index] is not None:
            raise SymbolicError(f"step {step.program.name} writes {array}[{index}] again", where=self.program.name)
        self.written[array][index] = value
