"""Files that an MJCF reads in: the elements of another take the place of <include>."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from mbsym.errors import FormatError
from mbsym.formats.text_source import LARGEST_XML, Place, TextSource, read_text
from mbsym.formats.xml_document import Element, read_xml

MOST_FILES: Final = 200
"""Files that one model may be made of."""


def with_includes(source: TextSource, root: Element) -> tuple[TextSource, Element]:
    """The model with the children of the files that it includes, and a source that knows the places in them.

    As MuJoCo has it, names of files are relative to the directory of the model, wherever they stand, the root element
    of an included file may have any name, and no file is included twice. Files outside that directory are refused.

    Args:
        source: the text of the model's file.
        root: its root element.

    Raises:
        FormatError: a file cannot be read, is included twice, or lies outside the model's directory.
    """
    reader = _Includes(source)
    whole = reader.expanded(root)
    return reader.source, whole


class _Includes:
    def __init__(self, source: TextSource) -> None:
        self.source = source
        self._directory = Path(source.name).parent
        self._known = {Path(source.name).resolve()}
        self._lines = source.text.count("\n") + 1

    def expanded(self, element: Element) -> Element:
        """The element with its includes replaced; depth is bounded by that of the documents."""
        if not any(item.tag == "include" for item in element.every()):
            return element
        children: list[Element] = []
        for child in element.children:
            children += self._read(child) if child.tag == "include" else [self.expanded(child)]
        return replace(element, children=children)

    def _read(self, include: Element) -> list[Element]:
        name = include.attributes.get("file", "").strip()
        if not name:
            raise self.source.error(include.place, "<include> names no file", 'add file="..."')
        if include.children:
            raise self.source.error(include.place, "<include> has elements of its own", "move them out of it")
        path = self._directory / name
        real = path.resolve()
        if not real.is_relative_to(self._directory.resolve()):
            raise self.source.error(
                include.place, f"{name!r} lies outside the directory of the model", "keep its files beneath it"
            )
        if real in self._known:
            raise self.source.error(include.place, f"{name!r} is included twice", "include every file once")
        if len(self._known) > MOST_FILES:
            raise self.source.error(include.place, f"more than {MOST_FILES} files are included", "join some of them")
        self._known.add(real)
        try:
            text = read_text(path, LARGEST_XML)
        except FormatError as error:
            raise self.source.error(include.place, f"{name!r}: {error.what}", error.remedy) from None
        first = self._lines
        self._lines += text.text.count("\n") + 1
        root = read_xml(text)
        self.source = replace(self.source, included=(*self.source.included, (first, text.name)))
        for element in root.every():
            element.place = _behind(first, element.place)
        return self.expanded(root).children


def _behind(first: int, place: Place) -> Place:
    return first + place[0], place[1]
