"""What a page knows of a mechanism besides its motion: lines, parts, where the camera and the floor are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Final

import numpy as np

from mbsym.codegen.environment import fixed_text
from mbsym.doors import Array
from mbsym.visualisation.parts import Scenery, rounded
from mbsym.visualisation.skeleton import BOX_FACES, BodyShape, Skeleton

_SMALLEST: Final = 1e-3
"""Least radius of a scene [m]."""

_FLAT: Final = 1e-6
"""Part of the largest extent below which a motion counts as planar."""

_LARGEST_BASE: Final = 1.5
"""Size of a shape of ground, to that of what moves, beyond which it is no base but a floor or a wall."""

_MOST_FRAMES: Final = 120
"""Frames that are looked at for the extent of a motion."""

_WAYS: Final = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
"""Directions all round, in which extents are taken."""


@dataclass(frozen=True, slots=True)
class View:
    """Where the eye stands: two level axes with up to their left, and its azimuth and elevation [degrees]."""

    axes: tuple[list[float], list[float]]
    azimuth: float
    elevation: float

    def directions(self, up: Array) -> tuple[Array, Array, Array]:
        """Towards the eye, to the right and upwards in the picture."""
        first, second = (np.array(axis) for axis in self.axes)
        azimuth, elevation = np.radians([self.azimuth, self.elevation])
        side = np.cos(azimuth) * first + np.sin(azimuth) * second
        return (
            np.cos(elevation) * side + np.sin(elevation) * up,
            -np.sin(azimuth) * first + np.cos(azimuth) * second,
            np.cos(elevation) * up - np.sin(elevation) * side,
        )


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a motion goes.

    Attributes:
        start: outermost points at the start (k, 3).
        all: outermost points of the whole motion (k, 3).
        path: the middle of what moves in each frame (n, 3).
        size: radius of what moves at its largest.
        floor: height of the lowest point, None where the model brings its own floor or has no weight.
        view: of the eye.
    """

    start: Array
    all: Array
    path: Array
    size: float
    floor: float | None
    view: View

    @property
    def sphere(self) -> tuple[Array, float]:
        """Middle and radius of a ball around the box of all points."""
        low, high = self.all.min(axis=0), self.all.max(axis=0)
        return 0.5 * (low + high), max(0.5 * float(np.linalg.norm(high - low)), _SMALLEST)


def extent(shape: Skeleton, items: Scenery, poses: Array) -> Extent:
    """Where the bodies go.

    Args:
        shape: lines of the mechanism.
        items: its parts.
        poses: body frames in base axes (n, nb, 4, 4).
    """
    up = np.array(shape.up)
    drawn = [k for k, body in enumerate(shape.bodies) if body.is_drawn]
    poses = poses[:, drawn]
    lines = _lines([shape.bodies[k] for k in drawn], poses)
    own = _vertices(shape, items)
    own = [own[k + 1] for k in drawn]
    chosen = np.unique(np.linspace(0, len(poses) - 1, _MOST_FRAMES).round().astype(int))
    size = float(np.max(np.ptp(lines.reshape(-1, 3), axis=0), initial=0.0))
    size = size or max(float(np.max(np.ptp(points, axis=0), initial=0.0)) for points in own)
    bases = [part.vertices for part in items.parts if not part.body]
    kept = [points for points in bases if float(np.max(np.ptp(points, axis=0))) <= _LARGEST_BASE * size]
    ends = [*shape.ground]
    for item in items.stretched:
        ends += [item.first_point] * (item.first == 0) + [item.second_point] * (item.second == 0)
    fixed = np.concatenate([np.array(ends, dtype=float).reshape(-1, 3), *kept])
    start = _outermost(np.concatenate([fixed, *_reached(own, poses[:1])]))
    everywhere = _outermost(np.concatenate([fixed, start, *_reached(own, poses[chosen])]))
    brought = len(kept) < len(bases)
    floor: float | None = None
    if shape.has_weight and not brought:
        # Heights of all vertices in all frames: up . (R p + r).
        low = [
            np.min((up @ poses[:, k, :3, :3]) @ points.T, axis=1) + poses[:, k, :3, 3] @ up
            for k, points in enumerate(own)
        ]
        floor = min(float(np.min(heights)) for heights in (*low, everywhere @ up))
    reach = [np.einsum("nij,pj->npi", poses[:, k, :3, :3], _outermost(points)) for k, points in enumerate(own)]
    moving = np.concatenate([lines, *(at + poses[:, k, None, :3, 3] for k, at in enumerate(reach))], axis=1)
    low, high = moving.min(axis=1), moving.max(axis=1)
    return Extent(
        start,
        everywhere,
        0.5 * (low + high),
        max(0.5 * float(np.max(np.linalg.norm(high - low, axis=1))), _SMALLEST),
        floor,
        view_of(np.concatenate([lines.reshape(-1, 3), np.array(shape.ground, dtype=float).reshape(-1, 3)]), up),
    )


