"""Rows of closed loops are compared by the motions that they let pass."""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.verification.loop_identities import _same_rows

ROWS = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]])


def is_same(rows: np.ndarray, expected: np.ndarray) -> bool:
    return all(np.allclose(found, wanted, rtol=0, atol=1e-12) for found, wanted in _same_rows(rows, expected))


def test_rows_are_the_same_that_let_the_same_motions_pass() -> None:
    assert is_same(ROWS, np.array([[2.0, 0.0], [-1.0, 3.0]]) @ ROWS)
    assert is_same(ROWS, np.concatenate([ROWS, ROWS.sum(axis=0, keepdims=True)]))
    assert not is_same(ROWS, ROWS[:1]) and not is_same(ROWS[:1], ROWS)
    assert not is_same(ROWS, ROWS + np.array([[0.0, 0.0, 1e-6], [0.0, 0.0, 0.0]]))


@pytest.mark.parametrize("rounded", [0.0, 1e-17, -3e-16])
def test_rounding_is_no_row(rounded: float) -> None:
    nothing, noise = np.zeros((1, 3)), np.array([[0.0, rounded, 0.0]])
    assert is_same(nothing, noise) and is_same(noise, nothing) and is_same(noise, noise)
    assert is_same(np.concatenate([ROWS, noise]), np.concatenate([ROWS, nothing]))
    assert not is_same(nothing, ROWS[:1])
