"""Linear equations over any numbers that tell whether they vanish: Gauss's elimination of sparse rows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.exact.numbers import Real
from mbsym.exact.residues import Residue, Series, UndecidedError, vanishes
from mbsym.reference.rotations import Array
from mbsym.symbolic.finite_field import PRIME, inverse

Row: TypeAlias = dict[int, Any]
"""Factors by the number of the unknown."""

_SMALL: Final = 1000
"""By how much a pivot of real numbers may be below the largest."""


def product(a: Array, b: Array) -> Array:
    """a @ b; sums of residues are whole numbers until they are complete."""
    (kind, first), (other, second) = (_whole(each.ravel().tolist()) for each in (a, b))
    kind = kind or other
    if kind is None or first is None or second is None:
        found: Array = a @ b
        return found
    whole = np.array(first, dtype=object).reshape(a.shape) @ np.array(second, dtype=object).reshape(b.shape)
    found = np.frompyfunc(kind, 1, 1)(whole % PRIME)
    return found


def _whole(values: Sequence[Any]) -> tuple[type[Residue] | None, list[int] | None]:
    """Residues as whole numbers, and the class that they are of; none where some are others."""
    kind, found = None, list[int]()
    for value in values:
        if isinstance(value, Residue):
            found.append(value.number)
            kind = value.__class__
        elif isinstance(value, (int, float)) and value == int(value):
            found.append(int(value))
        else:
            return None, None
    return kind, found


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
    given = [{**row, size: r} for row, r in zip(rows, right, strict=True)]
    kind = next((x.__class__ for row in given for x in row.values() if isinstance(x, Residue)), None)
    whole = [numbers for row in given if (numbers := _whole(list(row.values()))[1]) is not None]
    if kind is None or len(whole) < len(given):
        return _eliminated(given, size, _is_zero, lambda a, b, c: a - b * c, lambda a: 1 / a, _sized)
    residues = [dict(zip(row, numbers, strict=True)) for row, numbers in zip(given, whole, strict=True)]
    found = _eliminated(residues, size, operator.not_, lambda a, b, c: (a - b * c) % PRIME, inverse, lambda a: 1.0)
    return list(map(kind, found))


def _eliminated(
    rows: Sequence[Row],
    size: int,
    is_zero: Callable[[Any], bool],
    less: Callable[[Any, Any, Any], Any],
    inverted: Callable[[Any], Any],
    sized: Callable[[Any], float],
) -> list[Any]:
    """The unknowns of rows, right sides in the last column, with a - b c, 1/a and sizes of their numbers."""
    open_rows: list[Row] = [{k: x for k, x in row.items() if not is_zero(x)} for row in rows]
    done: dict[int, Row] = {}
    for column in range(size):
        row = open_rows.pop(_pivot(open_rows, column, sized))
        factor = inverted(row.pop(column))
        row = {k: -less(0, x, factor) for k, x in row.items()}
        for other in open_rows:
            factor = other.pop(column, None)
            if factor is not None:
                for k, x in row.items():
                    other[k] = less(other.get(k, 0), factor, x)
        done[column] = row
    if any(not is_zero(row.get(size, 0)) for row in open_rows):
        raise UndecidedError("equations contradict each other")
    found: list[Any] = [0] * size
    for column in range(size - 1, -1, -1):
        row = done[column]
        value = row.pop(size, 0)
        for k, x in row.items():
            value = less(value, x, found[k])
        found[column] = value
    return found


def _pivot(rows: Sequence[Row], column: int, sized: Callable[[Any], float]) -> int:
    """The shortest row that has a column; of real numbers none far below the largest, lest digits are lost."""
    sizes = {k: sized(row[column]) for k, row in enumerate(rows) if column in row and not vanishes(row[column])}
    if not sizes:
        raise UndecidedError("accelerations or forces are not determined")
    large = [k for k, own in sizes.items() if _SMALL * own >= max(sizes.values())]
    return min(large, key=lambda k: len(rows[k]))


def _sized(value: Any) -> float:
    """How large a real number is, or the value of a series; of residues all are alike."""
    while isinstance(value, Series):
        value = value.terms[0]
    return 1.0 if isinstance(value, Residue) else abs(float(value.value if isinstance(value, Real) else value))


def _is_zero(value: Any) -> bool:
    terms = getattr(value, "terms", None)
    return bool(vanishes(value)) if terms is None else all(map(_is_zero, terms))
