"""Straight-line factors of symmetric positive definite matrices, last row first, zeros skipped.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from mbsym.errors import DerivationError, SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.scalar import Scalar

Vector: TypeAlias = list[Scalar]


class Factor(Protocol):
    """M = L^T D L by its action on vectors."""

    @property
    def inverses(self) -> tuple[Scalar, ...]:
        """Of the entries of D."""

    def inward(self, right: Sequence[Scalar]) -> Vector:
        """L^-T times a vector."""

    def outward(self, right: Sequence[Scalar]) -> Vector:
        """(D L)^-1 times a vector."""


@dataclass(frozen=True, slots=True)
class SparseFactor:
    """M = L^T D L with unit lower triangular L.

    Attributes:
        lower: rows of L by column, the diagonal left out.
        inverses: of the entries of D.
    """

    lower: tuple[Mapping[int, Scalar], ...]
    inverses: tuple[Scalar, ...]

    def inward(self, right: Sequence[Scalar]) -> Vector:
        """L^-T times a vector."""
        x = list(right)
        for k in range(len(x) - 1, -1, -1):
            if x[k]:
                for i, factor in self.lower[k].items():
                    x[i] = x[i] - factor * x[k]
        return x

    def outward(self, right: Sequence[Scalar]) -> Vector:
        """(D L)^-1 times a vector."""
        x = list(right)
        for k in range(len(x)):
            total = x[k] * self.inverses[k]
            for i, factor in self.lower[k].items():
                if x[i]:
                    total = total - factor * x[i]
            x[k] = total
        return x


def factorised(mechanism: Mechanism, matrix: Sequence[Sequence[Scalar]], what: str = "mass matrix") -> SparseFactor:
    """The factors of a symmetric positive definite matrix, last row first: no fill for the mass matrix of a tree.

    Raises:
        DerivationError: a pivot is zero whatever the coordinates.
    """
    n = len(matrix)
    a = [list(row) for row in matrix]
    inverses = [Scalar(mechanism.graph, 1)] * n
    with mechanism.graph.section(f"factorisation of the {what}"):
        for k in range(n - 1, -1, -1):
            try:
                inverses[k] = 1 / a[k][k]
            except SymbolicError:
                raise DerivationError(
                    f"the {what} is singular", where=f"row {k + 1}", remedy="give the bodies mass and inertia"
                ) from None
            for i in range(k - 1, -1, -1):
                if a[k][i]:
                    factor = a[k][i] * inverses[k]
                    for j in range(i + 1):
                        a[i][j] = a[i][j] - factor * a[k][j]
                    a[k][i] = factor
    lower = tuple({i: a[k][i] for i in range(k) if a[k][i]} for k in range(n))
    return SparseFactor(lower, tuple(inverses))


def weighted_product(factor: Factor, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a^T D^-1 b."""
    total: Scalar | None = None
    for x, inverse, y in zip(a, factor.inverses, b, strict=True):
        if x and y:
            term = x * inverse * y
            total = term if total is None else total + term
    return Scalar(factor.inverses[0].graph, 0) if total is None else total


def product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a^T b."""
    total = Scalar(a[0].graph, 0)
    for x, y in zip(a, b, strict=True):
        if x and y:
            total = total + x * y
    return total
