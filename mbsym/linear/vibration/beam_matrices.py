"""Matrices of an Euler-Bernoulli beam that bends in one plane, or stretches or twists, at a frequency.

State vectors are [y, theta, M, Q] with y along the deflection, theta = dy/dx, moment and force as they act on what lies
outboard. A frequency is a complex s, motions being exp(s t): s = i omega without damping. With damping of a time
constant d the bending stiffness EI is EI (1 + s d).

The transfer matrix is made of Krylov's functions K1 = (cosh b + cos b)/2, K2 = (sinh b + sin b)/(2 b),
K3 = (cosh b - cos b)/(2 b^2), K4 = (sinh b - sin b)/(2 b^3) of b^4 = -s^2 m L^3/EI, m the mass in all. What recursions
need is the same solved for the forces, the dynamic stiffness.

Sources: Pestel, Leckie, Matrix Methods in Elastomechanics, 1963, chapter 5; Wittrick, Williams, A general algorithm for
computing natural frequencies of elastic structures, 1971.
"""

from __future__ import annotations

from math import factorial
from typing import Final, Literal, TypeAlias

import numpy as np

from mbsym.doors import Array

MassModel: TypeAlias = Literal["exact", "consistent", "lumped"]
"""The beam as it is, or as finite elements with the mass matrix of their shape functions or masses at their ends."""

SMALL: Final = 1.0
"""Size of b below which Krylov's functions are summed as series, which lose no digits there."""

TERMS: Final = 8
"""Terms of these series: the last is below round-off for b = ``SMALL``."""


def krylov(b4: complex) -> Array:
    """K1 to K4 of the fourth power of b (4,)."""
    b = complex(b4) ** 0.25
    if abs(b) >= SMALL:
        c, ch, s, sh = np.cos(b), np.cosh(b), np.sin(b), np.sinh(b)
        return np.array([(ch + c) / 2, (sh + s) / (2 * b), (ch - c) / (2 * b**2), (sh - s) / (2 * b**3)])
    powers = complex(b4) ** np.arange(TERMS)
    return np.array([sum(powers[k] / factorial(4 * k + first) for k in range(TERMS)) for first in range(4)])


def transfer_matrix(length: float, mass: complex, bending: complex, s: complex) -> Array:
    """Takes the state vector of one end to that of the other (4, 4).

    Args:
        length: [m].
        mass: in all [kg].
        bending: EI, with damping EI (1 + s d) [N m^2].
        s: frequency [1/s].
    """
    L, EI = length, bending
    b4 = -(s**2) * mass * L**3 / EI
    k1, k2, k3, k4 = krylov(b4)
    # With M, Q acting on the outboard part, EI y'' = -M and EI y''' = Q.
    matrix: Array = np.array(
        [
            [k1, L * k2, -(L**2) * k3 / EI, L**3 * k4 / EI],
            [b4 * k4 / L, k1, -L * k2 / EI, L**2 * k3 / EI],
            [-b4 * EI * k3 / L**2, -b4 * EI * k4 / L, k1, -L * k2],
            [b4 * EI * k2 / L**3, b4 * EI * k3 / L**2, -b4 * k4 / L, k1],
        ]
    )
    return matrix


def dynamic_stiffness(length: float, mass: float, bending: complex, s: complex) -> Array:
    """Forces on both ends [Q1, M1, Q2, M2] from [y1, theta1, y2, theta2] (4, 4).

    Args: as in ``transfer_matrix``.
    """
    L = length
    b = complex(-(s**2) * mass * L**3 / bending) ** 0.25
    if abs(b) >= SMALL:
        # All parts times 2 exp(-b), so that nothing overflows; b has a real part that is not negative.
        small = np.exp(-2 * b)
        one, ch, sh, c, sn = 2 * np.exp(-b), 1 + small, 1 - small, np.cos(b), np.sin(b)
        below = one - c * ch
        entries = (
            b**3 * (c * sh + sn * ch) / below,
            b**2 * sn * sh / below,
            -(b**3) * (sn * one + sh) / below,
            b**2 * (ch - c * one) / below,
            b * (sn * ch - c * sh) / below,
            b * (sh - sn * one) / below,
        )
    else:
        U = transfer_matrix(1.0, -(b**4), 1.0, 1.0)
        inverse = np.linalg.inv(U[:2, 2:])
        near, far = -inverse @ U[:2, :2], inverse
        # Rows [M1, Q1]; forces on the beam's first end are those on what lies outboard of it.
        entries = (near[1, 0], near[1, 1], far[1, 0], far[1, 1], near[0, 1], far[0, 1])
    y1y1, y1t1, y1y2, y1t2, t1t1, t1t2 = entries
    unit = np.array(
        [
            [y1y1, y1t1, y1y2, y1t2],
            [y1t1, t1t1, -y1t2, t1t2],
            [y1y2, -y1t2, y1y1, -y1t1],
            [y1t2, t1t2, -y1t1, t1t1],
        ]
    )
    scale = np.array([1.0, L, 1.0, L])
    return np.asarray(bending / L**3 * unit * np.outer(scale, scale))


