"""What a mechanism looks like: bodies as lines between their joints, and boxes with their mass and inertia.

A body with one joint is drawn from it through the centre of mass to where a uniform rod with the same spread of mass
would end, one with two joints as the line between them, one with more as the polygon of its joints. Where a rod holds
on to it, or a foot or wheel touches, counts as a joint. Its box is the uniform box with the same mass, centre of mass
and inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, TypeAlias

import numpy as np

from mbsym.constraints import ConstraintElement
from mbsym.doors import Array
from mbsym.forces import ForceElement
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.clock import CLOCK
from mbsym.reference.mechanism import NumericBody, numeric_mechanism

Point: TypeAlias = tuple[float, float, float]

BOX_FACES: Final = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
"""Corners of the faces of a box whose corner 4 i + 2 j + k has the signs (i, j, k)."""

_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class BodyShape:
    """Lines of a body in its own frame.

    Attributes:
        name: of the body.
        lines: polylines, a polygon ends where it begins.
        filled: True where the first polyline is a polygon.
        joints: where its joints sit, those that hold nothing left out.
        center: centre of mass.
        box: the eight corners of the box, empty for a body without spread.
        tip: the point that leaves a trace, the foot where it has one; None for a body with several joints.
    """

    name: str
    lines: tuple[tuple[Point, ...], ...]
    filled: bool
    joints: tuple[Point, ...]
    center: Point
    box: tuple[Point, ...]
    tip: Point | None

    @property
    def is_drawn(self) -> bool:
        """False for what only stands for the time."""
        return self.name != CLOCK


@dataclass(frozen=True, slots=True)
class Link:
    """A line between points of two bodies by label: "slide" of a joint that lets them part, "rod" or "spring"."""

    kind: str
    first: int
    first_point: Point
    second: int
    second_point: Point
    name: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a joint sits on its predecessor.

    Attributes:
        joint, type: its name and type.
        body: label of the predecessor, 0 for ground.
        other: label of the successor.
        point: in that body's frame.
        axes: its axis, and the second axis of types that have two, in that body's frame while coordinates are neutral.
    """

    joint: str
    type: str
    body: int
    other: int
    point: Point
    axes: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Lines of a mechanism.

    Attributes:
        ground: points of ground where joints sit.
        bodies: by regular label, the first has label 1.
        links: lines between bodies.
        marks: joints that hold something, by label.
        up: unit vector against gravity, base z without gravity.
        has_weight: there is gravity.
    """

    ground: tuple[Point, ...]
    bodies: tuple[BodyShape, ...]
    links: tuple[Link, ...]
    marks: tuple[Mark, ...]
    up: Point
    has_weight: bool

    @property
    def rims(self) -> dict[int, list[Point]]:
        """Points on rims of wheels and balls, by the labels of their bodies."""
        found: dict[int, list[Point]] = {}
        for link in self.links:
            if link.kind == "rim":
                found.setdefault(link.first, []).append(link.first_point)
        return found


def skeleton(mechanism: Mechanism) -> Skeleton:
    """The lines of a mechanism with the numbers of its model."""
    numbers = numeric_mechanism(mechanism.model, mechanism.labelling)
    points: list[list[Array]] = [[] for _ in range(numbers.nb + 1)]
    links: list[Link] = []
    marks: list[Mark] = []
    for joint in numbers.joints:
        joint_type = JOINT_TYPES[joint.type]
        if joint_type.is_unbound or joint.name == CLOCK:
            continue
        ends = (joint.predecessor, joint.predecessor_translation), (joint.successor, joint.successor_translation)
        for label, point in ends:
            _add(points[label], point)
        axes = (joint.axis, joint.second_axis)[: sum(entry.endswith("axis") for entry in joint_type.entries)]
        turned = tuple(_point(joint.predecessor_rotation @ axis) for axis in axes)
        marks.append(Mark(joint.name, joint.type, joint.predecessor, joint.successor, _point(ends[0][1]), turned))
        if joint_type.slides:
            links.append(Link("slide", *_end(ends[0]), *_end(ends[1]), joint.name))
    elements: tuple[ConstraintElement | ForceElement, ...] = (*numbers.model.constraints, *numbers.model.forces)
    feet: dict[int, Array] = {}
    for item in elements:
        rims: list[tuple[int, Array]] = []
        for line in item.drawn():
            first = numbers.body_labels[line.first_body], numbers.numbers(line.first_point)
            second = numbers.body_labels[line.second_body], numbers.numbers(line.second_point)
            links.append(Link(line.kind, *_end(first), *_end(second), item.name))
            for label, point in (first, second) if line.kind == "rod" else ():
                _add(points[label], point)
            if line.kind == "rim":
                rims.append(first)
        if rims:
            label, middle = rims[0][0], _middle([point for _, point in rims])
            if _add(points[label], middle):
                feet[label] = middle
    carriers = {body.parent for body in mechanism.bodies}
    bodies = tuple(
        _shape(body, points[label], feet.get(label), label not in carriers)
        for label, body in enumerate(numbers.bodies, start=1)
    )
    weight = float(np.linalg.norm(numbers.gravity))
    up = -numbers.gravity / weight if weight else np.array([0.0, 0.0, 1.0])
    return Skeleton(tuple(map(_point, points[0])), bodies, tuple(links), tuple(marks), _point(up), weight > 0.0)


def _end(end: tuple[int, Array]) -> tuple[int, Point]:
    return end[0], _point(end[1])


def _middle(circle: Sequence[Array]) -> Array:
    """The centre of points all round, zero where rounding alone says otherwise."""
    middle: Array = np.mean(circle, axis=0)
    return np.where(np.abs(middle) > _SAME * np.max(np.ptp(circle, axis=0)), middle, 0.0)


def _add(points: list[Array], point: Array) -> bool:
    """Adds a point where there is none; whether it did."""
    if any(np.linalg.norm(point - other) <= _SAME for other in points):
        return False
    points.append(point)
    return True


def _shape(body: NumericBody, points: Sequence[Array], foot: Array | None, is_last: bool) -> BodyShape:
    center = body.center_of_mass
    axes, half = _box(body)
    tip = center if foot is None else foot
    lines: list[list[Array]] = []
    filled = False
    if len(points) == 1:
        arm = center - points[0]
        length = float(np.linalg.norm(arm))
        if length > _SAME:
            direction = arm / length
            spread = float(np.linalg.norm(half * (axes.T @ direction)))
            tip = center + direction * spread
            lines = [[points[0], tip]]
    elif len(points) == 2:
        lines = [list(points)]
    elif points:
        ring, filled = _ring(points)
        lines = [ring]
    inside = filled and _is_inside(center, lines[0])
    if lines and not inside and _distance_to_line(center, lines[0]) > 0.02 * _size(lines[0]):
        lines.append([lines[0][0], center])
    box: tuple[Point, ...] = ()
    if np.any(half > _SAME):
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        box = tuple(_point(center + axes @ (half * sign)) for sign in signs)
    return BodyShape(
        body.name,
        tuple(tuple(map(_point, line)) for line in lines),
        filled,
        tuple(map(_point, points)),
        _point(center),
        box,
        _point(tip) if is_last and len(points) < 2 + (foot is not None) and body.name != CLOCK else None,
    )


def _box(body: NumericBody) -> tuple[Array, Array]:
    """Principal axes as columns and half lengths of the uniform box: a third of a half length's square is the spread
    of mass along the axis."""
    if body.mass <= 0.0:
        return np.eye(3), np.zeros(3)
    moments, axes = np.linalg.eigh(body.inertia)
    spread = np.maximum(0.5 * np.sum(moments) - moments, 0.0) / body.mass
    half = np.sqrt(3.0 * spread)
    half[half < 1e-6 * np.max(half)] = 0.0
    return axes, half


def _ring(points: Sequence[Array]) -> tuple[list[Array], bool]:
    """The points round their middle in their best plane and back to the first; in order along a common line."""
    middle = np.mean(points, axis=0)
    _, sizes, directions = np.linalg.svd(np.array(points) - middle)
    along = [(point - middle) @ directions[0] for point in points]
    if sizes[1] < 1e-6 * sizes[0]:
        return [points[k] for k in np.argsort(along, kind="stable")], False
    angles = [np.arctan2((point - middle) @ directions[1], x) for point, x in zip(points, along, strict=True)]
    ring = [points[k] for k in np.argsort(angles, kind="stable")]
    return [*ring, ring[0]], True


def _is_inside(point: Array, ring: Sequence[Array]) -> bool:
    """Whether a point, seen across their best plane, lies within the points round their middle."""
    sides = [np.cross(b - a, point - a) for a, b in pairwise(ring)]
    normal = sum(np.cross(b - a, ring[0] - a) for a, b in pairwise(ring))
    return all(float(side @ normal) >= 0.0 for side in sides)


def _distance_to_line(point: Array, line: Sequence[Array]) -> float:
    distances = []
    for a, b in pairwise(line):
        span = b - a
        share = np.clip((point - a) @ span / max(float(span @ span), 1e-300), 0.0, 1.0)
        distances.append(float(np.linalg.norm(point - a - share * span)))
    return min(distances)


def _size(line: Sequence[Array]) -> float:
    return float(max(np.linalg.norm(b - a) for a, b in pairwise(line)))


def _point(values: Array) -> Point:
    x, y, z = (float(f"{value:.6g}") + 0.0 for value in values)
    return x, y, z
