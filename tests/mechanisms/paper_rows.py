"""Rows of docs/papers.md, and the figures in them: what the named tests measure.

A figure is a number such as 4e-13 in the cell "agreement", at most one a cell. The test that the row names takes the
fixture ``agreement`` and calls it with what it measures, which fails where that is more than the page tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "papers.md"
HEADER = ("what", "command", "test", "agreement", "deviation")
PLACES = {"golden": "tests/golden", "lit": "tests/literature", "phys": "tests/physics", "unit": "tests/unit"}
FIGURE = re.compile(r"\b\d(?:\.\d+)?e-\d+\b")
MARGIN = 3.0
"""A figure is so many times what was measured, rounded up to one digit: other compilers round otherwise."""

ROUNDING = 2e-16
"""What counts as measured where it is less."""


@dataclass(frozen=True, slots=True)
class Row:
    """One item: its line, counted from 1, and its cells."""

    line: int
    cells: tuple[str, ...]

    @property
    def test(self) -> str:
        """The named test as pytest knows it."""
        head, _, rest = self.cells[2].strip("`").partition("/")
        return f"{PLACES[head]}/{rest}"

    @property
    def figures(self) -> list[str]:
        """Numbers in the cell "agreement"."""
        return FIGURE.findall(self.cells[3])


def rows() -> list[Row]:
    """All rows of the tables of items."""
    found: list[Row] = []
    inside = False
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), start=1):
        cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|")) if line.startswith("|") else ()
        if cells == HEADER:
            inside = True
        elif not cells:
            inside = False
        elif inside and not set(line) <= set("|-"):
            found.append(Row(number, cells))
    return found


def told(test: str) -> float:
    """The least figure that rows with a test tell.

    Raises:
        KeyError: none does.
    """
    figures = [float(figure) for row in rows() if row.test == test for figure in row.figures]
    if not figures:
        raise KeyError(f"{PAGE.name} has no figure of {test}")
    return min(figures)


def rounded_up(measured: float) -> str:
    """With its margin, to one digit."""
    wide = MARGIN * max(measured, ROUNDING)
    power = floor(log10(wide))
    digit = ceil(wide / 10.0**power)
    return f"1e{power + 1}" if digit == 10 else f"{digit}e{power}"


def write(measured: Mapping[str, float]) -> None:
    """Puts figures of tests into the page."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    for row in rows():
        if row.test in measured and row.figures:
            old = row.cells[3]
            new = FIGURE.sub(rounded_up(measured[row.test]), old)
            lines[row.line - 1] = lines[row.line - 1].replace(f"| {old} |", f"| {new} |")
    PAGE.write_text("\n".join(lines), encoding="utf-8")
