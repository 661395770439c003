"""Triangles of forms are closed and nearly as large as what they stand for; decimated meshes keep their size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbsym.shapes.mesh_file import Triangles
from mbsym.shapes.mesh_mass import mesh_mass, surface_fault
from mbsym.shapes.tessellation import ROUND, Surface, box, capsule, cylinder, decimated, ellipsoid, merged
from mechanisms.bracket import bracket

SOLIDS = {
    "box": (box(np.array([1.0, 2.0, 3.0])), 6.0, (1.0, 2.0, 3.0)),
    "ellipsoid": (ellipsoid(np.array([1.0, 2.0, 3.0])), 8 * math.pi, (2.0, 4.0, 6.0)),
    "cylinder": (cylinder(0.5, 2.0), 0.5 * math.pi, (1.0, 1.0, 2.0)),
    "capsule": (capsule(0.5, 2.0), 0.5 * math.pi + math.pi / 6, (1.0, 1.0, 3.0)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_forms_are_closed_and_of_their_size(name: str) -> None:
    (vertices, faces), volume, size = SOLIDS[name]
    assert surface_fault(Triangles(vertices, faces)) == ""
    found = mesh_mass(Triangles(vertices, faces))
    # A polygon of so many corners holds this share of its circle, twice over for what is round both ways.
    share = (math.sin(2 * math.pi / ROUND) * ROUND / (2 * math.pi)) ** 2
    assert share * volume * 0.99 <= found.volume <= volume * (1 + 1e-12)
    assert found.center == pytest.approx([0, 0, 0], abs=1e-12)
    assert np.ptp(vertices, axis=0) == pytest.approx(size)


def test_small_meshes_stay_as_they_are() -> None:
    vertices, faces = bracket()
    apart = vertices[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)
    points, places = decimated(*apart, 100)
    assert len(points) == 12 and len(places) == 20
    assert np.array_equal(points[places], apart[0].reshape(-1, 3, 3))


@pytest.mark.parametrize("most", [100, 400, 2000])
def test_decimated_meshes_keep_their_size(most: int) -> None:
    sphere = finer(*ellipsoid(np.ones(3)))
    points, faces = decimated(*sphere, most)
    assert most // 4 < len(faces) <= most
    assert np.abs(points).max() > 0.85
    assert mesh_mass(Triangles(points, faces)).volume > 0.75 * 4 / 3 * math.pi
    again = decimated(*sphere, most)
    assert np.array_equal(points, again[0]) and np.array_equal(faces, again[1])


def finer(vertices: np.ndarray, faces: np.ndarray) -> Surface:
    """Each face as four, on the unit sphere."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    d, e, f = (a + b) / 2, (b + c) / 2, (c + a) / 2
    corners = np.concatenate([np.stack(part, axis=1) for part in ((a, d, f), (d, b, e), (f, e, c), (d, e, f))])
    points = corners.reshape(-1, 3) / np.linalg.norm(corners.reshape(-1, 3), axis=1, keepdims=True)
    return merged(points, np.arange(len(points)).reshape(-1, 3))
