"""From a program with loops to steps with statements and runs of calls with places: what all languages share.

The memory is an array. A block of it is free again once the last call that reads it is over, so that a chain of bodies
hands its values on in a few places however long it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbsym.codegen.description import arguments_of
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lower import lower
from mbsym.codegen.lowered import LoweredFor, LoweredFunction, LoweredPairs, LoweredStep, LoweredZeros, Run
from mbsym.symbolic.program import MEMORY, Call, For, ForPairs, Item, Program, Step, Zeros, total_operations


def lower_loops(
    program: Program, arguments: Mapping[str, str], parameters: Mapping[str, str], outer: Scope
) -> LoweredFunction:
    """The loops of a program that has some, and the steps that they call.

    Args:
        program: what to print.
        arguments: identifiers of the function's inputs and outputs, by their names.
        parameters: identifiers of run-time parameters, by their names.
        outer: scope of what surrounds the function, of which no temporary may bear a name.
    """
    homes, memory = _homes(program)
    inside = outer.inside((*arguments.values(), *parameters.values()))
    own_arrays = {name: inside.claim(name) for name in program.arrays}
    arguments = {**arguments, **own_arrays}
    rows: list[list[Call]] = [[] for _ in program.steps]
    loops: list[LoweredZeros | LoweredFor | LoweredPairs] = []
    sizes = {item.name: len(item.values) for item in program.outputs}
    for statement in program.body:
        if isinstance(statement, Zeros):
            loops.append(LoweredZeros(arguments[statement.result], sizes[statement.result]))
        elif isinstance(statement, For):
            loops.append(_lowered_loop(statement, rows))
        else:
            loops.append(_lowered_pairs(statement, program, arguments, homes))
    scope = Scope()
    steps = tuple(
        _lowered(step, scope, arguments, parameters, outer, own, homes)
        for step, own in zip(program.steps, rows, strict=True)
    )
    used = {array for step in steps for array in step.arrays if array}
    used.update(target for each in loops if isinstance(each, LoweredPairs) for target, _ in each.targets)
    used.update(name for step in steps for name in parameters.values() if name in step.body.used)
    return LoweredFunction(
        (),
        (),
        frozenset(used),
        (),
        total_operations(program, [step.body.operations for step in steps]),
        0,
        tuple(loops),
        steps,
        {identifier: program.arrays[name] for name, identifier in own_arrays.items()},
        memory,
        program.threads,
    )


def _lowered_loop(loop: For, rows: Sequence[list[Call]]) -> LoweredFor:
    """The runs of a loop; its calls join the rows of their steps."""
    runs: list[Run] = []
    parts: list[int] = []
    is_spread = 1 < len({call.part for call in loop.calls}) == len(loop.calls)
    part = -1
    for call in sorted(loop.calls, key=lambda call: call.step) if is_spread else loop.calls:
        own = rows[call.step]
        begins = call.part != part and not is_spread
        if runs and runs[-1].step == call.step and not begins:
            runs[-1] = Run(call.step, runs[-1].start, len(own) + 1)
        else:
            parts += [len(runs)] * begins
            runs.append(Run(call.step, len(own), len(own) + 1))
        part = call.part
        own.append(call)
    return LoweredFor(loop.title, tuple(runs), tuple(parts) if len(parts) > 1 else (), is_spread)


def _lowered_pairs(
    pairs: ForPairs, program: Program, arguments: Mapping[str, str], homes: Mapping[int, int]
) -> LoweredPairs:
    def row(item: Item) -> tuple[int, ...]:
        return (item.following, *item.starts, *(homes[block] for block in item.reads))

    return LoweredPairs(
        pairs.title,
        pairs.step,
        len(program.steps[pairs.step].program.outputs[0].values),
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
    calls: Sequence[Call],
    homes: Mapping[int, int],
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
        tuple(call.numbers for call in calls),
        tuple(_places(step, call, homes) for call in calls),
    )


def _places(step: Step, call: Call, homes: Mapping[int, int]) -> tuple[int, ...]:
    arrays, places = (*step.reads, *step.writes), (*call.reads, *call.writes)
    return tuple(homes[place] if array == MEMORY else place for array, place in zip(arrays, places, strict=True))


def _loops(program: Program) -> list[For]:
    return [statement for statement in program.body if isinstance(statement, For)]


def _homes(program: Program) -> tuple[dict[int, int], int]:
    """Where each block begins in the memory, and how large that is.

    Places that become free in a part of a sweep are taken again by that part alone until the sweep is over.
    """
    last: dict[int, int] = {}
    readers: dict[int, set[tuple[int, int]]] = {}
    time = 0
    loops = _loops(program)
    for number, sweep in enumerate(loops):
        for call in sweep.calls:
            for array, block in zip(program.steps[call.step].reads, call.reads, strict=True):
                if array == MEMORY:
                    last[block] = time
                    readers.setdefault(block, set()).add((number, call.part))
            time += 1
    for item in (item for each in program.pairs for item in (*each.outer, *each.inner)):
        last.update(dict.fromkeys(item.reads, time))
    ending: dict[int, list[int]] = {}
    for block, time in last.items():
        ending.setdefault(time, []).append(block)
    memory = _Memory()
    time = 0
    for number, sweep in enumerate(loops):
        for call in sweep.calls:
            step = program.steps[call.step]
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
