"""YAML text as plain data whose every entry knows its line and column.

Scalars keep their text: what is a number and what is a name is for the reader of the model to say. Tags are refused,
so nothing in a file is ever constructed or executed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, TypeAlias

from mbsym.errors import FormatError
from mbsym.formats.text_source import Place, TextSource

DocumentPath: TypeAlias = tuple[str | int, ...]

MOST_ENTRIES: Final = 200_000
"""Entries that aliases may make of a text that is shorter; without them there are fewer than characters."""

DEEPEST_NESTING = 40


class Leaf(str):
    """The text of a scalar.

    Attributes:
        plain: it stands without quotation marks, so ``null`` and ``true`` mean what they say.
        in_file: it stands so in the file, and so do its columns.
    """

    __slots__ = ("in_file", "plain")
    plain: bool
    in_file: bool

    def __new__(cls, text: str, plain: bool = True, in_file: bool = True) -> Leaf:
        """Keeps the text."""
        leaf = super().__new__(cls, text)
        leaf.plain, leaf.in_file = plain, in_file
        return leaf

    @property
    def is_null(self) -> bool:
        """Whether it says that there is nothing."""
        return self.plain and self in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class Document:
    """Data of a YAML text and the places of its entries.

    Attributes:
        data: dictionaries with text keys, lists, and leaves.
        values: place of each value by its path of keys and positions.
        keys: place of each key by the path of its value.
    """

    source: TextSource
    data: Any
    values: dict[DocumentPath, Place] = field(default_factory=dict)
    keys: dict[DocumentPath, Place] = field(default_factory=dict)

    def place(self, path: DocumentPath, *, of_key: bool = False, column: int = 1) -> Place:
        """Place of the entry at a path, or of the innermost entry around it that exists.

        Args:
            path: keys and positions.
            of_key: the key rather than the value.
            column: offset into the text of the value, counted from 1.
        """
        if not of_key and path in self.values:
            line, start = self.values[path]
            leaf = self.at(path)
            if isinstance(leaf, Leaf) and not leaf.plain:
                start += 1
            is_inside = isinstance(leaf, Leaf) and leaf.in_file and column > 1
            return line, (start + column - 1 if is_inside else self.values[path][1])
        for end in range(len(path), 0, -1):
            if path[:end] in self.keys:
                return self.keys[path[:end]]
            if path[:end] in self.values:
                return self.values[path[:end]]
        return self.values.get((), (1, 1))

    def error(self, path: DocumentPath, what: str, remedy: str, *, of_key: bool = False) -> FormatError:
        """The error to raise for something wrong at a path; arguments as those of ``place``."""
        return self.source.error(self.place(path, of_key=of_key), what, remedy)

    def at(self, path: DocumentPath) -> Any:
        """The data at a path, None if there is nothing."""
        data = self.data
        for part in path:
            if isinstance(data, dict):
                data = data.get(part)
            elif isinstance(data, list) and isinstance(part, int) and part < len(data):
                data = data[part]
            else:
                return None
        return data


def read_yaml(source: TextSource) -> Document:
    """Reads a YAML text.

    Raises:
        FormatError: it is no YAML, holds a tag, a repeated key or a circular alias, or is too large or too deep.
    """
    found = NOT_ALLOWED.search(source.text)
    if found is not None:
        place = _place_in(source.text, found.start())
        raise source.error(place, "a character that has no place in a model file", "remove it")
    node = _composed(source)
    if node is None:
        raise source.error((1, 1), "the file is empty", "describe a model in it")
    builder = _Builder(source)
    data = builder.build(node, ())
    return Document(source, data, builder.values, builder.keys)


NOT_ALLOWED: Final = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not allow, and the line separators of which its versions differ on whether they end a line."""


def _place_in(text: str, position: int) -> Place:
    before = text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")


@dataclass(slots=True)
class _Node:
    """A value as the parser tells it.

    Attributes:
        place: line and column.
        tag: as it is written, empty where there is none.
        value: text of a scalar, nodes of a sequence, or keys and values of a mapping in turn; None while it is read.
        kind: "scalar", "sequence" or "mapping".
        plain: a scalar without quotation marks.
        in_brackets: a sequence or mapping in [] or {}, where text without quotation marks ends at a comma.
    """

    place: Place
    tag: str
    value: Any
    kind: str
    plain: bool = False
    in_brackets: bool = False


def _composed(source: TextSource, *, in_python: bool = False) -> _Node | None:
    """The nodes of the only document of a text; aliases are the nodes that they name.

    The events of the parser are put together here, since PyYAML's own composer calls itself for each bracket and
    brings the interpreter down where they are many.
    """
    import yaml

    composer = _Composer(source)
    # A build of PyYAML without libyaml has a parser in Python, slower and stricter about tabs.
    loader = yaml.SafeLoader if in_python else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(source.text, Loader=loader):
            composer.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _place_in(source.text, mark.index) if mark is not None else (1, 1)
        problem = (error.problem or error.context or "this is no YAML").split("\n")[0]
        if problem == "exceeded maximum nesting depth" and not in_python:
            # libyaml from 0.2.6 on gives up before it tells of the first bracket that is too deep for us.
            return _composed(source, in_python=True)
        raise source.error(place, f"no valid YAML: {problem}", "check indentation, brackets and colons") from None
    except yaml.YAMLError as error:
        problem = str(error).split("\n")[0]
        raise source.error((1, 1), f"no valid YAML: {problem}", "check its characters") from None
    return composer.root


