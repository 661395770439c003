"""Assumed modes of an Euler-Bernoulli beam of length, mass and bending stiffness one, as masses that slide across it.

Deflections are y(x) = sum of shapes phi_i(x) times modal coordinates, the root held. Shapes that are perpendicular by
mass and stiffness act on the rest of a mechanism by p_i = int phi_i, h_i = int x phi_i and the squared frequency alone.
A point mass p_i^2 that slides across the straight axis at x = h_i / p_i does the same, its way being p_i times the
modal coordinate of a shape with int phi_i^2 = 1: the kinetic energy is the beam's to the last term, those of second
order in the deflections too, if the straight axis keeps what mass, first and second moment is left (effective modal
masses).

Sources: Likins, Modal method for analysis of free rotations of spacecraft, AIAA Journal 5 (1967) 1304; Craig, Bampton,
Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968) 1313, for shapes of supported ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, cosh, exp, pi, sin, tanh
from typing import Final, Literal, TypeAlias

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import ModelError

Supports: TypeAlias = Literal["clamped-free", "clamped-clamped", "clamped-pinned"]

SUPPORTS: Final[tuple[Supports, ...]] = ("clamped-free", "clamped-clamped", "clamped-pinned")
"""Root and end of the shapes. Where the end is supported, static shapes of its displacement and rotation come first."""

MOST_SHAPES: Final = 20
"""Shapes of one segment: more belong to waves shorter than an Euler-Bernoulli beam describes."""

STEPS: Final = 60
"""Newton's steps to a root, more than any needs."""


@dataclass(frozen=True, slots=True)
class SlidingMass:
    """What stands for one shape, of a beam of length, mass and bending stiffness one.

    Attributes:
        mass: effective modal mass.
        place: along the axis, where it slides.
        stiffness: of its spring.
        deflection: of the beam's end, as a multiple of its way.
        slope: of the beam's end, likewise.
    """

    mass: float
    place: float
    stiffness: float
    deflection: float
    slope: float


def sliding_masses(count: int, supports: Supports) -> tuple[SlidingMass, ...]:
    """One for each shape, by rising frequency.

    Raises:
        ModelError: there are no so many shapes.
    """
    if not 1 <= count <= MOST_SHAPES:
        raise ModelError(f"{count} modes", where="modes", remedy=f"give 1 to {MOST_SHAPES}")
    if supports == "clamped-free":
        return tuple(_free(k) for k in range(1, count + 1))
    return _supported(count, supports)


def _free(k: int) -> SlidingMass:
    """The kth mode of a cantilever: p = 2 s/b, h = 2/b^2, phi(1) = +-2, phi'(1) = +-2 b s (closed integrals)."""
    b = _root("clamped-free", k)
    s = (1.0 + 2.0 * cos(b) * exp(-b) + exp(-2.0 * b)) / (1.0 + 2.0 * sin(b) * exp(-b) - exp(-2.0 * b))
    sign = 1.0 if k % 2 else -1.0
    return SlidingMass((2.0 * s / b) ** 2, 1.0 / (b * s), (2.0 * b * s) ** 2, sign * 4.0 * s / b, sign * 4.0 * s**2)


def _root(supports: Supports, k: int) -> float:
    """The kth root b of the frequency equation, b^4 the squared frequency."""
    turn = {"clamped-free": -0.5, "clamped-clamped": 0.5, "clamped-pinned": 0.25}[supports]
    sign = -1.0 if supports == "clamped-clamped" else 1.0
    b = (k + turn) * pi
    for _ in range(STEPS):
        if supports == "clamped-pinned":
            value, slope = sin(b) - cos(b) * tanh(b), cos(b) + sin(b) * tanh(b) - cos(b) / cosh(b) ** 2
        else:
            value, slope = cos(b) + sign / cosh(b), -sin(b) - sign * tanh(b) / cosh(b)
        step = value / slope
        b -= step
        if abs(step) < 1e-16 * b:
            break
    return b


def _supported(count: int, supports: Supports) -> tuple[SlidingMass, ...]:
    """Perpendicular combinations of the end's static shapes and of modes of the supported beam."""
    at, weights = np.polynomial.legendre.leggauss(40 + 8 * count)
    x, weights = 0.5 * (at + 1.0), 0.5 * weights
    shapes: list[Array] = [(3.0 * x**2 - x**3) / 2.0]
    bends: list[Array] = [3.0 - 3.0 * x]
    ends = [(1.0, 1.5)]
    if supports == "clamped-clamped":
        shapes.append(x**2)
        bends.append(2.0 + 0.0 * x)
        ends.append((1.0, 2.0))
    for k in range(1, count - len(shapes) + 1):
        b = _root(supports, k)
        # 1 - s of phi = cosh bx - cos bx - s (sinh bx - sin bx), whose growing parts cancel but for it.
        below = 1.0 - 2.0 * sin(b) * exp(-b) - exp(-2.0 * b)
        left = 2.0 * (cos(b) - sin(b) - exp(-b)) * exp(-b) / below
        growing, falling = left * np.exp(b * x) / 2.0, (2.0 - left) * np.exp(-b * x) / 2.0
        shapes.append(growing + falling - np.cos(b * x) + (1.0 - left) * np.sin(b * x))
        bends.append(b**2 * (growing + falling + np.cos(b * x) - (1.0 - left) * np.sin(b * x)))
        slope = b * (left * exp(b) / 2.0 - (2.0 - left) * exp(-b) / 2.0 + sin(b) + (1.0 - left) * cos(b))
        ends.append((0.0, slope))
    own, bent = np.array(shapes[:count]), np.array(bends[:count])
    lower = np.linalg.cholesky((bent * weights) @ bent.T)
    inverse = np.linalg.inv(lower)
    squares, vectors = np.linalg.eigh(inverse @ (own * weights) @ own.T @ inverse.T)
    found = []
    for k in range(count - 1, -1, -1):
        combined = inverse.T @ vectors[:, k] / np.sqrt(squares[k])
        shape = combined @ own
        p, h = float(shape @ weights), float(shape @ (weights * x))
        deflection, slope = combined @ np.array(ends[:count])
        found.append(SlidingMass(p**2, h / p, p**2 / float(squares[k]), float(deflection) * p, float(slope) * p))
    return tuple(found)
