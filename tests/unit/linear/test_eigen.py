"""Eigenvalues of linearised equations against the general algorithm and closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mbsym.linear.eigen import eigenpairs, eigenvalues

Array = NDArray[Any]


def system(mass: Array, stiffness: Array, damping: Array | None = None) -> Array:
    """A of M x'' + D x' + K x = 0 over [x; x']."""
    n = len(mass)
    rates = np.zeros((n, n)) if damping is None else damping
    below = -np.linalg.solve(mass, np.hstack([stiffness, rates]))
    return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), below])


MASS = np.array([[2.0, 0.3], [0.3, 1.0]])
ONES = np.ones(4)

STIFFNESSES = {
    "symmetric": np.array([[3.0, 1.0], [1.0, 5.0]]),
    "unsymmetric": np.array([[3.0, 1.0], [0.2, 5.0]]),
    "flutter, as of a force that follows": np.array([[3.0, 4.0], [-4.0, 3.0]]),
    "one unstable": np.array([[3.0, 4.0], [4.0, 1.0]]),
}


@pytest.mark.parametrize("name", STIFFNESSES)
def test_all_eigenvalues_are_those_of_the_matrix(name: str) -> None:
    """To 1e-12 of the largest, some thousand times round-off; signs of squares and of growth count."""
    A = system(MASS, STIFFNESSES[name])
    found, plain = eigenvalues(A, MASS, ONES, 0.0), np.linalg.eigvals(A)
    for value in plain:
        assert np.abs(found - value).min() < 1e-12 * np.abs(plain).max()
    assert found.shape == plain.shape
    for pair in eigenpairs(A, MASS, ONES, 0.0):
        state = np.concatenate([pair.shape, pair.value * pair.shape])
        assert np.abs(A @ state - pair.value * state).max() < 1e-12 * np.abs(A).max() * np.abs(state).max()


def test_what_neither_grows_nor_fades_is_zero_without_a_sign() -> None:
    """The square root of a negative number and its opposite: of one the real part would be printed as -0."""
    found = eigenvalues(system(MASS, STIFFNESSES["symmetric"]), MASS, ONES, 0.0)
    assert np.all(found.real == 0.0) and not np.signbit(found.real).any()


def test_unsymmetric_stiffness_has_its_own_shapes() -> None:
    """K = [[1, 1], [0, 4]] on unit masses: frequencies 1 and 2 with the shapes [1, 0] and [1, 3]."""
    first, second = eigenpairs(system(np.eye(2), np.array([[1.0, 1.0], [0.0, 4.0]])), np.eye(2), ONES, 0.0)
    assert first.value == pytest.approx(1j, abs=1e-12)
    assert second.value == pytest.approx(2j, abs=1e-12)
    assert abs(first.shape[1] / first.shape[0]) < 1e-12
    assert second.shape[1] / second.shape[0] == pytest.approx(3.0, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_increments_of_other_units_change_shapes_alone(scale: float) -> None:
    """The second increment in a unit that is so much smaller; what rests still does."""
    units = np.array([1.0, scale])
    for stiffness in (STIFFNESSES["unsymmetric"], np.array([[1.0, -1.0], [-1.0, 1.0]])):
        for damping in (None, 0.1 * np.ones((2, 2))):
            plain = eigenpairs(system(MASS, stiffness, damping), MASS, ONES, 0.0)
            outer = np.outer(1 / units, 1 / units)
            scaled = system(MASS * outer, stiffness * outer, None if damping is None else damping * outer)
            found = eigenpairs(scaled, MASS * outer, np.tile(units, 2), 0.0)
            assert [pair.value for pair in found] == pytest.approx([pair.value for pair in plain], abs=1e-9)
            for own, other in zip(found, plain, strict=True):
                ratio = (own.shape / units) / other.shape
                assert np.abs(ratio / ratio[0] - 1.0).max() < 1e-6


def test_round_off_of_what_falls_freely_is_rest() -> None:
    """Stiffness of 1e-14 beside a pace of 1 rad/s counts as none; beside none it is what there is."""
    A = system(np.eye(1), np.array([[1e-14]]))
    assert eigenvalues(A, np.eye(1), np.ones(2), 1.0).tolist() == [0.0, 0.0]
    assert np.abs(eigenvalues(A, np.eye(1), np.ones(2), 0.0)) == pytest.approx([1e-7, 1e-7])


def test_held_speeds_leave_more_coordinates_than_speeds() -> None:
    """x' = v, y' = 2 v, v' = -x - 0.2 v: an oscillation, and y rests wherever it is."""
    A = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [-1.0, 0.0, -0.2]])
    expected = np.roots([1.0, 0.2, 1.0])
    for units in (np.ones(3), np.array([1.0, 1e-3, 1.0])):
        scaled = A * units / units[:, None]
        found = eigenvalues(scaled, np.eye(1), 1 / units, 1.0)
        assert sorted(found, key=abs)[0] == 0.0
        assert (
            np.abs(np.sort_complex(found)[np.abs(np.sort_complex(found)) > 0] - np.sort_complex(expected)).max() < 1e-12
        )
        pairs = eigenpairs(scaled, np.eye(1), 1 / units, 1.0)
        assert [round(abs(pair.value), 12) for pair in pairs] == [0.0, 1.0]
        assert pairs[1].shape[1] * units[1] / pairs[1].shape[0] == pytest.approx(2.0)


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_round_off_beside_what_is_large_is_none(damping: float) -> None:
    """A body that falls as it turns: of its zero, which comes four times, 2e-14 would leave the fourth root, 7e-4."""
    A = system(
        np.eye(3), np.diag([4.0, 0, 0]) - np.array([[0, 0, 0], [0, 0, 9.8], [0, 2e-14, 0]]), np.diag([damping, 0, 0])
    )
    found = eigenvalues(A, np.eye(3), np.ones(6), 1.0)
    assert np.count_nonzero(found) == 2 and np.abs(found).max() == pytest.approx(2.0)
