"""Tables of text that fit a width: the widest columns give way, and their cells go on in further lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Final

_GAP: Final = "  "
_NARROWEST: Final = 8


def fitted_table(rows: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    """The lines of a table whose first row is its heading.

    Args:
        rows: of equally many cells.
        width: of the terminal in letters, None where lines may be as long as they are. Columns of 8 letters are not
            made narrower, so that very many columns can be wider than that.
    """
    widths = _widths(rows, width)
    right = [all(_is_number(row[k]) for row in rows[1:]) for k in range(len(widths))]
    lines = []
    for row in rows:
        cells = [wrap(cell, size) or [""] for cell, size in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            shown = (
                part.rjust(size) if turned else part.ljust(size)
                for part, size, turned in zip(parts, widths, right, strict=True)
            )
            lines.append(_GAP.join(shown).rstrip())
        if row is rows[0]:
            lines.append("-" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    return lines


def _widths(rows: Sequence[Sequence[str]], width: int | None) -> list[int]:
    widths = [max(1, *(len(row[k]) for row in rows)) for k in range(len(rows[0]))]
    room = None if width is None else width - len(_GAP) * (len(widths) - 1)
    while room is not None and sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell
    return True
