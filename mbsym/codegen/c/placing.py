"""Where parts hand values on: places of an array that they share, used again once nobody reads what stood there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from mbsym.codegen.c.lanes import Lanes, Leaf
from mbsym.codegen.c.pieces import (
    NUMBERS,
    SHARED,
    Line,
    Loop,
    Part,
    Parts,
    Stage,
    identifier_of,
    variables_of,
    with_tables,
)
from mbsym.codegen.expressions import Constant, Element, Expression, Negation, Product, Variable, leaves, operations
from mbsym.codegen.lowered import Assignment, Block, Result, Store, Straight


@dataclass(slots=True)
class _Region:
    """Neighbouring places of the shared array, from the first stage that writes to the last one that reads."""

    size: int
    start: int
    end: int
    place: int = -1


@dataclass(slots=True)
class _Column:
    """What a loop reads: where it stands, or the constants of its table."""

    region: _Region | None
    table: tuple[Constant, ...] = ()


@dataclass(slots=True)
class Placing:
    """Decides what is stored where.

    Attributes:
        stages: parts and loops in order.
        results: of the body.
        made: the stage in which each temporary of a part or loop gets its value.
        homes: places of temporaries that later stages read one by one.
        copies: columns that a temporary is written to as soon as it is known, with lane and sign.
        moves: columns' lanes that are filled just before a loop, by stage.
        columns: by stage of a loop and column variable.
        filled: columns by what stands in their lanes.
        outputs: columns that loops write, by stage and temporary.
    """

    stages: list[Stage]
    results: Sequence[Result]
    made: dict[str, int] = field(default_factory=dict)
    homes: dict[str, tuple[_Region, int]] = field(default_factory=dict)
    copies: dict[str, list[tuple[_Region, int, bool]]] = field(default_factory=dict)
    moves: dict[int, list[tuple[_Region, int, Leaf]]] = field(default_factory=dict)
    columns: dict[tuple[int, str], _Column] = field(default_factory=dict)
    filled: dict[tuple[Leaf, ...], _Region] = field(default_factory=dict)
    outputs: dict[tuple[int, str], _Region] = field(default_factory=dict)
    regions: list[_Region] = field(default_factory=list)

    def result(self) -> Parts:
        """The parts with all places."""
        looped = {
            name: (stage, own, lane)
            for stage, item in enumerate(self.stages)
            if isinstance(item, Lanes)
            for own, names in item.names.items()
            for lane, name in enumerate(names)
        }
        self.made = {name: stage for name, (stage, _, _) in looped.items()}
        for stage, item in enumerate(self.stages):
            lines = () if isinstance(item, Lanes) else item
            self.made |= {line.identifier: stage for line in lines if line.index is None}
        self._place_outputs(looped)
        for stage, item in enumerate(self.stages):
            if isinstance(item, Lanes):
                for name, column in item.columns.items():
                    self.columns[stage, name] = self._column(stage, item.width, column, looped)
            read = item.common if isinstance(item, Lanes) else (name for line in item for name in line.needs)
            for name in read:
                if self.made[name] < stage:
                    self._keep(name, stage)
        length = _allocate(self.regions)
        return Parts(tuple(self._parts()), length)

    def _parts(self) -> Iterator[Part | Loop]:
        for stage, item in enumerate(self.stages):
            part = self._loop(stage, item) if isinstance(item, Lanes) else self._part(stage, item)
            if isinstance(part, Loop) or part.blocks or part.entries or part.moves:
                yield part

    def _region(self, size: int, start: int) -> _Region:
        region = _Region(size, start, start)
        self.regions.append(region)
        return region

    def _place_outputs(self, looped: Mapping[str, tuple[int, str, int]]) -> None:
        """A column for each temporary of a loop that other stages need."""
        wanted: dict[tuple[int, str], None] = {}
        for item in self.stages:
            names = variables_of(item) if isinstance(item, Lanes) else (name for line in item for name in line.needs)
            for name in names:
                if name in looped:
                    stage, own, _ = looped[name]
                    wanted[stage, own] = None
        for stage, own in sorted(wanted):
            lanes = self.stages[stage]
            assert isinstance(lanes, Lanes)
            region = self._region(lanes.width, stage)
            self.outputs[stage, own] = region
            names_of = lanes.names[own]
            self.filled[_padded(tuple(Variable(name) for name in names_of), lanes.width)] = region
            for lane, name in enumerate(names_of):
                self.homes[name] = (region, lane)

    def _keep(self, name: str, stage: int) -> None:
        """A temporary is read one by one in a later stage."""
        if name not in self.homes:
            self.homes[name] = (self._region(1, self.made[name]), 0)
        region = self.homes[name][0]
        region.end = max(region.end, stage)

    def _column(
        self, stage: int, width: int, column: tuple[Leaf, ...], looped: Mapping[str, tuple[int, str, int]]
    ) -> _Column:
        padded = _padded(column, width)
        numbers = tuple(leaf for leaf in padded if isinstance(leaf, Constant))
        if len(numbers) == width:
            return _Column(None, numbers)
        region = self.filled.get(padded)
        if region is None:
            region = self._region(width, stage - 1)
            self.filled[padded] = region
            for lane, leaf in enumerate(padded):
                plain = leaf.operand if isinstance(leaf, Negation) else leaf
                name = plain.identifier if isinstance(plain, Variable) else ""
                if name in self.made and name not in looped:
                    self.copies.setdefault(name, []).append((region, lane, isinstance(leaf, Negation)))
                    region.start = min(region.start, self.made[name])
                    continue
                self.moves.setdefault(stage - 1, []).append((region, lane, leaf))
                if name in looped:
                    self._keep(name, stage - 1)
        region.end = max(region.end, stage)
        return _Column(region)

    def _part(self, stage: int, lines: list[Line]) -> Part:
        known: set[str] = set()
        used: set[str] = set()
        blocks: list[tuple[str, list[Straight]]] = []
        entries: list[Straight] = []
        ordered = [line for line in lines if line.index is None] + [line for line in lines if line.index is not None]
        for line in ordered:
            names = [name for name in line.needs if self.made[name] < stage and name not in known]
            known.update(names)
            used.update(line.operands)
            loads = [self._read(name) for name in names]
            if line.index is not None:
                used.add(line.identifier)
                entries += [*loads, Store(line.identifier, line.index, line.expression)]
                continue
            if not blocks or blocks[-1][0] != line.title:
                blocks.append((line.title, []))
            blocks[-1][1].extend((*loads, Assignment(line.identifier, line.expression), *self._stores(line.identifier)))
        moves = [self._moved(region.place + lane, leaf, used) for region, lane, leaf in self.moves.get(stage, ())]
        size = sum(operations(line.expression) for line in lines)
        found = tuple(Block(title, tuple(statements)) for title, statements in blocks)
        every = [*entries, *moves, *(each for block in found for each in block.statements)]
        shares = any(map(_is_shared, every))
        return Part(found, with_tables(entries, self.results), tuple(moves), frozenset(used), size, shares)

    def _moved(self, place: int, leaf: Leaf, used: set[str]) -> Store:
        """What a lane of the next loop reads goes to its place; ``used`` learns what is read for that."""
        source = leaf.operand if isinstance(leaf, Negation) else leaf
        assert isinstance(source, (Constant, Variable, Element))
        if isinstance(source, Variable) and source.identifier in self.homes:
            source = Element(SHARED, self._home(source.identifier))
        elif not isinstance(source, Constant):
            used.add(identifier_of(source))
        return Store(SHARED, place, Negation(source) if isinstance(leaf, Negation) else source)

    def _stores(self, name: str) -> list[Store]:
        """Where a temporary waits for later parts, with opposite sign where these want that."""
        value = Variable(name)
        stores = [Store(SHARED, self._home(name), value)] if name in self.homes else []
        for negative in (False, True):
            for region, lane, is_negative in self.copies.get(name, ()):
                if is_negative is negative:
                    stores.append(Store(SHARED, region.place + lane, Negation(value) if negative else value))
        return stores

    def _read(self, name: str) -> Assignment:
        """A temporary of an earlier part."""
        return Assignment(name, Element(SHARED, self._home(name)))

    def _home(self, name: str) -> int:
        region, lane = self.homes[name]
        return region.place + lane

    def _loop(self, stage: int, lanes: Lanes) -> Loop:
        known: set[str] = set()
        table: dict[tuple[Constant, ...], int] = {}
        statements: list[Straight] = []
        for assignment in lanes.assignments:
            for leaf in leaves(assignment.expression):
                name = leaf.identifier if isinstance(leaf, Variable) else ""
                if name not in lanes.columns or name in known:
                    continue
                known.add(name)
                column = self.columns[stage, name]
                if column.region is None:
                    row = table.setdefault(column.table, len(table))
                    statements.append(Assignment(name, Element(NUMBERS, row)))
                else:
                    statements.append(Assignment(name, Element(SHARED, column.region.place)))
            statements.append(assignment)
            output = self.outputs.get((stage, assignment.identifier))
            if output is None:
                continue
            value: Expression = Variable(assignment.identifier)
            signs = lanes.signs[assignment.identifier]
            if -1 in signs:
                padded = (*signs, *signs[-1:] * (lanes.width - len(signs)))
                row = table.setdefault(tuple(Constant(Fraction(sign)) for sign in padded), len(table))
                value = Product((Element(NUMBERS, row), value))
            statements.append(Store(SHARED, output.place, value))
        size = lanes.operations * len(lanes.titles)
        common = tuple(map(self._read, lanes.common))
        return Loop(lanes.title, len(lanes.titles), lanes.width, tuple(table), common, tuple(statements), size)


def _is_shared(statement: Straight) -> bool:
    if isinstance(statement, Store):
        return statement.array == SHARED
    read = statement.expression if isinstance(statement, Assignment) else None
    return isinstance(read, Element) and read.array == SHARED


def _padded(column: tuple[Leaf, ...], width: int) -> tuple[Leaf, ...]:
    """A column in which the last lane is repeated."""
    return column + column[-1:] * (width - len(column))


def _allocate(regions: Sequence[_Region]) -> int:
    """Gives every region the first place that is free from its first stage to its last; returns the length of all."""
    free: list[tuple[int, int]] = []
    ending: dict[int, list[_Region]] = {}
    length = stage = 0
    for region in sorted(regions, key=lambda item: item.start):
        while stage < region.start:
            gone = [(item.place, item.size) for item in ending.pop(stage, ())]
            free = _joined([*free, *gone]) if gone else free
            stage += 1
        for number, (place, size) in enumerate(free):
            if size >= region.size:
                region.place = place
                free[number : number + 1] = [(place + region.size, size - region.size)] if size > region.size else []
                break
        else:
            region.place = length
            length += region.size
        ending.setdefault(region.end, []).append(region)
    return length


def _joined(spaces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Free spaces in ascending order, neighbouring ones as one."""
    result: list[tuple[int, int]] = []
    for place, size in sorted(spaces):
        if result and sum(result[-1]) == place:
            result[-1] = (result[-1][0], result[-1][1] + size)
        else:
            result.append((place, size))
    return result
