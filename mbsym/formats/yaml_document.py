"""YAML text as plain data whose every entry knows its line and column.

Scalars keep their text: what is a number and what is a name is for the reader of the model to say. Tags are refused,
so nothing in a file is ever constructed or executed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mbsym.formats.text_source import Place, TextSource

DocumentPath: TypeAlias = tuple[str | int, ...]

MOST_ENTRIES = 200_000
DEEPEST_NESTING = 40


class Leaf(str):
    """The text of a scalar.

    Attributes:
        plain: it stands without quotation marks, so ``null`` and ``true`` mean what they say.
    """

    __slots__ = ("plain",)
    plain: bool

    def __new__(cls, text: str, plain: bool = True) -> Leaf:
        """Keeps the text."""
        leaf = super().__new__(cls, text)
        leaf.plain = plain
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
            return line, (start + column - 1 if isinstance(leaf, Leaf) and column > 1 else self.values[path][1])
        for end in range(len(path), 0, -1):
            if path[:end] in self.keys:
                return self.keys[path[:end]]
            if path[:end] in self.values:
                return self.values[path[:end]]
        return self.values.get((), (1, 1))

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
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        node = YAML(typ="safe", pure=True).compose(source.text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        problem = (error.problem or error.context or "this is no YAML").split("\n")[0]
        raise source.error(place, f"no valid YAML: {problem}", "check indentation, brackets and colons") from None
    except RecursionError:
        raise source.error((1, 1), "the file is nested too deeply", "use fewer brackets") from None
    except YAMLError as error:
        raise source.error(_unreadable(source, error), "a character that YAML does not allow", "remove it") from None
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, AssertionError) as error:
        raise source.error((1, 1), f"no valid YAML ({error})", "check its directives and escapes") from None
    if node is None:
        raise source.error((1, 1), "the file is empty", "describe a model in it")
    builder = _Builder(source)
    data = builder.build(node, (), frozenset())
    return Document(source, data, builder.values, builder.keys)


def _unreadable(source: TextSource, error: Exception) -> Place:
    position = getattr(error, "position", None)
    if not isinstance(position, int):
        return (1, 1)
    before = source.text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")


class _Builder:
    """Turns nodes into data; an alias is what it refers to, counted every time."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self.values: dict[DocumentPath, Place] = {}
        self.keys: dict[DocumentPath, Place] = {}
        self.count = 0

    def build(self, node: Any, path: DocumentPath, around: frozenset[int]) -> Any:
        place = (node.start_mark.line + 1, node.start_mark.column + 1)
        self.values[path] = place
        self.count += 1
        if self.count > MOST_ENTRIES:
            raise self.source.error(place, f"more than {MOST_ENTRIES} entries, aliases counted", "write less")
        if len(path) > DEEPEST_NESTING:
            raise self.source.error(place, "the file is nested too deeply", "use fewer brackets")
        if id(node) in around:
            raise self.source.error(place, "an alias that contains itself", "write the entry out")
        if not str(node.tag).startswith("tag:yaml.org,2002:") or _has_explicit_tag(node):
            raise self.source.error(place, f"the tag {node.tag} has no place in a model file", "remove it")
        kind = type(node).__name__
        if kind == "ScalarNode":
            return Leaf(str(node.value), plain=node.style is None)
        inside = around | {id(node)}
        if kind == "SequenceNode":
            return [self.build(item, (*path, index), inside) for index, item in enumerate(node.value)]
        entries: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key_place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if type(key_node).__name__ != "ScalarNode":
                raise self.source.error(key_place, "a key must be a single word", "write KEY: VALUE")
            key = str(key_node.value)
            if key in entries:
                first = self.keys[(*path, key)]
                raise self.source.error(
                    key_place, f"{key!r} is given twice, first in line {first[0]}", "remove or rename one of them"
                )
            self.keys[(*path, key)] = key_place
            entries[key] = self.build(value_node, (*path, key), inside)
            if entries[key] == "" and entries[key].plain:
                self.values[(*path, key)] = key_place  # nothing stands nowhere
        return entries


_STANDARD_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "seq", "map", "timestamp", "merge", "value")
)


def _has_explicit_tag(node: Any) -> bool:
    """Whether a tag is none that plain text is given on its own."""
    return str(node.tag) not in _STANDARD_TAGS
