"""Files of meshes: where they are looked for, what is read, and what is said of those that cannot be."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym.errors import FormatError, ToolchainError
from mbsym.shapes.mesh_file import find_mesh, read_mesh
from mechanisms.bracket import bracket, write_msh, write_obj, write_stl

VERTICES, FACES = bracket()


def robot(tmp_path: Path) -> Path:
    """A package with a model directory and meshes beside it."""
    home = tmp_path / "share" / "arm" / "urdf"
    home.mkdir(parents=True)
    (home / "own.stl").touch()
    (home.parent / "meshes").mkdir()
    (home.parent / "meshes" / "link.stl").touch()
    (tmp_path / "stray.stl").touch()
    return home


def test_packages_are_found_around_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = robot(tmp_path)
    assert find_mesh("package://arm/meshes/link.stl", str(home)) == home.parent / "meshes" / "link.stl"
    assert find_mesh("own.stl", str(home)) == home / "own.stl"
    assert find_mesh(f"file://{home / 'own.stl'}", str(home)) == home / "own.stl"
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(FormatError, match="no directory 'arm' is around the file, or on the path of ROS_PACKAGE_PATH"):
        find_mesh("package://arm/meshes/link.stl", str(other))
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'share'}")
    assert find_mesh("package://arm/meshes/link.stl", str(other)) == home.parent / "meshes" / "link.stl"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("none.stl", "there is no mesh 'none.stl'; looked for {home}/none.stl"),
        ("package://arm/none.stl", "there is no mesh 'package://arm/none.stl'; looked in {home}/.."),
        ("package://arm/../../stray.stl", "there is no mesh"),
        ("package:///x.stl", "no directory '' is around"),
        ("../meshes/none.stl", "there is no mesh '../meshes/none.stl'; looked for"),
    ],
)
def test_it_is_said_where_was_looked(tmp_path: Path, file: str, message: str) -> None:
    home = robot(tmp_path)
    wanted = message.replace("{home}/..", str(home.parent)).replace("{home}", str(home))
    with pytest.raises(FormatError, match=re.escape(wanted)):
        find_mesh(file, str(home))


@pytest.mark.parametrize("write", [write_obj, write_stl])
def test_triangles_are_those_of_the_file(tmp_path: Path, write: Any) -> None:
    pytest.importorskip("trimesh")
    (surface,) = read_mesh(write(tmp_path / f"b{write.__name__.replace('write_', '.')}", VERTICES, FACES))
    assert np.array_equal(surface.vertices[surface.faces], VERTICES[FACES])
    assert surface.color is None


def test_colours_of_materials_are_kept(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    write_obj(tmp_path / "b.obj", VERTICES, FACES)
    text = (tmp_path / "b.obj").read_text(encoding="utf-8")
    text = text.replace("f 1", "usemtl red\nf 1", 1)
    (tmp_path / "b.obj").write_text(f"mtllib b.mtl\n{text}", encoding="utf-8")
    (tmp_path / "b.mtl").write_text("newmtl red\nKd 1 0 0\n", encoding="utf-8")
    (surface,) = read_mesh(tmp_path / "b.obj")
    assert surface.color == (1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.step", b"x", "a mesh that ends in '.step' is of no known format; convert it to one of .stl, .obj"),
        ("a.stl", b"solid", "the file cannot be read as a mesh|the mesh holds no triangle"),
        ("a.obj", b"v 0 0 0\n", "the file cannot be read as a mesh|the mesh holds no triangle"),
        ("a.obj", b"", "the file cannot be read as a mesh|the mesh holds no triangle"),
    ],
)
def test_what_is_no_mesh_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    pytest.importorskip("trimesh")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read_mesh(tmp_path / name)


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ToolchainError, match=re.escape("pip install 'mbsym[meshes]'")):
        read_mesh(write_stl(tmp_path / "b.stl", VERTICES, FACES))


def test_msh_files_are_read_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    (surface,) = read_mesh(write_msh(tmp_path / "b.msh", VERTICES, FACES))
    assert np.array_equal(surface.vertices, VERTICES.astype(np.float32))
    assert np.array_equal(surface.faces, FACES)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:10], "no header of a .msh mesh"),
        (lambda content: b"\xff" * 4 + content[4:], "no header of a .msh mesh"),
        (lambda content: content[:-1], "bytes, its header says"),
        (lambda content: content[:-4] + b"\xff\xff\x00\x00", "a face names none of the"),
        (lambda content: content[:16] + b"\x00\x00\xc0\x7f" + content[20:], "a vertex is no finite number"),
        (lambda content: bytes(16), "the mesh holds no triangle"),
    ],
)
def test_damaged_msh_files_are_refused(tmp_path: Path, damage: Callable[[bytes], bytes], message: str) -> None:
    path = write_msh(tmp_path / "b.msh", VERTICES, FACES)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FormatError, match=message):
        read_mesh(path)
