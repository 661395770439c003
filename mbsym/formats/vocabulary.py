"""Words of XML formats: what an element may hold, and what is said about anything else.

A misspelt word must not be passed over where it bears on the mechanics: an axis written ``xzy`` would become the
default axis without a word. Such words are errors, with the nearest one that is understood; all others are named in a
warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from mbsym.formats.text_source import FilePlace
from mbsym.formats.xml_document import Element
from mbsym.values.numbers import SMALLEST_SIZE

MOST_NAMED = 8
"""Unknown words that one warning lists."""

LONGEST_SHOWN = 40
"""Characters of a text that a message shows."""


@dataclass(frozen=True, slots=True)
class Words:
    """What an element may hold.

    Attributes:
        attributes: that are read.
        once: child elements that are read and of which there is one at most.
        many: child elements that are read, any number of them.
        silent: attributes and child elements that say nothing about the mechanics, or whose absence is told elsewhere.
        told: attributes that others write here and nobody reads: a warning names them.
        text: text may stand between the tags.
        refused: which unknown words are errors: "any" where all that stands here bears on the mechanics, those that
            are "near" to one that is read, or "none".
    """

    attributes: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    many: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    text: bool = False
    refused: Literal["any", "near", "none"] = "near"


def unknown_words(root: Element, table: Mapping[str, Words], *, strict: bool) -> tuple[str, ...]:
    """Sentences that name the words which are not understood, and numbers that are taken as zero.

    Args:
        root: element whose tag stands in the table.
        table: by tag; children without a row are not looked into.
        strict: every unknown word is an error.

    Raises:
        FormatError: a word is unknown where that can change the mechanics, an element stands twice, or text stands
            where none belongs that looks like an element without its bracket.
    """
    found: dict[str, list[FilePlace]] = {}
    stack = [root]
    while stack:
        element = stack.pop()
        words = table[element.tag]
        _require_once(element, words.once)
        for shown, place in _unknown(element, words, strict):
            found.setdefault(shown, []).append(place)
        read = (*words.once, *words.many)
        stack += [child for child in reversed(element.children) if child.tag in table and child.tag in read]
    noise = [element.place for element in root.every() if element.has_noise]
    zeros = [f"taken as zero: {_with_lines(f'numbers smaller than {SMALLEST_SIZE:g}', noise)}"] if noise else []
    if not found:
        return tuple(zeros)
    names = [_with_lines(shown, places) for shown, places in found.items()]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return (f"not understood and left out: {', '.join(names[:MOST_NAMED])}{more}", *zeros)


def shortened(text: str) -> str:
    """The text in quotation marks, cut where it is long."""
    return repr(text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}...")


def _unknown(element: Element, words: Words, strict: bool) -> Iterator[tuple[str, FilePlace]]:
    """What is not understood of an element, without what is in its children."""
    if not words.text and (text := element.text.strip()):
        shown = f"text in <{element.tag}>: {shortened(text)}"
        if strict or "=" in text:
            raise element.error(shown, "remove it, or add the < that it has lost")
        yield shown, element.place
    children = (*words.once, *words.many)
    told = [(key, key, element, words.attributes) for key in element.attributes]
    told += [(child.tag, f"<{child.tag}>", child, children) for child in element.children]
    for word, shown, owner, known in told:
        if word in known or word in words.silent or word.startswith(("xmlns", "xml:")):
            continue
        near = get_close_matches(word, known, n=1)
        is_refused = word not in words.told and words.refused == "any"
        if strict or is_refused or (words.refused == "near" and near):
            remedy = f"did you mean {near[0]!r}?" if near else _known(known) if known else "remove it"
            raise owner.error(f"{shown} in <{element.tag}> is not understood", remedy)
        yield shown, owner.place


def _require_once(element: Element, tags: tuple[str, ...]) -> None:
    for tag in tags:
        several = list(element.all(tag))
        if len(several) > 1:
            raise several[1].error(
                f"a second <{tag}> in the <{element.tag}> of line {element.place.shown_line}",
                f"keep one; the first stands in line {several[0].place.shown_line}",
            )


def _with_lines(shown: str, places: list[FilePlace]) -> str:
    line = places[0].shown_line
    return f"{shown} (line {line})" if len(places) == 1 else f"{shown} ({len(places)} times from line {line} on)"


def _known(words: tuple[str, ...]) -> str:
    return f"known here: {', '.join(words)}"
