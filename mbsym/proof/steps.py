"""Functions made of steps that bodies share, followed call by call.

Over a graph every call makes nodes, and long mechanisms have very many calls. At a point of the field each step is
compiled once to a function of whole numbers, and what pairs of items take is evaluated for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from mbsym.codegen.lowered import LoweredFor, LoweredFunction, LoweredPairs, LoweredStep, LoweredZeros, Run
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.errors import SymbolicError
from mbsym.proof.field import Field
from mbsym.proof.residues import residues_of
from mbsym.symbolic.graph import Reference

Evaluate: TypeAlias = Callable[[Sequence[Sequence[Any]], int], Sequence[Sequence[Any]]]
"""The results of a step with inputs at one of its calls, in order."""


class Steps:
    """A function made of steps that is followed: what it takes, what it gives, and what its calls hand on."""

    def __init__(
        self,
        body: LoweredFunction,
        function: ModuleFunction,
        arrays: Mapping[str, Sequence[Reference]],
        variables: Mapping[str, Reference],
    ) -> None:
        """Nothing is called yet.

        Args:
            body: its steps and the loops that call them.
            function: it.
            arrays, variables: arguments and parameters by their identifiers.
        """
        self.body = body
        self.variables = variables
        self._layouts: dict[str, tuple[int, list[tuple[str, int]]]] = {}
        self._outputs = {item.name: identifier for item, identifier in function.paired if item.direction == "out"}
        self._arrays: dict[str, list[Any]] = {"": [None] * body.memory, **{name: [*arrays[name]] for name in arrays}}
        self._arrays |= {name: [ref] for name, ref in variables.items()}
        self._arrays |= {name: [None] * size for name, size in body.arrays.items()}
        self._arrays |= {
            identifier: [None] * item.size for item, identifier in function.paired if item.direction == "out"
        }

    def results(self, known: Callable[[LoweredStep], Evaluate], *, abreast: bool) -> dict[str, list[Any]]:
        """What it returns, by name.

        Args:
            known: how a step is evaluated.
            abreast: pairs are evaluated all at once.

        Raises:
            SymbolicError: something is read that was not written.
        """
        for each in self.body.loops:
            if isinstance(each, LoweredZeros):
                self._arrays[each.identifier] = [0] * each.size
            elif isinstance(each, LoweredFor):
                for run in _taken(each, self.body.threads):
                    step = self.body.steps[run.step]
                    self._call(step, range(run.start, run.stop), known(step))
            else:
                step = self.body.steps[each.step]
                self._fill(each, step, known(step), abreast=abreast)
        return {name: self._read(array, 0, len(self._arrays[array])) for name, array in self._outputs.items()}

    def _read(self, array: str, place: int, size: int) -> list[Any]:
        """Some entries behind each other."""
        entries = self._arrays[array][place : place + size]
        if None in entries:
            raise unwritten(array or "the memory")
        return entries

    def _call(self, step: LoweredStep, calls: range, evaluate: Evaluate) -> None:
        """Some calls of a step, one after the other."""
        if step.name not in self._layouts:
            sizes = [size or 1 for size in step.sizes]
            self._layouts[step.name] = step.inputs, [*zip(step.arrays, sizes, strict=True)]
        inputs, layout = self._layouts[step.name]
        for call in calls:
            taken = [(array, place, size) for (array, size), place in zip(layout, step.places[call], strict=True)]
            results = evaluate([self._read(*one) for one in taken[:inputs]], call)
            for (array, place, size), entries in zip(taken[inputs:], results, strict=True):
                self._arrays[array][place : place + size] = entries

    def _fill(self, pairs: LoweredPairs, step: LoweredStep, evaluate: Evaluate, *, abreast: bool) -> None:
        """For each outer item with the inner ones on its path, what the step finds."""
        behind = 1 + len(pairs.targets)
        sizes = [size or 1 for size in step.sizes]
        shares = len(pairs.outer[0]) - behind
        outer = [self._blocks(item[behind:], sizes[:shares]) for item in pairs.outer]
        inner = [self._blocks(item[behind:], sizes[shares:]) for item in pairs.inner]
        met = [*_met(pairs)]
        if abreast:
            from mbsym.proof.side_by_side import at_each, side_by_side

            columns = [side_by_side(blocks, [pair[side] for pair in met]) for side, blocks in enumerate((outer, inner))]
            (entries,) = evaluate([*columns[0], *columns[1]], 0)
            found: Iterable[Sequence[Any]] = zip(*(at_each(entry, len(met)) for entry in entries), strict=True)
        else:
            found = (evaluate([*outer[a], *inner[b]], 0)[0] for a, b in met)
        targets = [(self._arrays[array], stride) for array, stride in pairs.targets]
        for (a, b), entries in zip(met, found, strict=True):
            for place, (target, stride) in enumerate(targets, start=1):
                start = pairs.outer[a][place] + pairs.inner[b][place]
                target[start : start + stride * len(entries) : stride] = entries

    def _blocks(self, places: Sequence[int], sizes: Sequence[int]) -> list[list[Any]]:
        """What a step reads of an item."""
        return [self._read("", place, size) for place, size in zip(places, sizes, strict=False)]


def at_a_point(steps: Steps, field: Field) -> dict[str, list[Any]]:
    """The results of a function over a field.

    Raises:
        SymbolicError: a step has a function, or an angle, that is not known there.
    """

    def known(step: LoweredStep) -> Evaluate:
        given = [(i, bool(item.shape)) for item, i in zip(step.arguments, step.identifiers, strict=True)]
        function = residues_of(step.body, given[: step.inputs + step.has_numbers], tuple(steps.variables))
        if not step.has_numbers:
            return lambda inputs, call: function(field.circle, steps.variables, *inputs)
        numbers = [[field.const(number) for number in each] for each in step.numbers]
        return lambda inputs, call: function(field.circle, steps.variables, *inputs, numbers[call])

    by_name = {step.name: known(step) for step in steps.body.steps}
    try:
        return steps.results(lambda step: by_name[step.name], abreast=True)
    except KeyError:
        raise SymbolicError("an angle of a step is no coordinate") from None


def _met(pairs: LoweredPairs) -> Iterator[tuple[int, int]]:
    """The outer items with the inner ones on their paths."""
    for place, outer in enumerate(pairs.outer):
        following = outer[0]
        while following >= 0:
            yield place, following
            following = pairs.inner[following][0]


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
