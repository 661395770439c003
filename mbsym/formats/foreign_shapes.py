"""Shapes of foreign files, which need not be possible: a picture that cannot be drawn does not stop equations."""

from __future__ import annotations

from typing import TypeAlias

from mbsym.shapes.forms import Form
from mbsym.values.entries import entries_of
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

Color: TypeAlias = tuple[Value, Value, Value, Value]


def has_extent(form: Form) -> bool:
    """Whether all sizes of a form, which are numbers, are above zero."""
    for entry in entries_of(type(form)):
        value = getattr(form, entry.key)
        if entry.least == "above zero" and min(map(evaluate, value if entry.kind == "vector" else (value,))) <= 0:
            return False
    return True


def possible_color(parts: tuple[Value, ...]) -> Color | None:
    """The colour of four numbers, None if one lies outside 0 to 1."""
    red, green, blue, opacity = parts
    return (red, green, blue, opacity) if all(0 <= evaluate(part) <= 1 for part in parts) else None
