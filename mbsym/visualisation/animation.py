"""A motion as one HTML page with its own three-dimensional view; it loads nothing from elsewhere."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from itertools import product
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.environment import render_template
from mbsym.visualisation.skeleton import BOX_FACES, Skeleton
from mbsym.visualisation.surfaces import Surface

Array: TypeAlias = NDArray[Any]

TEMPLATE: Final = "animation/page.html.jinja"

_SMALLEST: Final = 1e-3
"""Least radius of a scene [m]."""

_FLAT: Final = 1e-6
"""Part of the largest extent below which a motion counts as planar."""

_LARGEST_BASE: Final = 1.5
"""Size of a shape of ground, to that of what moves, beyond which it is no base but a floor or a wall."""


@dataclass(frozen=True, slots=True)
class Motion:
    """What moves: name and title, times (n,), body frames (n, nb, 4, 4) in base axes, and the mark of the file."""

    name: str
    title: str
    times: Array
    poses: Array
    mark: str


@dataclass(frozen=True, slots=True)
class PageContext:
    """Fields of ``animation/page.html.jinja``, escaped where they are text."""

    mark: str
    name: str
    title: str
    scene: str
    poses: str


def animation_html(shape: Skeleton, motion: Motion, surfaces: Sequence[Surface] = ()) -> str:
    """The page.

    Args:
        shape: lines of the mechanism.
        motion: of its bodies.
        surfaces: of its bodies and ground.
    """
    labels = {body.name: label for label, body in enumerate(shape.bodies, start=1)}
    moving = _moving_points(shape, motion.poses, _box_corners(surfaces))
    points = _with_ground(shape, surfaces, labels, moving.reshape(-1, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    path = 0.5 * (moving.min(axis=1) + moving.max(axis=1))
    size = 0.5 * float(np.max(np.linalg.norm(moving.max(axis=1) - moving.min(axis=1), axis=1)))
    scene = {
        **asdict(shape),
        "faces": BOX_FACES,
        "times": _rounded(motion.times),
        "center": _rounded(0.5 * (low + high)),
        "radius": max(_rounded([0.5 * float(np.linalg.norm(high - low))])[0], _SMALLEST),
        "hull": [_rounded(point) for point in _outermost(points)],
        "path": [_rounded(row) for row in path],
        "size": max(_rounded([size])[0], _SMALLEST),
        "view": asdict(view_of(points, np.array(shape.up))),
        "surfaces": [surface.as_scene(labels.get(surface.body, 0)) for surface in surfaces],
    }
    frames = np.ascontiguousarray(motion.poses[:, :, :3, :], dtype="<f4")
    return render_template(
        TEMPLATE,
        PageContext(
            escape(motion.mark),
            escape(motion.name),
            escape(motion.title),
            # A script ends at the first "</", wherever it stands.
            json.dumps(scene, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c"),
            base64.b64encode(frames.tobytes()).decode("ascii"),
        ),
    )


def _moving_points(shape: Skeleton, poses: Array, corners: dict[str, list[Array]]) -> Array:
    """Line ends, joints, centres of mass and corners of surfaces of all bodies in each frame (n, k, 3)."""
    found = []
    for k, body in enumerate(shape.bodies):
        own = np.array([*(point for line in body.lines for point in line), *body.joints, body.center])
        own = np.concatenate([own, *corners.get(body.name, [])])
        found.append(np.einsum("nij,pj->npi", poses[:, k, :3, :3], own) + poses[:, k, None, :3, 3])
    return np.concatenate(found, axis=1)


def _box_corners(surfaces: Sequence[Surface]) -> dict[str, list[Array]]:
    """The corners of the boxes around the surfaces of each body, in its frame (8, 3)."""
    found: dict[str, list[Array]] = {}
    for surface in surfaces:
        ends = np.array([surface.vertices.min(axis=0), surface.vertices.max(axis=0)])
        corners = np.array([[ends[i][0], ends[j][1], ends[k][2]] for i, j, k in product((0, 1), repeat=3)])
        found.setdefault(surface.body, []).append(corners)
    return found


def _with_ground(shape: Skeleton, surfaces: Sequence[Surface], labels: Mapping[str, int], moving: Array) -> Array:
    """The points that a picture holds (k, 3): those that move, joints on ground, and shapes of ground but floors, which
    are larger than all that moves."""
    found = [np.array(shape.ground, dtype=float).reshape(-1, 3), moving]
    extent = float(np.max(moving.max(axis=0) - moving.min(axis=0), initial=0.0))
    for surface in surfaces:
        low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
        if surface.body not in labels and float(np.max(high - low)) <= _LARGEST_BASE * extent:
            found.append(np.array([low, high]))
    return np.concatenate(found)


def _outermost(points: Array) -> Array:
    """Points that reach farthest in directions all round, which a picture of all must hold (k, 3)."""
    ways = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
    found: Array = points[np.unique(np.argmax(points @ ways.T, axis=0))]
    return found


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{x:.6g}") + 0.0 for x in values]


@dataclass(frozen=True, slots=True)
class View:
    """Where the eye stands: two level axes with up to their left, and its azimuth and elevation [degrees]."""

    axes: tuple[list[float], list[float]]
    azimuth: float
    elevation: float


def view_of(points: Array, up: Array) -> View:
    """Straight on for points in an upright plane, else aslant."""
    level = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    first = level - (level @ up) * up
    first /= np.linalg.norm(first)
    second = np.cross(up, first)
    azimuth, elevation = -52.0, 22.0
    _, sizes, axes = np.linalg.svd(np.cov(points.T))
    normal = axes[2]
    if sizes[1] > 0.0 and sizes[2] < _FLAT**2 * sizes[0] and abs(normal @ up) < 1e-3:
        right = np.cross(up, normal)
        eye = normal if right[np.argmax(np.abs(right))] > 0.0 else -normal
        azimuth, elevation = float(np.degrees(np.arctan2(eye @ second, eye @ first))), 0.0
    return View((first.tolist(), second.tolist()), round(azimuth, 6), elevation)
