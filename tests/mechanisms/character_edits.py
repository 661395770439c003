"""Edits of one character of a generated text that is no comment: digits, signs, operators, comparisons."""

from __future__ import annotations

import io
import random
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

CHANGED: Final = {"+": "-", "-": "+", "*": "+", "/": "*", "<": ">", ">": "<"}
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"|^#include[^\n]*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CharacterEdit:
    """A character that becomes another.

    Attributes:
        place: in the text.
        old, new: the characters.
        line: the whole line, for people.
    """

    place: int
    old: str
    new: str
    line: str

    def applied(self, text: str) -> str:
        """The text with the edit."""
        return f"{text[: self.place]}{self.new}{text[self.place + 1 :]}"


def character_edits(text: str, *, python: bool, seed: int, count: int) -> list[CharacterEdit]:
    """Edits at random places behind the first definition of a function, or anywhere if there is none."""
    rng = random.Random(seed)
    start = max(text.find("\ndef " if python else ")\n{"), 0)
    hidden = set(_hidden(text, python=python))
    places = [k for k in range(start, len(text)) if k not in hidden and (text[k] in CHANGED or text[k].isdigit())]
    found = []
    for place in rng.sample(places, min(count, len(places))):
        old = text[place]
        new = CHANGED.get(old) or rng.choice([digit for digit in "123456789" if digit != old])
        line = text[text.rfind("\n", 0, place) + 1 : text.find("\n", place)].strip()
        found.append(CharacterEdit(place, old, new, line))
    return found


def _hidden(text: str, *, python: bool) -> Iterator[int]:
    """Places in comments and strings, and in names, whose digits are no numbers."""
    for name in re.finditer(r"[A-Za-z_]\w*|->|\+\+|--", text):
        yield from range(*name.span())
    if not python:
        for comment in _COMMENT.finditer(text):
            yield from range(*comment.span())
        return
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) or token.string == "->":
            first, last = (starts[row - 1] + column for row, column in (token.start, token.end))
            yield from range(first, last)
