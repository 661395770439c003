"""XML text as a tree of elements that know their line and column. Entities are refused, never expanded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mbsym.formats.text_source import Place, TextSource

DEEPEST_NESTING = 500


@dataclass(slots=True)
class Element:
    """An element.

    Attributes:
        tag: its name.
        attributes: by name.
        place: line and column of its opening bracket.
        children: in order.
        text: characters between its tags, those of its children left out.
    """

    tag: str
    attributes: dict[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def child(self, tag: str) -> Element | None:
        """The first child of that name, None if there is none."""
        return next((item for item in self.children if item.tag == tag), None)

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


def required(source: TextSource, element: Element, key: str) -> str:
    """The words of an attribute.

    Raises:
        FormatError: there are none.
    """
    words = element.attributes.get(key, "").strip()
    if not words:
        raise source.error(element.place, f"<{element.tag}> has no {key}", f'add {key}="..."')
    return words


def read_xml(source: TextSource) -> Element:
    """The root element of a text.

    Raises:
        FormatError: the text is no well-formed XML, declares a document type or an entity, or is too deep.
    """
    from xml.parsers import expat

    # The text is decoded already, whatever the declaration in it says.
    parser = expat.ParserCreate(encoding="utf-8")
    root: list[Element] = []
    stack: list[Element] = []

    def place() -> Place:
        return parser.CurrentLineNumber, parser.CurrentColumnNumber + 1

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, place())
        if len(stack) >= DEEPEST_NESTING:
            raise source.error(element.place, "the file is nested too deeply", "check its closing tags")
        if stack:
            stack[-1].children.append(element)
        else:
            root.append(element)
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        stack[-1].text += text

    def refuse(*_: Any) -> None:
        raise source.error(
            place(), "a document type or entity has no place in a robot description", "remove the DOCTYPE declaration"
        )

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
            what += f", inside <{stack[-1].tag}> of line {stack[-1].place[0]}"
        raise source.error(found, f"no valid XML: {what}", "check that every tag is closed") from None
    return root[0]