def line_dynamic_stiffness(length: float, inertia: float, stiffness: complex, s: complex) -> Array:
    """Loads on both ends from their motions along or about the axis: b cot b and -b/sin b of b^2 = -s^2 I L/k (2, 2).

    Args:
        length: [m].
        inertia: in all, mass [kg] or about the axis [kg m^2].
        stiffness: EA [N] or GJ [N m^2], with damping times (1 + s d).
        s: frequency [1/s].
    """
    b = complex(np.sqrt(complex(-(s**2) * inertia * length / stiffness)))
    if b == 0.0:
        near, far = 1.0 + 0j, 1.0 + 0j
    else:
        # exp(2 i b) of the root with a falling exponential, so that nothing overflows.
        b = b if b.imag >= 0.0 else -b
        below = np.expm1(2j * b)
        near, far = 1j * b * (below + 2.0) / below, 2j * b * np.exp(1j * b) / below
    return np.asarray(stiffness / length * np.array([[near, -far], [-far, near]]))


def line_stiffness(length: float, stiffness: complex) -> Array:
    """Of straight shapes (2, 2)."""
    return np.asarray(stiffness / length * np.array([[1.0, -1.0], [-1.0, 1.0]]))


def line_mass(inertia: float, model: MassModel) -> Array:
    """Mass matrix of straight shapes, or half the inertia at each end (2, 2)."""
    if model == "lumped":
        return np.diag([inertia / 2, inertia / 2])
    return inertia / 6 * np.array([[2.0, 1.0], [1.0, 2.0]])


def held_line_frequencies_below(length: float, inertia: float, stiffness: float, omega: float) -> int:
    """How many frequencies along or about the axis, with both ends held, lie below omega [rad/s]: roots of sin b."""
    return int(omega * np.sqrt(inertia * length / stiffness) / np.pi)


def element_stiffness(length: float, bending: complex) -> Array:
    """Of a massless beam, which is that of cubic shape functions (4, 4)."""
    L = length
    unit = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                     [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]])  # fmt: skip
    return np.asarray(bending / L**3 * unit)


def element_mass(length: float, mass: float, model: MassModel) -> Array:
    """Mass matrix of a finite element: of cubic shape functions, or half the mass at each end (4, 4)."""
    L = length
    if model == "lumped":
        return np.diag([mass / 2, 0.0, mass / 2, 0.0])
    unit = np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2],
                     [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]])  # fmt: skip
    return np.asarray(mass / 420 * unit)


def load_stiffness(length: float, tension: float) -> Array:
    """What a constant tension adds to the stiffness of a finite element (4, 4)."""
    L = length
    unit = np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)],
                     [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]])  # fmt: skip
    return np.asarray(tension / (30 * L) * unit)


def rigid_mass(length: float, mass: float) -> Array:
    """Mass matrix over [y1, theta1] of a bar that does not bend in this plane (2, 2)."""
    return mass * np.array([[1.0, length / 2], [length / 2, length**2 / 3]])


def clamped_frequencies_below(length: float, mass: float, bending: float, omega: float) -> int:
    """How many frequencies of the beam with both ends held lie below omega [rad/s]: roots of cos b cosh b = 1."""
    b = (omega**2 * mass * length**3 / bending) ** 0.25
    turns = int(b // np.pi)
    if turns == 0:
        return 0
    # The root that belongs to this half turn lies where 1/cosh b crosses cos b, above or below its middle.
    sign = 2 * np.exp(-b) - np.cos(b) * (1 + np.exp(-2 * b))
    return int(turns - (1 - (-1) ** turns * np.sign(sign)) / 2)
