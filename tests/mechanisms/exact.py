"""Equality of graph values, decided exactly in the field of 2^61 - 1 elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.equality import compare, is_zero
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar


def equal(found: Iterable[Scalar], expected: Iterable[Scalar]) -> bool:
    """Whether all entries are equal, one by one, for all values of their symbols."""
    differences = [a - b for a, b in zip(found, expected, strict=True)]
    return is_zero(differences[0].graph, *(difference.ref for difference in differences))


def same(mechanism: Mechanism, found: Sequence[Scalar], expected: Sequence[Scalar]) -> bool:
    """Whether all entries are equal for all values of the arguments, quaternions of unit length."""
    sides = (
        Program("side", mechanism.graph, (mechanism.q, mechanism.v), (output,), mechanism.parameters)
        for output in (Output("entries", (len(side),), tuple(x.ref for x in side)) for side in (found, expected))
    )
    return bool(compare(*sides))
