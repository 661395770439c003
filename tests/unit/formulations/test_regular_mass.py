"""Inertias that count as positive definite, by the eigenvalues of NumPy."""

from __future__ import annotations

import numpy as np

from mbsym.formulations.regular_mass import LEAST, _is_positive


def by_eigenvalues(matrix: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """The smallest one of the matrix, whose rows are brought to equal size."""
    diagonal = np.diagonal(matrix)
    if not (diagonal > 0).all():
        return False
    scale = 1 / np.sqrt(diagonal)
    return bool(np.linalg.eigvalsh(matrix * np.outer(scale, scale))[0] > LEAST)


def test_positive_matrices_are_those_of_positive_eigenvalues() -> None:
    random = np.random.default_rng(3)
    found = []
    for _ in range(300):
        size, rank = random.integers(1, 7, 2)
        factor = random.normal(size=(size, rank))
        # Singular ones, and some that are lifted by more or less than what counts.
        matrix = factor @ factor.T + random.choice([0.0, 1e-13, 1e-3]) * np.eye(size)
        matrix[0, 0] *= random.choice([1.0, 1.0, 1.0, -1.0])
        found.append(_is_positive(matrix.tolist()))
        assert found[-1] == by_eigenvalues(matrix)
    assert 50 < sum(found) < 250