class _Composer:
    """Puts nodes together as events tell them.

    Attributes:
        root: None before the first.
    """

    def __init__(self, source: TextSource) -> None:
        self.root: _Node | None = None
        self._source = source
        self._anchors: dict[str, _Node] = {}
        self._open: list[tuple[_Node, list[_Node]]] = []

    def take(self, event: Any) -> None:
        """The next event of the parser."""
        kind = type(event).__name__
        place = (event.start_mark.line + 1, event.start_mark.column + 1)
        if kind == "DocumentStartEvent" and self.root is not None:
            raise self._source.error(place, "a second document", "keep one model in a file, without further lines ---")
        if kind in ("SequenceEndEvent", "MappingEndEvent"):
            node, items = self._open.pop()
            node.value = items
        elif kind == "AliasEvent":
            self._put(self._named(event.anchor, place))
        elif kind == "ScalarEvent":
            self._put(_Node(place, event.tag or "", str(event.value), "scalar", plain=not event.style), event.anchor)
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            sort = "sequence" if kind.startswith("S") else "mapping"
            node = _Node(place, event.tag or "", None, sort, in_brackets=bool(event.flow_style))
            self._put(node, event.anchor)
            self._open.append((node, []))
            if len(self._open) > DEEPEST_NESTING:
                raise self._source.error(place, "the file is nested too deeply", "use fewer brackets")

    def _named(self, anchor: str, place: Place) -> _Node:
        if anchor not in self._anchors:
            raise self._source.error(place, f"no valid YAML: no anchor {anchor} before it", "write it out")
        if self._anchors[anchor].value is None:
            raise self._source.error(place, "an alias that contains itself", "write the entry out")
        return self._anchors[anchor]

    def _put(self, node: _Node, anchor: str | None = None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._open:
            self._open[-1][1].append(node)
        else:
            self.root = node


class _Builder:
    """Turns nodes into data; an alias is what it refers to, counted every time."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self.values: dict[DocumentPath, Place] = {}
        self.keys: dict[DocumentPath, Place] = {}
        self.count = 0
        self.most = max(MOST_ENTRIES, len(source.text))

    def build(self, node: _Node, path: DocumentPath) -> Any:
        self.values[path] = node.place
        self.count += 1
        if self.count > self.most:
            raise self.source.error(node.place, f"more than {self.most} entries, aliases counted", "write less")
        if len(path) > DEEPEST_NESTING:
            raise self.source.error(node.place, "the file is nested too deeply", "use fewer brackets")
        if node.tag not in _HARMLESS_TAGS:
            raise self.source.error(node.place, f"the tag {node.tag} has no place in a model file", "remove it")
        if node.kind == "scalar":
            return Leaf(node.value, plain=node.plain)
        if node.in_brackets:
            self._refuse_cut_text(node)
        if node.kind == "sequence":
            return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
        entries: dict[str, Any] = {}
        for key_node, value_node in zip(node.value[::2], node.value[1::2], strict=True):
            if key_node.kind != "scalar":
                raise self.source.error(key_node.place, "a key must be a single word", "write KEY: VALUE")
            key = str(key_node.value)
            if key in entries:
                first = self.keys[(*path, key)]
                raise self.source.error(
                    key_node.place, f"{key!r} is given twice, first in line {first[0]}", "remove or rename one of them"
                )
            self.keys[(*path, key)] = key_node.place
            entries[key] = self.build(value_node, (*path, key))
            if entries[key] == "" and entries[key].plain:
                self.values[(*path, key)] = key_node.place  # nothing stands nowhere
        return entries

    def _refuse_cut_text(self, node: _Node) -> None:
        """Refuses ``{expression: min(1, x)}``, which YAML takes for an entry ``min(1`` and another one ``x)``."""
        values = node.value if node.kind == "sequence" else node.value[1::2]
        for text, behind in pairwise(values):
            is_cut = text.plain and text.value.count("(") > text.value.count(")")
            if is_cut and behind.plain and (node.kind == "sequence" or not behind.value):
                raise self.source.error(
                    text.place,
                    f"the text {text.value!r} ends at a comma, as text without quotes does in brackets",
                    'put the whole text in quotes, as in {expression: "min(1, x)"}',
                )


_HARMLESS_TAGS = frozenset(
    ("", "!", *(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "seq", "map")))
)
"""None, and those that say of a value what it is anyway."""
