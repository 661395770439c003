"""Equality of graph values, decided exactly in the field of 2^61 - 1 elements."""

from __future__ import annotations

from collections.abc import Iterable

from mbsym.symbolic.equality import is_zero
from mbsym.symbolic.scalar import Scalar


def equal(found: Iterable[Scalar], expected: Iterable[Scalar]) -> bool:
    """Whether all entries are equal, one by one, for all values of their symbols."""
    differences = [a - b for a, b in zip(found, expected, strict=True)]
    return is_zero(differences[0].graph, *(difference.ref for difference in differences))
