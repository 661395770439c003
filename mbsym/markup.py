"""Tables in text, which may have to fit a width, and pieces of HTML that objects show themselves with in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from textwrap import wrap
from typing import Final

MOST_LINES: Final = 40
MOST_LETTERS: Final = 200
"""Of a text with which a result answers for itself; of a longer or wider one the first line stands."""


def aligned(rows: Sequence[Sequence[str]], right: Container[int] = (), gap: str = "  ") -> list[str]:
    """Rows of equally many cells as lines whose columns stand below each other, those of ``right`` flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        gap.join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def preformatted(text: str) -> str:
    """Text whose lines and blanks stay as they are."""
    return f"<pre>{escape(text)}</pre>"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of plain texts; nothing where there are no rows."""
    lines = ["".join(f"<td style='text-align: left'>{escape(str(cell))}</td>" for cell in row) for row in rows]
    if not lines:
        return ""
    head = "".join(f"<th style='text-align: left'>{escape(cell)}</th>" for cell in heads)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def picture(svg: bytes) -> str:
    """A picture inside the page."""
    return f'<img alt="" src="data:image/svg+xml;base64,{b64encode(svg).decode("ascii")}">'


def frame(page: str, height: int) -> str:
    """A whole page inside another one."""
    return f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: {height}px; border: 0"></iframe>'


class Told(ABC):
    """A result that shows itself with its tables: at a prompt, in notebooks, printed."""

    __slots__ = ()

    @property
    @abstractmethod
    def text(self) -> str:
        """All that people read of it, its first line a heading."""

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        lines = str(self).splitlines()
        if len(lines) <= MOST_LINES and max(map(len, lines)) <= MOST_LETTERS:
            return str(self)
        return f"{lines[0]} ({len(lines)} lines, which print shows)"

    def _repr_html_(self) -> str:
        return preformatted(str(self))


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that a notebook shows and that is nothing else."""

    html: str

    def __repr__(self) -> str:
        return "<shown in notebooks>"

    def _repr_html_(self) -> str:
        return self.html


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
