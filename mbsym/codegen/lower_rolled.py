"""From a rolled program to steps with statements and runs of calls with places: what all languages share.

The memory is an array. A block of it is free again once the last call that reads it is over, so that a chain of bodies
hands its values on in a few places however long it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from mbsym.codegen.description import Argument, arguments_of
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lower import LoweredFunction, lower
from mbsym.symbolic.program import (
    MEMORY,
    Call,
    For,
    ForPairs,
    Item,
    OperationCount,
    Program,
    Step,
    Zeros,
    total_operations,
)

MOST_RUNS: Final = 4
"""Runs of calls of one step in a sweep, above which the sweep is one loop that chooses the step."""


@dataclass(frozen=True, slots=True)
class LoweredStep:
    """A step ready for printing.

    Attributes:
        name: within the function.
        arguments: inputs, the numbers last, and then outputs.
        identifiers: of these.
        arrays: of inputs and outputs, the numbers left out: an argument's identifier, or "" for the memory.
        body: its statements.
        numbers: of each call, in order.
        places: of each call, in order: where each of ``arrays`` begins.
    """

    name: str
    arguments: tuple[Argument, ...]
    identifiers: tuple[str, ...]
    arrays: tuple[str, ...]
    body: LoweredFunction
    numbers: tuple[tuple[Fraction, ...], ...]
    places: tuple[tuple[int, ...], ...]

    @property
    def sizes(self) -> tuple[int | None, ...]:
        """How many entries each of ``arrays`` has; None for what is no array but a number."""
        given = [item for k, item in enumerate(self.arguments) if not (self.has_numbers and k == self.inputs)]
        return tuple(item.size if item.shape else None for item in given)

    @property
    def inputs(self) -> int:
        """How many of ``arrays`` are read."""
        return sum(item.direction == "in" for item in self.arguments) - self.has_numbers

    @property
    def has_numbers(self) -> bool:
        """Whether calls bring numbers."""
        return bool(self.numbers and self.numbers[0])


@dataclass(frozen=True, slots=True)
class Run:
    """Calls of one step, one after the other: the first of its calls, and the one behind the last."""

    step: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class LoweredSweep:
    """Runs in order under a title.

    Attributes:
        title: of the sweep.
        runs: in order; those of one step, each part of which is a call, are one.
        parts: where the runs of each part begin that a thread may take; none where one thread takes all, and where
            each call is a part.
        is_spread: each call is a part.
    """

    title: str
    runs: tuple[Run, ...]
    parts: tuple[int, ...] = ()
    is_spread: bool = False

    @property
    def in_turn(self) -> tuple[Run, ...]:
        """The runs that have a loop each: all if they are few, else those in front that are the only ones of their
        steps."""
        if len(self.runs) <= MOST_RUNS:
            return self.runs
        steps = [run.step for run in self.runs]
        return self.runs[: next((k for k, step in enumerate(steps) if steps.count(step) > 1), len(steps))]

    @property
    def mixed(self) -> tuple[Run, ...]:
        """The others, which one loop takes that chooses the step."""
        return self.runs[len(self.in_turn) :]


@dataclass(frozen=True, slots=True)
class LoweredPairs:
    """A step for each outer item with the inner ones on its path.

    Attributes:
        title: what is found.
        step: which.
        size: entries that it finds.
        targets: identifier of each result that takes them, and how far they are apart there.
        outer, inner: a row for each item: what it is paired with first or what comes next, -1 for nothing; its share
            of the place in each target; and where what the step reads of it begins in the memory.
        count: how many pairs there are.
    """

    title: str
    step: int
    size: int
    targets: tuple[tuple[str, int], ...]
    outer: tuple[tuple[int, ...], ...]
    inner: tuple[tuple[int, ...], ...]
    count: int


@dataclass(frozen=True, slots=True)
class LoweredRolled:
    """A rolled program ready for printing.

    Attributes:
        steps: that are called.
        sweeps: the calls.
        pairs: what follows the sweeps.
        zeroed: identifiers of results that are filled with zeros first.
        arrays: the function's own, by their identifiers with their sizes.
        memory: entries of the array that calls hand on.
        used: identifiers of the arguments and parameters that some step reads or writes.
        operations: of one evaluation.
        threads: that may take parts of sweeps.
    """

    steps: tuple[LoweredStep, ...]
    sweeps: tuple[LoweredSweep, ...]
    pairs: tuple[LoweredPairs, ...]
    zeroed: tuple[str, ...]
    arrays: Mapping[str, int]
    memory: int
    used: frozenset[str]
    operations: OperationCount
    threads: int = 0


def lower_rolled(
    rolled: Program, arguments: Mapping[str, str], parameters: Mapping[str, str], outer: Scope
) -> LoweredRolled:
    """Steps and runs of a rolled program.

    Args:
        rolled: what to print.
        arguments: identifiers of the function's inputs and outputs, by their names.
        parameters: identifiers of run-time parameters, by their names.
        outer: scope of what surrounds the function, of which no temporary may bear a name.
    """
    homes, memory = _homes(rolled)
    places: list[list[tuple[int, ...]]] = [[] for _ in rolled.steps]
    numbers: list[list[tuple[Fraction, ...]]] = [[] for _ in rolled.steps]
    sweeps = []
    for sweep in _loops(rolled):
        runs: list[Run] = []
        parts: list[int] = []
        kinds = {call.part for call in sweep.calls}
        is_spread = 1 < len(kinds) == len(sweep.calls)
        part = -1
        for call in sorted(sweep.calls, key=lambda call: call.step) if is_spread else sweep.calls:
            step = call.step
            own = places[step]
            begins = call.part != part and not is_spread
            if runs and runs[-1].step == step and not begins:
                runs[-1] = Run(step, runs[-1].start, len(own) + 1)
            else:
                parts += [len(runs)] * begins
                runs.append(Run(step, len(own), len(own) + 1))
            part = call.part
            own.append(_places(rolled.steps[call.step], call, homes))
            numbers[step].append(call.numbers)
        sweeps.append(LoweredSweep(sweep.title, tuple(runs), tuple(parts) if len(parts) > 1 else (), is_spread))
    scope = Scope()
    inside = outer.inside((*arguments.values(), *parameters.values()))
    own_arrays = {name: inside.claim(name) for name in rolled.arrays}
    arguments = {**arguments, **own_arrays}
    steps = tuple(
        _lowered(step, scope, arguments, parameters, outer, numbers[place], places[place])
        for place, step in enumerate(rolled.steps)
    )
    pairs = tuple(_lowered_pairs(each, rolled, arguments, homes) for each in rolled.pairs)
    used = {array for step in steps for array in step.arrays if array}
    used.update(identifier for each in pairs for identifier, _ in each.targets)
    used.update(name for step in steps for name in parameters.values() if name in step.body.used)
    zeroed = tuple(arguments[each.result] for each in rolled.body if isinstance(each, Zeros))
    sizes = {own_arrays[name]: size for name, size in rolled.arrays.items()}
    total = total_operations(rolled, [step.body.operations for step in steps])
    return LoweredRolled(steps, tuple(sweeps), pairs, zeroed, sizes, memory, frozenset(used), total, rolled.threads)


def _lowered_pairs(
    pairs: ForPairs, rolled: Program, arguments: Mapping[str, str], homes: Mapping[int, int]
) -> LoweredPairs:
    def row(item: Item) -> tuple[int, ...]:
        return (item.following, *item.starts, *(homes[block] for block in item.reads))

    return LoweredPairs(
        pairs.title,
        pairs.step,
        len(rolled.steps[pairs.step].program.outputs[0].values),
        tuple((arguments[target.result], target.stride) for target in pairs.targets),
        tuple(map(row, pairs.outer)),
        tuple(map(row, pairs.inner)),
        pairs.count,
    )


def _lowered(
    step: Step,
    scope: Scope,
    arguments: Mapping[str, str],
    parameters: Mapping[str, str],
    outer: Scope,
    numbers: Sequence[tuple[Fraction, ...]],
    places: Sequence[tuple[int, ...]],
) -> LoweredStep:
    inside = outer.inside(parameters.values())
    own = arguments_of(step.program)
    names = {item.name: inside.claim(item.name) for item in own}
    return LoweredStep(
        scope.claim(step.program.name),
        own,
        tuple(names.values()),
        tuple(arguments.get(array, "") for array in (*step.reads, *step.writes)),
        lower(step.program, names, parameters, outer),
        tuple(numbers),
        tuple(places),
    )


def _places(step: Step, call: Call, homes: Mapping[int, int]) -> tuple[int, ...]:
    arrays, places = (*step.reads, *step.writes), (*call.reads, *call.writes)
    return tuple(homes[place] if array == MEMORY else place for array, place in zip(arrays, places, strict=True))


def _loops(program: Program) -> list[For]:
    return [statement for statement in program.body if isinstance(statement, For)]


def _homes(rolled: Program) -> tuple[dict[int, int], int]:
    """Where each block begins in the memory, and how large that is.

    Places that become free in a part of a sweep are taken again by that part alone until the sweep is over.
    """
    last: dict[int, tuple[int, int]] = {}
    readers: dict[int, set[tuple[int, int]]] = {}
    time = 0
    loops = _loops(rolled)
    for number, sweep in enumerate(loops):
        for call in sweep.calls:
            for array, block in zip(rolled.steps[call.step].reads, call.reads, strict=True):
                if array == MEMORY:
                    last[block] = number, time
                    readers.setdefault(block, set()).add((number, call.part))
            time += 1
    for item in (item for each in rolled.pairs for item in (*each.outer, *each.inner)):
        last.update(dict.fromkeys(item.reads, (len(loops), time)))
    ending: dict[int, list[int]] = {}
    for block, (_, time) in last.items():
        ending.setdefault(time, []).append(block)
    memory = _Memory()
    time = 0
    for number, sweep in enumerate(loops):
        for call in sweep.calls:
            step = rolled.steps[call.step]
            # What a call writes never shares memory with what it reads.
            written = []
            for output, array, block in zip(step.program.outputs, step.writes, call.writes, strict=True):
                if array == MEMORY:
                    memory.take(block, len(output.values), call.part)
                    written.append(block)
            for block in (*ending.get(time, ()), *(block for block in written if block not in last)):
                others = {part for sweep_of, part in readers.get(block, ()) if sweep_of == number} - {call.part}
                memory.leave(block, None if others else call.part)
            time += 1
        memory.end_sweep()
    return memory.homes, memory.size


class _Memory:
    """Places of blocks by length: free for all, or for the part of the sweep that left them."""

    def __init__(self) -> None:
        self.homes: dict[int, int] = {}
        self.size = 0
        self._lengths: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}
        self._own: dict[tuple[int, int], list[int]] = {}
        self._later: list[tuple[int, int]] = []

    def take(self, block: int, length: int, part: int) -> None:
        """Finds a place for a block that a part writes."""
        self._lengths[block] = length
        known = self._own.get((part, length)) or self._free.get(length)
        if known:
            self.homes[block] = known.pop()
        else:
            self.homes[block] = self.size
            self.size += length

    def leave(self, block: int, part: int | None) -> None:
        """A block is not read any more; where parts beside each other read it, not before the sweep is over."""
        length = self._lengths[block]
        if part is None:
            self._later.append((length, self.homes[block]))
        else:
            self._own.setdefault((part, length), []).append(self.homes[block])

    def end_sweep(self) -> None:
        """What has become free is so for all."""
        for length, home in self._later:
            self._free.setdefault(length, []).append(home)
        for (_, length), homes in self._own.items():
            self._free.setdefault(length, []).extend(homes)
        self._own.clear()
        self._later.clear()
