"""Where the entries of results stand: in matrices as consumers count them, and in the arrays of generated functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TypeVar

from mbsym.consumers.consumer import Exported

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which entries of a matrix are stored, column after column.

    Attributes:
        rows, columns: size of the matrix.
        entries: (row, column) of each stored entry, by columns and then by rows.
    """

    rows: int
    columns: int
    entries: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """Number of stored entries."""
        return len(self.entries)

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each column starts among the entries, and where the last one ends."""
        counts = [0] * (self.columns + 1)
        for _, column in self.entries:
            counts[column + 1] += 1
        for column in range(self.columns):
            counts[column + 1] += counts[column]
        return tuple(counts)

    @property
    def numbers(self) -> tuple[int, ...]:
        """As CasADi writes it: rows, columns, and 1 where all is stored, else the starts and the row of each entry."""
        if self.size == self.rows * self.columns:
            return (self.rows, self.columns, 1)
        return (self.rows, self.columns, *self.starts, *(row for row, _ in self.entries))


def dense(shape: tuple[int, ...]) -> Pattern:
    """The pattern of an array all of which is stored."""
    rows, columns = matrix_size(shape)
    return Pattern(rows, columns, tuple((row, column) for column in range(columns) for row in range(rows)))


def empty(shape: tuple[int, ...]) -> Pattern:
    """The pattern of an array nothing of which is stored."""
    return Pattern(*matrix_size(shape), ())


def stored(rows: int, columns: int, entries: Mapping[tuple[int, int], T]) -> tuple[Pattern, tuple[T, ...]]:
    """The pattern of entries in any order, and what stands there in the pattern's."""
    ordered = tuple(sorted(entries, key=lambda entry: (entry[1], entry[0])))
    return Pattern(rows, columns, ordered), tuple(entries[entry] for entry in ordered)


def matrix_size(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of an array as a matrix: a vector is a column, of more indices the last is that of columns."""
    if len(shape) < 2:
        return prod(shape), 1
    return prod(shape[:-1]), shape[-1]


@dataclass(frozen=True, slots=True)
class Result:
    """A result of a generated function.

    Attributes:
        shape: of the whole array, whether or not it is compressed.
        size: of the array that the function fills.
        places: of what is not zero by structure, where it stands in that array, by its row-major index in the whole.
    """

    shape: tuple[int, ...]
    size: int
    places: Mapping[int, int]

    @property
    def entries(self) -> dict[tuple[int, int], int]:
        """Places by row and column of the matrix."""
        _, columns = matrix_size(self.shape)
        return {divmod(flat, columns): place for flat, place in self.places.items()} if columns else {}


def result_of(exported: Exported, function: str, name: str) -> Result:
    """Where the entries of a result stand."""
    argument = next(item for item in exported.function(function).arguments if item.name == name)
    sparsity = exported.derivation.sparsity.get(function, {}).get(name)
    program = exported.program(function)
    if sparsity is not None and argument.shape != sparsity.shape:
        columns = sparsity.shape[-1]
        stored = [(row, column) for column, rows in enumerate(sparsity.stored) for row in rows]
        nonzero = {(row, column) for column, rows in enumerate(sparsity.columns) for row in rows}
        places = {row * columns + column: k for k, (row, column) in enumerate(stored) if (row, column) in nonzero}
        return Result(sparsity.shape, argument.size, places)
    if program is None:
        return Result(argument.shape, argument.size, {k: k for k in range(argument.size)})
    values = next(item.values for item in program.outputs if item.name == name)
    return Result(argument.shape, argument.size, {k: k for k, ref in enumerate(values) if ref})
