"""Eigenvalues of linearised equations, by way of their second-order form where they have one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.linear.linearised import Linearisation

Array: TypeAlias = NDArray[Any]

NOTHING: Final = 1e-12
"""Part of the largest stiffness over mass below which one counts as none."""

SLOW: Final = 1e-7
"""Part of the largest eigenvalue below which one counts as zero: pairs of zeros part by the root of round-off."""

SYMMETRIC: Final = 1e-9
"""Part of the largest stiffness that a symmetric matrix may lack."""


@dataclass(frozen=True, slots=True)
class EigenPair:
    """An eigenvalue [1/s] of non-negative imaginary part, and its shape over the independent increments."""

    value: complex
    shape: Array


def eigenpairs(found: Linearisation) -> tuple[EigenPair, ...]:
    """Eigenvalues, of complex pairs the upper one, with shapes; of a free motion without resistance one zero.

    Without velocity terms the eigenvalues are roots of those of A21 = -M^-1 K, which does not take the root of
    round-off; a symmetric stiffness makes them real.
    """
    n = len(found.states) // 2
    A = found.A
    turned, resisted = A[:n, :n], A[n:, n:]
    largest = np.abs(A[n:, :n]).max(initial=0.0)
    if not turned.any() and not np.abs(resisted).max(initial=0.0) ** 2 > NOTHING**2 * largest:
        return _without_velocity_terms(A[n:, :n], found.mass)
    values, vectors = np.linalg.eig(A)
    zero = np.abs(values) <= SLOW * np.abs(values).max(initial=0.0)
    pairs = [
        EigenPair(complex(value), vector[:n])
        for value, vector, none in zip(values, vectors.T, zero, strict=True)
        if not none and value.imag >= 0.0
    ]
    if zero.any():
        pairs += [EigenPair(0j, shape.astype(complex)) for shape in _resting(A, n)]
    return tuple(sorted(pairs, key=_order))


def _resting(A: Array, n: int) -> list[Array]:
    """Increments at which all stays as it is."""
    _, sizes, rows = np.linalg.svd(A)
    return [row[:n] for row, size in zip(rows, sizes, strict=True) if size <= SLOW * sizes[0]]


def _without_velocity_terms(matrix: Array, mass: Array) -> tuple[EigenPair, ...]:
    from scipy.linalg import eigh

    stiffness = -mass @ matrix
    scale = np.abs(stiffness).max(initial=0.0)
    if np.abs(stiffness - stiffness.T).max(initial=0.0) <= SYMMETRIC * scale:
        squares, shapes = eigh(0.5 * (stiffness + stiffness.T), mass)
    else:
        squares, shapes = np.linalg.eig(-matrix)
    largest = np.abs(squares).max(initial=0.0)
    pairs: list[EigenPair] = []
    for square, shape in zip(squares, shapes.T, strict=True):
        if abs(square) <= NOTHING * largest:
            pairs.append(EigenPair(0j, shape.astype(complex)))
            continue
        root = complex(np.sqrt(-square + 0j))
        for value in (root, -root):
            real = abs(value.imag) <= NOTHING * abs(value)
            if real or value.imag > 0.0:
                pairs.append(EigenPair(complex(value.real, 0.0) if real else value, shape.astype(complex)))
    return tuple(sorted(pairs, key=_order))


def _order(pair: EigenPair) -> tuple[float, float]:
    return round(abs(pair.value.imag), 9), round(pair.value.real, 9)
