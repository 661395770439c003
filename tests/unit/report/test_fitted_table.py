"""Tables that fit a width."""

from __future__ import annotations

import pytest

from mbsym.markup import fitted_table

ROWS = [("name", "size", "what it is"), ("a", "7", "one word after another, and no end"), ("bb", "12", "short")]


def test_without_a_width_every_row_is_a_line() -> None:
    assert fitted_table(ROWS) == [
        "name  size  what it is",
        "----------------------------------------------",
        "a        7  one word after another, and no end",
        "bb      12  short",
    ]


def test_the_widest_column_goes_on_below() -> None:
    assert fitted_table(ROWS, 30) == [
        "name  size  what it is",
        "-" * 30,
        "a        7  one word after",
        "            another, and no",
        "            end",
        "bb      12  short",
    ]


@pytest.mark.parametrize("width", [24, 40, 80])
def test_no_line_is_wider(width: int) -> None:
    rows = [("left", "right"), ("x" * 90, "some words " * 9)]
    lines = fitted_table(rows, width)
    assert max(map(len, lines)) <= width
    assert "".join(line[: (width - 2) // 2].strip() for line in lines[2:]) == "x" * 90
