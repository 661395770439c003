"""Model files as text, and places in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TypeAlias

from mbsym.errors import FormatError

Place: TypeAlias = tuple[int, int]
"""Line and column, both counted from 1."""

LARGEST_YAML = 2_000_000
LARGEST_XML = 32_000_000
"""Sizes in bytes beyond which a file is no robot description but a mistake."""


@dataclass(frozen=True, slots=True)
class TextSource:
    """The text of a file and the name it is known by in messages.

    Attributes:
        name: of the file.
        text: of it.
        included: files that were read in where this one names them: the line before their first, counted on behind the
            lines of this file, and their names.
    """

    name: str
    text: str = field(repr=False)
    included: tuple[tuple[int, str], ...] = ()

    def at(self, place: Place) -> str:
        """``FILE:LINE:COL`` of a place."""
        name, before = self._file(place)
        return f"{name}:{place[0] - before}:{place[1]}"

    def file(self, place: Place) -> str:
        """The name of the file that holds a place."""
        return self._file(place)[0]

    def line(self, place: Place) -> str:
        """The line of a place, with the file's name where that is not this one."""
        name, before = self._file(place)
        return f"{place[0] - before} of {Path(name).name}" if before else str(place[0])

    def _file(self, place: Place) -> tuple[str, int]:
        """The file that holds a place, and the line before its first."""
        for before, name in reversed(self.included):
            if place[0] > before:
                return name, before
        return self.name, 0

    def error(self, place: Place, what: str, remedy: str = "") -> FormatError:
        """The error to raise for something wrong at a place."""
        return FormatError(what, where=self.at(place), remedy=remedy)


def read_text(path: str | Path, largest: int) -> TextSource:
    """The text of a file.

    Args:
        path: the file.
        largest: size in bytes that it may have.

    Raises:
        FormatError: the file cannot be read, is no ordinary one (a pipe may never end), is empty, too large or not
            UTF-8.
    """
    name = str(path)
    try:
        kind = Path(path).stat().st_mode
        if not S_ISREG(kind) and not S_ISDIR(kind):
            raise FormatError(
                "this is no ordinary file", where=f"{name}:1:1", remedy="copy what it yields into a file and name that"
            )
        with Path(path).open("rb") as stream:
            content = stream.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(
            f"the file cannot be read ({reason.lower()})", where=f"{name}:1:1", remedy="check the path and its rights"
        ) from None
    if len(content) > largest:
        raise FormatError(
            f"the file has more than {largest // 1_000_000} MB",
            where=f"{name}:1:1",
            remedy="a model file is much smaller: check that this is one, or build the model in Python",
        )
    return decoded(name, content)


def decoded(name: str, content: bytes) -> TextSource:
    """The text that the content of a file holds.

    Raises:
        FormatError: the content is empty or not UTF-8.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", errors="replace")) + 1
        raise FormatError(
            f"byte {content[error.start]:#04x} is not UTF-8",
            where=f"{name}:{line}:{column}",
            remedy="save the file in the encoding UTF-8",
        ) from None
    if not text.strip():
        raise FormatError("the file is empty", where=f"{name}:1:1", remedy="describe a model in it")
    return TextSource(name, text)
