"""Model files as text, and places in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TypeAlias

from mbsym.errors import FormatError

Place: TypeAlias = tuple[int, int]
"""Line and column, both counted from 1."""

LARGEST = 32_000_000
"""Sizes in bytes beyond which a file is no robot description but a mistake."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in one of the files of a model.

    Attributes:
        file: its name.
        line, column: both counted from 1.
        before: lines of the files that were read before this one, zero for the first.
    """

    file: str
    line: int
    column: int
    before: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def shown_line(self) -> str:
        """The line, with the name of its file where that is not the first."""
        return f"{self.line} of {Path(self.file).name}" if self.before else str(self.line)


@dataclass(frozen=True, slots=True)
class TextSource:
    """The text of a file and the name it is known by in messages."""

    name: str
    text: str = field(repr=False)

    def at(self, place: Place) -> FilePlace:
        """A place of this file."""
        return FilePlace(self.name, *place)

    def error(self, place: Place, what: str, remedy: str = "") -> FormatError:
        """The error to raise for something wrong at a place."""
        return FormatError(what, where=str(self.at(place)), remedy=remedy)


def read_text(path: str | Path) -> TextSource:
    """The text of a file.

    Args:
        path: the file.

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
            content = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(
            f"the file cannot be read ({reason.lower()})", where=f"{name}:1:1", remedy="check the path and its rights"
        ) from None
    if len(content) > LARGEST:
        raise FormatError(
            f"the file has more than {LARGEST // 1_000_000} MB",
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
