"""A bracket, whose shape is not convex, as a closed surface, and files that hold it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

OUTLINE = ((0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3))
THICKNESS = 0.5
VOLUME = 4 * THICKNESS


def bracket() -> tuple[Array, Array]:
    """Vertices (12, 3) and faces (20, 3) of a prism over an L."""
    n = len(OUTLINE)
    vertices = np.array([(x, y, z) for z in (0.0, THICKNESS) for x, y in OUTLINE])
    flat = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in flat] + [(a + n, b + n, c + n) for a, b, c in flat]
    for k in range(n):
        after = (k + 1) % n
        faces += [(k, after, after + n), (k, after + n, k + n)]
    return vertices, np.array(faces)


def write_obj(path: Path, vertices: Array, faces: Array) -> Path:
    """A text file of the surface."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_stl(path: Path, vertices: Array, faces: Array) -> Path:
    """A binary file of the surface, in single precision."""
    record = np.zeros(len(faces), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    record["corners"] = vertices[faces]
    path.write_bytes(bytes(80) + np.uint32(len(faces)).tobytes() + record.tobytes())
    return path


def write_msh(path: Path, vertices: Array, faces: Array) -> Path:
    """A file of MuJoCo's own format, with a normal for each vertex and no texture."""
    header = np.array([len(vertices), len(vertices), 0, len(faces)], "<i4")
    normals = np.ones((len(vertices), 3))
    parts = (header, vertices.astype("<f4"), normals.astype("<f4"), faces.astype("<i4"))
    path.write_bytes(b"".join(part.tobytes() for part in parts))
    return path