def scene_of(shape: Skeleton, items: Scenery, where: Extent) -> dict[str, object]:
    """All of it as lists and dictionaries that JSON can hold."""
    center, radius = where.sphere
    return {
        **asdict(shape),
        **items.as_scene(),
        "faces": BOX_FACES,
        "center": rounded(center),
        "radius": rounded([radius])[0],
        "start": [rounded(point) for point in where.start],
        "hull": [rounded(point) for point in where.all],
        "path": [rounded(row) for row in where.path],
        "size": rounded([where.size])[0],
        "floor": None if where.floor is None else float(where.floor),
        "view": asdict(where.view),
    }


def scene_text(scene: Mapping[str, object]) -> str:
    """JSON that a script may hold, which ends at the first "</", wherever that stands."""
    return json.dumps(scene, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def script(*names: str) -> str:
    """Fixed texts in JavaScript, one after the other."""
    return "\n".join(fixed_text(f"javascript/{name}.js", "") for name in names)


def level_axes(up: Array) -> tuple[Array, Array]:
    """Two level directions, up to their left."""
    level = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    first = level - (level @ up) * up
    first /= np.linalg.norm(first)
    return first, np.cross(up, first)


def view_of(points: Array, up: Array) -> View:
    """Straight on for points in an upright plane, else aslant."""
    first, second = level_axes(up)
    azimuth, elevation = -52.0, 22.0
    _, sizes, axes = np.linalg.svd(np.cov(points.T))
    normal = axes[2]
    if sizes[1] > 0.0 and sizes[2] < _FLAT**2 * sizes[0] and abs(normal @ up) < 1e-3:
        right = np.cross(up, normal)
        eye = normal if right[np.argmax(np.abs(right))] > 0.0 else -normal
        azimuth, elevation = float(np.degrees(np.arctan2(eye @ second, eye @ first))), 0.0
    return View((first.tolist(), second.tolist()), round(azimuth, 6), elevation)


def _lines(bodies: Sequence[BodyShape], poses: Array) -> Array:
    """Line ends, joints and centres of mass of bodies in each frame (n, k, 3)."""
    found = []
    for k, body in enumerate(bodies):
        own = np.array([*(point for line in body.lines for point in line), *body.joints, body.center])
        found.append(np.einsum("nij,pj->npi", poses[:, k, :3, :3], own) + poses[:, k, None, :3, 3])
    return np.concatenate(found, axis=1)


def _vertices(shape: Skeleton, items: Scenery) -> list[Array]:
    """All vertices on ground and on each body, in its frame (k, 3), its centre of mass among them."""
    found: list[list[Array]] = [[np.array(shape.ground, dtype=float).reshape(-1, 3)]]
    found += [[np.array([body.center])] for body in shape.bodies]
    for part in items.parts:
        found[part.body].append(part.vertices)
    for item in items.stretched:
        for label, point in ((item.first, item.first_point), (item.second, item.second_point)):
            found[label].append(np.array([point], dtype=float))
    return [np.concatenate(points) for points in found]


def _reached(own: Sequence[Array], poses: Array) -> list[Array]:
    """Of each body the points that come farthest in directions all round, where they are then (k, 3)."""
    found = []
    for k, points in enumerate(own):
        ways = _WAYS @ poses[:, k, :3, :3]
        heights = ways @ points.T + (poses[:, k, :3, 3] @ _WAYS.T)[:, :, None]
        for way in range(len(_WAYS)):
            frame, place = np.unravel_index(int(np.argmax(heights[:, way])), heights[:, way].shape)
            found.append(poses[frame, k, :3, :3] @ points[place] + poses[frame, k, :3, 3])
    return [np.array(found)]


def _outermost(points: Array) -> Array:
    """Points that reach farthest in directions all round, which a picture of all must hold (k, 3)."""
    found: Array = points[np.unique(np.argmax(points @ _WAYS.T, axis=0))]
    return found
