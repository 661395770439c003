"""Where the eye stands and what it sees, as on the pages: central perspective, six radii away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.visualisation.scene import Extent

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
