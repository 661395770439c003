"""Frames of MJCF elements: positions, and orientations in any of the forms that MJCF has; reference positions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from mbsym.formats.angles import negative, snapped_angle
from mbsym.formats.rigid_frames import Rotation, by_rows, from_matrix, joined_turns, tidied
from mbsym.formats.xml_document import Element
from mbsym.model.body import COINCIDENT, Axis, Placement
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


def read_frame(element: Element, rules: AngleRules) -> Placement:
    """Position and orientation of an element in its parent's frame.

    Raises:
        FormatError: a number is none, or there are two orientations.
    """
    translation = element.triple("pos", (0, 0, 0))
    given = [key for key in ORIENTATIONS if key in element.attributes]
    if len(given) > 1:
        raise element.error(f"<{element.tag}> has two orientations, {given[0]} and {given[1]}", "keep one of them")
    if not given:
        return Placement(translation)
    key, near = given[0], max(rules.tolerance, 1e-13)
    if key == "euler":
        turns: list[tuple[Axis, Value]] = []
        for letter, angle in zip(rules.sequence, element.triple(key), strict=True):
            turn = (_axis(letter.lower()), rules.radians(angle))
            turns = [*turns, turn] if letter.islower() else [turn, *turns]
        return Placement(translation, joined_turns(tuple(turns), rules.tolerance))
    if key == "quat":
        w, x, y, z = element.numbers(key, 4)
        if norm([evaluate(value) for value in (w, x, y, z)]) == 0:
            raise element.error(f"the quaternion of <{element.tag}> is zero", "give one of length one")
        return tidied(Placement(translation, quaternion=(w, x, y, z)), near)
    if key == "axisangle":
        x, y, z, angle = element.numbers(key, 4)
        axis = _direction(element, key, (x, y, z))
        return Placement(translation, *_turned(axis, rules.radians(angle)))
    return tidied(from_matrix(translation, _rows(element, key), 0.0), near)


def segment(element: Element) -> tuple[Placement, float]:
    """The frame half way between the points of ``fromto``, with z along them, and how far they are apart.

    Raises:
        FormatError: the points are none, or the same.
    """
    ends = [evaluate(value) for value in element.numbers("fromto", 6)]
    along = (ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5])
    length = norm(along)
    if length == 0:
        raise element.error("the two ends of fromto coincide", "give two different points")
    R = by_rows([Fraction(entry) for entry in row] for row in aligning_rotation(along))
    x, y, z = (repr((ends[k] + ends[k + 3]) / 2) for k in range(3))
    return from_matrix((x, y, z), R), length


def reference_shift(kind: str, axis: Vector, reference: Value) -> Placement:
    """Where the joint frame sits so that the coordinate at the reference position is the reference value."""
    x, y, z = (evaluate(value) for value in axis)
    if evaluate(reference) == 0 or norm((x, y, z)) == 0:
        return COINCIDENT
    unit = _unit((x, y, z))
    if kind == "slide":
        r = evaluate(reference)
        a, b, c = (repr(-r * component) if component else 0 for component in unit)
        return Placement((a, b, c))
    rotation, quaternion = _turned(unit, negative(reference))
    return Placement(rotation=rotation, quaternion=quaternion)


def _turned(
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


def _rows(element: Element, key: str) -> Rotation:
    if key == "zaxis":
        rows = aligning_rotation(_direction(element, key, element.triple(key)))
    else:
        numbers = element.numbers(key, 6)
        x = _direction(element, key, numbers[:3])
        raw = _direction(element, key, numbers[3:])
        along = dot(x, raw)
        rest = (raw[0] - along * x[0], raw[1] - along * x[1], raw[2] - along * x[2])
        if norm(rest) < 1e-9:
            raise element.error("the two axes of xyaxes are parallel", "give two directions")
        y = _unit(rest)
        z = cross(x, y)
        rows = ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))
    return by_rows([Fraction(entry) for entry in row] for row in rows)


def _direction(element: Element, key: str, values: tuple[Value, ...]) -> Triple:
    x, y, z = (evaluate(value) for value in values)
    if norm((x, y, z)) == 0:
        raise element.error(f"{key} of <{element.tag}> has the direction zero", "give a direction")
    return _unit((x, y, z))


def _unit(a: Triple) -> Triple:
    length = norm(a)
    return (a[0] / length, a[1] / length, a[2] / length)
