"""Meshes that pictures are put together from, besides simple shapes."""

from __future__ import annotations

from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.visualisation.parts import Mesh

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
