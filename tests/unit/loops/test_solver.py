"""The runtime's solver, printed in C and NumPy: regular, singular, rank-deficient and badly scaled rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym.codegen.routines.module import routine_file
from mbsym.loops.tolerances import REGULAR, RUNTIME
from mechanisms.loop_runtime import Terms, solved_by_c, solved_by_numpy

Array = np.ndarray[Any, Any]

RANKS = ((3, 5, 3), (4, 6, 2), (5, 5, 5), (6, 6, 3), (1, 3, 1), (3, 4, 1))


def rows_of_rank(rows: int, speeds: int, rank: int, seed: int = 1) -> Array:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(rows, rank)) @ generator.normal(size=(rank, speeds))


def whole_system(terms: Terms) -> tuple[Array, Array]:
    """vdot, and lambda of least norm at equal size of the rows, by least squares on all equations at once."""
    diagonal = np.diagonal(terms.delassus)
    scale = np.where(diagonal > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1)), 0)
    rows = scale[:, None] * terms.jacobian
    m, n = rows.shape
    matrix = np.block([[terms.mass, -rows.T], [rows, np.zeros((m, m))]])
    gamma = scale * (terms.right + terms.jacobian @ terms.free)
    solution = np.linalg.lstsq(matrix, np.concatenate([terms.mass @ terms.free, gamma]), rcond=1e-12)[0]
    return solution[:n], scale * solution[n:]


def close(found: Array, expected: Array, tolerance: float) -> None:
    assert np.max(np.abs(found - expected)) < tolerance * (1 + np.max(np.abs(expected)))


@pytest.mark.parametrize(("rows", "speeds", "rank"), RANKS)
def test_both_languages_solve_the_whole_system(rows: int, speeds: int, rank: int, tmp_path: Path) -> None:
    jacobian = rows_of_rank(rows, speeds, rank)
    terms = Terms.of_rows(jacobian, jacobian @ np.random.default_rng(2).normal(size=speeds))
    vdot, multipliers = whole_system(terms)
    for found in (solved_by_c(tmp_path, terms), solved_by_numpy(terms)):
        close(found[0], vdot, 1e-10)
        close(found[1], multipliers, 1e-10)
        assert found[2][0] == rank
        assert (found[2][1] > 1e-4) == (rank == rows)


@pytest.mark.parametrize("rank", [2, 4])
def test_sizes_of_the_rows_do_not_matter(rank: int, tmp_path: Path) -> None:
    jacobian = rows_of_rank(4, 6, rank) * np.array([1e-6, 1, 1e5, 1e-2])[:, None]
    terms = Terms.of_rows(jacobian, jacobian @ np.random.default_rng(2).normal(size=6))
    vdot, _ = whole_system(terms)
    for found in (solved_by_c(tmp_path, terms), solved_by_numpy(terms)):
        close(found[0], vdot, 1e-9)
        assert found[2][0] == rank


def test_what_contradicts_dependent_rows_is_met_in_the_mean(tmp_path: Path) -> None:
    """Rows of equal size that ask for 2 and for 4 get 3."""
    jacobian = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 2.0, 0]])
    terms = Terms.of_rows(jacobian, np.array([2.0, 4.0, 1.0]))
    for found in (solved_by_c(tmp_path, terms), solved_by_numpy(terms)):
        change = jacobian @ (found[0] - terms.free)
        assert np.allclose(change, [3, 3, 1], atol=1e-12)
        assert np.isclose(found[1][0], found[1][1], atol=1e-12)


@pytest.mark.parametrize("small", [1e-4, 1e-5, 1e-7])
def test_near_a_singular_configuration_digits_are_kept(small: float, tmp_path: Path) -> None:
    """With singular values 1 and 1e-7, squaring them would leave two digits."""
    jacobian = np.array([[1.0, small, 0.0], [1.0, -small, 0.0]])
    expected = np.array([3.0, -2.0])
    terms = Terms.of_rows(jacobian, np.zeros(2))
    right = jacobian @ (terms.response @ expected)
    terms = Terms.of_rows(jacobian, right)
    for found in (solved_by_c(tmp_path, terms), solved_by_numpy(terms)):
        assert found[2][0] == 2
        assert found[2][1] < REGULAR.double
        close(found[0], terms.free + terms.response @ expected, 1e-13 / small)


@pytest.mark.parametrize("rank", [2, 4])
def test_single_precision(rank: int, tmp_path: Path) -> None:
    jacobian = rows_of_rank(4, 6, rank)
    terms = Terms.of_rows(jacobian, jacobian @ np.random.default_rng(2).normal(size=6))
    vdot, multipliers = whole_system(terms)
    found = solved_by_c(tmp_path, terms, "float")
    close(found[0], vdot, 1e-4)
    close(found[1], multipliers, 1e-4)
    assert found[2][0] == rank


def test_rows_of_zeros_have_no_multipliers(tmp_path: Path) -> None:
    terms = Terms.of_rows(np.zeros((2, 3)), np.ones(2))
    for found in (solved_by_c(tmp_path, terms), solved_by_numpy(terms)):
        assert np.array_equal(found[0], terms.free)
        assert np.array_equal(found[1], [0, 0])
        assert np.array_equal(found[2], [0, 0])


def test_states_of_a_batch_do_not_touch_each_other() -> None:
    cases = [Terms.of_rows(rows_of_rank(4, 6, rank), np.zeros(4)) for rank in (4, 2, 3)]
    broken = Terms.of_rows(np.full((4, 6), np.nan), np.zeros(4))
    every = [*cases, broken]
    fields = ("free", "right", "response", "delassus", "weighted", "inverses", "jacobian", "mass")
    batch = Terms(*(np.stack([getattr(case, field) for case in every]) for field in fields))
    together = solved_by_numpy(batch)
    for k, case in enumerate(cases):
        for found, expected in zip(together, solved_by_numpy(case), strict=True):
            assert np.array_equal(found[k], expected)
    assert np.all(np.isnan(together[0][-1]))


def test_tolerances_reach_the_text_and_no_other_stands_in_it() -> None:
    text = routine_file("loops").read_text(encoding="utf-8")
    used = set(re.findall(r"(?<![\w.])([A-Z]{4,})\b", text))
    assert used >= {item.name for item in RUNTIME}
    assert not re.findall(r"(?<![\w.])\d+\.?\d*[eE][-+]?\d+|(?<![\w.])0\.\d*[1-9]", text)


def test_every_tolerance_has_its_reason() -> None:
    for item in RUNTIME:
        assert item.reason.endswith(".")
        assert 0 < item.double <= item.single
