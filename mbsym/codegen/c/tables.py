"""Tables of numbers in C: where things stand in arrays, limits, and constant entries of results."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from textwrap import wrap
from typing import Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.expressions import Constant
from mbsym.codegen.lowered import Result
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.codegen.text import c_comment, enumerator

WIDTH: Final = 100
"""Of lines of integers."""
LONGEST_LIST_OF_CONSTANTS: Final = 256
"""More constant entries of a result than this become a table."""
INDENT: Final = "    "
CONTINUED: Final = "        "


@dataclass(frozen=True, slots=True)
class EntryView:
    """A line of a table."""

    text: str
    separator: str


@dataclass(frozen=True, slots=True)
class TableView:
    """An enumeration or an array: what it says, the line before its entries, and they."""

    comment: str
    head: str
    entries: tuple[EntryView, ...]


def index_views(module: LoweredModule) -> tuple[TableView, ...]:
    """An enumeration for each table of places."""
    views = []
    for item in module.description.indices:
        names = module.names.indices[item.name]
        last = len(item.places) - 1
        entries = tuple(
            EntryView(enumerator(f"{module.names.module}_{item.name}_{names[name]}", start, note, k == last), "")
            for k, (name, (start, stop)) in enumerate(item.places.items())
            for note in [": ".join(filter(None, (_extent(stop - start), item.notes.get(name, ""))))]
        )
        views.append(TableView(c_comment(item.sentence), "enum", entries))
    return tuple(views)


def _extent(entries: int) -> str:
    return f"{entries} entries" if entries > 1 else ""


def limit_views(module: LoweredModule, printer: CPrinter) -> tuple[TableView, ...]:
    """A constant array for each table of limits."""
    name = module.names.module
    views = []
    for title, values in module.description.limits.items():
        last = len(values) - 1
        entries = tuple(EntryView(_limit(value, printer), "" if k == last else ",") for k, value in enumerate(values))
        views.append(TableView("", f"static const {name}_real {name}_{title}[{len(values)}] =", entries))
    return tuple(views)


def array_views(module: LoweredModule) -> tuple[TableView, ...]:
    """A constant array for each array of integers, as many entries a line as it holds."""
    names = module.names
    views = []
    for title, values in module.description.index_arrays.items():
        lines = wrap(", ".join(str(value) for value in values), WIDTH)
        head = f"static const int {names.module}_{names.index_arrays[title]}[{len(values)}] ="
        views.append(TableView("", head, tuple(EntryView(line, "") for line in lines)))
    return tuple(views)


def has_infinite_limits(module: LoweredModule) -> bool:
    """True where the header needs the mathematical library for the name of infinity."""
    return any(isinf(value) for values in module.description.limits.values() for value in values)


def _limit(value: float, printer: CPrinter) -> str:
    if isinf(value):
        return f"{'-' if value < 0 else ''}{printer.infinity}"
    text = printer.literal(Fraction(abs(value)))
    return f"-{text}" if value < 0 else text


def has_table(result: Result) -> bool:
    """True where the constant entries of a result are so many that they are copied from a table."""
    return sum(isinstance(entry, Constant) for entry in result.entries) > LONGEST_LIST_OF_CONSTANTS


def table_lines(result: Result, real: str, printer: CPrinter) -> list[str]:
    """The constant entries of a result as a table that is copied: compilers take long over lists of assignments."""
    size = len(result.entries)
    values = [printer.expression(entry) if isinstance(entry, Constant) else "0" for entry in result.entries]
    lines = [f"{INDENT}{{", f"{CONTINUED}static const {real} constant_entries[{size}] = {{"]
    for start in range(0, size, 8):
        lines.append(f"{CONTINUED}{INDENT}{', '.join(values[start : start + 8])},")
    lines += [
        f"{CONTINUED}}};",
        f"{CONTINUED}for (int entry_index = 0; entry_index < {size}; ++entry_index) {{",
        f"{CONTINUED}{INDENT}{result.identifier}[entry_index] = {printer.spread('constant_entries[entry_index]')};",
        f"{CONTINUED}}}",
        f"{INDENT}}}",
    ]
    return lines
