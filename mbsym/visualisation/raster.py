"""Pictures of scenes without a browser: triangles in perspective, lit as on the pages, into an array of colours.

The eye stands as on the pages: central perspective, six radii away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.visualisation.linkage import scenery
from mbsym.visualisation.parts import STONE, Mesh, Scenery, body_color
from mbsym.visualisation.scene import Extent, extent, level_axes
from mbsym.visualisation.skeleton import Skeleton
from mbsym.visualisation.surfaces import Surface

DISTANCE: Final = 6.0
"""Of the eye from the middle, in radii."""

_NEAREST: Final = 0.2
"""Of a point to the eye, in radii; what is nearer is taken to be there."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """An eye.

    Attributes:
        eye, right, above: towards it, to the right and upwards in the picture, unit vectors (3,).
        center, radius: of what it looks at [m].
        size: width and height of the picture [pixels].
        scale: of the plane through the middle [pixels/m].
        shift: of the picture to the right and down [pixels].
    """

    eye: Array
    right: Array
    above: Array
    center: Array
    radius: float
    size: tuple[float, float]
    scale: float
    shift: tuple[float, float] = (0.0, 0.0)

    def see(self, points: Array) -> tuple[Array, Array]:
        """Places in the picture (n, 2) [pixels] and distances (n,) [radii] of points (n, 3)."""
        d = points - self.center
        away = np.maximum(DISTANCE - d @ self.eye / self.radius, _NEAREST)
        w = self.scale * DISTANCE / away
        x = self.size[0] / 2 + self.shift[0] + w * (d @ self.right)
        y = self.size[1] / 2 + self.shift[1] - w * (d @ self.above)
        return np.column_stack([x, y]), away

    def bounds(self, points: Array) -> tuple[Array, Array]:
        """Least and largest place in the picture (2,), (2,)."""
        places, _ = self.see(points)
        return places.min(axis=0), places.max(axis=0)


def camera(where: Extent, up: Array, size: tuple[float, float]) -> Camera:
    """The eye that a motion fills the picture for, but no farther away than the start fills half of it.

    Args:
        where: the motion goes.
        up: unit vector.
        size: of the picture [pixels].
    """
    center, radius = where.sphere
    plain = Camera(*where.view.directions(up), center, radius, size, 0.44 * min(size) / radius)
    whole, half = _room(plain, where.all), _room(plain, where.start) / 1.5
    near = replace(plain, scale=plain.scale * max(whole, half))
    low, high = near.bounds(where.all if whole >= half else where.start)
    x, y = (np.array(size) - low - high) / 2
    return replace(near, shift=(float(x), float(y)))


def _room(eye: Camera, points: Array) -> float:
    """By how much the picture may be magnified for points to stay in it."""
    low, high = eye.bounds(points)
    room = np.array([0.84, 0.78]) * np.array(eye.size) / np.maximum(high - low, 1e-6)
    return float(np.min(room))


SIZE: Final = (480, 300)
"""Width and height of moving pictures [pixels]."""

PAPER: Final = (255, 255, 255)
"""Behind everything."""

_GRID: Final = (225 / 255, 231 / 255, 237 / 255)
_EDGE: Final = (174 / 255, 184 / 255, 194 / 255)

_SMOOTH: Final = 0.77
"""Cosine of the angle up to which neighbouring faces share a normal."""

_LINES: Final = 12
"""Of the floor to each side."""


def film(
    shape: Skeleton, poses: Array, surfaces: Sequence[Surface] = (), size: tuple[int, int] = SIZE
) -> Iterator[Array]:
    """A picture (height, width, 3) of bytes of each position, from where the pages look.

    Args:
        shape: lines of the mechanism.
        poses: body frames in base axes (n, nb, 4, 4).
        surfaces: of its bodies and ground.
        size: width and height [pixels].
    """
    up = np.array(shape.up)
    items = scenery(shape, poses[0], surfaces)
    where = extent(shape, items, poses)
    painter = Painter(items, camera(where, up, size), up, where.floor)
    return (painter.paint(frames) for frames in poses)


@dataclass(frozen=True, slots=True, eq=False)
class _Dots:
    """Dots of triangles: where they are in the picture, how far away, their colour."""

    place: Array
    away: Array
    color: Array


class Painter:
    """Draws a scene in any position of its bodies."""

    def __init__(self, items: Scenery, eye: Camera, up: Array, floor: float | None, *, fine: int = 2) -> None:
        """Prepares what stays.

        Args:
            items: parts.
            eye: where it is seen from.
            up: unit vector.
            floor: its height, None for none.
            fine: dots in each direction that a pixel is the mean of.
        """
        self._items, self._fine = items, fine
        width, height = (int(size) for size in eye.size)
        self._size = (height * fine, width * fine)
        shift = (eye.shift[0] * fine, eye.shift[1] * fine)
        self._eye = replace(eye, size=(width * fine, height * fine), scale=eye.scale * fine, shift=shift)
        self._normals = {key: _normals(mesh) for key, mesh in items.meshes.items()}
        self._paper = np.tile(np.array(PAPER) / 255, (self._size[0] * self._size[1], 1))
        if floor is not None:
            self._draw_floor(up, floor)

    def paint(self, poses: Array) -> Array:
        """The picture with bodies at these frames (nb, 4, 4), as bytes (height, width, 3)."""
        frames = [np.eye(4), *poses]
        solid: list[_Dots] = []
        clear: list[tuple[float, _Dots]] = []
        for part in self._items.parts:
            opacity = 1.0 if part.color is None else part.color[3]
            color = part.color or (*body_color(part.body), 1.0) if part.body else part.color or STONE
            placement = frames[part.body][:3] @ np.vstack([part.placement, [0.0, 0.0, 0.0, 1.0]])
            dots = self._dots(part.mesh, placement, np.array(color[:3]))
            if opacity < 1.0:
                clear.append((opacity, dots))
            else:
                solid.append(dots)
        for item in self._items.stretched:
            ends = [
                frames[label][:3, :3] @ np.array(point) + frames[label][:3, 3]
                for label, point in ((item.first, item.first_point), (item.second, item.second_point))
            ]
            solid.append(self._dots(item.mesh, item.placement(*ends), np.array(item.color[:3])))
        picture = self._paper.copy()
        depth = np.full(len(picture), np.inf)
        _put(picture, depth, solid, 1.0)
        for opacity, dots in clear:
            _put(picture, depth.copy(), [dots], opacity)
        height, width = (size // self._fine for size in self._size)
        blocks = picture.reshape(height, self._fine, width, self._fine, 3)
        found: Array = np.rint(255.0 * np.clip(blocks.mean(axis=(1, 3)), 0.0, 1.0)).astype(np.uint8)
        return found

    def _dots(self, mesh: Mesh, placement: Array, color: Array) -> _Dots:
        """Those of a mesh in base axes, lit."""
        linear = placement[:, :3]
        points = mesh.vertices @ linear.T + placement[:, 3]
        sizes = np.maximum(np.sum(linear * linear, axis=0), 1e-300)
        turned = self._normals[id(mesh)] @ (linear / sizes).T
        turned /= np.maximum(np.linalg.norm(turned, axis=-1, keepdims=True), 1e-300)
        seen = turned @ np.column_stack([self._eye.right, self._eye.above, self._eye.eye])
        places, away = self._eye.see(points)
        return _filled(places[mesh.faces], away[mesh.faces], _lit(color, seen), self._size)

    def _draw_floor(self, up: Array, floor: float) -> None:
        eye = self._eye
        if abs(float(eye.eye @ up)) < 0.1:
            below = eye.center + (floor - float(eye.center @ up)) * up
            y = int(np.clip(round(float(eye.see(below[None])[0][0, 1])), 0, self._size[0]))
            area = self._paper.reshape(*self._size, 3)
            area[y:] = 0.4 * area[y:] + 0.6 * np.array(_GRID)
            area[y : y + self._fine] = _EDGE
            return
        size = 10.0 ** np.floor(np.log10(eye.radius / 2))
        step = size * max(factor for factor in (1, 2, 5) if factor * size <= eye.radius / 2)
        level = level_axes(up)
        start = sum(np.round(eye.center @ axis / step) * step * axis for axis in level) + floor * up
        reach = _LINES * step
        for along, across in (level, level[::-1]):
            for k in range(-_LINES, _LINES + 1):
                a, b = (start + k * step * across + sign * reach * along for sign in (-1.0, 1.0))
                self._line(np.array([a, b]), np.array(_GRID))

    def _line(self, ends: Array, color: Array) -> None:
        """A line as thick as a pixel, behind everything."""
        (a, b), _ = self._eye.see(ends)
        across = np.array([a[1] - b[1], b[0] - a[0]])
        across *= 0.5 * self._fine / max(float(np.linalg.norm(across)), 1e-300)
        corners = np.array([[a + across, a - across, b - across], [a + across, b - across, b + across]])
        dots = _filled(corners, np.ones((2, 3)), np.tile(color, (2, 3, 1)), self._size)
        self._paper[dots.place] = dots.color


def _normals(mesh: Mesh) -> Array:
    """Normals at the corners of faces (m, 3, 3), those of neighbours joined where they bend little."""
    corners = mesh.vertices[mesh.faces]
    own = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-300)
    around: list[list[int]] = [[] for _ in range(len(mesh.vertices))]
    for number, face in enumerate(mesh.faces):
        for corner in face:
            around[corner].append(number)
    found = np.empty((len(mesh.faces), 3, 3))
    for number, face in enumerate(mesh.faces):
        for place, corner in enumerate(face):
            near = np.array(around[corner])
            found[number, place] = own[near[unit[near] @ unit[number] > _SMOOTH]].sum(axis=0)
    return found


def _lit(color: Array, normals: Array) -> Array:
    """Colours of surfaces whose normals are given to the right, upwards and to the eye, as the pages light them."""
    n = normals * np.where(normals[..., 2:] < 0.0, -1.0, 1.0)
    key = np.maximum(n @ (-0.42, 0.66, 0.62), 0.0)
    fill = np.maximum(n @ (0.7, 0.1, 0.7), 0.0)
    shine = np.maximum(n @ (-0.235, 0.369, 0.899), 0.0) ** 40
    bright = 0.42 + 0.1 * n[..., 1] + 0.52 * key + 0.16 * fill
    lit: Array = np.clip(color * bright[..., None] + (0.10 * shine + 0.02)[..., None], 0.0, 1.0)
    return lit


def _filled(places: Array, away: Array, colors: Array, size: tuple[int, int]) -> _Dots:
    """Dots whose middles lie in triangles, row by row of each.

    Args:
        places: of corners (m, 3, 2).
        away: their distances (m, 3).
        colors: of the corners (m, 3, 3).
        size: height and width of the picture.
    """
    height, width = size
    x, y = places[..., 0], places[..., 1]
    top = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, height).astype(np.int64)
    bottom = np.clip(np.ceil(y.max(axis=1) - 0.5), 0, height).astype(np.int64)
    face, row = _ranges(top, bottom)
    middle = row + 0.5
    left, right = np.full(len(face), np.inf), np.full(len(face), -np.inf)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        start, end = y[face, i], y[face, j]
        met = (np.minimum(start, end) <= middle) & (middle < np.maximum(start, end))
        part = np.where(met, (middle - start) / np.where(met, end - start, 1.0), 0.0)
        at = x[face, i] + part * (x[face, j] - x[face, i])
        left = np.where(met, np.minimum(left, at), left)
        right = np.where(met, np.maximum(right, at), right)
    first = np.clip(np.ceil(np.where(left <= right, left, 0.0) - 0.5), 0, width).astype(np.int64)
    last = np.clip(np.ceil(np.where(left <= right, right, 0.0) - 0.5), 0, width).astype(np.int64)
    span, column = _ranges(first, last)
    face, row = face[span], row[span]
    a, b, c = (places[face, k] for k in range(3))
    dots = np.column_stack([column + 0.5, row + 0.5])
    area = _turn(b - a, c - a)
    # Shares of the corners; in perspective what is linear in space is linear in 1/w.
    shares = np.stack([_turn(b - dots, c - dots), _turn(c - dots, a - dots)], axis=-1) / area[:, None]
    weights = np.column_stack([shares, 1.0 - shares.sum(axis=1)]) / away[face]
    distance = 1.0 / weights.sum(axis=1)
    color = np.einsum("nk,nkc->nc", weights * distance[:, None], colors[face])
    return _Dots(row * width + column, distance, color)


def _ranges(start: Array, stop: Array) -> tuple[Array, Array]:
    """Numbers from each start to each stop one behind the other, and which of them each belongs to first."""
    counts = np.maximum(stop - start, 0)
    owner = np.repeat(np.arange(len(counts)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return owner, np.arange(len(owner)) - before + start[owner]


def _turn(a: Array, b: Array) -> Array:
    turned: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return turned


def _put(picture: Array, depth: Array, dots: Sequence[_Dots], opacity: float) -> None:
    """Puts the nearest dots into the picture where nothing nearer is, in place."""
    if not dots:
        return
    place, away, color = (np.concatenate([getattr(item, key) for item in dots]) for key in ("place", "away", "color"))
    # The nearest dot of each place comes first.
    order = np.lexsort((np.arange(len(place)), away, place))
    first = order[np.concatenate([[True], np.diff(place[order]) > 0])] if len(order) else order
    first = first[away[first] < depth[place[first]]]
    at = place[first]
    picture[at] = opacity * color[first] + (1.0 - opacity) * picture[at]
    depth[at] = away[first]
