"""Eigenvalues of linearised equations of motion, by way of their second-order form where they have one.

Round-off parts a pair of zeros by its root, some 1e-8 of the largest eigenvalue, which is slow motion and no rest. So
what rests is taken off, and without velocity terms squares of eigenvalues are computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array, one_thread

NOTHING: Final = 1e-12
"""Part of the largest stiffness over mass, or rate over its root, below which one counts as none; the largest is taken
for the square of the pace at least: what falls freely has stiffnesses of round-off."""

ROUND_OFF: Final = 1e-13
"""Size of what changes a state's rate, in a unit of time of the quickest motion, below which there is nothing."""

SYMMETRIC: Final = 1e-9
"""Part of the largest stiffness that a symmetric matrix may lack."""


@dataclass(frozen=True, slots=True)
class EigenPair:
    """An eigenvalue [1/s] of non-negative imaginary part, and its shape over the independent increments."""

    value: complex
    shape: Array


@one_thread()
def eigenvalues(A: Array, mass: Array, measures: Array, pace: float, drives: int = 0) -> Array:
    """All of A (n + m + drives,), by real and imaginary part.

    Args:
        A: of n increments, m speeds and states of drives.
        mass: of the speeds (m, m).
        measures: of the increments of all these, by which entries of different units are compared.
        pace: of what the forces at work could do by themselves [1/s].
        drives: how many states of drives there are.
    """
    n = len(A) - len(mass) - drives
    A, mass = _measured(A, mass, measures, n)
    found = None if drives else _second_order(A, mass, pace)
    if found is not None:
        roots = [complex(np.sqrt(-square + 0j)) for square in found[0]]
        return np.sort_complex([value for root in roots for value in (root, -root)]) + 0.0
    rest, rate = _without_rest(A, n, len(mass), pace)
    return np.sort_complex(np.concatenate([np.zeros(len(A) - len(rest)), rate * np.linalg.eigvals(rest)]))


@one_thread()
def eigenpairs(A: Array, mass: Array, measures: Array, pace: float, drives: int = 0) -> tuple[EigenPair, ...]:
    """Eigenvalues, of complex pairs the upper one, with shapes; a free motion without resistance has one zero.

    Args:
        A, mass, measures, pace, drives: as in ``eigenvalues``.
    """
    n = len(A) - len(mass) - drives
    A, mass = _measured(A, mass, measures, n)
    found = None if drives else _second_order(A, mass, pace)
    if found is not None:
        return _sorted(_roots(*found), measures[:n])
    values, vectors = np.linalg.eig(A)
    zeros = len(A) - len(_without_rest(A, n, len(mass), pace)[0])
    moving = np.argsort(np.abs(values))[zeros:]
    pairs = [EigenPair(complex(values[k]), vectors[:n, k]) for k in moving if values[k].imag >= 0.0]
    if zeros:
        pairs += [EigenPair(0j, shape[:n].astype(complex)) for shape in _resting(_timeless(A, n, len(mass), pace)[0])]
    return _sorted(pairs, measures[:n])


def _measured(A: Array, mass: Array, measures: Array, n: int) -> tuple[Array, Array]:
    """Both over increments of size one, of which there are n."""
    speeds = measures[n : n + len(mass)]
    return A * measures / measures[:, None], mass * np.outer(speeds, speeds)


def _without_rest(A: Array, n: int, speeds: int, pace: float) -> tuple[Array, float]:
    """A without its eigenvalues of zero, in a unit of time of which it is told how many there are in a second.

    Resting directions are taken off until none is left: beside a zero that comes several times small eigenvalues lose
    half their digits.
    """
    A, rate = _timeless(A, n, speeds, pace)
    while len(A):
        resting = _resting(A)
        if not len(resting):
            break
        rest = np.linalg.svd(resting)[2][len(resting) :]
        A = rest @ A @ rest.T
    return A, rate


