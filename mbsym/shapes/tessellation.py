"""Forms as triangles, and meshes with fewer of them, for pictures."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from mbsym.doors import Array

Surface: TypeAlias = tuple[Array, Array]
"""Vertices (n, 3) and faces (m, 3), which are seen from outside anticlockwise."""

ROUND: Final = 32
"""Corners of what stands for a circle."""

FINEST: Final = 256
"""Cells along the longest side of a mesh beyond which decimation does not look."""


def box(size: Array) -> Surface:
    """A box about the origin by the lengths of its edges (3,)."""
    signs = np.array([(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
    corners = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [face for a, b, c, d in corners for face in ((a, b, c), (a, c, d))]
    return signs * size, np.array(faces)


def ellipsoid(radii: Array) -> Surface:
    """An ellipsoid about the origin by its half axes (3,)."""
    angles = np.linspace(0.5 * np.pi, -0.5 * np.pi, ROUND // 2 + 1)
    vertices, faces = _turned(np.cos(angles), np.sin(angles))
    return vertices * radii, faces


def cylinder(radius: float, length: float) -> Surface:
    """A cylinder along z about the origin."""
    half = 0.5 * length
    return _turned(np.array([0.0, radius, radius, 0.0]), np.array([half, half, -half, -half]))


def capsule(radius: float, length: float) -> Surface:
    """A cylinder along z about the origin, with half spheres on its ends."""
    up = np.linspace(0.5 * np.pi, 0.0, ROUND // 4 + 1)
    radii, heights = radius * np.cos(up), radius * np.sin(up) + 0.5 * length
    return _turned(np.concatenate([radii, radii[::-1]]), np.concatenate([heights, -heights[::-1]]))


def _turned(radii: Array, heights: Array) -> Surface:
    """The surface that a line makes as it turns about z, from top to bottom; both ends lie on the axis."""
    angles = 2 * np.pi * np.arange(ROUND) / ROUND
    rings = [np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(ROUND, z)]) for r, z in
             zip(radii[1:-1], heights[1:-1], strict=True)]  # fmt: skip
    vertices = np.concatenate([[[0.0, 0.0, heights[0]]], *rings, [[0.0, 0.0, heights[-1]]]])
    faces: list[tuple[int, int, int]] = []
    last = len(vertices) - 1
    for k in range(ROUND):
        after = (k + 1) % ROUND
        faces.append((0, 1 + k, 1 + after))
        for ring in range(len(rings) - 1):
            a, b = 1 + ring * ROUND + k, 1 + ring * ROUND + after
            faces += [(a, a + ROUND, b + ROUND), (a, b + ROUND, b)]
        faces.append((last, last - ROUND + after, last - ROUND + k))
    return vertices, np.array(faces)


def merged(vertices: Array, faces: Array) -> Surface:
    """The same surface with each vertex once, and without faces that have no area."""
    points, places = np.unique(vertices, axis=0, return_inverse=True)
    return _without_slivers(points, places.reshape(-1)[faces])


def decimated(vertices: Array, faces: Array, most: int) -> Surface:
    """A coarser surface: the vertices of a cell of a grid become one, in the finest grid that leaves few enough faces.

    Args:
        vertices: (n, 3).
        faces: (m, 3).
        most: faces that may be left.
    """
    vertices, faces = merged(vertices, faces)
    if len(faces) <= most:
        return vertices, faces
    fine, coarse = FINEST, 2
    best = _clustered(vertices, faces, coarse)
    while fine - coarse > 1:
        middle = (fine + coarse) // 2
        found = _clustered(vertices, faces, middle)
        if len(found[1]) <= most:
            best, coarse = found, middle
        else:
            fine = middle
    return best


def _clustered(vertices: Array, faces: Array, cells: int) -> Surface:
    low = vertices.min(axis=0)
    side = float(np.max(vertices.max(axis=0) - low)) / cells
    keys = np.floor((vertices - low) / max(side, 1e-300)).astype(np.int64)
    _, places, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    places = places.reshape(-1)
    middles = np.zeros((len(counts), 3))
    np.add.at(middles, places, vertices)
    # The vertex nearest to the middle of its cell stays on the surface, which middles themselves would shrink.
    distances = np.linalg.norm(vertices - (middles / counts[:, None])[places], axis=1)
    order = np.lexsort((distances, places))
    nearest = order[np.searchsorted(places[order], np.arange(len(counts)))]
    return _without_slivers(vertices[nearest], places[faces])


def _without_slivers(vertices: Array, faces: Array) -> Surface:
    """Without faces that have two equal corners or that are there already, and without vertices that none has."""
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[distinct]
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    faces = faces[np.sort(first)]
    used, places = np.unique(faces, return_inverse=True)
    return vertices[used], places.reshape(-1, 3)
