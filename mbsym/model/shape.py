"""Shapes on bodies: what pictures show, and what mass can be computed from. Dynamics never looks at them by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mbsym.model.body import COINCIDENT, Placement
from mbsym.shapes.forms import Form
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class Shape:
    """A form on a body.

    Attributes:
        body: that carries it, or ground.
        form: what it is.
        placement: of the form's frame in the body's.
        color: red, green, blue and opacity from 0 to 1; None leaves it to the picture.
        name: in its file, "" without one.
    """

    body: str
    form: Form
    placement: Placement = COINCIDENT
    color: tuple[Value, Value, Value, Value] | None = None
    name: str = ""


def in_body_order(shapes: Iterable[Shape], names: Iterable[str]) -> tuple[Shape, ...]:
    """The shapes of each carrier together.

    Args:
        shapes: those of one carrier in their order.
        names: of ground, then of the bodies in their order.
    """
    places = {name: place for place, name in enumerate(names)}
    return tuple(sorted(shapes, key=lambda shape: places[shape.body]))
