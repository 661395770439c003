"""Tables of numbers in C: where things stand in arrays, limits, and constant entries of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from textwrap import wrap
from typing import Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.expressions import Constant
from mbsym.codegen.lowered import Result
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.codegen.text import c_comment, enumerator
from mbsym.conventions import CONSTANTS

WIDTH: Final = 100
"""Of lines of integers."""
LONGEST_LIST_OF_CONSTANTS: Final = 256
"""More constant entries of a result than this become a table."""
INDENT: Final = "    "
CONTINUED: Final = "        "
LIMITS: Final = "Limits of coordinates, speeds and generalised forces, in SI units and radians."
COLUMNS: Final = (
    "Compressed columns: the row of each entry that a function returns, and where each column starts among them."
)
STATUSES: Final = "What a function that can fail returns. Below stands what its results are then."


@dataclass(frozen=True, slots=True)
class TableView:
    """An enumeration or an array of the header: the line before its entries, they, and what is said above.

    Attributes:
        is_first: an empty line stands above.
    """

    head: str
    lines: tuple[str, ...]
    comment: str = ""
    is_first: bool = True


def header_tables(module: LoweredModule, printer: CPrinter) -> Iterator[TableView]:
    """Sizes, where things stand, limits, rows and columns of compressed matrices, and statuses."""
    description, names, prefix = module.description, module.names, module.names.module
    sizes = [(names.constants[key], int(value), CONSTANTS.get(key, "")) for key, value in description.constants.items()]
    if sizes:
        yield TableView("enum", _enumerated(prefix, sizes))
    for item in description.indices:
        own = names.indices[item.name]
        places = [
            (
                f"{item.name}_{own[name]}",
                start,
                ": ".join(filter(None, (_extent(stop - start), item.notes.get(name, "")))),
            )
            for name, (start, stop) in item.places.items()
        ]
        yield TableView("enum", _enumerated(prefix, places), c_comment(item.sentence))
    for number, (title, values) in enumerate(description.limits.items()):
        *limits, last = (_limit(value, printer) for value in values)
        head = f"static const {prefix}_real {prefix}_{title}[{len(values)}] ="
        lines = (*(f"{text}," for text in limits), last)
        yield TableView(head, lines, "" if number else LIMITS, is_first=not number)
    for number, (title, places_of) in enumerate(description.index_arrays.items()):
        head = f"static const int {prefix}_{names.index_arrays[title]}[{len(places_of)}] ="
        lines = tuple(wrap(", ".join(map(str, places_of)), WIDTH))
        yield TableView(head, lines, "" if number else COLUMNS, is_first=not number)
    if module.can_fail:
        statuses = [(status.name, status.value, SENTENCES[status]) for status in Status]
        yield TableView(f"enum {prefix}_status", _enumerated(prefix, statuses), STATUSES)


def _enumerated(prefix: str, entries: Sequence[tuple[str, int, str]]) -> tuple[str, ...]:
    last = len(entries) - 1
    return tuple(
        enumerator(f"{prefix}_{name}", value, note, k == last) for k, (name, value, note) in enumerate(entries)
    )


def _extent(entries: int) -> str:
    return f"{entries} entries" if entries > 1 else ""


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
    """The constant entries of a result all at once: compilers take long over lists of assignments.

    Zeros need no table to be copied from, and those that are none stand alone where they are few.
    """
    name, size = result.identifier, len(result.entries)
    constants = {k: entry for k, entry in enumerate(result.entries) if isinstance(entry, Constant)}
    numbers = {k: printer.expression(entry) for k, entry in constants.items() if entry.value}
    is_table = len(numbers) > LONGEST_LIST_OF_CONSTANTS
    zero = printer.expression(Constant(Fraction(0)))
    value = "constant_entries[entry_index]" if is_table else zero
    every = [
        f"for (int entry_index = 0; entry_index < {size}; ++entry_index) {{",
        f"{INDENT}{name}[entry_index] = {printer.spread(value)};",
        "}",
    ]
    if not is_table:
        alone = (f"{name}[{k}] = {printer.spread(number)};" for k, number in numbers.items())
        return [f"{INDENT}{line}" for line in (*every, *alone)]
    values = [numbers.get(k, zero) for k in range(size)]
    rows = (f"{INDENT}{', '.join(values[start : start + 8])}," for start in range(0, size, 8))
    table = (f"static const {real} constant_entries[{size}] = {{", *rows, "};", *every)
    return [f"{INDENT}{{", *(f"{CONTINUED}{line}" for line in table), f"{INDENT}}}"]
