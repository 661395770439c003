"""Functions made of steps that bodies share, followed call by call: over a graph, or over residues.

Over a graph every call makes nodes, and long mechanisms have very many calls. Over residues each step is compiled once
to a function of whole numbers, which is what proofs of long mechanisms take; where it knows a step's functions not, the
graph does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import mul
from typing import Any, Final, TypeAlias

from mbsym.codegen.lowered import LoweredFor, LoweredFunction, LoweredPairs, LoweredStep, LoweredZeros, Run
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.errors import SymbolicError
from mbsym.proof.residues import residue, residues_of
from mbsym.symbolic.finite_field import PRIME
from mbsym.symbolic.graph import Reference

MOST_PAIRS: Final = 2000
"""Pairs whose entries are asked one by one; of more, the result is asked for what it is times a column."""

Evaluate: TypeAlias = Callable[[Sequence[Sequence[Any]], int], Sequence[Sequence[Any]]]
"""The results of a step with inputs at one of its calls, in order."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A function made of steps, and what it is given.

    Attributes:
        body: its steps and the loops that call them.
        function: it.
        arrays, variables: arguments and parameters by their identifiers.
        compiled: functions of residues and numbers of steps that were called so, by their names.
    """

    body: LoweredFunction
    function: ModuleFunction
    arrays: Mapping[str, Sequence[Reference]]
    variables: Mapping[str, Reference]
    compiled: dict[str, tuple[Callable[..., Any], list[list[int]]]] = field(default_factory=dict)

    @property
    def sizes(self) -> dict[str, int]:
        """Of the results, by name."""
        return {item.name: item.size for item in self.function.arguments if item.direction == "out"}

    @property
    def is_dense(self) -> bool:
        """Whether a result has too many entries to ask for each."""
        return sum(each.count for each in self.body.loops if isinstance(each, LoweredPairs)) > MOST_PAIRS

    def over(self, value: Callable[[Reference], Any], known: Callable[[LoweredStep], Evaluate]) -> dict[str, list[Any]]:
        """The results of what is given, by name.

        Args:
            value: of an argument or parameter.
            known: how a step is evaluated.

        Raises:
            SymbolicError: something is read that was not written.
        """
        memory = _Memory(self, value)
        for each in self.body.loops:
            if isinstance(each, LoweredZeros):
                memory.arrays[each.identifier] = [0] * each.size
            elif isinstance(each, LoweredFor):
                for run in _taken(each, self.body.threads):
                    step = self.body.steps[run.step]
                    memory.call(step, range(run.start, run.stop), known(step))
            else:
                step = self.body.steps[each.step]
                memory.fill(each, step, known(step))
        return {
            item.name: memory.read(place, 0, item.size)
            for item, place in self.function.paired
            if item.direction == "out"
        }

    def residues(
        self, value: Callable[[Reference], int], circle: Mapping[int, tuple[int, int]]
    ) -> dict[str, list[int]]:
        """The results in the field.

        Args:
            value: residue of an argument or parameter.
            circle: sine and cosine by the residue of an angle.

        Raises:
            SymbolicError: a step has a function, or an angle, that is not known here.
        """
        parameters = {identifier: value(ref) for identifier, ref in self.variables.items()}

        def known(step: LoweredStep) -> Evaluate:
            if step.name not in self.compiled:
                self.compiled[step.name] = self._compiled(step)
            function, numbers = self.compiled[step.name]
            if not numbers:
                return lambda inputs, call: function(circle, parameters, *inputs)
            return lambda inputs, call: function(circle, parameters, *inputs, numbers[call])

        try:
            return self.over(value, known)
        except KeyError:
            raise SymbolicError("an angle of a step is no coordinate", where=self.function.name) from None

    def _compiled(self, step: LoweredStep) -> tuple[Callable[..., Any], list[list[int]]]:
        """A step as a function of residues, and the numbers of each of its calls, if it has numbers."""
        arguments = [(i, item) for item, i in zip(step.arguments, step.identifiers, strict=True)]
        given = [(i, bool(item.shape)) for i, item in arguments if item.direction == "in"]
        inverses: dict[int, int] = {}
        numbers = [[residue(number, inverses) for number in each] for each in step.numbers]
        return residues_of(step.body, given, tuple(self.variables)), numbers if step.has_numbers else []


class _Memory:
    """Arrays of a function of steps: what it takes, what it gives, and what its calls hand on."""

    def __init__(self, steps: Steps, value: Callable[[Reference], Any]) -> None:
        body, function = steps.body, steps.function
        self.arrays: dict[str, list[Any]] = {"": [None] * body.memory}
        self.arrays.update({name: [value(ref) for ref in entries] for name, entries in steps.arrays.items()})
        self.arrays.update({name: [value(ref)] for name, ref in steps.variables.items()})
        self.arrays.update({name: [None] * size for name, size in body.arrays.items()})
        for item, identifier in function.paired:
            if item.direction == "out":
                self.arrays[identifier] = [None] * item.size

    def read(self, array: str, place: int, size: int) -> list[Any]:
        """Some entries behind each other."""
        entries = self.arrays[array][place : place + size]
        if None in entries:
            raise unwritten(array or "the memory")
        return entries

    def call(self, step: LoweredStep, calls: range, evaluate: Evaluate) -> None:
        """Some calls of a step, one after the other."""
        sizes = [1 if size is None else size for size in step.sizes]
        for call in calls:
            taken = list(zip(step.arrays, step.places[call], sizes, strict=True))
            results = evaluate([self.read(*one) for one in taken[: step.inputs]], call)
            for (array, place, size), entries in zip(taken[step.inputs :], results, strict=True):
                self.arrays[array][place : place + size] = entries

    def fill(self, pairs: LoweredPairs, step: LoweredStep, evaluate: Evaluate) -> None:
        """For each outer item with the inner ones on its path, what the step finds."""
        behind = 1 + len(pairs.targets)
        sizes = [1 if size is None else size for size in step.sizes]
        outer_sizes, inner_sizes = sizes[: len(pairs.outer[0]) - behind], sizes[len(pairs.outer[0]) - behind :]
        blocks = [
            [self.read("", place, size) for place, size in zip(inner[behind:], inner_sizes, strict=False)]
            for inner in pairs.inner
        ]
        for outer in pairs.outer:
            own = [self.read("", place, size) for place, size in zip(outer[behind:], outer_sizes, strict=True)]
            following = outer[0]
            while following >= 0:
                inner = pairs.inner[following]
                (entries,) = evaluate([*own, *blocks[following]], 0)
                for (array, stride), a, b in zip(pairs.targets, outer[1:behind], inner[1:behind], strict=True):
                    start = a + b
                    self.arrays[array][start : start + stride * len(entries) : stride] = entries
                following = inner[0]


def _taken(sweep: LoweredFor, threads: int) -> Iterator[Run]:
    """The runs of a sweep; parts that threads may take come last first, for no part may wait for one before it."""
    if threads and sweep.is_spread:
        for run in reversed(sweep.runs):
            yield from (Run(run.step, call, call + 1) for call in reversed(range(run.start, run.stop)))
    elif threads and sweep.parts:
        for start, stop in reversed([*pairwise((*sweep.parts, len(sweep.runs)))]):
            yield from sweep.runs[start:stop]
    else:
        yield from sweep.runs


def unwritten(where: str) -> SymbolicError:
    """The error of a text that would read what nobody knows."""
    return SymbolicError(f"{where} is read before it is written", remedy="this is a defect of mbsym, please report it")


def times_column(entries: Sequence[int], column: Sequence[int]) -> list[int]:
    """A matrix of residues, row-major, times a column of them."""
    width = len(column)
    rows = range(0, len(entries), width)
    return [sum(map(mul, entries[start : start + width], column)) % PRIME for start in rows]
