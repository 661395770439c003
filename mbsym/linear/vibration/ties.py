"""Springs, dampers and rotors between two elements: forces along rows of motions of their points.

Rows that depend on each other would make their compliance singular where bodies float, so independent ones are taken
that do what all do together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.linear.vibration.elements import Tie, row_of

INDEPENDENT: Final = 1e-9
"""Smallest singular value, as a part of the largest, of rows of unit length that is more than round-off."""

NOTHING: Final = 1e-13
"""Part of the stiffest spring below which what dependent springs between elements resist together is round-off."""


@dataclass(frozen=True, slots=True)
class Ties:
    """What acts along independent rows of motions of all elements' points.

    Attributes:
        rows: as forces [moment; force] on all elements (m, n, 6).
        stiffness, damping, inertia: along the rows (m, m), symmetric; diagonal where each row is a tie's own.
    """

    rows: Array
    stiffness: Array
    damping: Array
    inertia: Array

    def resisting(self, s: complex, damped: bool) -> Array:
        """Forces along the rows by motions exp(s t) along them (m, m)."""
        return np.asarray(self.stiffness + s**2 * self.inertia + (s * self.damping if damped else 0.0))

    def negative(self, compliance: Array, closing: int, s: complex, *, damped: bool = False) -> int:
        """Negative eigenvalues that closed loops and ties add to those of all pivots.

        Of the matrix bordered by the rows, [[K, R^T], [R, -1/k]], Sylvester's law counts by either block:
        neg(K + R^T k R) = neg(K) + neg(k) - neg(R K^-1 R^T + 1/k); with 1/k = 0 where a row is held.

        Args:
            compliance: motions along rows by unit forces along them, held rows first (c + m, c + m).
            closing: how many rows are held.
            s: frequency with a real square, real where ties are damped [1/s].
            damped: False leaves dampers out.
        """
        own = self.resisting(s, damped).real
        if np.count_nonzero(own - np.diag(np.diagonal(own))):
            sizes, vectors = np.linalg.eigh(own)
            acting = np.abs(sizes) > NOTHING * np.abs(sizes).max(initial=0.0)
        else:
            # Each by itself, so that soft ones keep their digits beside stiff ones.
            sizes, vectors = np.diagonal(own), np.eye(len(own))
            acting = sizes != 0.0
        if not closing and not acting.any():
            return 0
        turn = np.zeros((len(compliance), closing + int(acting.sum())))
        turn[:closing, :closing] = np.eye(closing)
        turn[closing:, closing:] = vectors[:, acting]
        both = turn.T @ compliance @ turn
        softness = np.concatenate([np.zeros(closing), 1.0 / sizes[acting]])
        return int(np.sum(sizes[acting] < 0.0)) - negative_eigenvalues(both + np.diag(softness))


def negative_eigenvalues(matrix: Array) -> int:
    """How many a symmetric real matrix has, its diagonal brought to one: units of rows take no digits of others."""
    sizes = np.sqrt(np.abs(np.diagonal(matrix)))
    scale = np.where(sizes > 0.0, sizes, 1.0)
    return int(np.sum(np.linalg.eigvalsh(matrix / np.outer(scale, scale)) < 0.0))


def independent_ties(n: int, ties: Sequence[Tie], held: Array, felt: Callable[[Array], Array]) -> Ties:
    """What ties between n elements do together, along rows that are independent of each other and of what is held.

    Motions of points follow from freedoms, so that rows which the freedoms feel alike do the same. Where bodies hang on
    springs alone, rows beyond these would have compliances of round-off, whose signs mean nothing.

    Args:
        n: elements.
        ties: springs, dampers and rotors.
        held: independent rows along which nothing moves (h, n, 6).
        felt: of a row, what all freedoms feel of it.

    Raises:
        AnalysisError: stiffnesses along dependent rows are too far apart.
    """
    every = [row_of(n, tie.elements, tie.levers, row) for tie in ties for row in tie.rows]
    values = [
        np.array([value for tie in ties for value in getattr(tie, kind)], dtype=float)
        for kind in ("stiffness", "damping", "inertia")
    ]
    acting = np.any([value != 0.0 for value in values], axis=0) if every else np.zeros(0, dtype=bool)
    rows = np.reshape(every, (len(every), n, 6))[acting]
    if not len(rows):
        return Ties(rows, *(np.zeros((0, 0)) for _ in values))
    shares = np.array([felt(row) for row in rows])
    sizes = np.linalg.norm(shares, axis=1)
    if len(held):
        # What is held does not move, so that rows may be taken less any part of it.
        known = np.array([felt(row) for row in held])
        parts = np.linalg.lstsq(known.T, shares.T, rcond=None)[0].T
        rows, shares = rows - np.tensordot(parts, held, axes=1), shares - parts @ known
    own = np.linalg.norm(shares, axis=1)
    moving = own > INDEPENDENT * sizes
    rows, shares, own = rows[moving], shares[moving], own[moving]
    stiffness, damping, inertia = (value[acting][moving] for value in values)
    left, singular, _ = np.linalg.svd(shares / own[:, None], full_matrices=False)
    if len(singular) == len(rows) and singular.min(initial=1.0) > INDEPENDENT:
        return Ties(rows, np.diag(stiffness), np.diag(damping), np.diag(inertia))
    present = np.abs(stiffness[stiffness != 0.0])
    if present.min(initial=np.inf) < INDEPENDENT * present.max(initial=0.0):
        raise AnalysisError(
            f"stiffnesses of springs between bodies, {present.min():.3g} to {present.max():.3g} N/m, are too far apart "
            "where these act on the same motions",
            where="forces",
            remedy="take the stiffest for rigid, or leave `method` out",
        )
    basis = left[:, singular > INDEPENDENT * singular.max(initial=0.0)]
    together = np.tensordot(basis.T / own, rows, axes=1)
    return Ties(together, *((basis.T * (value * own**2)) @ basis for value in (stiffness, damping, inertia)))
