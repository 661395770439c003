"""How elements between bodies are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Final, Literal, TypeAlias

from mbsym.values.parameter import Value, Vector

Direction: TypeAlias = tuple[float, float, float]

SEGMENTS: Final = 32
SPOKES: Final = 8
"""Of a wheel that is drawn: straight parts of its rim, and how many of them there are between two spokes."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line between points of two bodies, each in its body's frame.

    Attributes:
        kind: "spring" is drawn in dashes and dots, "slide" in dashes; a "rod" is part of the bodies that it joins, a
            "rim" of the wheel on whose body both ends are.
        first_body, second_body: their names.
        first_point, second_point: the ends.
    """

    kind: Literal["spring", "rod", "slide", "rim"]
    first_body: str
    first_point: Vector
    second_body: str
    second_point: Vector


def rim(wheel: str, center: Vector, axis: Vector, radius: Value, *, spokes: bool = True) -> tuple[Line, ...]:
    """A circle and its spokes on a body; nothing where the axis is given in anything but numbers."""
    plane = _across(axis)
    if plane is None:
        return ()
    places = [_on_rim(center, plane, radius, 2 * pi * k / SEGMENTS) for k in range(SEGMENTS)]
    pairs = [*zip(places, (*places[1:], places[0]), strict=True)]
    if spokes:
        pairs += [(at, center) for at in places[::SPOKES]]
    return tuple(Line("rim", wheel, first, wheel, second) for first, second in pairs)


def _on_rim(center: Vector, plane: tuple[Direction, Direction], radius: Value, angle: float) -> Vector:
    c, s = cos(angle), sin(angle)
    x, y, z = (
        f"({middle}) + ({radius})*({c * first + s * second!r})"
        for middle, first, second in zip(center, *plane, strict=True)
    )
    return x, y, z


def _across(axis: Vector) -> tuple[Direction, Direction] | None:
    """Two unit vectors across an axis; None where it is no numbers."""
    if not all(isinstance(entry, int | float) for entry in axis):
        return None
    x, y, z = (float(entry) for entry in axis)
    least = min(abs(x), abs(y), abs(z))
    other = (float(abs(x) == least), float(abs(x) > least == abs(y)), float(abs(x) > least < abs(y)))
    first = _unit((y * other[2] - z * other[1], z * other[0] - x * other[2], x * other[1] - y * other[0]))
    u, v, w = first
    return first, _unit((y * w - z * v, z * u - x * w, x * v - y * u))


def _unit(vector: Direction) -> Direction:
    x, y, z = vector
    size = hypot(x, y, z)
    return x / size, y / size, z / size
