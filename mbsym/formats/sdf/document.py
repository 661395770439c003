"""An SDF file in the words of version 1.7 and later, with the files that it includes in place.

What changed with version 1.7 is said in its words, as the public converter does: the attribute ``frame`` of poses is
``relative_to``, and an axis in the frame of the model is one with ``expressed_in="__model__"``. Before version 1.5
every axis was. Names with a colon are the words of other programs.

What ``<include merge="true">`` makes of a model are elements of the model that includes it. A frame takes the place of
the model's own: what was given in ``__model__``, said or unsaid, is given in the frame ``_merged__NAME__model__``,
attached to the model's canonical link and posed as the model would be. Source: SDFormat, merging for composition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mbsym.formats.sdf.words import MODEL_FRAME, NAMED, SDF_WORDS
from mbsym.formats.text_source import TextSource
from mbsym.formats.vocabulary import unknown_words
from mbsym.formats.xml_document import Element, IncludedFiles, read_xml
from mbsym.shapes.mesh_file import PACKAGE_PATHS, package_directories

OLDEST: Final = 4
NEWEST: Final = 12
"""Versions 1.4 to 1.12."""

FRAME_SEMANTICS: Final = 7
WORLD: Final = "world"
_TRUE: Final = ("1", "true", "True", "TRUE")
_FALSE: Final = ("0", "false", "False", "FALSE")


def read_document(source: TextSource, *, strict: bool, under: str | None = None) -> tuple[Element, tuple[str, ...]]:
    """The model or world of an SDF text.

    Args:
        source: the text.
        strict: every unknown word is an error.
        under: the directory beneath which all files must lie, if there is one.

    Returns:
        The element <model> or <world>, and sentences for the user.

    Raises:
        FormatError: the text is no SDF, a word is unknown where that can change the mechanics, or an included file
            cannot be had.
    """
    reader = _Documents(source, strict, under)
    top = reader.top(read_xml(source), ("world", "model"))
    reader.with_includes(top, (reader.files.first.resolve(),))
    return top, tuple(dict.fromkeys((*reader.files.notes, *reader.notes)))


def is_true(element: Element | None, default: bool = False) -> bool:
    """Whether the text of an element says true.

    Raises:
        FormatError: it says neither true nor false.
    """
    return default if element is None else _truth(element, f"<{element.tag}>", element.text.strip())


def is_set(element: Element, key: str) -> bool:
    """Whether an attribute says true; errors as ``is_true``."""
    words = element.attributes.get(key, "false").strip()
    return _truth(element, f"{key} of <{element.tag}>", words)


def _truth(element: Element, what: str, words: str) -> bool:
    if words not in (*_TRUE, *_FALSE):
        raise element.error(f"{what} is {words!r}", "say true or false")
    return words in _TRUE


class _Documents:
    """Reads a file and those that it includes."""

    def __init__(self, source: TextSource, strict: bool, under: str | None) -> None:
        self.files = IncludedFiles(source, under)
        self.notes: list[str] = []
        self._strict = strict

    def top(self, root: Element, kinds: tuple[str, ...]) -> Element:
        """The one element of those kinds in a file, in the words of today."""
        if root.tag != "sdf":
            remedy = {
                "robot": "give the file the suffix .urdf",
                "mujoco": "give the file the suffix .xml, so that it is read as MJCF",
            }.get(root.tag, "an SDF file holds one element <sdf>")
            raise root.error(f"<{root.tag}> is no description in SDF", remedy)
        minor = self._version(root)
        self._drop_foreign_words(root)
        found = [child for child in root.children if child.tag in kinds]
        if not found:
            raise root.error(f"the file has no <{'> or <'.join(kinds)}>", "add one")
        if len(found) > 1:
            raise found[1].error(
                f"a <{found[1].tag}> beside the <{found[0].tag}> of line {found[0].place.shown_line}",
                "keep one model to a file, or put the models into one world",
            )
        self.notes += unknown_words(root, SDF_WORDS, strict=self._strict)
        self._modernise(found[0], minor)
        return found[0]

    def _version(self, root: Element) -> int:
        words = root.words("version")
        known = f"versions 1.{OLDEST} to 1.{NEWEST} are read"
        found = re.fullmatch(r"1\.(\d{1,3})", words, re.ASCII)
        if found is None or int(found[1]) < OLDEST:
            what = f"SDF of version {words!r} is not read" if words else "<sdf> has no version"
            raise root.error(what, known)
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
        for element in top.every():
            if element.tag == "pose" and "frame" in element.attributes:
                frame = element.attributes.pop("frame").strip()
                if frame and minor >= FRAME_SEMANTICS:
                    raise element.error("frame of <pose> is a word of version 1.6", "say relative_to")
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
            raise flag.error("<use_parent_model_frame> is a word of version 1.6", f'say expressed_in="{MODEL_FRAME}"')
        if minor >= FRAME_SEMANTICS or not (minor <= OLDEST or is_true(flag)):
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
                raise child.error(
                    f"a {child.tag} and the {other.tag} of line {other.place.shown_line} are both named {name!r}",
                    "rename one of them: from version 1.7 on they share their names",
                )

    # ---- includes ---------------------------------------------------------------------------------------------------

    def with_includes(self, top: Element, reading: tuple[Path, ...]) -> None:
        """Puts the models of included files in the place of the elements that include them.

        Args:
            top: model or world.
            reading: the file that it stands in, behind those that include that.
        """
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
                if is_set(child, "merge"):
                    if element.tag != "model":
                        remedy = "include it without merge"
                        raise child.error(f"a {element.tag} merges no model", remedy)
                    # As deep as files include each other, which ends where one would include itself.
                    self.with_includes(model, (*files, inner))
                    children += _merged(child, model)
                    merges = True
                else:
                    children.append(model)
                    pending.append((model, (*files, inner)))
            element.children[:] = children
            if merges:
                self._require_one_namespace(element)

    def _included(self, include: Element, files: tuple[Path, ...]) -> tuple[Element, Path]:
        shown = include.text_of("uri")
        if not shown:
            raise include.error("<include> names no file", "add <uri>...</uri>")
        path = self._file(include, shown, files[-1].parent)
        if path in files:
            raise include.error(f"{shown!r} includes itself", "include every file from outside of it")
        model = self.top(self.files.read(include, shown, path), ("model",))
        for tag in ("name", "placement_frame"):
            if include.text_of(tag):
                model.attributes[tag] = include.text_of(tag)
        for tag in ("pose", "static"):
            stated = include.child(tag)
            if stated is not None:
                model.children[:] = [stated, *(child for child in model.children if child.tag != tag)]
        return model, path

    def _file(self, include: Element, shown: str, around: Path) -> Path:
        """The file that a URI names: around the files, then where the environment says that models are."""
        scheme, sign, rest = shown.partition("://")
        top = self.files.first.parent
        if not sign:
            candidates = [around / shown]
        elif scheme == "file":
            candidates = [around / rest]
        elif scheme in ("model", "package"):
            package, _, inner = rest.partition("/")
            candidates = [around / rest, top / rest]
            candidates += [parent / inner for parent in (around, top.resolve()) if parent.name == package and inner]
            candidates += [place / inner for place in package_directories(package, top.resolve())]
        else:
            raise include.error(f"{shown!r} is not fetched", "put the file beneath the model's directory and name it")
        path = self.files.found(include, shown, candidates)
        if path is not None and path.is_dir():
            path = self._of_directory(include, shown, path)
        if path is None or not path.is_file():
            variables = " or ".join(name for name, _ in PACKAGE_PATHS)
            remedy = f"put it beneath the directory of {self.files.first.name}, or name where it is in {variables}"
            raise include.error(f"{shown!r} is not found", remedy)
        return path

    def _of_directory(self, include: Element, shown: str, directory: Path) -> Path:
        """The SDF file of a directory, the newest that its ``model.config`` names."""
        config = directory / "model.config"
        if not config.is_file():
            return directory / "model.sdf"
        named = list(self.files.read(include, shown, config).all("sdf"))
        if not named:
            raise include.error(f"model.config of {shown!r} names no <sdf>", "add one")
        newest = max(named, key=_version_of)
        name = newest.text.strip()
        return self.files.found(include, f"{name} of {shown}", [directory / name]) or directory / name


def _models(top: Element) -> Iterator[Element]:
    """The world or model and the models within."""
    pending = [top]
    while pending:
        element = pending.pop()
        yield element
        pending += element.all("model")


def _version_of(element: Element) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,9}", element.attributes.get("version", ""), re.ASCII))


# ---- merging ---------------------------------------------------------------------------------------------------------


REFERRING: Final = ("relative_to", "attached_to", "expressed_in")
"""Attributes that name frames."""


def _merged(include: Element, model: Element) -> list[Element]:
    """The elements of an included model as elements of the model around it, its frame first.

    Args:
        include: the element that includes it.
        model: with name and pose as the include has them, and the models that it includes in place.

    Raises:
        FormatError: the model is static, or has no link.
    """
    name = model.attributes.get("name", "")
    if is_true(model.child("static")):
        raise include.error(f"the static model {name!r} cannot be merged", "include it without merge")
    name = name.strip()
    carriers = [part.attributes.get("name", "") for tag in ("link", "model") for part in model.all(tag)]
    if not carriers:
        raise include.error(f"model {name!r} has no <link> to attach its frame to", "add one")
    canonical = model.words("canonical_link") or carriers[0]
    proxy = f"_merged__{name}__model__"
    pose = model.part("pose")
    pose.attributes.setdefault("relative_to", MODEL_FRAME)
    frame = Element("frame", {"name": proxy, "attached_to": canonical}, model.place, [pose])
    placed = model.words("placement_frame")
    if placed and placed != MODEL_FRAME:
        frame.attributes["placement_frame"] = placed
    found = [child for child in model.children if child.tag in NAMED]
    for child in found:
        _rename(child, proxy)
    return [frame, *found]


def _rename(element: Element, proxy: str) -> None:
    """Lets a link, joint, frame or model refer to the frame in place of the model that it stood in."""
    pose = element.child("pose")
    if element.tag == "frame" and not element.words("attached_to"):
        element.attributes["attached_to"] = proxy
    elif element.tag in ("link", "model") and (pose is None or not pose.words("relative_to")):
        if pose is None:
            pose = Element("pose", {}, element.place)
            element.children.append(pose)
        pose.attributes["relative_to"] = proxy
    # Within a model __model__ is that model.
    for part in [element, pose] if element.tag == "model" and pose is not None else element.every():
        for key in REFERRING:
            if part.words(key) == MODEL_FRAME:
                part.attributes[key] = proxy
        if part.tag in ("parent", "child") and part.text.strip() == MODEL_FRAME:
            part.text = proxy
