"""The verb convert where the meshes of a robot are not beside the file that it writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbsym.cli import main
from mbsym.pipeline import read
from mbsym.visualisation.surfaces import surfaces_of
from mechanisms.bracket import bracket, write_obj, write_stl

ROBOT = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><mesh filename="package://pack/a/b.stl"/></geometry></visual>
<visual><geometry><mesh filename="package://pack/c/b.stl"/></geometry></visual>
<visual><geometry><mesh filename="package://pack/c/d.obj"/></geometry></visual>
<visual><geometry><mesh filename="package://pack/a/d.obj"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


def robot(directory: Path) -> Path:
    for folder in ("urdf", "a", "c"):
        (directory / "pack" / folder).mkdir(parents=True)
    vertices, faces = bracket()
    write_stl(directory / "pack" / "a" / "b.stl", vertices, faces)
    write_stl(directory / "pack" / "c" / "b.stl", 2 * vertices, faces)
    write_obj(directory / "pack" / "c" / "d.obj", vertices, faces)
    write_obj(directory / "pack" / "a" / "d.obj", vertices, faces)
    for folder in ("a", "c"):
        (directory / "pack" / folder / "d.mtl").write_text(f"newmtl {folder}\n", encoding="utf-8")
    path = directory / "pack" / "urdf" / "r.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    return path


def test_meshes_that_would_be_lost_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = robot(tmp_path / "share")
    (tmp_path / "out").mkdir()
    assert main(["convert", str(path), str(path.with_suffix(".yaml"))]) == 0
    assert "meshes" not in capsys.readouterr().err
    assert main(["convert", str(path), str(tmp_path / "out" / "r.yaml")]) == 0
    assert f"4 meshes are not found from {tmp_path / 'out'}; --copy-meshes puts them there" in capsys.readouterr().err


def test_copies_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("trimesh")
    path, target = robot(tmp_path / "share"), tmp_path / "out" / "r.yaml"
    target.parent.mkdir()
    command = ["convert", str(path), str(target), "--copy-meshes"]
    assert main(command) == 0
    assert f"wrote 4 meshes in {tmp_path / 'out' / 'r_meshes'}" in capsys.readouterr().out
    copies = tmp_path / "out" / "r_meshes"
    names = sorted(item.relative_to(copies).as_posix() for item in copies.rglob("*.*"))
    assert names == ["2/b.stl", "2/d.mtl", "2/d.obj", "b.stl", "d.mtl", "d.obj"]
    assert (copies / "d.mtl").read_text() != (copies / "2" / "d.mtl").read_text()
    theirs, ours = surfaces_of(read(path)), surfaces_of(read(target))
    assert theirs[1] == ours[1] == ()
    for one, other in zip(theirs[0], ours[0], strict=True):
        assert np.array_equal(one.vertices, other.vertices)
    (tmp_path / "out" / "r_meshes" / "b.stl").write_bytes(b"mine")
    assert main([*command, "--force"]) == 0
    (tmp_path / "out" / "r_meshes" / "b.stl").write_bytes(b"mine")
    assert main(command) == 2
    assert "another file has the name of a mesh" in capsys.readouterr().err
