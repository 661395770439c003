"""Masses of MJCF meshes: as MuJoCo has them, from files and as numbers, and those that are refused."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from mbsym.errors import FormatError
from mbsym.model.body import Body
from mbsym.pipeline import read
from mbsym.values.numbers import evaluate
from mechanisms.bracket import bracket, write_msh, write_obj, write_stl

VERTICES, FACES = bracket()
VERTEX = " ".join(map(repr, VERTICES.ravel().tolist()))
FACE = " ".join(map(str, FACES.ravel().tolist()))

pytest.importorskip("trimesh")


def written(directory: Path, mesh: str, geom: str = "", compiler: str = "") -> Path:
    directory.joinpath("parts").mkdir()
    write_stl(directory / "parts" / "b.stl", VERTICES, FACES)
    write_obj(directory / "parts" / "b.obj", VERTICES, FACES)
    write_msh(directory / "parts" / "b.msh", VERTICES, FACES)
    write_stl(directory / "parts" / "open.stl", VERTICES, FACES[:-1])
    write_stl(directory / "parts" / "inner.stl", VERTICES, FACES[:, ::-1])
    path = directory / "m.xml"
    path.write_text(
        f'<mujoco><compiler meshdir="parts" {compiler}/><asset><mesh name="b" {mesh}/></asset><worldbody>'
        f'<body name="a"><freejoint/><geom type="mesh" mesh="b" {geom}/><geom size="0.1" pos="1 0 0"/></body>'
        "</worldbody></mujoco>",
        encoding="utf-8",
    )
    return path


def numbers(body: Body) -> tuple[float, np.ndarray, np.ndarray]:
    xx, yy, zz, xy, xz, yz = (evaluate(value) for value in body.inertia)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return evaluate(body.mass), np.array([evaluate(value) for value in body.center_of_mass]), inertia


@pytest.mark.parametrize(
    ("mesh", "geom"),
    [
        ('file="b.stl" inertia="exact"', ""),
        ('file="b.stl"', 'density="300" pos="0.1 0.2 0.3" euler="10 20 30"'),
        ('file="b.obj" inertia="convex" scale="0.1 0.2 0.3"', 'mass="3"'),
        ('file="b.stl" inertia="shell"', 'density="20"'),
        ('file="b.stl" inertia="exact" refpos="1 0.5 0" refquat="1 1 0 0.3"', 'quat="1 0 2 0" pos="0 0 1"'),
        ('file="b.stl" refpos="1 0.5 0" scale="2 3 4"', ""),
        ('file="b.stl" inertia="exact" refpos="1 0.5 0" refquat="1 1 0 0.3" scale="2 3 4"', 'quat="1 0 2 0"'),
        ('file="b.msh" inertia="exact"', 'pos="0.1 0.2 0.3" euler="10 20 30"'),
        ('file="b.msh" scale="0.1 0.2 0.3"', 'mass="3"'),
        ('file="open.stl"', ""),
        ('file="inner.stl"', ""),
        (f'vertex="{VERTEX}" face="{FACE}" inertia="exact"', ""),
        (f'vertex="{VERTEX}"', ""),
    ],
)
def test_masses_are_theirs(tmp_path: Path, mesh: str, geom: str) -> None:
    path = written(tmp_path, mesh, geom)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    mass, center, inertia = numbers(read(path).bodies[0])
    assert mass == pytest.approx(theirs.body_mass[1], rel=1e-12)
    assert center == pytest.approx(theirs.body_ipos[1], abs=1e-12)
    assert sorted(theirs.body_inertia[1]) == pytest.approx(np.linalg.eigvalsh(inertia), rel=1e-11)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, theirs.body_iquat[1])
    turned = R.reshape(3, 3) @ np.diag(theirs.body_inertia[1]) @ R.reshape(3, 3).T
    # Their iteration for principal axes ends before rounding does.
    assert turned == pytest.approx(inertia, abs=1e-7 * inertia.max())


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        ('file="open.stl" inertia="exact"', "mesh 'b' has no mass: it is open: 3 edges have a face on one side alone"),
        ('file="inner.stl" inertia="exact"', "mesh 'b' has no mass: it is inside out"),
        ('file="none.stl"', "there is no mesh 'parts/none.stl'; looked for {directory}/parts/none.stl"),
        ('file="../../b.stl"', "there is no mesh 'parts/../../b.stl'; looked for"),
        ('file="b.stl" inertia="heavy"', "there is no inertia 'heavy'; say exact, convex, shell, legacy"),
        ('vertex="0 0 0 1 0 0 0 1 0"', "9 numbers are no vertices of a mesh"),
        ('vertex="0 0 0 1 0 0 0 1 0 1 1 0"', "the vertices lie in a plane"),
        ('vertex="0 0 0 1 0 0 0 1 0 1 1 1" face="0 1 9"', "the faces are no triples of vertices"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2"', "mesh 'b' has no volume"),
        ('file="b.stl" refquat="0 0 0 0"', "the quaternion of <mesh> is zero"),
        ("", "a mesh without file and vertices has no mass here"),
    ],
)
def test_what_has_no_mass_is_refused_where_it_stands(tmp_path: Path, mesh: str, message: str) -> None:
    path = written(tmp_path, mesh)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert message.replace("{directory}", str(tmp_path)) in str(caught.value)
    assert caught.value.where == f"{path}:1:{path.read_text(encoding='utf-8').index('<mesh') + 1}"


def test_what_has_its_mass_stated_needs_no_mesh(tmp_path: Path) -> None:
    path = written(tmp_path, 'file="none.stl"', 'mass="0"')
    assert [shape.form.type for shape in read(path).shapes] == ["mesh", "sphere"]


def test_a_mesh_that_is_turned_and_stretched_has_mass_and_no_picture(tmp_path: Path) -> None:
    path = written(tmp_path, 'file="b.stl" refquat="1 1 0 0" scale="1 2 3"')
    assert [shape.form.type for shape in read(path).shapes] == ["sphere"]


def test_a_geom_without_type_is_a_sphere_fitted_to_its_mesh(tmp_path: Path) -> None:
    path = written(tmp_path, 'file="b.stl"')
    path.write_text(path.read_text(encoding="utf-8").replace('type="mesh" ', ""), encoding="utf-8")
    with pytest.raises(FormatError, match="of type 'sphere' fitted to a mesh cannot be told"):
        read(path)


def test_a_mesh_that_is_not_listed_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 'file="b.stl"')
    path.write_text(path.read_text(encoding="utf-8").replace('mesh="b"', 'mesh="c"'), encoding="utf-8")
    with pytest.raises(FormatError, match="there is no mesh 'c'; add it under <asset>"):
        read(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "<worldbody>",
            '<worldbody><geom size="1" material="blue"/>',
            "there is no material 'blue'; add it under <asset>",
        ),
        ("<asset>", '<asset><mesh name="b" file="c.stl"/>', "two elements <mesh> are named 'b'; rename one of them"),
        ("<asset>", "<asset><msh/>", "did you mean 'mesh'"),
    ],
)
def test_mistakes_among_assets_are_found(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = written(tmp_path, 'file="b.stl"')
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read(path)


def test_volume_that_the_legacy_rule_adds_is_told(tmp_path: Path) -> None:
    (warning,) = read(written(tmp_path, 'file="b.stl"')).warnings
    assert warning == (
        "the volume of 1 mesh ('b') is taken by MuJoCo's legacy rule, which overstates it by up to 4 %; "
        'inertia="exact" takes it as it is'
    )
