"""Bodies without shapes as solid parts: links from joint to joint, joints by what they let move, masses.

A body whose links say little about its inertia, such as a flywheel or a cart, is drawn as a disc about its joint's axis
or as the box with its inertia, but never larger than the mechanism; not where an element draws it as a wheel.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.joints.registry import JOINT_TYPES
from mbsym.shapes.tessellation import box, cylinder, ellipsoid
from mbsym.visualisation.parts import STEEL, STONE, Mesh, Part, Role, Scenery, Stretched, across, body_color, parts_of
from mbsym.visualisation.skeleton import BodyShape, Mark, Skeleton
from mbsym.visualisation.surfaces import Surface

ROD: Final = 0.013
"""Radius of links, to the size of the mechanism."""

THICKEST: Final = 0.11
"""Radius of links, to the length of a short one."""

LARGEST: Final = 0.36
"""Half length of a box or radius of a disc, to the size of the mechanism."""

FAT: Final = {1: 0.25, 2: 0.45}
"""Spread of mass across a link, to its length, beyond which the link alone says little; by the number of its joints."""

BOXY: Final = 1.6
"""How much fatter than a disc what is drawn as a box must be."""

ROUND: Final = 0.12
"""Part by which two moments of inertia may differ in a disc."""

WHEEL: Final = 1.3
"""Half length of a box, to the radius of a rim, up to which the rim shows the body."""

PALE: Final = 0.5
"""Opacity of a box around joints."""


def scenery(shape: Skeleton, poses: Array, surfaces: Sequence[Surface] = ()) -> Scenery:
    """The parts of a mechanism.

    Args:
        shape: its lines.
        poses: of its bodies where its size is taken (nb, 4, 4).
        surfaces: of the model's bodies and ground; bodies that have any get no other parts.
    """
    shown = parts_of(surfaces, {body.name: label for label, body in enumerate(shape.bodies, start=1)})
    dressed = {part.body for part in shown}
    bare = [label for label, body in enumerate(shape.bodies, start=1) if label not in dressed and body.is_drawn]
    maker = _Maker(shape, poses, _size(shape, poses, shown))
    parts = list(shown)
    for label in bare:
        parts += maker.body(label)
    for label in sorted(dressed - {0}):
        parts += maker.stays(label, [part for part in shown if part.body == label])
    for mark in shape.marks:
        if mark.body in bare or mark.other in bare:
            parts += maker.joint(mark)
    if 0 not in dressed and bare:
        parts += maker.pedestals()
    stretched = [
        maker.between(k)
        for k, link in enumerate(shape.links)
        if link.kind != "slide" or link.first in bare or link.second in bare
    ]
    return Scenery(tuple(parts), tuple(stretched))


def _size(shape: Skeleton, poses: Array, shown: Sequence[Part]) -> float:
    """The diagonal of the box around joints, link ends, rims and centres of mass; of shapes where nothing else is."""
    frames = [np.eye(4), *poses]
    points = [np.asarray(point, dtype=float) for point in shape.ground]
    rims = shape.rims
    for label, body in enumerate(shape.bodies, start=1):
        if not body.is_drawn:
            continue
        own = [*(point for line in body.lines for point in line), *body.joints, body.center, *rims.get(label, ())]
        points += [frames[label][:3, :3] @ np.asarray(point) + frames[label][:3, 3] for point in own]
    found = float(np.linalg.norm(np.ptp(np.array(points), axis=0)))
    if found > 0.0:
        return found
    corners = [corner for body in shape.bodies for corner in body.box] or [
        tuple(point) for part in shown for point in part.vertices
    ]
    return float(np.linalg.norm(np.ptp(np.array(corners or [(0.0,) * 3, (1.0,) * 3]), axis=0))) or 1.0


class _Maker:
    """Parts with the thickness that suits a mechanism."""

    def __init__(self, shape: Skeleton, poses: Array, size: float) -> None:
        self._shape = shape
        self._frames = [np.eye(4), *poses]
        self._size, self._rims = size, shape.rims
        lengths = sorted(
            float(np.linalg.norm(np.subtract(b, a)))
            for body in shape.bodies
            for line in body.lines[:1]
            for a, b in pairwise(line)
        )
        short = lengths[len(lengths) // 4] if lengths else size
        self.radius = min(ROD * size, max(THICKEST * short, 0.3 * ROD * size))
        # Of size 1 and one of each, which parts share.
        self._box, self._cylinder = Mesh(*box(np.ones(3))), Mesh(*cylinder(1.0, 1.0))
        self._sphere, self._spring = Mesh(*ellipsoid(np.ones(3))), unit_spring()

    def body(self, label: int) -> list[Part]:
        """Links, centre of mass and, where it is needed, the inertia of a body."""
        body = self._shape.bodies[label - 1]
        radius, made = self.radius, []
        if body.filled:
            corners = np.array(body.lines[0][:-1], dtype=float)
            mesh = plate(corners, 1.1 * radius)
            made.append(Part(label, mesh, np.eye(3, 4), None, "link", body.name))
        for number, line in enumerate(body.lines):
            thick = radius if number == 0 else 0.5 * radius
            for a, b in pairwise(line):
                made += self._rod(label, np.array(a, dtype=float), np.array(b, dtype=float), thick, body.name)
            for point in line:
                made.append(self._ball(label, point, thick, None, "link", body.name))
        made += self._inertia(label, body)
        # The inertia of a body that is a point is at its centre of mass alone.
        bob = 2.6 if not body.box and body.lines else 1.5
        if not body.box and not body.lines:
            at = np.column_stack([np.diag([7.0, 7.0, 4.0]) * radius, body.center])
            made.append(Part(label, self._box, at, None, "link", body.name))
        made.append(self._ball(label, body.center, bob * radius, None, "mass", body.name))
        return made

    def stays(self, label: int, shown: Sequence[Part]) -> list[Part]:
        """Rods to shapes of a body that hang in the air, as where a mesh between them is missing."""
        body = self._shape.bodies[label - 1]
        joints = [np.array(point, dtype=float) for point in body.joints]
        boxes = [(part.vertices.min(axis=0), part.vertices.max(axis=0)) for part in shown]
        made = []
        for k, (low, high) in enumerate(boxes):
            room = 2.0 * self.radius
            others = [box for i, box in enumerate(boxes) if i != k] + [(point, point) for point in joints]
            if joints and not any(np.all(low - room <= top) and np.all(end <= high + room) for end, top in others):
                middle = 0.5 * (low + high)
                near = min(joints, key=lambda point: float(np.linalg.norm(point - middle)))
                made += self._rod(label, near, middle, 0.7 * self.radius, body.name)
        return made

    def joint(self, mark: Mark) -> list[Part]:
        """The symbol of a joint: a barrel about its axis, a cross of two, a ball, or a sleeve along it."""
        kind, r = JOINT_TYPES[mark.type], self.radius
        if kind.is_rigid:
            return []
        point = np.array(mark.point, dtype=float)
        axes = [np.array(axis, dtype=float) for axis in mark.axes]
        if not axes:
            return [self._ball(mark.body, mark.point, 2.3 * r, STEEL, "joint", mark.joint)]
        if kind.turning == "never":
            at = _along(point, axes[0], 3.4 * r, 5.0 * r)
            return [Part(mark.body, self._box, at, STEEL, "joint", mark.joint)]
        long = 6.0 if kind.slides else 4.0
        return [
            Part(mark.body, self._cylinder, _along(point, axis, wide * r, long * r), STEEL, "joint", mark.joint)
            for axis, wide in zip(axes, (1.8, 1.3), strict=False)
        ]

    def pedestals(self) -> list[Part]:
        """What joints on ground stand on, below them."""
        up, r = np.array(self._shape.up), self.radius
        places = (np.asarray(point, dtype=float) - 2.6 * r * up for point in self._shape.ground)
        return [Part(0, self._box, _along(at, up, 4.2 * r, 1.6 * r), STONE, "link", "ground") for at in places]

    def between(self, number: int) -> Stretched:
        """The part that stands for a link between two bodies."""
        link = self._shape.links[number]
        coiled = link.kind == "spring"
        mesh = self._spring if coiled else self._cylinder
        width = {"spring": 2.6, "rod": 0.8}.get(link.kind, 0.55) * self.radius
        ends = (link.first, link.first_point, link.second, link.second_point)
        return Stretched(mesh, *ends, width, (0.5, 0.55, 0.6, 1.0), link.name)

    def _inertia(self, label: int, body: BodyShape) -> list[Part]:
        """The disc or box with the body's inertia, where its links alone would not do."""
        if not body.box or body.filled:
            return []
        corners = np.array(body.box, dtype=float)
        middle = corners.mean(axis=0)
        edges = np.stack([corners[4] - corners[0], corners[2] - corners[0], corners[1] - corners[0]])
        half = 0.5 * np.linalg.norm(edges, axis=1)
        rim = max((float(np.linalg.norm(middle - point)) for point in self._rims.get(label, ())), default=0.0)
        if float(half.max()) <= WHEEL * rim:
            return []
        length = (
            sum(float(np.linalg.norm(np.subtract(b, a))) for a, b in pairwise(body.lines[0])) if body.lines else 0.0
        )
        fat = FAT.get(len(body.joints), FAT[2]) * length
        axis = self._disc_axis(label, half, edges)
        if body.lines and np.sort(half)[1] < fat * (1.0 if axis is not None else BOXY):
            return []
        least, most = 1.9 * self.radius, LARGEST * self._size
        if body.joints:
            half = half * min(1.0, most / float(half.max()))
        if axis is not None:
            across = [half[k] for k in range(3) if k != axis]
            # Of the same moment of inertia about its axis: m r^2 / 2 = m (a^2 + b^2) / 3.
            radius = min(float(np.sqrt(2.0 / 3.0 * (across[0] ** 2 + across[1] ** 2))), most)
            # Thin, so that links and joints show on both sides, and about the joint, as a wheel is.
            near = min(body.joints, key=lambda point: float(np.linalg.norm(middle - point)), default=body.center)
            if body.lines and np.linalg.norm(middle - near) < radius:
                middle = np.array(near)
            thick = self.radius if body.lines else float(np.clip(2.0 * half[axis], self.radius, 5.0 * self.radius))
            at = _along(middle, _orthonormal(edges)[axis], max(radius, least), thick)
            return [Part(label, self._cylinder, at, None, "inertia", body.name)]
        half = np.maximum(half, least)
        at = np.column_stack([_orthonormal(edges).T * (2.0 * half), middle])
        color = (*body_color(label), PALE) if body.joints else None
        return [Part(label, self._box, at, color, "inertia", body.name)]

    def _disc_axis(self, label: int, half: Array, edges: Array) -> int | None:
        """The edge about which the body is round and that its joint turns about, None where there is none."""
        for mark in self._shape.marks:
            if label not in (mark.body, mark.other) or JOINT_TYPES[mark.type].turning == "never":
                continue
            own, there = self._frames[label][:3, :3], self._frames[mark.body][:3, :3]
            body = self._shape.bodies[label - 1]
            arm = np.subtract(body.center, body.joints[0]) if body.joints else np.zeros(3)
            # A body on a ball turns about its own axis.
            axis = own.T @ there @ np.array(mark.axes[-1]) if mark.axes else arm
            for k, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
                alike = abs(half[i] - half[j]) <= ROUND * max(half[i], half[j])
                size = float(np.linalg.norm(edges[k]) * np.linalg.norm(axis))
                along = size == 0.0 or abs(float(edges[k] @ axis)) > 0.99 * size
                if alike and along and (min(half[i], half[j]) > half[k] or not mark.axes):
                    return k
        return None

    def _rod(self, label: int, a: Array, b: Array, radius: float, name: str) -> list[Part]:
        length = float(np.linalg.norm(b - a))
        if length == 0.0:
            return []
        at = _along(0.5 * (a + b), b - a, radius, length)
        return [Part(label, self._cylinder, at, None, "link", name)]

    def _ball(self, label: int, point: Sequence[float], radius: float, color: Any, role: Role, name: str) -> Part:
        at = np.column_stack([radius * np.eye(3), np.asarray(point, dtype=float)])
        return Part(label, self._sphere, at, color, role, name)


