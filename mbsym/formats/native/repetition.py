"""``repeat:`` written out: entries with an index in their names and values, as often as it says.

What stands between < and > in a key or value is a whole number made of indices: ``bar<i>``, ``bar<i-1>``. Every entry
that comes of it keeps the place of the text that it is made of.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from mbsym.formats.yaml_document import Document, DocumentPath, Leaf
from mbsym.values.diagnostic import nearest

REPEAT: Final = "repeat"

MOST_ENTRIES: Final = 5_000_000
"""Entries that repetitions may make: some gigabytes of memory, a chain of 200 000 bodies."""

SETTINGS: Final = ("index", "from", "to")
"""Keys of a repetition that are no section of the model."""

SECTIONS: Final = (
    "parameters", "inputs", "include", "bodies", "joints", "beams", "forces", "couplings", "constraints", "motions",
    "drives", "frames", "states", "outputs", "tables",
)  # fmt: skip
"""Tables of entries with names, which a repetition may fill."""

_INDEXED: Final = re.compile(r"<([^<>]*)>")

_OPERATORS: Final[Mapping[type, Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def written_out(document: Document) -> Document:
    """The document with its repetitions written out behind what each section has; itself where it has none.

    Raises:
        FormatError: bounds are no whole numbers or the wrong way round, an index is unknown, two entries get one name,
            or there would be too many.
    """
    if not isinstance(document.data, dict) or REPEAT not in document.data:
        return document
    return _Writing(document).whole()


class _Writing:
    """One pass over a document."""

    def __init__(self, document: Document) -> None:
        self._given = document
        self._made = Document(document.source, {})
        self._count = 0

    def whole(self) -> Document:
        """The document anew."""
        data = self._given.data
        for key in data:
            if key != REPEAT:
                self._made.data[key] = self._copied((key,), (key,), {})
                self._made.keys[(key,)] = self._given.keys[(key,)]
        self._made.values[()] = self._given.values[()]
        self._repeat((REPEAT,), {})
        return self._made

    def _repeat(self, path: DocumentPath, indices: Mapping[str, int]) -> None:
        """Writes one repetition out, or a list of them."""
        data = self._given.at(path)
        if isinstance(data, list):
            for place in range(len(data)):
                self._repeat((*path, place), indices)
            return
        if not isinstance(data, dict):
            raise self._given.error(path, "no table where a repetition belongs", "write index: i, to: N and sections")
        index = str(data.get("index", "i"))
        if not index.isidentifier():
            raise self._given.error((*path, "index"), f"{index!r} is no name", "call the index i")
        for key in data:
            if key not in (*SETTINGS, *SECTIONS, REPEAT):
                known = (*SETTINGS, *SECTIONS, REPEAT)
                remedy = nearest(key, known, f"known keys are {', '.join(known)}")
                raise self._given.error((*path, key), f"unknown key {key!r}", remedy, of_key=True)
        first, last = (self._bound((*path, key), indices, default) for key, default in (("from", 1), ("to", None)))
        if last < first - 1:
            raise self._given.error((*path, "to"), f"it ends at {last} and begins at {first}", "exchange them")
        count, written = last - first + 1, sum(_entries(data[key]) - 1 for key in data if key in SECTIONS)
        if self._count + count * max(1, written) > MOST_ENTRIES:
            what = f"{count} repetitions make more than {MOST_ENTRIES} entries"
            raise self._given.error((*path, "to"), what, "repeat less")
        for number in range(first, last + 1):
            inside = {**indices, index: number}
            for key in data:
                if key == REPEAT:
                    self._repeat((*path, key), inside)
                elif key not in SETTINGS:
                    self._section((*path, key), key, inside)

    def _bound(self, path: DocumentPath, indices: Mapping[str, int], default: int | None) -> int:
        found = self._given.at(path)
        if found is None:
            if default is None:
                raise self._given.error(path, "the entry 'to' is missing", "say up to which number it repeats")
            return default
        text = found.strip() if isinstance(found, Leaf) else ""
        number = self._number(text, indices)
        if number is None:
            raise self._given.error(path, f"{text!r} is no whole number", "give a whole number, or one of indices")
        return number

    def _section(self, path: DocumentPath, section: str, indices: Mapping[str, int]) -> None:
        """The entries of a section once more."""
        data = self._given.at(path)
        if not isinstance(data, dict):
            raise self._given.error(path, "no table where entries with names belong", f"write {section}: NAME: ...")
        known = self._made.data.setdefault(section, {})
        if isinstance(known, Leaf) and known.is_null:
            known = self._made.data[section] = {}
        if not isinstance(known, dict):
            raise self._given.error(path, f"{section} is a list above", "write it as a table, one name a line")
        self._made.keys.setdefault((section,), self._given.keys[path])
        self._made.values.setdefault((section,), self._given.values[path])
        for key in data:
            name = self._text(key, (*path, key), indices, of_key=True)
            if name in known:
                remedy = "put an index into the name, as in bar<i>" if name == key else "rename one of them"
                raise self._given.error((*path, key), f"{name!r} is there already", remedy, of_key=True)
            known[name] = self._copied((*path, key), (section, name), indices)
            self._made.keys[(section, name)] = self._given.keys[(*path, key)]

    def _copied(self, path: DocumentPath, new: DocumentPath, indices: Mapping[str, int]) -> Any:
        """What stands at a path, with numbers for indices; it stands at another one now."""
        self._count += 1
        if self._count > MOST_ENTRIES:
            raise self._given.error((REPEAT,), f"it makes more than {MOST_ENTRIES} entries", "repeat less")
        self._made.values[new] = self._given.values[path]
        data = self._given.at(path)
        if isinstance(data, list):
            return [self._copied((*path, place), (*new, place), indices) for place in range(len(data))]
        if isinstance(data, dict):
            table = {}
            for key in data:
                name = self._text(key, (*path, key), indices, of_key=True)
                table[name] = self._copied((*path, key), (*new, name), indices)
                self._made.keys[(*new, name)] = self._given.keys[(*path, key)]
            return table
        text = self._text(data, path, indices)
        return data if text == data else Leaf(text, data.plain, in_file=False)

    def _text(self, text: str, path: DocumentPath, indices: Mapping[str, int], *, of_key: bool = False) -> str:
        """A key or value with numbers in place of what stands between < and >; outside of repetitions as it is."""
        if not indices or "<" not in text:
            return text

        def number(found: re.Match[str]) -> str:
            value = self._number(found[1], indices)
            if value is None:
                known = ", ".join(indices)
                what = f"{found[0]} is no whole number made of {known}"
                raise self._given.error(path, what, f"write <{known.split(', ')[0]}-1> and the like", of_key=of_key)
            return str(value)

        return _INDEXED.sub(number, text)

    @staticmethod
    def _number(text: str, indices: Mapping[str, int]) -> int | None:
        """A whole number made of indices; None where the text is none."""
        try:
            return _computed(ast.parse(text.strip() or "?", mode="eval").body, indices)
        except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
            return None


def _entries(data: Any) -> int:
    """How many entries there are in data, themselves counted."""
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return 1 + sum(map(_entries, inside))


def _computed(node: ast.expr, indices: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(int(value)) if not isinstance(value, bool):
            return value
        case ast.Name(name) if name in indices:
            return indices[name]
        case ast.UnaryOp(ast.USub(), operand):
            return -_computed(operand, indices)
        case ast.BinOp(left, kind, right) if type(kind) in _OPERATORS:
            return _OPERATORS[type(kind)](_computed(left, indices), _computed(right, indices))
    raise ValueError("no whole number")
