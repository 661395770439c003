"""Shapes of foreign files, which need not be possible: a picture that cannot be drawn does not stop equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mbsym.formats.xml_document import Element
from mbsym.model.shape import Shape
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


def shapes_of(link: Element, read: Callable[[Element], Shape | None]) -> tuple[Shape, ...]:
    """What is seen of a link of URDF or SDF, and where it shows nothing, what collides.

    Args:
        link: whose elements <visual> and <collision> are read.
        read: the shape of one of them, None where there is none here.
    """
    for tag in ("visual", "collision"):
        found = tuple(shape for element in link.all(tag) if (shape := read(element)) is not None)
        if found:
            return found
    return ()


def form_of(graphic: Element, read: Callable[[Element], Form | None]) -> Form | None:
    """The first form under <geometry> that there is here, None where it has no extent."""
    geometry = graphic.child("geometry")
    forms = (read(item) for item in geometry.children) if geometry is not None else ()
    form = next((form for form in forms if form is not None), None)
    return form if form is not None and has_extent(form) else None


def possible_color(parts: tuple[Value, ...]) -> Color | None:
    """The colour of four numbers, None if one lies outside 0 to 1."""
    red, green, blue, opacity = parts
    return (red, green, blue, opacity) if all(0 <= evaluate(part) <= 1 for part in parts) else None
