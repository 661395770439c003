"""Ranks and relations of columns over GF(p), from rows that arrive one by one.

The rank at random points of the field is at most that of the matrix of functions, so that a rank which is reached is
proved; that a relation between columns holds at points that it was not made from proves it up to chances of 1e-17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from mbsym.symbolic.finite_field import PRIME

_SHORT: Final = 1 << 20
"""Numerators and denominators of what is taken for a rational number: chance makes one of every 2^20 residues."""


class Echelon:
    """Rows in echelon form; columns that come first in the order are kept first."""

    def __init__(self, order: Sequence[int]) -> None:
        """No rows yet.

        Args:
            order: all columns.
        """
        self._order = tuple(order)
        self._place = {column: place for place, column in enumerate(order)}
        self._rows: dict[int, dict[int, int]] = {}

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self._rows)

    @property
    def pivots(self) -> tuple[int, ...]:
        """Columns that are independent of those before them, in order."""
        return tuple(self._order[place] for place in sorted(self._rows))

    def add(self, row: Mapping[int, int]) -> bool:
        """Takes a row, entries modulo the prime by column; False where it follows from those before."""
        rest = {self._place[column]: value for column, value in row.items() if value}
        while rest:
            first = min(rest)
            pivot = self._rows.get(first)
            if pivot is None:
                inverse = pow(rest[first], -1, PRIME)
                self._rows[first] = {place: value * inverse % PRIME for place, value in rest.items()}
                return True
            factor = rest.pop(first)
            for place, value in pivot.items():
                if place != first:
                    changed = (rest.get(place, 0) - factor * value) % PRIME
                    if changed:
                        rest[place] = changed
                    else:
                        rest.pop(place, None)
        return False

    def combination(self, column: int) -> dict[int, int]:
        """Coefficients by pivot column of a column that is none: column = sum of coefficient times pivot column."""
        target = self._place[column]
        found: dict[int, int] = {}
        for place in sorted((place for place in self._rows if place < target), reverse=True):
            row = self._rows[place]
            value = (row.get(target, 0) - sum(row.get(other, 0) * x for other, x in found.items())) % PRIME
            if value:
                found[place] = value
        return {self._order[place]: value for place, value in sorted(found.items())}


def rational(residue: int) -> Fraction | None:
    """The short rational number that is this residue, None where there is none."""
    older, newer, weight_older, weight = PRIME, residue % PRIME, 0, 1
    while newer > _SHORT:
        quotient = older // newer
        older, newer = newer, older - quotient * newer
        weight_older, weight = weight, weight_older - quotient * weight
    if abs(weight) > _SHORT or not weight:
        return None
    return Fraction(newer, weight)
