"""Files that an MJCF reads in: the elements of another take the place of <include>."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mbsym.formats.included_files import IncludedFiles
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element


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
        self._files = IncludedFiles(source)
        self._known = {Path(source.name).resolve()}

    @property
    def source(self) -> TextSource:
        return self._files.source

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
        path = self._files.directory / name
        real = self._files.located(include, name, path)
        if real in self._known:
            raise self.source.error(include.place, f"{name!r} is included twice", "include every file once")
        self._known.add(real)
        return self.expanded(self._files.read(include, name, path)).children
