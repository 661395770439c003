"""Shapes in animated pages: where they are, their colours, how many triangles, and what is left out and why."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.visualisation import surfaces
from mbsym.visualisation.parts import Mesh
from mbsym.visualisation.surfaces import MOST_FACES, surfaces_of
from mechanisms.bracket import bracket, write_stl

ARM = """name: arm
parameters: {l: 0.4}
bodies:
  rod:
    mass: 1
    inertia: [1, 1, 1]
    geometry:
      - {type: box, size: [0.1, 0.2, l], at: {translation: [0, 0, -l/2], rotation: [[z, pi/2]]}, color: [1, 0, 0, 0.5]}
      - {type: mesh, file: b.stl, scale: [-0.1, 0.1, 0.1], at: [1, 0, 0]}
joints: {pin: {type: revolute, from: ground, to: rod, axis: y}}
ground_geometry:
  - {type: sphere, radius: 0.05}
  - {type: box, size: [100, 100, 1]}
"""


def arm(directory: Path) -> mbsym.Model:
    return replace(read_native(TextSource("arm.yaml", ARM)), directory=str(directory))


def test_surfaces_are_where_shapes_are(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    write_stl(tmp_path / "b.stl", *bracket())
    (_, _, box, mesh), warnings = surfaces_of(arm(tmp_path))
    assert warnings == ()
    assert (box.body, box.color) == ("rod", (1.0, 0.0, 0.0, 0.5))
    assert box.vertices.min(axis=0) == pytest.approx([-0.1, -0.05, -0.4])
    assert box.vertices.max(axis=0) == pytest.approx([0.1, 0.05, 0.0])
    assert mesh.color is None
    assert mesh.vertices.min(axis=0) == pytest.approx([0.8, 0.0, 0.0])
    assert mesh.vertices.max(axis=0) == pytest.approx([1.0, 0.3, 0.05])


def test_a_missing_mesh_is_a_warning(tmp_path: Path) -> None:
    surfaces, warnings = surfaces_of(arm(tmp_path))
    assert len(surfaces) == 3
    assert warnings == (f"a mesh of rod is not drawn: there is no mesh 'b.stl'; looked for {tmp_path / 'b.stl'}",)


def test_pictures_are_bounded_and_repeatable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the usual bound, so that a tenth of the faces are too many."""
    pytest.importorskip("trimesh")
    most = MOST_FACES // 10
    monkeypatch.setattr(surfaces, "MOST_FACES", most)
    angles = np.linspace(0, 2 * np.pi, 101)
    a, b = np.repeat(angles, 101), np.tile(angles / 2, 101)
    grid = np.column_stack([np.cos(a) * np.sin(b), np.sin(a) * np.sin(b), np.cos(b)])
    at = np.arange(100 * 101)
    faces = np.concatenate([np.column_stack([at, at + 1, at + 101]), np.column_stack([at + 1, at + 102, at + 101])])
    faces = faces[(faces < len(grid)).all(axis=1)]
    write_stl(tmp_path / "b.stl", grid, faces)
    assert len(faces) > 2 * most
    model = arm(tmp_path)
    model = replace(model, shapes=(*model.shapes, *model.shapes[-1:]))
    first, second = surfaces_of(model)[0], surfaces_of(model)[0]
    assert sum(len(surface.faces) for surface in first) <= most
    assert min(len(surface.faces) for surface in first[-2:]) > most / 8
    for one, other in zip(first, second, strict=True):
        assert Mesh(one.vertices, one.faces).as_scene() == Mesh(other.vertices, other.faces).as_scene()


def test_a_page_holds_the_surfaces(tmp_path: Path) -> None:
    told: list[str] = []
    result = mbsym.simulate(arm(tmp_path), 0.1, preparation=mbsym.Preparation("numpy"))
    page = result.animate(tmp_path / "run.html", tell=told.append).read_text(encoding="utf-8")
    assert len(told) == 1
    scene = json.loads(re.search(r'id="scene">(.*?)</script>', page).group(1))  # type: ignore[union-attr]
    shapes = [part for part in scene["parts"] if part["role"] == "shape"]
    assert [part["body"] for part in shapes] == [0, 0, 1]
    # A body that has shapes is not drawn by its links too.
    assert all(part["role"] == "shape" for part in scene["parts"])
    box = scene["meshes"][shapes[2]["mesh"]]
    steps = np.frombuffer(base64.b64decode(box["vertices"]), dtype="<u2").reshape(-1, 3)
    vertices = np.array(box["low"]) + np.array(box["span"]) * steps / 65535
    assert vertices.min(axis=0) == pytest.approx([-0.1, -0.05, -0.4], abs=1e-6)
    assert len(base64.b64decode(box["faces"])) == 12 * 6
    # The floor is no part of what the camera must hold.
    assert scene["radius"] < 2
    assert np.abs(scene["hull"]).max() < 2
