"""Values of entries of a native file as they are read: each refusal says what is wrong and what to do."""

from __future__ import annotations

from typing import Any

from pydantic_core import PydanticCustomError

from mbsym.errors import MbsymError
from mbsym.formats.yaml_document import Leaf
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value


def refused(what: str, remedy: str, **where: Any) -> PydanticCustomError:
    """What is wrong, at the entry itself, or where a ``key`` or ``path`` within it says."""
    return PydanticCustomError("refused", "{what}", {"what": what, "remedy": remedy, **where})


def refused_key(key: str, what: str) -> PydanticCustomError:
    """What is wrong with a key."""
    return refused(what, f"remove {key!r}", key=key)


def leaf(item: Any, wanted: str) -> Leaf:
    """The item, which must be a scalar and say something."""
    if not isinstance(item, Leaf):
        kind = "a table" if isinstance(item, dict) else "a list" if isinstance(item, list) else repr(item)
        raise refused(f"{kind} where {wanted} belongs", f"give {wanted}")
    if item.is_null:
        raise refused(f"nothing where {wanted} belongs", f"give {wanted} or remove the entry")
    return item


def read_value(item: Any) -> Value:
    """A number as int or decimal text, anything else as the text of an expression."""
    text = leaf(item, "a number or an expression").strip()
    if text.lstrip("+-").lower() in (".nan", "nan", ".inf", "inf", "infinity"):
        raise refused(f"{text} is not a finite number", "give a finite number")
    if item.plain and text.lower() in ("true", "false"):
        raise refused(f"{text} is no number", "give a number or an expression")
    if not text:
        raise refused("empty text where a number belongs", "give a number or an expression")
    digits = text.lstrip("+-")
    if digits.isascii() and digits.isdigit() and len(digits) <= 18 and len(text) - len(digits) <= 1:
        return int(text)
    return text


def element_at(entry: Any, *path: int) -> Value:
    """The value at a path within an entry."""
    try:
        return read_value(entry)
    except PydanticCustomError as error:
        raise refused(**{**(error.context or {}), "path": path}) from None


def read_numbers(item: Any, path: tuple[int, ...] = ()) -> tuple[float, ...]:
    """Numbers, or expressions of numbers, in a list at a path within an entry."""
    if not isinstance(item, list):
        raise refused("no list where numbers belong", "give them in brackets", path=path)
    found = []
    for index, entry in enumerate(item):
        try:
            found.append(evaluate(element_at(entry, *path, index)))
        except MbsymError as error:
            remedy = error.remedy or "give a number"
            raise refused(error.what, remedy, path=(*path, index)) from None
    return tuple(found)


def read_rows(item: Any) -> tuple[tuple[float, ...], ...]:
    """Rows of numbers."""
    if not isinstance(item, list):
        raise refused("no list where rows of numbers belong", "write [[...], [...]], a row for each point x")
    return tuple(read_numbers(row, (index,)) for index, row in enumerate(item))
