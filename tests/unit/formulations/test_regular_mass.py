"""Inertias that count as positive definite, by the eigenvalues of NumPy."""

from __future__ import annotations

import numpy as np

from mbsym.formulations.regular_mass import LEAST, _is_positive, never_singular
from mbsym.model.body import Body
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import one_joint


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


def test_a_rotor_or_inertia_along_the_joint_is_enough() -> None:
    """A rod along x turns about z with inertia and about x with none, unless a rotor turns with it."""
    rod = Body("rod", 1, (0.5, 0, 0), (0, 0.1, 0.1, 0, 0, 0))
    across, along = {"axis": (0, 0, 1)}, {"axis": (1, 0, 0)}
    found = [never_singular(mechanism_of(one_joint("revolute", rod, **turned))) for turned in (across, along)]
    assert found == [True, False]
    assert never_singular(mechanism_of(one_joint("revolute", rod, **along, armature="1/4")))
    assert not never_singular(mechanism_of(one_joint("spherical", rod)))
