"""MJCF written out: the elements of other files in the place of <include>, copies in the place of <replicate>."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from mbsym.formats.mjcf.frames import AngleRules, read_frame
from mbsym.formats.mjcf.nested import joined
from mbsym.formats.rigid_frames import exact, text
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element, IncludedFiles
from mbsym.model.body import Placement
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Vector

MOST_ELEMENTS: Final = 100_000
"""Elements that copies may make of a file."""


def with_includes(source: TextSource, root: Element, under: str | None = None) -> tuple[Element, list[str]]:
    """The model with the children of the files that it includes, and what is said of these.

    As MuJoCo has it, names of files are relative to the directory of the model, wherever they stand; where there is
    none of a name, it is looked for beside the file that names it. The root element of an included file may have any
    name, and no file is included twice.

    Args:
        source: the text of the model's file.
        root: its root element.
        under: the directory beneath which all files must lie, if there is one.

    Raises:
        FormatError: a file cannot be read, is included twice, or lies outside the directory that was asked for.
    """
    files = IncludedFiles(source, under)
    known = {files.first.resolve()}

    def read(include: Element) -> list[Element]:
        name = include.words("file")
        if not name:
            raise include.error("<include> names no file", 'add file="..."')
        if include.children:
            raise include.error("<include> has elements of its own", "move them out of it")
        candidates = [directory / name for directory in (files.first.parent, Path(include.place.file).parent)]
        real = files.found(include, name, candidates)
        if real in known:
            raise include.error(f"{name!r} is included twice", "include every file once")
        path = candidates[0] if candidates[0].exists() or real is None else candidates[1]
        known.add(real or path)
        return _written(files.read(include, name, path), "include", read).children

    return _written(root, "include", read), files.notes


def with_copies(root: Element, rules: AngleRules) -> Element:
    """The model with its replicates as nested frames, each copy shifted from the one before it in the frame of that.

    Names of what is copied end in the number of the copy, with as many digits as that of the last.

    Raises:
        FormatError: a replicate has no count or one that is none, or makes too many elements.
    """
    made = 0

    def copies(outer: Element) -> list[Element]:
        nonlocal made
        element = _written(outer, "replicate", copies)
        number = evaluate(element.number("count"))
        if number != int(number) or number < 1:
            raise element.error(f"count={number:g} is no number of copies", "give 1 or more")
        made += int(number) * sum(1 for _ in element.every())
        if made > MOST_ELEMENTS:
            raise element.error(f"copies make more than {MOST_ELEMENTS} elements", "make fewer, or write a program")
        return _copies(element, int(number), rules)

    return _written(root, "replicate", copies)


def _written(element: Element, tag: str, instead: Callable[[Element], list[Element]]) -> Element:
    """The element with what stands instead of those of a tag in it; depth is bounded by that of the documents."""
    if not any(item.tag == tag for item in element.every()):
        return element
    children: list[Element] = []
    for child in element.children:
        children += instead(child) if child.tag == tag else [_written(child, tag, instead)]
    return replace(element, children=children)


def _copies(element: Element, count: int, rules: AngleRules) -> list[Element]:
    offset, angles = (element.triple(key, (0, 0, 0)) for key in ("offset", "euler"))
    separator, digits = element.attributes.get("sep", ""), len(str(count - 1))
    frames = []
    position: Vector = (0, 0, 0)
    for copy in range(count):
        # The angles are multiplied, where about several axes the rotation itself is not repeated.
        turned = (text(copy * exact(angle)) for angle in angles)
        pose = {"pos": " ".join(map(str, position)), "euler": " ".join(map(str, turned))} if copy else {}
        children = [_named(child, f"{separator}{copy:0{digits}d}") for child in element.children]
        frames.append(Element("frame", pose, element.place, children))
        position = joined(read_frame(frames[-1], rules), Placement(offset)).translation
    return frames


def _named(element: Element, ending: str) -> Element:
    attributes = dict(element.attributes)
    if "name" in attributes:
        attributes["name"] += ending
    return replace(element, attributes=attributes, children=[_named(child, ending) for child in element.children])
