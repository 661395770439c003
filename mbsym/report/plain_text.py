"""The report as plain text, an entry a line."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Final

from mbsym.report.numerals import with_decimals
from mbsym.report.sections import Entries, Equation, NamedMatrix, Pattern, Section, Steps, Table

LINE: Final = 110
"""Letters of a line of words."""

LONGEST_CELL: Final = 24
"""Letters of an entry above which a matrix is written entry by entry."""


def text_document(title: str, roadmap: Sequence[str], sections: Sequence[Section]) -> str:
    """The whole text."""
    lines = [title, "", *roadmap, ""]
    for section in sections:
        operations = f": {section.operations} operations" if section.operations is not None else ""
        lines.append(f"{section.title}{operations}")
        lines += (line for sentence in section.sentences for line in wrap(sentence, LINE, break_long_words=False))
        height = 0
        for item in section.items:
            shown = _item(item)
            if (height == 0 and section.sentences) or max(height, len(shown) * (height > 0)) > 1:
                lines.append("")
            lines += shown
            height = len(shown)
        lines += ["", section.remark] if section.remark else []
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def text(value: Any) -> str:
    """An expression as SymPy prints it, with decimals."""
    import sympy

    return str(sympy.sstr(with_decimals(value), full_prec=False))


def _item(item: Any) -> list[str]:
    if isinstance(item, Entries):
        return [
            f"  {item.letter}[{','.join(map(str, place))}] = {text(value)}" for place, value in item.values.items()
        ] or ["  all entries are zero"]
    if isinstance(item, NamedMatrix):
        return _matrix(item)
    if isinstance(item, Equation):
        return [f"  {item.text}"]
    if isinstance(item, Steps):
        lines = []
        for group in item.groups:
            lines += [f"  # {group.title}"] if group.title else []
            lines += [f"  {name} = {text(value)}" for name, value in group.steps]
        return [*lines, *_item(item.entries)]
    if isinstance(item, Pattern):
        rows = [[item.cells.get((i, j), ".") for j in range(len(item.columns))] for i in range(len(item.rows))]
        return _columns(
            [[item.name, *item.columns], *([label, *row] for label, row in zip(item.rows, rows, strict=True))]
        )
    assert isinstance(item, Table)
    return _columns([item.header, *item.rows])


def _matrix(item: NamedMatrix) -> list[str]:
    if not hasattr(item.value, "tolist"):
        return [f"  {item.name} = {text(item.value)}"]
    rows = item.value.tolist()
    if item.value.rows == 1 or item.value.cols == 1:
        entries = ", ".join(text(entry) for row in rows for entry in row)
        left = f"{item.name} = " if item.name else ""
        return [f"  {left}[{entries}]{'^T' if item.value.cols == 1 and item.value.rows > 1 else ''}"]
    cells = [[text(entry) for entry in row] for row in rows]
    if any(len(cell) > LONGEST_CELL for row in cells for cell in row):
        places = [(i, j) for i, row in enumerate(rows) for j, entry in enumerate(row) if entry != 0]
        return [f"  {item.name}[{i + 1},{j + 1}] = {cells[i][j]}" for i, j in places]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    shown = [" ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return [*([f"  {item.name} ="] if item.name else []), *(f"  {row}" for row in shown)]


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    right = [all(row[k].isdigit() for row in rows[1:]) for k in range(len(widths))]
    return [
        "  " + "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)).rstrip()
        for row in rows
    ]
