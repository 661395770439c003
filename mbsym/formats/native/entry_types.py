"""Entries of the native format that are no tables: how each is read, and what its schema is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from mbsym.formats.angles import SAME_ANGLE, snapped_angle
from mbsym.formats.native.leaves import element_at, leaf, read_numbers, read_rows, read_value, refused
from mbsym.formats.native.quantities import taken_in
from mbsym.formats.yaml_document import Leaf
from mbsym.values.diagnostic import nearest
from mbsym.values.given import DIRECTIONS
from mbsym.values.parameter import Value


def read_name(item: Any) -> str:
    return str(leaf(item, "a name"))


def _read_text(item: Any) -> str:
    return str(leaf(item, "text"))


def _read_flag(item: Any) -> bool:
    text = leaf(item, "true or false")
    if text not in ("true", "false", "True", "False") or not text.plain:
        raise refused(f"{str(text)!r} is neither true nor false", "say true or false")
    return text in ("true", "True")


def _read_integer(item: Any) -> int:
    text = leaf(item, "a whole number").strip()
    digits = text.lstrip("+-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9 and len(text) - len(digits) <= 1):
        raise refused(f"{text!r} is no whole number", "give a whole number")
    return int(text)


def choice(*words: str) -> Callable[[Any], str]:
    def read(item: Any) -> str:
        text = str(leaf(item, f"one of {', '.join(words)}"))
        if text not in words:
            remedy = nearest(text, words, f"say {', '.join(words[:-1])} or {words[-1]}")
            raise refused(f"{text!r} is not known here", remedy)
        return text

    return read


def read_list(length: int, wanted: str) -> Callable[[Any], tuple[Value, ...]]:
    def read(item: Any) -> tuple[Value, ...]:
        if not isinstance(item, list):
            raise refused(f"no list where {wanted} belong", f"give {length} values in brackets")
        if len(item) != length:
            raise refused(f"{len(item)} values where {wanted} belong", f"give {length} values in brackets")
        return tuple(element_at(entry, index) for index, entry in enumerate(item))

    return read


def _read_direction(item: Any) -> tuple[Value, ...]:
    if isinstance(item, Leaf):
        if item not in DIRECTIONS:
            raise refused(f"{str(item)!r} is no direction", "say x, y, z, -x, -y, -z or give three components")
        return DIRECTIONS[item]
    return read_list(3, "three components")(item)


def _snapped(angle: Value, info: ValidationInfo) -> Value:
    return snapped_angle(angle, (info.context or {}).get("snap_angles", SAME_ANGLE))


def read_angles(item: Any, info: ValidationInfo) -> tuple[Value, ...]:
    return tuple(_snapped(angle, info) for angle in read_list(3, "three angles")(item))


def _read_rotation(item: Any, info: ValidationInfo) -> tuple[tuple[str, Value], ...]:
    if not isinstance(item, list):
        raise refused("no list where rotations belong", "write [[z, pi/2], [x, 0.1]]")
    turns = []
    for index, turn in enumerate(item):
        if not isinstance(turn, list) or len(turn) != 2 or turn[0] not in ("x", "y", "z"):
            raise refused("this is no rotation", "write [z, ANGLE], about x, y or z", path=(index,))
        turns.append((str(turn[0]), _snapped(element_at(turn[1], index, 1), info)))
    return tuple(turns)


def _read_values(item: Any) -> tuple[Value, ...]:
    """One value or a list of them."""
    if isinstance(item, list):
        return tuple(element_at(entry, index) for index, entry in enumerate(item))
    return (read_value(item),)


def _read_names(item: Any) -> tuple[str, ...]:
    """One name or a list of them."""
    if isinstance(item, list):
        return tuple(read_name(entry) for entry in item)
    return (read_name(item),)


NUMBER = {"type": ["number", "string"]}
_NUMBERS = {"type": "array", "items": NUMBER}
TRIPLE = {"type": "array", "items": NUMBER, "minItems": 3, "maxItems": 3}
NAME = {"type": ["string", "integer"]}

ValueEntry: TypeAlias = Annotated[
    Any, PlainValidator(read_value), WithJsonSchema({**NUMBER, "description": "a number or an expression"})
]
NameEntry: TypeAlias = Annotated[str, PlainValidator(read_name), WithJsonSchema(NAME)]
TextEntry: TypeAlias = Annotated[str, PlainValidator(_read_text), WithJsonSchema({"type": "string"})]
FlagEntry: TypeAlias = Annotated[bool, PlainValidator(_read_flag), WithJsonSchema({"type": "boolean"})]
IntegerEntry: TypeAlias = Annotated[int, PlainValidator(_read_integer), WithJsonSchema({"type": "integer"})]
TripleEntry: TypeAlias = Annotated[Any, PlainValidator(read_list(3, "three values")), WithJsonSchema(TRIPLE)]
DirectionEntry: TypeAlias = Annotated[
    Any,
    PlainValidator(_read_direction),
    WithJsonSchema({"anyOf": [{"enum": list(DIRECTIONS)}, TRIPLE]}),
    taken_in(""),
]
QuaternionEntry: TypeAlias = Annotated[
    Any,
    PlainValidator(read_list(4, "four values")),
    WithJsonSchema({**TRIPLE, "minItems": 4, "maxItems": 4}),
    taken_in(""),
]
RotationEntry: TypeAlias = Annotated[
    Any,
    PlainValidator(_read_rotation),
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "array",
                "prefixItems": [{"enum": ["x", "y", "z"]}, NUMBER],
                "minItems": 2,
                "maxItems": 2,
            },
        }
    ),
]
ValuesEntry: TypeAlias = Annotated[
    Any, PlainValidator(_read_values), WithJsonSchema({"anyOf": [NUMBER, {"type": "array", "items": NUMBER}]})
]
LengthEntry: TypeAlias = Annotated[ValueEntry, taken_in("m")]
LengthsEntry: TypeAlias = Annotated[TripleEntry, taken_in("m")]
MassEntry: TypeAlias = Annotated[ValueEntry, taken_in("kg")]
InertiaEntry: TypeAlias = Annotated[ValueEntry, taken_in("kg m^2")]
DensityEntry: TypeAlias = Annotated[ValueEntry, taken_in("kg/m^3")]
NumbersEntry: TypeAlias = Annotated[Any, PlainValidator(read_numbers), WithJsonSchema(_NUMBERS)]
RowsEntry: TypeAlias = Annotated[Any, PlainValidator(read_rows), WithJsonSchema({"type": "array", "items": _NUMBERS})]
NamesEntry: TypeAlias = Annotated[
    Any, PlainValidator(_read_names), WithJsonSchema({"anyOf": [NAME, {"type": "array", "items": NAME}]})
]


def _read_coordinate_order(item: Any) -> str | tuple[str, ...]:
    """A word, or joints in a list."""
    return _read_names(item) if isinstance(item, list) else choice("file", "labels")(item)


CoordinateOrderEntry: TypeAlias = Annotated[
    Any,
    PlainValidator(_read_coordinate_order),
    WithJsonSchema({"anyOf": [{"enum": ["file", "labels"]}, {"type": "array", "items": NAME}]}),
]
