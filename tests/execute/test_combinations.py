"""Options, elements and compilers together: rows drawn at random, each equal to the plain module of its mechanism.

All pairs are tried by ``tests/benchmarks/combinations.py``; these rows are a sample, drawn alike on every machine.
"""

from __future__ import annotations

import random

import pytest

from mechanisms.combination import factors, outcome, quick_outcome, smallest

ROWS = 16


def drawn(seed: int) -> dict[str, str]:
    """A row that nothing refuses: settings are brought to the plain ones at random until that is so."""
    rng = random.Random(seed)
    row = {factor.name: rng.choice(factor.values) for factor in factors()}
    row |= {"level": "-O0", "safety_report": "no"}
    names = list(row)
    rng.shuffle(names)
    plain = {factor.name: factor.values[0] for factor in factors()}
    while quick_outcome(row).kind != "equal":
        name = names.pop()
        row[name] = plain[name]
    return row


@pytest.mark.parametrize("seed", range(ROWS))
def test_a_row_is_equal_to_the_plain_module(seed: int) -> None:
    row = drawn(seed)
    found = outcome(row)
    assert found.kind == "equal", f"{found.told}\n{smallest(row, found)}"