def _timeless(A: Array, n: int, speeds: int, pace: float) -> tuple[Array, float]:
    """A in a unit of time in which the stiffest motion takes one, so that entries can be compared, and its inverse."""
    rate = float(np.sqrt(np.abs(A[n : n + speeds, :n]).max(initial=pace**2)))
    rate = rate or float(np.abs(A).max(initial=0.0)) or 1.0
    # A state of a drive is measured by the acceleration that it makes.
    scale = np.repeat([1.0, rate, 1.0], [n, speeds, len(A) - n - speeds])
    return _without_round_off(A * scale[None, :] / scale[:, None] / rate, 1.0), rate


def _without_round_off(matrix: Array, largest: float) -> Array:
    """Without entries that are round-off: of a zero that comes four times it would leave the fourth root."""
    return np.where(np.abs(matrix) > ROUND_OFF * largest, matrix, 0.0)


def _resting(A: Array) -> Array:
    """States at which all stays as it is, orthonormal rows.

    Rows are brought to equal size, so that slow motions count beside quick ones; those of round-off are none.
    """
    rows = np.linalg.norm(A, axis=1, keepdims=True)
    _, sizes, found = np.linalg.svd(A / np.where(rows > ROUND_OFF, rows, np.inf))
    return np.asarray(found[sizes <= NOTHING])


def _second_order(A: Array, mass: Array, pace: float) -> tuple[Array, Array] | None:
    """Squares of the circular frequencies with shapes in columns, None where there are velocity terms or held speeds.

    A symmetric stiffness makes them real.
    """
    n = len(mass)
    if len(A) != 2 * n:
        return None
    turned, matrix, resisted = A[:n, :n], A[n:, :n], A[n:, n:]
    largest = np.abs(matrix).max(initial=pace**2)
    if turned.any() or np.abs(resisted).max(initial=0.0) ** 2 > NOTHING**2 * largest:
        return None
    matrix = _without_round_off(matrix, largest)
    stiffness = -mass @ matrix
    scale = max(float(np.abs(stiffness).max(initial=0.0)), pace**2 * float(np.abs(mass).max(initial=0.0)))
    if np.abs(stiffness - stiffness.T).max(initial=0.0) <= SYMMETRIC * scale:
        # K x = w^2 M x with M = L L^T is (L^-1 K L^-T) y = w^2 y with x = L^-T y; SciPy would take as long to import.
        factor = np.linalg.cholesky(mass)
        brought = np.linalg.solve(factor, np.linalg.solve(factor, 0.5 * (stiffness + stiffness.T)).T)
        squares, shapes = np.linalg.eigh(0.5 * (brought + brought.T))
        shapes = np.linalg.solve(factor.T, shapes)
    else:
        squares, shapes = np.linalg.eig(-matrix)
    return np.where(np.abs(squares) <= NOTHING * np.abs(squares).max(initial=pace**2), 0.0, squares), shapes


def _roots(squares: Array, shapes: Array) -> Iterator[EigenPair]:
    for square, shape in zip(squares, shapes.T, strict=True):
        if not square:
            yield EigenPair(0j, shape.astype(complex))
            continue
        root = complex(np.sqrt(-square + 0j))
        for value in (root, -root):
            real = abs(value.imag) <= NOTHING * abs(value)
            if real or value.imag > 0.0:
                yield EigenPair(complex(value.real, 0.0) if real else value, shape.astype(complex))


def _sorted(pairs: Iterable[EigenPair], measures: Array) -> tuple[EigenPair, ...]:
    """By rising frequency, then by growth, round-off apart; shapes over increments in their own units."""
    found = [EigenPair(pair.value, pair.shape * measures) for pair in pairs]
    largest = max((abs(pair.value) for pair in found), default=0.0) or 1.0

    def place(pair: EigenPair) -> tuple[float, float, float]:
        swing, growth = abs(pair.value.imag) / largest, pair.value.real / largest
        return round(swing, 12), round(growth, 12), swing

    return tuple(sorted(found, key=place))
