"""Long functions as a sequence of short ones, so that compilers need time in proportion to their length.

The register allocation of compilers grows with the square of the length of straight-line code. A body above
``LARGEST_WHOLE`` operations becomes parts of about ``PART_SIZE``, cut where the fewest values cross. Values that later
parts need pass through an array of the calling function, whose places are used again once a value is no longer needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from mbsym.codegen.expressions import Element, Expression, Variable, leaves, operations
from mbsym.codegen.lower import LoweredFunction

LARGEST_WHOLE: Final = 4000
PART_SIZE: Final = 2500
SHORTEST: Final = 0.6
LONGEST: Final = 1.3


@dataclass(frozen=True, slots=True)
class Statement:
    """A temporary of a part.

    Attributes:
        title: of its section, or "".
        identifier, expression: the temporary and what it holds.
        loads: temporaries of earlier parts that are first needed here, with their places in the shared array.
        store: place in the shared array where it waits for later parts, or None.
    """

    title: str
    identifier: str
    expression: Expression
    loads: tuple[tuple[str, int], ...]
    store: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an output, which its part writes at its end."""

    output: str
    index: int
    expression: Expression
    loads: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One of the short functions.

    Attributes:
        statements: in order.
        entries: of the outputs, written after the statements.
        used: identifiers of the arguments and parameters that occur, outputs included.
        operations: + - * / of one evaluation.
        live: largest number of its temporaries that are needed at the same time.
    """

    statements: tuple[Statement, ...]
    entries: tuple[Entry, ...]
    used: frozenset[str]
    operations: int
    live: int

    @property
    def shares(self) -> bool:
        """Whether it reads or fills the shared array."""
        statements = any(item.loads or item.store is not None for item in self.statements)
        return statements or any(entry.loads for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Parts:
    """A body in parts, and the length of the array that they share."""

    parts: tuple[Part, ...]
    shared: int

    @property
    def live(self) -> int:
        """Numbers on the stack: the shared array and the temporaries of the largest part."""
        return self.shared + max(part.live for part in self.parts)


@dataclass(frozen=True, slots=True)
class _Line:
    """A temporary or an output's entry before it is placed."""

    title: str
    identifier: str
    index: int | None
    expression: Expression
    needs: tuple[str, ...]
    operands: tuple[str, ...]


def split(body: LoweredFunction) -> Parts | None:
    """The parts of a long body; None for a body that stays whole."""
    if body.operations.arithmetic <= LARGEST_WHOLE:
        return None
    lines = _lines(body)
    places = {line.identifier: place for place, line in enumerate(lines) if line.index is None}
    last: dict[str, int] = {}
    for place, line in enumerate(lines):
        for name in line.needs:
            last[name] = place
    cuts = _cuts(lines, places, last)
    if len(cuts) == 2:
        return None
    part_of = [part for part, (a, b) in enumerate(pairwise(cuts)) for _ in range(a, b)]
    slots, shared = _slots(places, last, part_of, len(cuts) - 1)
    parts = tuple(_part(lines[a:b], slots, places, a) for a, b in pairwise(cuts))
    return Parts(parts, shared)


def _lines(body: LoweredFunction) -> list[_Line]:
    """Temporaries in order, and after each the entries that are complete with it; what needs none comes first."""
    temporaries = {assignment.identifier: None for block in body.blocks for assignment in block.assignments}
    order = {name: place for place, name in enumerate(temporaries)}
    ready: dict[int, list[_Line]] = {}
    for result in body.results:
        for index, entry in enumerate(result.entries):
            line = _line("", result.identifier, index, entry, order)
            ready.setdefault(max((order[name] for name in line.needs), default=0), []).append(line)
    lines = []
    for block in body.blocks:
        for assignment in block.assignments:
            lines.append(_line(block.title, assignment.identifier, None, assignment.expression, order))
            lines += ready.get(order[assignment.identifier], ())
    return lines


def _line(title: str, identifier: str, index: int | None, expression: Expression, order: dict[str, int]) -> _Line:
    names = [leaf.array if isinstance(leaf, Element) else leaf.identifier for leaf in _named(expression)]
    needs = tuple(dict.fromkeys(name for name in names if name in order))
    operands = tuple(dict.fromkeys(name for name in names if name not in order))
    return _Line(title, identifier, index, expression, needs, operands)


def _named(expression: Expression) -> Iterable[Variable | Element]:
    return (leaf for leaf in leaves(expression) if isinstance(leaf, (Variable, Element)))


def _cuts(lines: list[_Line], places: dict[str, int], last: dict[str, int]) -> list[int]:
    """Where parts begin, and the end: within the range of sizes, where the fewest values cross."""
    crossing = [0] * (len(lines) + 2)
    for name, final in last.items():
        crossing[places[name] + 1] += 1
        crossing[final + 1] -= 1
    total = 0
    for place, change in enumerate(crossing):
        total += change
        crossing[place] = total
    sizes = [operations(line.expression) for line in lines]
    remaining = sum(sizes)
    cuts = [0]
    while remaining > LONGEST * PART_SIZE:
        size, place, best = 0, cuts[-1], (len(lines) + 1, 0)
        while size <= LONGEST * PART_SIZE and place < len(lines):
            if size >= SHORTEST * PART_SIZE and lines[place].index is None:
                best = min(best, (crossing[place], -place))
            size += sizes[place]
            place += 1
        if not best[1]:
            break
        remaining -= sum(sizes[cuts[-1] : -best[1]])
        cuts.append(-best[1])
    return [*cuts, len(lines)]


def _slots(places: dict[str, int], last: dict[str, int], part_of: list[int], parts: int) -> tuple[dict[str, int], int]:
    """Places in the shared array of the values that cross, and its length."""
    ending: list[list[int]] = [[] for _ in range(parts)]
    free: list[int] = []
    slots: dict[str, int] = {}
    length = current = 0
    for name, place in places.items():
        final = part_of[last.get(name, place)]
        while current < part_of[place]:
            # A place is free after the part that reads it for the last time, wherever in that part this is.
            free = sorted([*free, *ending[current]], reverse=True)
            current += 1
        if final == current:
            continue
        slots[name] = free.pop() if free else length
        length = max(length, slots[name] + 1)
        ending[final].append(slots[name])
    return slots, length


def _part(lines: list[_Line], slots: dict[str, int], places: dict[str, int], start: int) -> Part:
    known: set[str] = set()
    used: set[str] = set()
    statements: list[Statement] = []
    entries: list[Entry] = []
    ordered = [line for line in lines if line.index is None] + [line for line in lines if line.index is not None]
    for line in ordered:
        loads = tuple((name, slots[name]) for name in line.needs if places[name] < start and name not in known)
        known.update(name for name, _ in loads)
        used.update(line.operands)
        if line.index is None:
            store = slots.get(line.identifier)
            statements.append(Statement(line.title, line.identifier, line.expression, loads, store))
        else:
            used.add(line.identifier)
            entries.append(Entry(line.identifier, line.index, line.expression, loads))
    size = sum(operations(line.expression) for line in lines)
    return Part(tuple(statements), tuple(entries), frozenset(used), size, _live(ordered))


def _live(lines: list[_Line]) -> int:
    """Largest number of temporaries, loaded ones included, between their first and last use."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for place, line in enumerate(lines):
        for name in (*line.needs, *((line.identifier,) if line.index is None else ())):
            first.setdefault(name, place)
            last[name] = place
    change = [0] * (len(lines) + 1)
    for name, place in first.items():
        change[place] += 1
        change[last[name] + 1] -= 1
    live = most = 0
    for step in change:
        live += step
        most = max(most, live)
    return most
