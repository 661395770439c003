"""XML text as a tree of elements that know where they stand, and files that it reads in. Entities are refused.

Numbers in attributes and texts stay the decimals that they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from mbsym.errors import FormatError, MbsymError
from mbsym.formats.text_source import FilePlace, TextSource, read_text
from mbsym.values.numbers import SMALLEST_SIZE, decimal_number, size_fault
from mbsym.values.parameter import Value, Vector

DEEPEST_NESTING = 500


@dataclass(slots=True)
class Element:
    """An element.

    Attributes:
        tag: its name.
        attributes: by name.
        place: of its opening bracket.
        children: in order.
        text: characters between its tags, those of its children left out.
        has_noise: a number in it was so small that nothing of a model is, and stands there as zero.
    """

    tag: str
    attributes: dict[str, str]
    place: FilePlace
    children: list[Element] = field(default_factory=list)
    text: str = ""
    has_noise: bool = False

    def child(self, tag: str) -> Element | None:
        """The first child of that name, None if there is none."""
        return next((item for item in self.children if item.tag == tag), None)

    def part(self, tag: str) -> Element:
        """The first child of that name, an empty one in the place of the element if there is none."""
        return self.child(tag) or Element(tag, {}, self.place)

    def all(self, tag: str) -> Iterator[Element]:
        """The children of that name."""
        return (item for item in self.children if item.tag == tag)

    def within(self, tag: str) -> Iterator[Element]:
        """The children of all children of that name."""
        return (item for group in self.all(tag) for item in group.children)

    def every(self) -> Iterator[Element]:
        """The element and all within it, in the order of the file."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack += reversed(element.children)

    def error(self, what: str, remedy: str = "") -> FormatError:
        """The error to raise for something wrong with the element."""
        return FormatError(what, where=str(self.place), remedy=remedy)

    # ---- words ------------------------------------------------------------------------------------------------------

    def words(self, key: str, default: str = "") -> str:
        """What an attribute says, or its default, without the spaces around it; the element's text for the key ""."""
        return (self.attributes.get(key, default) if key else self.text).strip()

    def text_of(self, tag: str) -> str:
        """The text of the first child of that name, "" where there is none."""
        return self.part(tag).words("")

    def required(self, key: str) -> str:
        """The words of an attribute.

        Raises:
            FormatError: there are none.
        """
        words = self.words(key)
        if not words:
            raise self.error(f"<{self.tag}> has no {key}", f'add {key}="..."')
        return words

    # ---- numbers ----------------------------------------------------------------------------------------------------

    def number(self, key: str = "", default: str = "") -> Value:
        """The number of an attribute, or its default, or of the text: an integer or decimal text.

        Args:
            key: name of the attribute, "" for the text.
            default: words that stand for a missing attribute.

        Raises:
            FormatError: it is no finite decimal number, or one of a size that no model has.
        """
        return self._decimal(key, self.words(key, default))

    def number_of(self, tag: str, default: Value) -> Value:
        """The number in the first child of that name, or its default; errors as ``number``."""
        child = self.child(tag)
        return default if child is None else child.number()

    def numbers(self, key: str, *counts: int, default: tuple[Value, ...] | None = None) -> tuple[Value, ...]:
        """The numbers of an attribute.

        Args:
            key: its name, "" for the element's text.
            counts: how many numbers there may be.
            default: stands for a missing attribute.

        Raises:
            FormatError: there are more or fewer, or one is no finite decimal number.
        """
        if default is not None and key not in self.attributes:
            return default
        words = self.words(key).split()
        if len(words) not in counts:
            remedy = f"give {' or '.join(map(str, counts))}"
            if counts[0] > 1:
                remedy += f", {self._example(key, '0 ' * (counts[0] - 1) + '1')}"
            raise self.error(f"{self._named(key)} has {len(words)} numbers", remedy)
        return tuple(self._decimal(key, word) for word in words)

    def triple(self, key: str, default: Vector | None = None) -> Vector:
        """Three numbers; arguments and errors as ``numbers``."""
        x, y, z = self.numbers(key, 3, default=default)
        return x, y, z

    def _decimal(self, key: str, words: str) -> Value:
        if "${" in words:
            what = f"{key}={words!r}" if key else f"<{self.tag}> holds {words!r}, which"
            raise self.error(f"{what} is written in xacro, a macro language", "run the file through xacro first")
        of = self._named(key)
        try:
            number = decimal_number(words)
        except MbsymError as error:
            raise self.error(f"{of}: {error.what}", error.remedy) from None
        if number is None:
            what = f"{of} is {words!r}, no finite number" if words else f"<{self.tag}> has no {key or 'number'}"
            raise self.error(what, f"give a decimal number, {self._example(key, '0.5')}")
        fault = size_fault(number)
        if fault:
            what = f"{of} holds {words if len(words) <= 40 else f'{words[:37]}...'}, which is {fault}"
            raise self.error(what, "check its digits and its unit")
        return int(number) if words.lstrip("+-").isdigit() else words

    def _named(self, key: str) -> str:
        return f"{key} of <{self.tag}>" if key else f"<{self.tag}>"

    def _example(self, key: str, number: str) -> str:
        return f'{key}="{number}"' if key else f"<{self.tag}>{number}</{self.tag}>"


