"""What the attributes of a force element or closure constraint hold, said once where they are declared.

Readers and writers of files, the schema and the checks of a model ask these entries, so that an element that joins
later is read, refused and written like the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from mbsym.values.given import direction, entries, set_plain
from mbsym.values.units import set_si

Kind: TypeAlias = Literal[
    "joint", "joints", "body", "input", "index", "value", "values", "expression", "vector", "expressions", "direction",
    "choice", "text",
]  # fmt: skip
"""Names of a joint, several joints, a body or control input; the position of a speed among those of the joint; a value,
any number of them or three that hold parameters alone; one or three that hold coordinates, speeds, frames, inputs and
time too; a direction; one of several words; any text."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One attribute, which has the same key in files.

    Attributes:
        kind: what it holds.
        sentence: what it means.
        unit: SI unit of a value or of three.
        unit_key: name of the attribute that says it.
        of: what an expression may hold: "places" alone, factors of places times "speeds", or "time"; any if empty.
        least: "zero" warns of negative values, "above zero" refuses values of zero and less, each of three.
        remedy: what to do about a value that is refused.
        within: key of a value before it, between which and zero this one lies.
        words: that a choice offers.
        no_ground: True refuses ground as the body.
        coordinate_needed: True refuses joints whose speeds are no rates of coordinates.
        one_freedom: True refuses joints of more or fewer degrees of freedom than one.
        or_frame: True where a named frame may stand for the body; all that is given in the body says so by ``body``.
        body: key of the entry that names the body in whose frame a vector, direction or components are given.
        each: key of the entry for each of whose names there is a value.
        counts: key of the entry of a joint, or of joints, in whose coordinate, the first one's, it is counted.
        counts_per: the same of what it is divided by; for each of several joints that of its own.
        axes: key of the choice by which components are in the axes of that body ("body") or not.
        key: name of the attribute.
        required: True where it must be given.
        default: its value where it may be left out.
    """

    kind: Kind
    sentence: str
    unit: str = ""
    unit_key: str = ""
    of: Literal["", "places", "speeds", "time"] = ""
    least: Literal["", "zero", "above zero"] = ""
    remedy: str = ""
    within: str = ""
    words: tuple[str, ...] = ()
    no_ground: bool = False
    coordinate_needed: bool = False
    one_freedom: bool = False
    or_frame: bool = False
    body: str = ""
    axes: str = ""
    counts: str = ""
    counts_per: str = ""
    each: str = ""
    key: str = ""
    required: bool = False
    default: Any = None

    @property
    def fixed_unit(self) -> str:
        """Its unit where that depends on no joint, else nothing."""
        return "" if " or " in self.unit else self.unit


def holds(kind: Kind, sentence: str, **more: Any) -> Mapping[str, Entry]:
    """Metadata of a dataclass field: its entry, whose key and default are the field's own."""
    return {"entry": Entry(kind, sentence, **more)}


def entries_of(element: type) -> tuple[Entry, ...]:
    """The entries of a dataclass in their order; its name, which is the key of its table in files, is none."""
    return _entries(element)


@cache
def _entries(element: Any) -> tuple[Entry, ...]:
    return tuple(
        replace(item.metadata["entry"], key=item.name, required=True)
        if item.default is MISSING
        else replace(item.metadata["entry"], key=item.name, default=item.default)
        for item in fields(element)
        if "entry" in item.metadata
    )


def plain_entries(element: Any, where: str) -> None:
    """Brings what was given for vectors, directions and numbers with units of a new element into its plain form.

    Raises:
        ModelError: a word names no direction, or a unit measures something else.
    """
    for entry in entries_of(type(element)):
        if entry.kind in ("vector", "expressions", "direction"):
            value = getattr(element, entry.key)
            plain = direction(value, f"{entry.key} of {where!r}") if entry.kind == "direction" else entries(value)
            set_plain(element, entry.key, plain)
    set_si(
        element, {entry.key: entry.fixed_unit for entry in entries_of(type(element)) if entry.fixed_unit}, repr(where)
    )


def named(item: Any, kind: Kind) -> tuple[Any, ...]:
    """Contents of the entries of that kind, in their order; of joints those that stand in lists as well."""
    found: list[Any] = []
    for entry in entries_of(type(item)):
        if entry.kind == kind:
            found.append(getattr(item, entry.key))
        elif (kind, entry.kind) == ("joint", "joints"):
            found += getattr(item, entry.key)
    return tuple(found)


class Typed(Protocol):
    """What has a type in files."""

    type: ClassVar[str]


E = TypeVar("E", bound=Typed)


@dataclass(frozen=True, slots=True)
class ElementRecord(Generic[E]):
    """The record of what has entries, listed under its type in files.

    Attributes:
        element: its dataclass.
    """

    element: type[E]

    @property
    def name(self) -> str:
        """Type in files."""
        return self.element.type

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What its table in a file holds beside the type."""
        return entries_of(self.element)
