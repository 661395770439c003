"""Text that fits the terminal: sentences go on below, wide tables are told in several of fewer columns."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import Final

import typer

_NARROWEST: Final = 40
"""Letters of a terminal below which nothing would be gained."""

_GAP: Final = 2
"""Blanks between the columns of a table."""


def print_text(text: str) -> None:
    """Prints a result for people; in a terminal no line is longer than that is wide, if it can be helped."""
    if sys.stdout.isatty():
        text = fitted(text, max(shutil.get_terminal_size().columns, _NARROWEST))
    typer.echo(text, nl=not text.endswith("\n"))


def fitted(text: str, width: int) -> str:
    """The text with lines of so many letters at most.

    Lines between two empty ones are one block: sentences, names with what they are, or a table. Where all its lines
    fit it stays as it is.
    """
    body = text.rstrip("\n")
    blocks = body.split("\n\n")
    shown = "\n\n".join(_block(block, width) if _widest(block.split("\n")) > width else block for block in blocks)
    return shown + text[len(body) :]


def _block(block: str, width: int) -> str:
    lines = [line for line in block.split("\n") if not _is_rule(line)]
    starts = _columns(lines)
    if len(starts) > 2:
        return "\n\n".join(_tables(lines, starts, width))
    indent = starts[-1] if len(starts) == 2 and starts[-1] < width // 2 else 0
    found = []
    for line in lines:
        own = indent or len(line) - len(line.lstrip())
        first, rest = line[:own], line[own:]
        found += wrap(
            rest,
            width,
            initial_indent=first,
            subsequent_indent=" " * own,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [line]
    return "\n".join(found)


def _tables(lines: Sequence[str], starts: Sequence[int], width: int) -> list[str]:
    """The first column with as many others as fit, again and again."""
    ends = [*starts[1:], _widest(lines)]
    first = ends[0]
    parts: list[list[int]] = [[]]
    for k in range(1, len(starts)):
        used = first + sum(ends[n] - starts[n] for n in parts[-1])
        if parts[-1] and used + ends[k] - starts[k] > width + _GAP:
            parts.append([])
        parts[-1].append(k)
    return [
        "\n".join(
            (line[:first].ljust(first) + "".join(line[starts[k] : ends[k]].ljust(ends[k] - starts[k]) for k in part))
            .rstrip()
            for line in lines
        )
        for part in parts
    ]  # fmt: skip


def _columns(lines: Sequence[str]) -> list[int]:
    """Where columns begin: behind two blanks or more that all lines have in the same place."""
    size = _widest(lines)
    blank = [all(len(line) <= k or line[k] == " " for line in lines) for k in range(size)]
    return [k for k in range(size) if not blank[k] and (k == 0 or (k >= _GAP and all(blank[k - _GAP : k])))] or [0]


def _is_rule(line: str) -> bool:
    return len(line) > 1 and set(line) == {"-"}


def _widest(lines: Sequence[str]) -> int:
    return max(map(len, lines), default=0)
