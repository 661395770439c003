"""Frames of MJCF elements: positions, and orientations in any of the forms that MJCF has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from mbsym.formats.angles import negative, snapped_angle
from mbsym.formats.rigid_frames import Rotation, by_rows, from_matrix, joined_turns, tidied
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.formats.xml_numbers import read_numbers, read_triple
from mbsym.model.body import Axis, Placement
from mbsym.model.geometry import Triple, cross, dot, norm
from mbsym.model.joint_frame import aligning_rotation
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value, Vector

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass(frozen=True, slots=True)
class AngleRules:
    """How angles of a file are meant.

    Attributes:
        degrees: in degrees, else in radians.
        sequence: axes of Euler angles; small letters are moving axes, capitals fixed ones.
        tolerance: angles nearer than this to a multiple of 90 degrees become exact [rad].
    """

    degrees: bool
    sequence: str
    tolerance: float

    def radians(self, value: Value) -> Value:
        """An angle of the file in radians: an exact multiple of a right angle, a decimal, or a multiple of pi."""
        if not self.degrees:
            return snapped_angle(value, self.tolerance)
        angle = evaluate(value) * math.pi / 180
        snapped = snapped_angle(angle, max(self.tolerance, 1e-13))
        return f"{value}*pi/180" if isinstance(snapped, float) else snapped


def read_frame(source: TextSource, element: Element, rules: AngleRules) -> Placement:
    """Position and orientation of an element in its parent's frame.

    Raises:
        FormatError: a number is none, or there are two orientations.
    """
    translation: Vector = read_triple(source, element, "pos") if "pos" in element.attributes else (0, 0, 0)
    given = [key for key in ORIENTATIONS if key in element.attributes]
    if len(given) > 1:
        raise source.error(
            element.place, f"<{element.tag}> has two orientations, {given[0]} and {given[1]}", "keep one of them"
        )
    if not given:
        return Placement(translation)
    key, near = given[0], max(rules.tolerance, 1e-13)
    if key == "euler":
        turns: list[tuple[Axis, Value]] = []
        for letter, angle in zip(rules.sequence, read_triple(source, element, key), strict=True):
            turn = (_axis(letter.lower()), rules.radians(angle))
            turns = [*turns, turn] if letter.islower() else [turn, *turns]
        return Placement(translation, joined_turns(tuple(turns), rules.tolerance))
    if key == "quat":
        w, x, y, z = read_numbers(source, element, key, 4)
        if norm([evaluate(value) for value in (w, x, y, z)]) == 0:
            raise source.error(element.place, f"the quaternion of <{element.tag}> is zero", "give one of length one")
        return tidied(Placement(translation, quaternion=(w, x, y, z)), near)
    if key == "axisangle":
        x, y, z, angle = read_numbers(source, element, key, 4)
        axis = _direction(source, element, key, (x, y, z))
        return Placement(translation, *turned(axis, rules.radians(angle)))
    return tidied(from_matrix(translation, _rows(source, element, key), 0.0), near)


def turned(
    axis: Triple, angle: Value
) -> tuple[tuple[tuple[Axis, Value], ...], tuple[Value, Value, Value, Value] | None]:
    """Rotation and quaternion of a placement that is turned about a unit axis."""
    for name, component in zip("xyz", axis, strict=True):
        if abs(component) == 1:
            turn = angle if component > 0 else negative(angle)
            return joined_turns(((_axis(name), turn),), 0), None
    half = evaluate(angle) / 2
    s = math.sin(half)
    x, y, z = (repr(s * component) for component in axis)
    return (), (repr(math.cos(half)), x, y, z)


def _axis(letter: str) -> Axis:
    return "x" if letter == "x" else "y" if letter == "y" else "z"


def _rows(source: TextSource, element: Element, key: str) -> Rotation:
    if key == "zaxis":
        rows = aligning_rotation(_direction(source, element, key, read_triple(source, element, key)))
    else:
        numbers = read_numbers(source, element, key, 6)
        x = _direction(source, element, key, numbers[:3])
        raw = _direction(source, element, key, numbers[3:])
        along = dot(x, raw)
        rest = (raw[0] - along * x[0], raw[1] - along * x[1], raw[2] - along * x[2])
        if norm(rest) < 1e-9:
            raise source.error(element.place, "the two axes of xyaxes are parallel", "give two directions")
        y = _unit(rest)
        z = cross(x, y)
        rows = ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))
    return by_rows([Fraction(entry) for entry in row] for row in rows)


def _direction(source: TextSource, element: Element, key: str, values: tuple[Value, ...]) -> Triple:
    x, y, z = (evaluate(value) for value in values)
    if norm((x, y, z)) == 0:
        raise source.error(element.place, f"{key} of <{element.tag}> has the direction zero", "give a direction")
    return _unit((x, y, z))


def _unit(a: Triple) -> Triple:
    length = norm(a)
    return (a[0] / length, a[1] / length, a[2] / length)