def _along(middle: Array, axis: Array, width: float, length: float) -> Array:
    """The placement of a mesh with its z along the axis (3, 4)."""
    z = axis / np.linalg.norm(axis)
    x, y = across(z)
    return np.column_stack([width * x, width * y, length * z, middle])


def _orthonormal(edges: Array) -> Array:
    """Directions of perpendicular edges, of which some may have no length (3, 3)."""
    found = np.eye(3)
    lengths = np.linalg.norm(edges, axis=1)
    known, missing = np.flatnonzero(lengths > 0.0), np.flatnonzero(lengths == 0.0)
    found[known] = edges[known] / lengths[known, None]
    if len(missing) == 1:
        (k,) = missing
        found[k] = np.cross(found[(k + 1) % 3], found[(k + 2) % 3])
    elif len(missing) == 2:
        found[missing] = across(found[known[0]])
    return found


TURNS: Final = 8
"""Of a spring."""

_STEPS: Final = 14
"""Along each turn of a spring."""

_SIDES: Final = 8
"""Around the wire of a spring."""

_WIRE: Final = 0.2
"""Radius of the wire, to that of the spring."""

_EYE: Final = 0.12
"""Part of a spring's length at each end that is straight."""


def unit_spring() -> Mesh:
    """A coil of radius 1 along z from -1/2 to 1/2, its ends on the axis.

    The wire's section is drawn level, so that it keeps its shape when the coil is stretched.
    """
    coil = np.linspace(0.0, 1.0, TURNS * _STEPS + 1)
    angle = 2.0 * np.pi * TURNS * coil
    heights = np.concatenate([[-0.5], (_EYE - 0.5) + (1.0 - 2.0 * _EYE) * coil, [0.5]])
    radii = np.concatenate([[0.0], np.minimum(1.0, np.minimum(coil, 1.0 - coil) * 2.0 * TURNS), [0.0]])
    angles = np.concatenate([[angle[0]], angle, [angle[-1]]])
    middle = np.column_stack([radii * np.cos(angles), radii * np.sin(angles), heights])
    pitch = (1.0 - 2.0 * _EYE) / TURNS
    around = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    rings = []
    for point, turn in zip(middle, angles, strict=True):
        outward = np.array([np.cos(turn), np.sin(turn), 0.0])
        upward = np.array([0.0, 0.0, 0.16 * pitch])
        rings.append(point + _WIRE * np.outer(np.cos(around), outward) + np.outer(np.sin(around), upward))
    return tube(rings)


