"""Loops over tables of calls in C: the tables, and statements for one thread or several."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final

from mbsym.codegen.c.routine_functions import CFunction, CNames
from mbsym.codegen.c.tables import CONTINUED, INDENT
from mbsym.codegen.description import Real
from mbsym.codegen.expressions import Array, Place, Span
from mbsym.codegen.integers import linear
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.printer import Item
from mbsym.codegen.routines.language import EMPTY, loops_of
from mbsym.codegen.statements import For, Look, Table, Threads, walk
from mbsym.codegen.text import WIDTH, c_comment

_TYPES: Final[Mapping[int, str]] = {2**8 - 1: "unsigned char", 2**16 - 1: "unsigned short"}


def loops_of_calls(
    body: LoweredFunction, symbols: Mapping[str, str], prefix: str, real: Real, *, takes_parameters: bool
) -> list[str]:
    """The tables, the memory and the loops of a function.

    Args:
        body: of the function.
        symbols: of its steps, by their names.
        prefix: of every symbol, with its underscore.
        real: the floating-point type.
        takes_parameters: whether steps take the structure of parameters first.
    """
    style = _Names(body, symbols, prefix, real, takes_parameters)
    printer = _Loops(style, loops_of(body))
    printer.block(body.loops)
    tables = [line for table in body.tables for line in style.table(table)]
    own = [f"{INDENT}{style.own_array(array)}" for array in body.own]
    told = [f"{INDENT}/* what calls hand on to later ones */"] * bool(own)
    return [*tables, *told, *own, *[""] * (printer.lines[0] != ""), *printer.lines]


class _Names(CNames):
    """What the loops of a function call things.

    Attributes:
        entries: types of what stands in tables, and of what names for their rows stand for.
    """

    def __init__(
        self, body: LoweredFunction, symbols: Mapping[str, str], prefix: str, real: Real, has_parameters: bool
    ) -> None:
        super().__init__(EMPTY, prefix, real, has_parameters)
        self._symbols = symbols
        self.tables = frozenset(table.array.name for table in body.tables)
        self.entries = {table.array.name: self._type((table,)) for table in body.tables}
        # The rows that one name stands for are of one type.
        for view, tables in _looked_at(body).items():
            common = self._type(tables)
            self.entries |= {view: common, **{table.array.name: common for table in tables}}

    def kernel(self, name: str) -> str:
        return self._symbols[name]

    def table(self, table: Table) -> list[str]:
        """The definition of a table."""
        array = table.array
        rows = [[self._entry(entry, array) for entry in row] for row in table.rows]
        extents = "".join(f"[{extent}]" for extent in array.extents)
        told = [f"{INDENT}/* {c_comment(table.remark)} */"] * bool(table.remark)
        return [*told, *_defined(f"static const {self.entries[array.name]} {array.name}{extents}", rows)]

    def _entry(self, value: Fraction | int, array: Array) -> str:
        return str(value) if array.kind == "int" else self.literals.literal(value)

    def _type(self, tables: Sequence[Table]) -> str:
        """The smallest type that has room for all whole numbers of some tables."""
        if tables[0].array.kind == "real":
            return self.type
        numbers = [int(entry) for table in tables for row in table.rows for entry in row]
        fitting = (name for most, name in _TYPES.items() if min(numbers) >= 0 and max(numbers) <= most)
        return next(fitting, "int")


def _looked_at(body: LoweredFunction) -> dict[str, list[Table]]:
    """The tables of which a name is given to rows, by the name."""
    tables = {table.array.name: table for table in body.tables}
    found: dict[str, list[Table]] = {}
    for each in walk(body.loops):
        if isinstance(each, Look) and isinstance(each.value, Place):
            found.setdefault(each.view.name, []).append(tables[each.value.array.name])
    return found


class _Loops(CFunction):
    """The loops of a derived function."""

    style: _Names

    def remark(self, text: str) -> None:
        self.lines.append("")
        super().remark(text)

    def declared(self, name: str) -> str:
        return f"const {self.style.entries[name]} *{name}" if name in self.views else super().declared(name)

    def place(self, node: Place, items: Sequence[Item]) -> str:
        """Of a table an entry has an index for each extent, and a row one."""
        if node.array.name not in self.style.tables:
            return super().place(node, items)
        indices = (f"[{self.integer(index)}]" for index in node.indices if not isinstance(index, Span))
        return "".join((node.array.name, *indices))

    def threads(self, node: Threads) -> None:
        self._pragma(f"parallel num_threads({node.count})")
        self._open()
        for is_shared, group in groupby(node.body, key=lambda each: isinstance(each, For) and each.is_shared):
            if not is_shared:
                self._pragma("single")
                self._open()
            for each in group:
                for text in each.remarks:
                    self.remark(text)
                if isinstance(each, For) and each.is_shared:
                    # Whoever comes first takes what is done once.
                    way = "single" if _is_once(each) else "for schedule(static)"
                    self._pragma(f"{way}{'' if each.is_awaited else ' nowait'}")
                self.statement(each)
            if not is_shared:
                self.close()
        self.close()

    def _open(self) -> None:
        self.write("{")
        self.depth += 1

    def _pragma(self, text: str) -> None:
        """A line for OpenMP, which other compilers need not know."""
        self.lines += ["#ifdef _OPENMP", f"#pragma omp {text}", "#endif"]


def _is_once(loop: For) -> bool:
    difference = linear(loop.stop).plus(linear(loop.start), -1)
    return not difference.terms and difference.number == 1


def _defined(head: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """A constant array; a single row is one of one dimension."""
    texts = [f"{{{', '.join(row)}}}," for row in rows] if head.count("[") > 1 else [", ".join(rows[0])]
    return [f"{INDENT}{head} = {{", *(line for text in texts for line in _filled(text)), f"{INDENT}}};"]


def _filled(text: str) -> list[str]:
    """Numbers with commas between them on as few lines as hold them; what goes on behind a brace stands behind it."""
    following = CONTINUED + " " * text.startswith("{")
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=CONTINUED,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )
