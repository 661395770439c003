"""Which entries of a matrix are zero whatever the arguments, and programs that return the others alone.

A result with more than two indices counts as a matrix whose columns run over the last index and whose rows run over
the others, row-major.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mbsym.symbolic.program import Output, Program


@dataclass(frozen=True, slots=True)
class Sparsity:
    """What of a matrix is not zero by structure.

    Attributes:
        shape: of the result.
        columns: by column, the rows of what is not zero, ascending.
    """

    shape: tuple[int, ...]
    columns: tuple[tuple[int, ...], ...]

    @property
    def stored(self) -> tuple[tuple[int, ...], ...]:
        """By column, the rows of what is stored: a matrix of zeros stores one, since no array of C is empty."""
        if any(self.columns):
            return self.columns
        return ((0,), *((),) * (len(self.columns) - 1))

    @property
    def rows(self) -> tuple[int, ...]:
        """Of all that is stored, column after column."""
        return tuple(row for column in self.stored for row in column)

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each column starts among what is stored, and where the last one ends."""
        found = [0]
        for column in self.stored:
            found.append(found[-1] + len(column))
        return tuple(found)

    def as_manifest(self) -> dict[str, object]:
        """Shape, and the rows of each column."""
        return {"shape": list(self.shape), "rows": [list(column) for column in self.columns]}


def sparsity_of(program: Program) -> dict[str, Sparsity]:
    """Of each matrix that a program returns, by name."""
    return {item.name: _of(item) for item in program.outputs if len(item.shape) > 1 and item.values}


def _of(output: Output) -> Sparsity:
    count = output.shape[-1]
    columns = (output.values[column::count] for column in range(count))
    return Sparsity(output.shape, tuple(tuple(row for row, ref in enumerate(column) if ref) for column in columns))


def compress(program: Program) -> Program:
    """The program that returns of each matrix what is not zero by structure, column after column."""
    found = sparsity_of(program)
    outputs = []
    for item in program.outputs:
        if item.name in found:
            own, count = found[item.name], item.shape[-1]
            values = tuple(item.values[row * count + column] for column, rows in enumerate(own.stored) for row in rows)
            text = f"{item.description}; compressed columns" if item.description else "compressed columns"
            item = replace(item, shape=(len(values),), values=values, description=text)
        outputs.append(item)
    return replace(program, outputs=tuple(outputs))


def sparsity_fields(sparsity: Mapping[str, Mapping[str, Sparsity]]) -> dict[str, object]:
    """For the manifest: which entries of derivatives are not zero by structure."""
    found = {
        function: {name: own.as_manifest() for name, own in results.items()} for function, results in sparsity.items()
    }
    return {"sparsity": found} if found else {}


def index_arrays(sparsity: Mapping[str, Mapping[str, Sparsity]]) -> dict[str, tuple[int, ...]]:
    """Rows and starts of compressed columns, by function, result and title."""
    return {
        f"{function}_{name}_{title}": numbers
        for function, results in sparsity.items()
        for name, own in results.items()
        for title, numbers in (("rows", own.rows), ("starts", own.starts))
    }
