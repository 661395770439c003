"""An SDF file in the words of version 1.7 and later, with the files that it includes in place.

What changed with version 1.7 is said in its words, as the public converter does: the attribute ``frame`` of poses is
``relative_to``, and an axis in the frame of the model is one with ``expressed_in="__model__"``. Before version 1.5
every axis was. Names with a colon are the words of other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mbsym.formats.included_files import IncludedFiles
from mbsym.formats.sdf.merge import merged
from mbsym.formats.sdf.words import MODEL_FRAME, NAMED, SDF_WORDS
from mbsym.formats.text_source import TextSource
from mbsym.formats.vocabulary import unknown_words
from mbsym.formats.xml_document import Element, read_xml

OLDEST: Final = 4
NEWEST: Final = 12
"""Versions 1.4 to 1.12."""

FRAME_SEMANTICS: Final = 7
WORLD: Final = "world"
_TRUE: Final = ("1", "true", "True", "TRUE")
_FALSE: Final = ("0", "false", "False", "FALSE")


def read_document(source: TextSource, *, strict: bool) -> tuple[TextSource, Element, tuple[str, ...]]:
    """The model or world of an SDF text.

    Args:
        source: the text.
        strict: every unknown word is an error.

    Returns:
        A source that knows the places in all files, the element <model> or <world>, and sentences for the user.

    Raises:
        FormatError: the text is no SDF, a word is unknown where that can change the mechanics, or an included file
            cannot be had.
    """
    reader = _Documents(source, strict)
    top = reader.top(read_xml(source), ("world", "model"))
    reader.with_includes(top, Path(source.name))
    return reader.files.source, top, tuple(dict.fromkeys(reader.notes))


def is_true(source: TextSource, element: Element | None, default: bool = False) -> bool:
    """Whether the text of an element says true.

    Raises:
        FormatError: it says neither true nor false.
    """
    return default if element is None else _truth(source, element, f"<{element.tag}>", element.text.strip())


def is_set(source: TextSource, element: Element, key: str) -> bool:
    """Whether an attribute says true; errors as ``is_true``."""
    words = element.attributes.get(key, "false").strip()
    return _truth(source, element, f"{key} of <{element.tag}>", words)


def _truth(source: TextSource, element: Element, what: str, words: str) -> bool:
    if words not in (*_TRUE, *_FALSE):
        raise source.error(element.place, f"{what} is {words!r}", "say true or false")
    return words in _TRUE


class _Documents:
    """Reads a file and those that it includes."""

    def __init__(self, source: TextSource, strict: bool) -> None:
        self.files = IncludedFiles(source)
        self.notes: list[str] = []
        self._strict = strict

    def top(self, root: Element, kinds: tuple[str, ...]) -> Element:
        """The one element of those kinds in a file, in the words of today."""
        source = self.files.source
        if root.tag != "sdf":
            remedy = {
                "robot": "give the file the suffix .urdf",
                "mujoco": "give the file the suffix .xml, so that it is read as MJCF",
            }.get(root.tag, "an SDF file holds one element <sdf>")
            raise source.error(root.place, f"<{root.tag}> is no description in SDF", remedy)
        minor = self._version(root)
        self._drop_foreign_words(root)
        found = [child for child in root.children if child.tag in kinds]
        if not found:
            raise source.error(root.place, f"the file has no <{'> or <'.join(kinds)}>", "add one")
        if len(found) > 1:
            raise source.error(
                found[1].place,
                f"a <{found[1].tag}> beside the <{found[0].tag}> of line {source.line(found[0].place)}",
                "keep one model to a file, or put the models into one world",
            )
        self.notes += unknown_words(source, root, SDF_WORDS, strict=self._strict)
        self._modernise(found[0], minor)
        return found[0]

    def _version(self, root: Element) -> int:
        words = root.attributes.get("version", "").strip()
        known = f"versions 1.{OLDEST} to 1.{NEWEST} are read"
        found = re.fullmatch(r"1\.(\d{1,3})", words, re.ASCII)
        if found is None or int(found[1]) < OLDEST:
            what = f"SDF of version {words!r} is not read" if words else "<sdf> has no version"
            raise self.files.source.error(root.place, what, known)
        if int(found[1]) > NEWEST:
            self.notes.append(f"the file is of version {words} and is read as one of version 1.{NEWEST}")
        return int(found[1])

    def _drop_foreign_words(self, root: Element) -> None:
        dropped: list[str] = []
        for element in root.every():
            own = [child for child in element.children if ":" not in child.tag]
            dropped += (f"<{child.tag}>" for child in element.children if ":" in child.tag)
            element.children[:] = own
            for key in [key for key in element.attributes if ":" in key and not key.startswith(("xmlns:", "xml:"))]:
                dropped.append(f"{key} of <{element.tag}>")
                del element.attributes[key]
        names = list(dict.fromkeys(dropped))
        if names:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            self.notes.append(f"words of other programs are left out: {', '.join(names[:5])}{more}")

    # ---- versions ---------------------------------------------------------------------------------------------------

    def _modernise(self, top: Element, minor: int) -> None:
        source = self.files.source
        for element in top.every():
            if element.tag == "pose" and "frame" in element.attributes:
                frame = element.attributes.pop("frame").strip()
                if frame and minor >= FRAME_SEMANTICS:
                    raise source.error(element.place, "frame of <pose> is a word of version 1.6", "say relative_to")
                if frame:
                    element.attributes.setdefault("relative_to", frame)
            elif element.tag in ("axis", "axis2"):
                self._modernise_axis(element, minor)
        for element in _models(top):
            if minor >= FRAME_SEMANTICS:
                self._require_one_namespace(element)

    def _modernise_axis(self, axis: Element, minor: int) -> None:
        flag = axis.child("use_parent_model_frame")
        if flag is not None and minor >= FRAME_SEMANTICS:
            raise self.files.source.error(
                flag.place, "<use_parent_model_frame> is a word of version 1.6", f'say expressed_in="{MODEL_FRAME}"'
            )
        if minor >= FRAME_SEMANTICS or not (minor <= OLDEST or is_true(self.files.source, flag)):
            return
        direction = axis.child("xyz")
        if direction is None:
            direction = Element("xyz", {}, axis.place, text="0 0 1")
            axis.children.append(direction)
        direction.attributes["expressed_in"] = MODEL_FRAME

    def _require_one_namespace(self, model: Element) -> None:
        seen: dict[str, Element] = {}
        for child in model.children:
            name = child.attributes.get("name", "")
            if child.tag not in NAMED or not name:
                continue
            other = seen.setdefault(name, child)
            if other is not child and other.tag != child.tag:
                raise self.files.source.error(
                    child.place,
                    f"a {child.tag} and the {other.tag} of line {self.files.source.line(other.place)} are both named "
                    f"{name!r}",
                    "rename one of them: from version 1.7 on they share their names",
                )

    # ---- includes ---------------------------------------------------------------------------------------------------

    def with_includes(self, top: Element, path: Path) -> None:
        """Puts the models of included files in the place of the elements that include them."""
        self._resolve(top, (path.resolve(),))

    def _resolve(self, top: Element, reading: tuple[Path, ...]) -> None:
        pending = [(top, reading)]
        while pending:
            element, files = pending.pop()
            children: list[Element] = []
            merges = False
            for child in element.children:
                if child.tag != "include":
                    children.append(child)
                    if child.tag == "model":
                        pending.append((child, files))
                    continue
                model, inner = self._included(child, files)
                if is_set(self.files.source, child, "merge"):
                    if element.tag != "model":
                        remedy = "include it without merge"
                        raise self.files.source.error(child.place, f"a {element.tag} merges no model", remedy)
                    # As deep as files include each other, which ends where one would include itself.
                    self._resolve(model, (*files, inner))
                    children += self._merged(child, model)
                    merges = True
                else:
                    children.append(model)
                    pending.append((model, (*files, inner)))
            element.children[:] = children
            if merges:
                self._require_one_namespace(element)

    def _merged(self, include: Element, model: Element) -> list[Element]:
        if is_true(self.files.source, model.child("static")):
            what = f"the static model {model.attributes.get('name', '')!r} cannot be merged"
            raise self.files.source.error(include.place, what, "include it without merge")
        return merged(self.files.source, include, model)

    def _included(self, include: Element, files: tuple[Path, ...]) -> tuple[Element, Path]:
        source = self.files.source
        uri = include.child("uri")
        shown = "" if uri is None else uri.text.strip()
        if not shown:
            raise source.error(include.place, "<include> names no file", "add <uri>...</uri>")
        path = self._file(include, shown, files[-1].parent)
        if path in files:
            raise source.error(include.place, f"{shown!r} includes itself", "include every file from outside of it")
        model = self.top(self.files.read(include, shown, path), ("model",))
        for tag in ("name", "placement_frame"):
            stated = include.child(tag)
            if stated is not None and stated.text.strip():
                model.attributes[tag] = stated.text.strip()
        for tag in ("pose", "static"):
            stated = include.child(tag)
            if stated is not None:
                model.children[:] = [stated, *(child for child in model.children if child.tag != tag)]
        return model, path

    def _file(self, include: Element, shown: str, around: Path) -> Path:
        """The file that a URI names, beneath the directory of the first."""
        scheme, sign, rest = shown.partition("://")
        top = self.files.directory
        if not sign:
            candidates = [around / shown]
        elif scheme == "file":
            candidates = [around / rest]
        elif scheme in ("model", "package"):
            package, _, inner = rest.partition("/")
            candidates = [around / rest, top / rest]
            candidates += [parent / inner for parent in (around, top.resolve()) if parent.name == package and inner]
        else:
            raise self.files.source.error(
                include.place, f"{shown!r} is not fetched", "put the file beneath the model's directory and name it"
            )
        for candidate in candidates:
            path = self.files.located(include, shown, candidate)
            if path.is_dir():
                path = self._of_directory(include, shown, path)
            if path.is_file():
                return path
        raise self.files.source.error(
            include.place,
            f"{shown!r} is not found",
            f"put it beneath the directory of {Path(self.files.source.name).name}, or remove the <include>",
        )

    def _of_directory(self, include: Element, shown: str, directory: Path) -> Path:
        """The SDF file of a directory, the newest that its ``model.config`` names."""
        config = directory / "model.config"
        if not config.is_file():
            return directory / "model.sdf"
        named = list(self.files.read(include, shown, config).all("sdf"))
        if not named:
            raise self.files.source.error(include.place, f"model.config of {shown!r} names no <sdf>", "add one")
        newest = max(named, key=_version_of)
        return self.files.located(include, shown, directory / newest.text.strip())


def _models(top: Element) -> Iterator[Element]:
    """The world or model and the models within."""
    pending = [top]
    while pending:
        element = pending.pop()
        yield element
        pending += element.all("model")


def _version_of(element: Element) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,9}", element.attributes.get("version", ""), re.ASCII))
