"""Values of options as they are typed: names and numbers in lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mbsym.errors import CodegenError, SimulationError


def names_in(texts: Iterable[str]) -> list[str]:
    """The names of a repeatable option whose values are lists; commas in parentheses part nothing."""
    return [name.strip() for text in texts for name in _parts(text)]


def _parts(text: str) -> list[str]:
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def numbers_in(texts: Iterable[str], where: str, *, with_units: bool = True) -> dict[str, Any]:
    """Numbers by name from texts such as "a=1,b=-2e-3"; one with a unit, as in "c=30deg", stays text.

    Args:
        texts: in which commas part the numbers.
        where: the option, for errors.
        with_units: False refuses units.

    Raises:
        SimulationError: a part is no assignment of a number, or a name comes twice.
    """
    found: dict[str, Any] = {}
    for part in names_in(texts):
        name, sign, number = (text.strip() for text in part.partition("="))
        value = _number(number, with_units)
        if value is None or not sign or not name:
            remedy = "write NAME=NUMBER, in SI units and rad, or with a unit" if with_units else "write NAME=NUMBER"
            raise SimulationError(f"{part!r} gives no number a name", where=where, remedy=remedy)
        if name in found:
            raise SimulationError(f"{name} is given twice", where=where, remedy="give one number")
        found[name] = value
    return found


def _number(text: str, with_units: bool) -> float | str | None:
    """What a text says, None where that is no number."""
    try:
        return float(text.replace("_", " "))
    except ValueError:
        from mbsym.values.units import is_quantity

        return text if with_units and is_quantity(text) else None


def pairs_in(names: list[str], lists: list[str]) -> list[tuple[str, list[str]]]:
    """Functions and lists of names that are given in turn, as ``derivative_of`` and ``with_respect_to``.

    Raises:
        CodegenError: there are more of one than of the other.
    """
    if len(names) != len(lists):
        raise CodegenError(
            f"{len(names)} functions and {len(lists)} lists of names",
            where="`derivative_of`",
            remedy="give `with_respect_to NAME,...` once for each `derivative_of FUNCTION`",
        )
    return [(name, names_in([text])) for name, text in zip(names, lists, strict=True)]
