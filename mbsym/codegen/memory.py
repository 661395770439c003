"""Where blocks stand in the memory in which calls of steps leave what later ones read.

The memory is an array. A block of it is free again once the last call that reads it is over, so that a chain of bodies
hands its values on in a few places however long it is.
"""

from __future__ import annotations

from mbsym.symbolic.program import MEMORY, Program


def homes_of(program: Program) -> tuple[dict[int, int], int]:
    """Where each block begins in the memory, and how large that is.

    Places that become free in a part of a sweep are taken again by that part alone until the sweep is over.
    """
    last, readers = _read(program)
    ending: dict[int, list[int]] = {}
    for block, time in last.items():
        ending.setdefault(time, []).append(block)
    memory = _Memory()
    time = 0
    for number, sweep in enumerate(program.sweeps):
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


def _read(program: Program) -> tuple[dict[int, int], dict[int, set[tuple[int, int]]]]:
    """When each block is read last, counted in calls, and by which sweeps and parts of them."""
    last: dict[int, int] = {}
    readers: dict[int, set[tuple[int, int]]] = {}
    time = 0
    for number, sweep in enumerate(program.sweeps):
        for call in sweep.calls:
            for array, block in zip(program.steps[call.step].reads, call.reads, strict=True):
                if array == MEMORY:
                    last[block] = time
                    readers.setdefault(block, set()).add((number, call.part))
            time += 1
    for item in (item for each in program.pairs for item in (*each.outer, *each.inner)):
        last.update(dict.fromkeys(item.reads, time))
    return last, readers


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
