"""Copies that MJCF asks for: <replicate> becomes nested frames with copies of what it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mbsym.formats.mjcf.frames import AngleRules, read_frame
from mbsym.formats.mjcf.nested import joined
from mbsym.formats.rigid_frames import exact, text
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.formats.xml_numbers import read_number, read_triple
from mbsym.model.body import Placement
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Vector

MOST_ELEMENTS: Final = 100_000
"""Elements that copies may make of a file."""


def with_copies(source: TextSource, root: Element, rules: AngleRules) -> Element:
    """The model with its replicates written out, each copy shifted from the one before it in the frame of that.

    Names of what is copied end in the number of the copy, with as many digits as that of the last.

    Raises:
        FormatError: a replicate has no count or one that is none, or makes too many elements.
    """
    return _Copier(source, rules).written(root)


class _Copier:
    def __init__(self, source: TextSource, rules: AngleRules) -> None:
        self.source = source
        self.rules = rules
        self.made = 0

    def written(self, element: Element) -> Element:
        """The element with the replicates in it written out; depth is bounded by that of the documents."""
        if not any(item.tag == "replicate" for item in element.every()):
            return element
        children: list[Element] = []
        for child in element.children:
            inside = self.written(child)
            children += self._copies(inside) if child.tag == "replicate" else [inside]
        return replace(element, children=children)

    def _copies(self, element: Element) -> list[Element]:
        number = evaluate(read_number(self.source, element, "count"))
        if number != int(number) or number < 1:
            raise self.source.error(element.place, f"count={number:g} is no number of copies", "give 1 or more")
        count = int(number)
        self.made += count * sum(1 for _ in element.every())
        if self.made > MOST_ELEMENTS:
            raise self.source.error(
                element.place, f"copies make more than {MOST_ELEMENTS} elements", "make fewer, or write a program"
            )
        offset, angles = (
            read_triple(self.source, element, key) if key in element.attributes else (0, 0, 0)
            for key in ("offset", "euler")
        )
        separator, digits = element.attributes.get("sep", ""), len(str(count - 1))
        frames = []
        position: Vector = (0, 0, 0)
        for copy in range(count):
            # The angles are multiplied, where about several axes the rotation itself is not repeated.
            turned = (text(copy * exact(angle)) for angle in angles)
            pose = {"pos": " ".join(map(str, position)), "euler": " ".join(map(str, turned))} if copy else {}
            children = [_named(child, f"{separator}{copy:0{digits}d}") for child in element.children]
            frames.append(Element("frame", pose, element.place, children))
            position = joined(read_frame(self.source, frames[-1], self.rules), Placement(offset)).translation
        return frames


def _named(element: Element, ending: str) -> Element:
    attributes = dict(element.attributes)
    if "name" in attributes:
        attributes["name"] += ending
    return replace(element, attributes=attributes, children=[_named(child, ending) for child in element.children])