_NOISE: Final = re.compile(r"(?<![\w.])[+-]?\d+\.?\d*[eE]-\d{3,}(?![\w.])", re.ASCII)
"""A number with an exponent of three digits, which programs leave of what is zero."""


def _without_noise(text: str, *names: str) -> str:
    """The text with zeros in place of numbers too small for a model; what is called a mass is no noise of zero."""

    def number(found: re.Match[str]) -> str:
        return "0" if abs(float(found[0])) < SMALLEST_SIZE else found[0]

    return _NOISE.sub(number, text) if "-" in text and "mass" not in names else text


def read_xml(source: TextSource, before: int = 0) -> Element:
    """The root element of a text.

    Args:
        source: the text.
        before: lines of the files that were read before this one.

    Raises:
        FormatError: the text is no well-formed XML, declares a document type or an entity, or is too deep.
    """
    from xml.parsers import expat

    # The text is decoded already, whatever the declaration in it says.
    parser = expat.ParserCreate(encoding="utf-8")
    root: list[Element] = []
    stack: list[Element] = []

    def place() -> FilePlace:
        return FilePlace(source.name, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1, before)

    def start(tag: str, attributes: dict[str, str]) -> None:
        plain = {key: _without_noise(text, tag, key) for key, text in attributes.items()}
        element = Element(tag, plain, place(), has_noise=plain != attributes)
        if len(stack) >= DEEPEST_NESTING:
            raise element.error("the file is nested too deeply", "check its closing tags")
        if stack:
            stack[-1].children.append(element)
        else:
            root.append(element)
        stack.append(element)

    def end(tag: str) -> None:
        element = stack.pop()
        plain = _without_noise(element.text, tag)
        element.has_noise |= plain != element.text
        element.text = plain

    def characters(text: str) -> None:
        stack[-1].text += text

    def refuse(*_: Any) -> None:
        what = "a document type or entity has no place in a robot description"
        raise FormatError(what, where=str(place()), remedy="remove the DOCTYPE declaration")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(source.text.encode("utf-8", errors="surrogatepass"), True)
    except expat.ExpatError as error:
        found = (error.lineno, error.offset + 1)
        what = expat.errors.messages.get(error.code, "this is no XML")
        if stack:
            what += f", inside <{stack[-1].tag}> of line {stack[-1].place.line}"
        raise source.error(found, f"no valid XML: {what}", "check that every tag is closed") from None
    return root[0]


MOST_FILES: Final = 200
"""Files that one model may be made of."""


def require_under(path: Path, shown: str, directory: str, where: str) -> None:
    """Checks that a file lies beneath a directory.

    Raises:
        FormatError: it does not.
    """
    if not path.resolve().is_relative_to(Path(directory).resolve()):
        raise FormatError(
            f"{shown} lies outside {directory}", where=where, remedy="keep the files of the model beneath it"
        )


class IncludedFiles:
    """Finds and reads files for a description.

    Attributes:
        first: the file of the description.
        notes: on files that lie outside its directory, and on names that several files have.
    """

    def __init__(self, source: TextSource, under: str | None = None) -> None:
        """Nothing has been read but the description.

        Args:
            source: the description.
            under: the directory beneath which all files must lie, if there is one.
        """
        self.first = Path(source.name)
        self.notes: list[str] = []
        self._under = under
        self._lines = source.text.count("\n") + 1
        self._count = 0

    def found(self, include: Element, shown: str, candidates: Iterable[Path]) -> Path | None:
        """The first of several paths at which there is something, its links followed; None where there is nothing.

        Args:
            include: that names it.
            shown: the name, for messages.
            candidates: paths, in the order in which they count.

        Raises:
            FormatError: it lies outside the directory that was asked for, or is no path.
        """
        try:
            places = dict.fromkeys(path.resolve() for path in candidates if path.exists())
        except (OSError, ValueError, RuntimeError):
            raise include.error(f"{shown!r} is no path", "name a file") from None
        if not places:
            return None
        real, *others = places
        line = include.place.shown_line
        if others:
            self.notes.append(f"{shown!r} (line {line}) is {real}, and there is {others[0]}: the first is taken")
        if self._under is not None:
            require_under(real, repr(shown), self._under, str(include.place))
        elif not real.is_relative_to(self.first.parent.resolve()):
            self.notes.append(f"{shown!r} (line {line}) lies outside the directory of the model: {real}")
        return real

    def read(self, include: Element, shown: str, path: Path) -> Element:
        """The root element of a file, whose lines come behind those that were read so far.

        Raises:
            FormatError: the file cannot be read, is no XML, or is one too many.
        """
        if self._count >= MOST_FILES:
            raise include.error(f"more than {MOST_FILES} files are included", "join some of them")
        try:
            text = read_text(path)
        except FormatError as error:
            raise include.error(f"{shown!r}: {error.what}", error.remedy) from None
        root = read_xml(text, self._lines)
        self._lines += text.text.count("\n") + 1
        self._count += 1
        return root
