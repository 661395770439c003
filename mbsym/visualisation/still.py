"""A mechanism in one position as a picture for documents: lines, joints and boxes of inertia, seen from a distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.visualisation.parts import COLOURS
from mbsym.visualisation.scene import view_of
from mbsym.visualisation.skeleton import BOX_FACES, BodyShape, Skeleton

MARGIN: Final = 14.0
"""Around what is drawn [pixels]: half the thickness of lines and circles, and some air."""


def still_svg(shape: Skeleton, poses: Array, width: float = 420.0, height: float = 280.0) -> str:
    """The picture, which what is drawn fills.

    Args:
        shape: lines of the mechanism.
        poses: body frames in base axes (nb, 4, 4).
        width: of the picture [pixels].
        height: likewise.
    """
    frames = [np.eye(4), *poses]

    def there(label: int, point: Any) -> Array:
        return np.asarray(frames[label][:3, :3] @ np.asarray(point, dtype=float) + frames[label][:3, 3])

    points = [np.asarray(point, dtype=float) for point in shape.ground]
    drawn = [k for k, body in enumerate(shape.bodies) if body.is_drawn]
    for label, body in ((k + 1, shape.bodies[k]) for k in drawn):
        points += [there(label, point) for line in body.lines for point in line]
        points += [there(label, point) for point in (*body.joints, body.center, *body.box)]
    project = _Projection(np.array(points), np.array(shape.up), width, height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}"><rect width="100%" height="100%" fill="#fbfcfd"/>'
    ]
    for link in shape.links:
        ends = [there(link.first, link.first_point), there(link.second, link.second_point)]
        dashes = {"slide": "3 4", "spring": "8 3 2 3"}.get(link.kind, "none")
        parts.append(_line(project, ends, f'stroke="#6b7785" stroke-width="1.6" stroke-dasharray="{dashes}"'))
    order = sorted(drawn, key=lambda k: (project.depth(there(k + 1, shape.bodies[k].center)), k))
    for k in order:
        parts += _body(project, shape.bodies[k], COLOURS[k % len(COLOURS)], partial(there, k + 1))
    for point in shape.ground:
        x, y = project.at(np.asarray(point, dtype=float))
        parts.append(f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="#2b3a4a"/>')
    return "".join(parts) + "</svg>\n"


def _body(project: _Projection, body: BodyShape, colour: str, there: Callable[[Any], Array]) -> Iterator[str]:
    """A body's box, lines, joints and centre of mass, whose points are there."""
    yield f"<g><title>{escape(body.name)}</title>"
    corners = [there(corner) for corner in body.box]
    for face in BOX_FACES if corners else ():
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (project.at(corners[i]) for i in face))
        yield f'<polygon points="{places}" fill="{colour}" fill-opacity="0.12" stroke="{colour}" stroke-opacity="0.4"/>'
    for number, line in enumerate(body.lines):
        style = f'stroke="{colour}" stroke-width="{4 if number == 0 else 1.5}"'
        yield _line(project, [there(point) for point in line], style)
    for point in body.joints:
        yield _disc(project, there(point), 4.0, "#ffffff", "#2b3a4a")
    yield _disc(project, there(body.center), 3.0, colour, "#ffffff")
    yield "</g>"


class _Projection:
    """Points as they are seen in a picture that holds them all."""

    def __init__(self, points: Array, up: Array, width: float, height: float) -> None:
        view = view_of(points, up) if len(np.unique(points.round(12), axis=0)) > 2 else view_of(np.eye(3), up)
        self._eye, self._right, self._above = view.directions(up)
        seen = np.column_stack([points @ self._right, -points @ self._above])
        low, high = seen.min(axis=0), seen.max(axis=0)
        room = np.array([width, height]) - 2 * MARGIN
        self._scale = float(np.min(room / np.maximum(high - low, 1e-9 + 0.05 * float(np.max(high - low)))))
        self._shift = np.array([width, height]) / 2 - self._scale * (low + high) / 2

    def at(self, point: Array) -> tuple[float, float]:
        """Place of a point in the picture [pixels]."""
        x, y = self._scale * np.array([point @ self._right, -point @ self._above]) + self._shift
        return float(x), float(y)

    def depth(self, point: Array) -> float:
        """How near a point is to the eye."""
        return float(point @ self._eye)


def _line(project: _Projection, points: list[Array], style: str) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(project.at, points))
    return f'<polyline points="{places}" fill="none" {style} stroke-linecap="round" stroke-linejoin="round"/>'


def _disc(project: _Projection, point: Array, radius: float, fill: str, edge: str) -> str:
    x, y = project.at(point)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{edge}" stroke-width="1.4"/>'
