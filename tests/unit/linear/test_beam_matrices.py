"""Matrices of a beam: finite elements by integration, dynamic stiffness by the transfer matrix, clamped frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from mbsym.linear.vibration.beam_matrices import (
    clamped_frequencies_below,
    dynamic_stiffness,
    element_mass,
    element_stiffness,
    load_stiffness,
    rigid_mass,
    transfer_matrix,
)

Array = NDArray[Any]
LENGTH, MASS, BENDING = 0.7, 1.3, 2.1
CLAMPED = (4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464)
"""Roots of cos b cosh b = 1."""


def shapes() -> list[Polynomial]:
    """Deflections of y1, theta1, y2 and theta2 along x."""
    x = Polynomial([0, 1]) / LENGTH
    return [1 - 3 * x**2 + 2 * x**3, LENGTH * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, LENGTH * (x**3 - x**2)]


def integrals(functions: list[Polynomial]) -> Array:
    """Of their products along the beam; exact but for rounding."""
    return np.array([[(a * b).integ()(LENGTH) for b in functions] for a in functions])


def close(found: Array, expected: Array, tolerance: float = 1e-13) -> bool:
    """To round-off of the largest entry."""
    return bool(np.abs(found - expected).max() <= tolerance * np.abs(expected).max())


def test_finite_elements_are_integrals_of_their_shapes() -> None:
    own = shapes()
    assert close(element_mass(LENGTH, MASS, "consistent"), MASS / LENGTH * integrals(own))
    assert close(element_stiffness(LENGTH, BENDING), BENDING * integrals([shape.deriv(2) for shape in own]))
    assert close(load_stiffness(LENGTH, 3.0), 3.0 * integrals([shape.deriv() for shape in own]))
    assert close(rigid_mass(LENGTH, MASS), MASS / LENGTH * integrals([Polynomial([1]), Polynomial([0, 1])]))
    assert np.array_equal(element_mass(LENGTH, MASS, "lumped"), np.diag([MASS / 2, 0, MASS / 2, 0]))


@pytest.mark.parametrize("s", [0.9j, 0.4 + 0.3j, 30j, -5 + 60j])
def test_dynamic_stiffness_is_the_transfer_matrix_solved_for_forces(s: complex) -> None:
    """On either side of the size where Krylov's functions become series; halves make the whole."""
    U = transfer_matrix(LENGTH, MASS, BENDING, s)
    half = transfer_matrix(LENGTH / 2, MASS / 2, BENDING, s)
    assert close(half @ half, U)
    assert abs(np.linalg.det(U) - 1) < 1e-9
    right = np.linalg.inv(U[:2, 2:])
    near, far = -right @ U[:2, :2], right
    first = np.hstack([near, far])  # M1, Q1 on what lies outboard of the first end
    last = U[2:, :2] @ np.eye(2, 4) + U[2:, 2:] @ first
    forces = np.array([first[1], first[0], -last[1], -last[0]])
    assert close(dynamic_stiffness(LENGTH, MASS, BENDING, s), forces, 1e-11)


def test_slow_motion_has_stiffness_and_mass_of_the_shapes() -> None:
    """K(s) = K + s^2 M + O(s^4), for cubic shapes are those of rest."""
    slow = 0.02
    found = dynamic_stiffness(LENGTH, MASS, BENDING, slow)
    still = element_stiffness(LENGTH, BENDING)
    assert close(found, still, 1e-4)
    # What is left is of the size s^2 M L^3/EI; the difference has lost four digits.
    assert close((found - still) / slow**2, element_mass(LENGTH, MASS, "consistent"), 1e-5)


def test_clamped_frequencies_are_counted() -> None:
    for number, b in enumerate(CLAMPED):
        omega = b**2 * np.sqrt(BENDING / (MASS * LENGTH**3))
        assert clamped_frequencies_below(LENGTH, MASS, BENDING, omega * (1 - 1e-9)) == number
        assert clamped_frequencies_below(LENGTH, MASS, BENDING, omega * (1 + 1e-9)) == number + 1