def tube(rings: list[Array]) -> Mesh:
    """A surface through closed rings of equally many points, with flat ends."""
    count, sides = len(rings), len(rings[0])
    vertices = np.concatenate([*rings, [rings[0].mean(axis=0), rings[-1].mean(axis=0)]])
    faces: list[tuple[int, int, int]] = []
    for k in range(count - 1):
        for i in range(sides):
            a, b = k * sides + i, k * sides + (i + 1) % sides
            faces += [(a, b, b + sides), (a, b + sides, a + sides)]
    first, last = count * sides, count * sides + 1
    for i in range(sides):
        after = (i + 1) % sides
        faces += [(first, after, i), (last, (count - 1) * sides + i, (count - 1) * sides + after)]
    return Mesh(vertices, np.array(faces))


def plate(corners: Array, thickness: float) -> Mesh:
    """A plate of even thickness with the corners (n, 3) of a flat polygon that is star-shaped about its middle."""
    middle = corners.mean(axis=0)
    normal = np.linalg.svd(corners - middle)[2][2]
    half = 0.5 * thickness * normal
    sides = len(corners)
    vertices = np.concatenate([corners + half, corners - half, [middle + half, middle - half]])
    faces: list[tuple[int, int, int]] = []
    for i in range(sides):
        after = (i + 1) % sides
        faces += [(2 * sides, i, after), (2 * sides + 1, sides + after, sides + i)]
        faces += [(i, sides + i, sides + after), (i, sides + after, after)]
    return Mesh(vertices, np.array(faces))
