"""Straight-line factors of symmetric positive definite matrices, zeros skipped.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from mbsym.errors import DerivationError, SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.scalar import Scalar

Vector: TypeAlias = list[Scalar]


class Factor(Protocol):
    """M = L^T D L by its action on vectors."""

    @property
    def order(self) -> tuple[int, ...]:
        """Of the rows; those eliminated first stand last."""

    @property
    def inverses(self) -> tuple[Scalar, ...]:
        """Of the entries of D."""

    def inward(self, right: Sequence[Scalar]) -> Vector:
        """L^-T times a vector."""

    def outward(self, right: Sequence[Scalar]) -> Vector:
        """(D L)^-1 times a vector."""


@dataclass(frozen=True, slots=True)
class SparseFactor:
    """M = L^T D L with L unit lower triangular in an order of the rows.

    Attributes:
        order: of the rows; elimination runs from the last to the first.
        lower: rows of L by column, the diagonal left out.
        inverses: of the entries of D.
    """

    order: tuple[int, ...]
    lower: tuple[Mapping[int, Scalar], ...]
    inverses: tuple[Scalar, ...]

    def inward(self, right: Sequence[Scalar]) -> Vector:
        """L^-T times a vector."""
        x = list(right)
        for k in reversed(self.order):
            if x[k]:
                for i, factor in self.lower[k].items():
                    x[i] = x[i] - factor * x[k]
        return x

    def outward(self, right: Sequence[Scalar]) -> Vector:
        """(D L)^-1 times a vector."""
        x = list(right)
        for k in self.order:
            total = x[k] * self.inverses[k]
            for i, factor in self.lower[k].items():
                if x[i]:
                    total = total - factor * x[i]
            x[k] = total
        return x


def factorised(
    mechanism: Mechanism,
    matrix: Sequence[Sequence[Scalar]],
    what: str = "mass matrix",
    order: Sequence[int] | None = None,
    *,
    regular: bool = False,
    where: Callable[[int], str] = "row {}".format,
) -> SparseFactor:
    """The factors of a symmetric positive definite matrix.

    Args:
        mechanism: whose matrix it is.
        matrix: all entries.
        what: it is called.
        order: of the rows, eliminated from the last to the first; as they stand if not given. That of the labels leaves
            the zeros of a tree's mass matrix zero.
        regular: it is shown that no state makes it singular.
        where: what a row is called in messages, by its number from 1 on.

    Raises:
        DerivationError: a pivot is zero whatever the coordinates.
    """
    n = len(matrix)
    a = [list(row) for row in matrix]
    inverses = [Scalar(mechanism.graph, 1)] * n
    rows = tuple(range(n)) if order is None else tuple(order)
    with mechanism.graph.section(f"factorisation of the {what}"):
        for place in range(n - 1, -1, -1):
            k, before = rows[place], rows[:place]
            try:
                inverses[k] = 1 / (a[k][k].never_zero() if regular else a[k][k])
            except SymbolicError:
                raise DerivationError(
                    f"the {what} is singular", where=where(k + 1), remedy="give the bodies mass and inertia"
                ) from None
            for m in range(place - 1, -1, -1):
                i = before[m]
                if a[k][i]:
                    factor = a[k][i] * inverses[k]
                    for j in before[: m + 1]:
                        a[i][j] = a[i][j] - factor * a[k][j]
                    a[k][i] = factor
    lower: list[Mapping[int, Scalar]] = [{}] * n
    for place, k in enumerate(rows):
        lower[k] = {i: a[k][i] for i in rows[:place] if a[k][i]}
    return SparseFactor(rows, tuple(lower), tuple(inverses))


def sparsest_order(matrix: Sequence[Sequence[Scalar]], given: Sequence[int]) -> tuple[int, ...]:
    """An order of the rows for ``factorised`` that keeps many zeros: the row with the fewest entries goes first.

    Args:
        matrix: symmetric.
        given: decides between rows alike; what stands last in it goes first.

    Source: W. F. Tinney, J. W. Walker, Direct solutions of sparse network equations by optimally ordered triangular
    factorization, 1967, scheme 2.
    """
    near = {k: {i for i in given if i != k and matrix[k][i]} for k in given}
    chosen: list[int] = []
    while near:
        k = min((row for row in reversed(given) if row in near), key=lambda row: len(near[row]))
        joined = near.pop(k)
        for i in joined:
            near[i] = (near[i] | joined) - {i, k}
        chosen.append(k)
    return tuple(reversed(chosen))


def weighted_product(factor: Factor, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a^T D^-1 b."""
    total: Scalar | None = None
    for k in factor.order:
        if a[k] and b[k]:
            term = a[k] * factor.inverses[k] * b[k]
            total = term if total is None else total + term
    return Scalar(factor.inverses[0].graph, 0) if total is None else total


def product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a^T b."""
    total = Scalar(a[0].graph, 0)
    for x, y in zip(a, b, strict=True):
        if x and y:
            total = total + x * y
    return total
