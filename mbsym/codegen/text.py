"""Free text made harmless for comments and docstrings, and long lines broken where a reader would break them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

WIDTH = 112


def plain_line(text: str) -> str:
    """The text as one line of printable characters; line ends, controls and invisible marks become spaces."""
    if text.isascii() and text.isprintable():
        return text.rstrip()
    return "".join(character if character.isprintable() else " " for character in text).rstrip()


def c_comment(text: str) -> str:
    """One line that can neither end nor open a C comment nor form a trigraph."""
    line = plain_line(text)
    for hazard, harmless in (("*/", "* /"), ("/*", "/ *"), ("??", "? ?")):
        while hazard in line:
            line = line.replace(hazard, harmless)
    return line


def docstring(text: str) -> str:
    """One line that cannot end a triple-quoted Python string nor hold an escape sequence."""
    return plain_line(text).replace("\\", "\\\\").replace('"', "'")


def wrapped(text: str, *, first: int, following: str, width: int = WIDTH) -> str:
    """An expression broken into lines before its outermost operators.

    Args:
        text: the expression, with blanks around + and - and after commas.
        first: columns already used on the first line.
        following: indentation of the lines that follow.
        width: columns to stay within where the text allows it.
    """
    if first + len(text) <= width:
        return text
    lines: list[str] = []
    room = width - first
    while len(text) > room:
        place = _break_place(text, room)
        if place is None:
            break
        lines.append(text[:place].rstrip())
        text = text[place:].lstrip()
        room = width - len(following)
    lines.append(text)
    return f"\n{following}".join(lines)


def _break_place(text: str, room: int) -> int | None:
    """Where to break: the least nested blank in the latter part of the line, a later one if equally nested."""
    best: tuple[int, int] | None = None
    depth = 0
    for place, character in enumerate(text[: room + 1]):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif place > room // 3 and _may_break(text, place):
            rank = (-depth, place)
            if best is None or rank > best:
                best = rank
    if best is not None:
        return best[1]
    return next((place for place in range(1, len(text)) if _may_break(text, place)), None)


def _may_break(text: str, place: int) -> bool:
    """Whether a line may end there: at a blank that follows no operator and stands before no brace."""
    return text[place] == " " and text[place - 1] not in "+-?:<>" and not text.startswith("{", place + 1)


def enumerator(name: str, value: int, comment: str, is_last: bool) -> str:
    """A line of an enumeration with what it means; the lines that follow where that is long."""
    text = f"{name} = {value}{'' if is_last else ','}{f' /* {c_comment(comment)} */' if comment else ''}"
    return "\n".join(textwrap.wrap(text, WIDTH - 4, subsequent_indent=" " * 8, break_on_hyphens=False))


def table(rows: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Rows as lines with aligned columns."""
    cells = [tuple(row) for row in rows]
    if not cells:
        return ()
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return tuple(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )
