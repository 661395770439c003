"""What long functions fall into: parts with the statements of straight code, and loops over lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mbsym.codegen.c.lanes import Lanes
from mbsym.codegen.c.tables import has_table
from mbsym.codegen.expressions import Constant, Element, Expression, Negation, Variable
from mbsym.codegen.lowered import Assignment, Block, LoweredFunction, Result, Store, StoreConstants, Straight

SHARED: Final = ""
"""In the place of an array's identifier: what the parts share; inside a loop, an entry's place is that of lane 0."""

NUMBERS: Final = "numbers of lanes"
"""In the place of an array's identifier, inside a loop: its table, by rows."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the short functions, or a whole body.

    Attributes:
        blocks: statements in order; entries of the shared array are read into temporaries.
        entries: of the results, with what is read for them.
        moves: what the following loop reads, written last.
        used: identifiers of the arguments and parameters that occur, those of results included.
        operations: + - * / of one evaluation.
        shares: whether it reads or fills the shared array.
    """

    blocks: tuple[Block, ...]
    entries: tuple[Straight, ...]
    moves: tuple[Store, ...]
    used: frozenset[str]
    operations: int
    shares: bool


def whole(body: LoweredFunction) -> Part:
    """A body as the only part of it."""
    entries = [
        Store(result.identifier, index, entry) for result in body.results for index, entry in enumerate(result.entries)
    ]
    return Part(body.blocks, with_tables(entries, body.results), (), body.used, body.operations.arithmetic, False)


def with_tables(statements: Sequence[Straight], results: Sequence[Result]) -> tuple[Straight, ...]:
    """The statements; constants of a result that has many are one of them, before the others of that result."""
    tables = {result.identifier: result for result in results if has_table(result)}
    stores = [item for item in statements if isinstance(item, Store) and item.array in tables]
    constants = {id(item) for item in stores if isinstance(item.expression, Constant)}
    waiting = {item.array for item in stores if id(item) in constants}
    kept: list[Straight] = []
    for item in statements:
        if isinstance(item, Store) and item.array in waiting:
            waiting.remove(item.array)
            kept.append(StoreConstants(tables[item.array]))
        kept += [item] * (id(item) not in constants)
    return tuple(kept)


@dataclass(frozen=True, slots=True)
class Loop:
    """Alike sections as a function with one loop.

    Attributes:
        title: of the sections.
        lanes: number of sections.
        width: lanes that the loop runs over.
        table: constants that differ between lanes, row by row.
        common: temporaries that are the same for all lanes, read before the loop.
        statements: the body; what it reads and stores of the shared array are columns, side by side for all lanes.
        operations: + - * / of all sections.
    """

    title: str
    lanes: int
    width: int
    table: tuple[tuple[Constant, ...], ...]
    common: tuple[Assignment, ...]
    statements: tuple[Straight, ...]
    operations: int


@dataclass(frozen=True, slots=True)
class Parts:
    """A body in parts, and the length of the array that they share."""

    parts: tuple[Part | Loop, ...]
    shared: int


@dataclass(frozen=True, slots=True)
class Line:
    """A temporary or an output's entry before it is placed."""

    title: str
    identifier: str
    index: int | None
    expression: Expression
    needs: tuple[str, ...]
    operands: tuple[str, ...]


Stage: TypeAlias = list[Line] | Lanes


def identifier_of(leaf: Variable | Element) -> str:
    """What it is called, or the array in which it stands."""
    return leaf.array if isinstance(leaf, Element) else leaf.identifier


def variables_of(lanes: Lanes) -> Iterable[str]:
    """Temporaries from outside that lanes read."""
    for column in lanes.columns.values():
        for leaf in column:
            plain = leaf.operand if isinstance(leaf, Negation) else leaf
            if isinstance(plain, Variable):
                yield plain.identifier
    yield from lanes.common
