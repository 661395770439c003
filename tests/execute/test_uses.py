"""Mechanisms of any settings simulated, linearised, balanced and written out, beside the reference.

More of them are tried by ``tests/benchmarks/uses.py``.
"""

from __future__ import annotations

import pytest

from mechanisms.examples import some
from mechanisms.factor_models import ImpossibleError, model_of
from mechanisms.uses import drawn, told, wrong_uses


def possible(seed: int) -> dict[str, str]:
    """The first row from a seed on that can be built."""
    while True:
        row = drawn(seed)
        try:
            model_of(row)
        except ImpossibleError:
            seed += 1000
        else:
            return row


@pytest.mark.parametrize("seed", some(range(6), (5,)))
def test_what_is_done_with_equations_is_what_the_reference_has(seed: int) -> None:
    row = possible(seed)
    wrong = list(wrong_uses(model_of(row), seed))
    assert not wrong, (told(row), wrong)
