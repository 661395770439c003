"""Matrices of graph values."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.formulations.recursive.sparse_factor import product
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar

Rows = Sequence[Sequence[Scalar]]


def results(program: Program) -> dict[str, list[Scalar]]:
    """Entries of all results, row-major."""
    return {item.name: [Scalar(program.graph, ref) for ref in item.values] for item in program.outputs}


def rows(flat: Sequence[Scalar], columns: int) -> list[list[Scalar]]:
    """A matrix of its entries."""
    return [list(flat[k : k + columns]) for k in range(0, len(flat), columns)]


def flat(matrix: Rows) -> list[Scalar]:
    """The entries of a matrix."""
    return [entry for row in matrix for entry in row]


def transposed(matrix: Rows) -> list[list[Scalar]]:
    """Columns for rows."""
    return [list(column) for column in zip(*matrix, strict=True)]


def times(matrix: Rows, vector: Sequence[Scalar]) -> list[Scalar]:
    """Matrix times vector."""
    return [product(list(row), list(vector)) for row in matrix]


def by(matrix: Rows, other: Rows) -> list[list[Scalar]]:
    """Matrix times matrix."""
    return transposed([times(matrix, column) for column in zip(*other, strict=True)])


def less(a: Rows, b: Rows) -> list[list[Scalar]]:
    """a - b."""
    return [[x - y for x, y in zip(*pair, strict=True)] for pair in zip(a, b, strict=True)]


def plus(a: Rows, b: Rows) -> list[list[Scalar]]:
    """a + b."""
    return [[x + y for x, y in zip(*pair, strict=True)] for pair in zip(a, b, strict=True)]


def refs(values: Sequence[Scalar]) -> list[int]:
    """Where the values stand in their graph."""
    return [value.ref for value in values]
