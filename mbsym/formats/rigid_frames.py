"""Exact arithmetic of constant frames and mass properties, for descriptions whose values are numbers.

Rotations by multiples of 90 degrees are exact signed permutations and keep decimals decimal; other angles go through
the sine and cosine in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import TypeAlias

from mbsym.formats.angles import is_number, negative, snapped_angle
from mbsym.model.body import COINCIDENT, Axis, Body, Placement
from mbsym.model.frame_ends import quaternion_of
from mbsym.model.geometry import (
    Matrix3,
    Vector3,
    from_quaternion,
    inertia_of_point,
    matrix_sum,
    product,
    times,
    transposed,
    turned_inertia,
)  # fmt: skip
from mbsym.symbolic.graph import Graph
from mbsym.values.given import quaternion_forms
from mbsym.values.numbers import evaluate, to_scalar
from mbsym.values.parameter import Value, Vector

Exact3: TypeAlias = Vector3[Fraction]
Rotation: TypeAlias = Matrix3[Fraction]
Turns: TypeAlias = tuple[tuple[Axis, Value], ...]

ZERO: Exact3 = (Fraction(0), Fraction(0), Fraction(0))
SHORT = Context(prec=24, traps=[Inexact])
"""Decimals that are kept exactly; others are rounded to double precision."""
SAME_ROTATION = 1e-8
"""Entries of a rotation matrix nearer to 0, 1 or -1 than this belong to a right angle."""


def exact(value: Value) -> Fraction:
    """The number of a value without names: exact where it is rational, else the nearest double's."""
    constant = to_scalar(value, Graph(), {}).constant
    return constant if constant is not None else Fraction(repr(evaluate(value)))


def exact3(values: tuple[Value, ...]) -> Exact3:
    """The numbers of three values."""
    x, y, z = (exact(value) for value in values)
    return x, y, z


def text(number: Fraction) -> Value:
    """A number as an integer or decimal text: exact if that is short, else rounded to double precision."""
    if number.denominator == 1 and abs(number) < 10**18:
        return int(number)
    try:
        decimal = SHORT.divide(Decimal(number.numerator), Decimal(number.denominator))
    except Inexact:
        return repr(float(number))
    return format(decimal, "f") if -SHORT.prec <= int(decimal.as_tuple().exponent) <= 0 else repr(float(number))


def rounded(number: Fraction) -> Fraction:
    """The number itself if it is a short decimal, else its nearest double."""
    return Fraction(str(text(number)))


# ---- rotations ------------------------------------------------------------------------------------------------------


