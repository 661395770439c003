"""Files that a robot description reads in, beneath the directory of the description."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mbsym.errors import FormatError
from mbsym.formats.text_source import LARGEST_XML, TextSource, read_text
from mbsym.formats.xml_document import Element, read_xml

MOST_FILES: Final = 200
"""Files that one model may be made of."""


class IncludedFiles:
    """Reads files for a description.

    Attributes:
        first: the file of the description; files outside its directory are refused.
    """

    def __init__(self, source: TextSource) -> None:
        self.first = Path(source.name)
        self._lines = source.text.count("\n") + 1
        self._count = 0

    def located(self, include: Element, shown: str, path: Path) -> Path:
        """Where a path leads.

        Args:
            include: that names it.
            shown: the name, for messages.
            path: of the file.

        Raises:
            FormatError: it leads out of the directory of the description.
        """
        try:
            real = path.resolve()
        except (OSError, ValueError, RuntimeError):
            raise include.error(f"{shown!r} is no path", "name a file") from None
        if not real.is_relative_to(self.first.parent.resolve()):
            raise include.error(f"{shown!r} lies outside the directory of the model", "keep its files beneath it")
        return real

    def read(self, include: Element, shown: str, path: Path) -> Element:
        """The root element of a file, whose lines come behind those that were read so far.

        Raises:
            FormatError: the file cannot be read, is no XML, or is one too many.
        """
        if self._count >= MOST_FILES:
            raise include.error(f"more than {MOST_FILES} files are included", "join some of them")
        try:
            text = read_text(path, LARGEST_XML)
        except FormatError as error:
            raise include.error(f"{shown!r}: {error.what}", error.remedy) from None
        root = read_xml(text, self._lines)
        self._lines += text.text.count("\n") + 1
        self._count += 1
        return root
