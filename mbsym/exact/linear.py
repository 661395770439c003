"""Linear equations over any numbers that tell whether they vanish: Gauss's elimination of sparse rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from mbsym.exact.residues import UndecidedError, vanishes

Row: TypeAlias = dict[int, Any]
"""Factors by the number of the unknown."""


def solved(rows: Sequence[Mapping[int, Any]], right: Sequence[Any], size: int) -> list[Any]:
    """The unknowns.

    Args:
        rows: as many equations as unknowns, or more that agree with them.
        right: their right sides.
        size: number of unknowns.

    Raises:
        UndecidedError: they do not determine the unknowns.
    """
    # The right side is one more column, of a known unknown.
    open_rows: list[Row] = [
        {k: x for k, x in {**row, size: r}.items() if not _is_zero(x)} for row, r in zip(rows, right, strict=True)
    ]
    done: dict[int, Row] = {}
    for column in range(size):
        candidates = [k for k, row in enumerate(open_rows) if column in row and not vanishes(row[column])]
        if not candidates:
            raise UndecidedError("accelerations or forces are not determined")
        row = open_rows.pop(min(candidates, key=lambda k: len(open_rows[k])))
        inverse = 1 / row.pop(column)
        row = {k: x * inverse for k, x in row.items()}
        for other in open_rows:
            factor = other.pop(column, None)
            if factor is not None:
                for k, x in row.items():
                    other[k] = other[k] - factor * x if k in other else -(factor * x)
        done[column] = row
    if any(not _is_zero(row.get(size, 0)) for row in open_rows):
        raise UndecidedError("equations contradict each other")
    found: list[Any] = [0] * size
    for column in range(size - 1, -1, -1):
        row = done[column]
        found[column] = sum((-(x * found[k]) for k, x in row.items() if k < size), row.get(size, 0))
    return found


def _is_zero(value: Any) -> bool:
    terms = getattr(value, "terms", None)
    return bool(vanishes(value)) if terms is None else all(map(_is_zero, terms))
