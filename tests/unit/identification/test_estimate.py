"""Least squares of data whose estimate, noise and covariance are known in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mbsym.identification.estimate import estimate

Array = NDArray[Any]

N = 24
"""Samples: of patterns of +1 and -1 that are perpendicular to each other."""


def pattern(period: int) -> Array:
    """+1 and -1 in turns of half a period, perpendicular to those of other powers of two."""
    return np.where(np.arange(N) % period < period // 2, 1.0, -1.0)


def one_force(second: float) -> tuple[Array, Array, float]:
    """Two parameters, 5 and ``second`` of its standard deviations, of one force; and that deviation."""
    regressor = np.stack([np.ones(N), pattern(8)], axis=1)[:, None, :]
    left = 0.3 * pattern(2)
    deviation = np.sqrt(np.sum(left**2) / (N - 2) / N)
    forces = 5.0 + second * deviation * pattern(8) + left
    return regressor, forces[:, None], float(deviation)


def test_one_force_has_the_textbooks_covariance() -> None:
    """sigma^2 (X^T X)^-1 with sigma^2 of N - 2 degrees of freedom, and F of 2 and N - 2."""
    regressor, forces, deviation = one_force(3.0)
    found = estimate(regressor, forces)
    assert found.values == pytest.approx([5.0, 3.0 * deviation], rel=1e-12)
    assert found.covariance == pytest.approx(deviation**2 * np.eye(2), abs=1e-12 * deviation**2)
    assert found.noise == pytest.approx([deviation * np.sqrt(N)], rel=1e-12)
    assert found.region == pytest.approx((1.0, N - 2.0), rel=1e-9)


@pytest.mark.parametrize(("second", "essential"), [(1.2, (0,)), (1.9, (0,)), (2.02, (0, 1)), (-2.02, (0, 1))])
def test_a_parameter_is_essential_from_two_deviations_on(second: float, essential: tuple[int, ...]) -> None:
    """1.96 deviations are 95 of 100; what is left out is zero, and the other parameter stays as it is here."""
    regressor, forces, deviation = one_force(second)
    found = estimate(regressor, forces)
    assert found.essential == essential
    kept = second * deviation if 1 in essential else 0.0
    assert found.essential_values == pytest.approx([5.0, kept], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("repeated", [1.0, 3.0])
def test_weights_that_come_from_the_data_widen_the_covariance(repeated: float) -> None:
    """One parameter that two equal forces tell: each has half of it, P = 1/2, and N - 1/2 samples left.

    The factor 1 + 4 sum (P - P^2) / freedom is 1 + 2 / (N - 1/2), with repeated samples those that are independent.
    """
    regressor = np.ones((N, 2, 1))
    forces = 7.0 + 0.2 * np.stack([pattern(2), pattern(4)], axis=1)
    found = estimate(regressor, forces, repeated=repeated)
    squared = N * 0.2**2 / (N - 0.5)
    expected = squared / (2 * N) * repeated * (1 + 2 * repeated / (N - 0.5))
    assert found.values == pytest.approx([7.0], rel=1e-12)
    assert found.covariance == pytest.approx(np.array([[expected]]), rel=1e-9)
    assert found.deviations == pytest.approx([np.sqrt(expected)], rel=1e-9)


def test_each_force_has_a_noise_of_its_own() -> None:
    """Two forces that tell one parameter: each pays for as much of it as its inverse variance is of both."""
    size = np.array([0.1, 0.4])
    found = estimate(np.ones((N, 2, 1)), 1.0 + size * np.stack([pattern(2), pattern(4)], axis=1))
    weights = 1.0 / found.noise**2
    freedom = N - weights / weights.sum()
    assert found.values == pytest.approx([1.0], rel=1e-12)
    # Weights have settled to a part in a thousand after as many fits as are made.
    assert found.noise**2 == pytest.approx(N * size**2 / freedom, rel=1e-3)