def by_rows(rows: Iterable[Sequence[Fraction]]) -> Rotation:
    """The matrix of three rows of three."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (a, b, c), (d, e, f), (g, h, i)


def turn_matrix(axis: Axis, angle: Value) -> Rotation:
    """Rotation about a coordinate axis."""
    c, s = _cosine_sine(angle)
    one, zero = Fraction(1), Fraction(0)
    if axis == "x":
        return (one, zero, zero), (zero, c, -s), (zero, s, c)
    if axis == "y":
        return (c, zero, s), (zero, one, zero), (-s, zero, c)
    return (c, -s, zero), (s, c, zero), (zero, zero, one)


def _cosine_sine(angle: Value) -> tuple[Fraction, Fraction]:
    quarters = quarter_turns(angle)
    if quarters is not None:
        return Fraction((1, 0, -1, 0)[quarters % 4]), Fraction((0, 1, 0, -1)[quarters % 4])
    number = evaluate(angle)
    return Fraction(math.cos(number)), Fraction(math.sin(number))


def quarter_turns(angle: Value) -> int | None:
    """How many times 90 degrees an angle is, None if it is not exactly a multiple."""
    if is_number(angle):
        return 0 if evaluate(angle) == 0 else None
    quarters = round(evaluate(angle) / (math.pi / 2))
    return quarters if snapped_angle(evaluate(angle), 1e-14) == snapped_angle(quarters * math.pi / 2) else None


def placement_matrix(placement: Placement) -> Rotation:
    """Rotation matrix of a placement."""
    if placement.quaternion is not None:
        rows = from_quaternion(*(evaluate(value) for value in placement.quaternion))
        return by_rows([Fraction(entry) for entry in row] for row in rows)
    R: Rotation = turn_matrix("x", 0)
    for axis, angle in placement.rotation:
        R = product(R, turn_matrix(axis, angle))
    return R


def turned_vector(placement: Placement, vector: Vector) -> Vector:
    """A vector in the placed frame as one in the carrying frame."""
    x, y, z = (text(rounded(part)) for part in times(placement_matrix(placement), exact3(vector)))
    return x, y, z


def compose(outer: Placement, inner: Placement, tolerance: float = SAME_ROTATION) -> Placement:
    """The placement of a frame that sits at ``inner`` in a frame that sits at ``outer``.

    Args:
        outer: of the carrying frame.
        inner: in the carrying frame.
        tolerance: how near to a right angle the product of arbitrary rotations is taken as one.
    """
    R = placement_matrix(outer)
    moved = times(R, exact3(inner.translation))
    x, y, z = (text(rounded(a + b)) for a, b in zip(exact3(outer.translation), moved, strict=True))
    translation = (x, y, z)
    if outer.quaternion is None and inner.quaternion is None:
        turns = joined_turns((*outer.rotation, *inner.rotation), tolerance)
        if len(turns) <= 3 and not all(quarter_turns(angle) is not None for _, angle in turns):
            return Placement(translation, turns)
    return from_matrix(translation, product(R, placement_matrix(inner)), tolerance)


def placed_on(outer: Placement, inner: Placement, tolerance: float = SAME_ROTATION) -> Placement:
    """As ``compose``, but what stands on a frame itself, or is one, keeps its digits."""
    if outer == COINCIDENT:
        return inner
    return outer if inner == COINCIDENT else compose(outer, inner, tolerance)


def tidied(placement: Placement, tolerance: float) -> Placement:
    """Right angles as such; any other rotation as it stands."""
    candidate = from_matrix(placement.translation, placement_matrix(placement), tolerance)
    return candidate if candidate.quaternion is None else placement


def inverse(placement: Placement) -> Placement:
    """The carrying frame in the placed one."""
    x, y, z = times(transposed(placement_matrix(placement)), exact3(placement.translation))
    back = (text(-x), text(-y), text(-z))
    if placement.quaternion is not None:
        w, a, b, c = placement.quaternion
        return Placement(back, quaternion=(w, negative(a), negative(b), negative(c)))
    return Placement(back, tuple((axis, negative(angle)) for axis, angle in reversed(placement.rotation)))


def joined_turns(turns: Turns, tolerance: float) -> Turns:
    """Turns with neighbours about one axis joined and those by zero left out.

    Args:
        turns: one after the other.
        tolerance: sums this near to a right angle become exact [rad].
    """
    result: list[tuple[Axis, Value]] = []
    for axis, angle in turns:
        if result and result[-1][0] == axis:
            angle = _angle_sum(result.pop()[1], angle, tolerance)
        if quarter_turns(angle) not in (0, 4, -4):
            result.append((axis, angle))
    return tuple(result)


def _angle_sum(a: Value, b: Value, tolerance: float) -> Value:
    first, second = quarter_turns(a), quarter_turns(b)
    if first is not None and second is not None:
        return snapped_angle((first + second) * math.pi / 2)
    if is_number(a) and is_number(b):
        return snapped_angle(text(exact(a) + exact(b)), max(tolerance, 1e-14))
    return f"{a} + ({b})"


def from_matrix(translation: tuple[Value, Value, Value], R: Rotation, tolerance: float = SAME_ROTATION) -> Placement:
    """A placement by a rotation matrix: right angles as turns, others as a quaternion."""
    rows = [[float(entry) for entry in row] for row in R]
    if all(abs(entry - round(entry)) <= tolerance for row in rows for entry in row):
        return Placement(translation, _right_turns([[round(entry) for entry in row] for row in rows]))
    return Placement(translation, quaternion=_quaternion(rows))


def _right_turns(P: list[list[int]]) -> Turns:
    """The shortest turns by right angles that make a signed permutation."""
    target = tuple(tuple(Fraction(entry) for entry in row) for row in P)
    angles: tuple[Value, ...] = ("pi/2", "-pi/2", "pi")
    level: list[tuple[Turns, Rotation]] = [((), turn_matrix("x", 0))]
    axes: tuple[Axis, ...] = ("z", "y", "x")
    for _ in range(4):
        for turns, R in level:
            if target == R:
                return turns
        level = [
            ((*turns, (axis, angle)), product(R, turn_matrix(axis, angle)))
            for turns, R in level
            for axis in axes
            for angle in angles
            if not turns or turns[-1][0] != axis
        ]
    raise ArithmeticError("no rotation by right angles")


def _quaternion(R: list[list[float]]) -> tuple[Value, Value, Value, Value]:
    """Unit quaternion (w, x, y, z) with the largest component positive, by the form that divides by it."""
    forms = quaternion_forms(R)
    k = max(range(4), key=lambda i: forms[i][i])
    length = math.sqrt(sum(entry * entry for entry in forms[k]))
    w, x, y, z = (repr(entry / length) for entry in forms[k])
    return w, x, y, z


def pose_values(placement: Placement) -> tuple[Value, ...]:
    """Quaternion and position of a placement, the coordinates of a free joint."""
    if placement.quaternion is not None:
        w, x, y, z = (exact(value) for value in placement.quaternion)
        square = w * w + x * x + y * y + z * z
        if square == 1:
            return (*placement.quaternion, *placement.translation)
        length = Fraction(math.sqrt(square))
        return (*(repr(float(value / length)) for value in (w, x, y, z)), *placement.translation)
    q = quaternion_of(placement, evaluate)
    values: tuple[Value, ...] = tuple(int(value) if value in (0.0, 1.0) else repr(value) for value in q)
    return (*values, *placement.translation)


# ---- mass properties ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExactMass:
    """Mass, centre of mass and inertia about it (a symmetric matrix) in the axes of one frame."""

    mass: Fraction
    center: Exact3
    inertia: Rotation

    @classmethod
    def centred(cls, mass: Fraction, moments: Sequence[Fraction]) -> ExactMass:
        """A body in the frame of its centre of mass and principal axes."""
        (xx, yy, zz), zero = moments, Fraction(0)
        return cls(mass, ZERO, ((xx, zero, zero), (zero, yy, zero), (zero, zero, zz)))

    @property
    def is_nothing(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return self.mass == 0 and not any(entry for row in self.inertia for entry in row)

    def moved(self, placement: Placement) -> ExactMass:
        """The same body seen from the frame that carries its own frame at ``placement``."""
        R = placement_matrix(placement)
        center = times(R, self.center)
        x, y, z = (rounded(a + b) for a, b in zip(exact3(placement.translation), center, strict=True))
        return ExactMass(self.mass, (x, y, z), _rounded(turned_inertia(self.inertia, R)))

    def joined(self, other: ExactMass) -> ExactMass:
        """Both bodies as one."""
        mass = self.mass + other.mass
        if mass == 0:
            return ExactMass(mass, self.center, matrix_sum(self.inertia, other.inertia))
        x, y, z = ((self.mass * a + other.mass * b) / mass for a, b in zip(self.center, other.center, strict=True))
        inertia = matrix_sum(self.inertia, other.inertia)
        for part in (self, other):
            arm = (part.center[0] - x, part.center[1] - y, part.center[2] - z)
            inertia = matrix_sum(inertia, inertia_of_point(part.mass, arm))
        return ExactMass(mass, (rounded(x), rounded(y), rounded(z)), _rounded(inertia))

    def scaled(self, factor: Fraction) -> ExactMass:
        """The same body of another density."""
        inertia = by_rows([rounded(entry * factor) for entry in row] for row in self.inertia)
        return ExactMass(rounded(self.mass * factor), self.center, inertia)

    def body(self, name: str) -> Body:
        """The body of that name."""
        J = self.inertia
        entries = (J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2])
        xx, yy, zz, xy, xz, yz = (text(entry) for entry in entries)
        x, y, z = (text(entry) for entry in self.center)
        return Body(name, text(self.mass), (x, y, z), (xx, yy, zz, xy, xz, yz))


def exact_mass(body: Body) -> ExactMass:
    """The mass properties of a body whose values are numbers and whose inertia is about its centre of mass."""
    xx, yy, zz, xy, xz, yz = (exact(value) for value in body.inertia)
    return ExactMass(exact(body.mass), exact3(body.center_of_mass), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def placed_body(name: str, mass: Value, placement: Placement, moments: Sequence[Value]) -> Body:
    """A body by its mass, the frame of its centre of mass, and its inertia there about the axes of that frame."""
    xx, yy, zz, xy, xz, yz = moments
    body = Body(name, mass, placement.translation, (xx, yy, zz, xy, xz, yz))
    if not placement.rotation and placement.quaternion is None:
        return body
    own = exact_mass(body)
    turned = replace(own, inertia=_rounded(turned_inertia(own.inertia, placement_matrix(placement))))
    return body if own.inertia == turned.inertia else replace(body, inertia=turned.body(name).inertia)


def _rounded(J: Rotation) -> Rotation:
    return by_rows([rounded(entry) for entry in row] for row in J)
