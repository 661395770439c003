"""Where files of a model are looked for: beside it, beside the file that names them, where the environment says."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import FormatError

LINK = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
ARM = f'<any><body name="arm"><joint name="a" axis="0 1 0"/>{LINK}<include file="{{hand}}"/></body></any>'
HAND = f'<any><body name="hand"><joint name="b" axis="0 1 0"/>{LINK}<geom type="mesh" mesh="m"/></body></any>'
MAIN = '<mujoco model="m">{asset}<worldbody><include file="{arm}"/></worldbody></mujoco>'
ASSET = '<asset><mesh name="m" file="m.stl"/></asset>'
CUBE = (
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
)


def written(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def outside(model: mbsym.Model) -> list[str]:
    return [text for text in model.warnings if "lies outside" in text or "the first is taken" in text]


def test_includes_lead_out_of_the_directory_with_a_word(tmp_path: Path) -> None:
    """As the public sets have them: scenes in one folder, robots and their parts in others."""
    written(
        tmp_path,
        {
            "scenes/m.xml": MAIN.format(asset=ASSET, arm="../robots/arm.xml"),
            "robots/arm.xml": ARM.format(hand="parts/hand.xml"),
            "robots/parts/hand.xml": HAND,
            "scenes/m.stl": CUBE,
        },
    )
    model = mbsym.load(tmp_path / "scenes" / "m.xml")
    assert [joint.name for joint in model.joints] == ["a", "b"]
    first, second = outside(model)
    assert first.startswith("'../robots/arm.xml' (line 1) lies outside the directory of the model")
    assert "'parts/hand.xml' (line 1 of arm.xml)" in second
    for under in (tmp_path, tmp_path / "scenes" / ".."):
        options = mbsym.LoadOptions(files_under=str(under))
        assert not outside(mbsym.load(tmp_path / "scenes" / "m.xml", options))
    with pytest.raises(FormatError, match=r"m.xml:1:\d+: '../robots/arm.xml' lies outside .*scenes; keep the files"):
        mbsym.load(tmp_path / "scenes" / "m.xml", mbsym.LoadOptions(files_under=str(tmp_path / "scenes")))


def test_the_directory_of_the_model_comes_first(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "m.xml": MAIN.format(asset=ASSET, arm="robots/arm.xml"),
            "robots/arm.xml": ARM.format(hand="hand.xml"),
            "robots/hand.xml": HAND.replace('"b"', '"second"'),
            "hand.xml": HAND,
            "m.stl": CUBE,
        },
    )
    model = mbsym.load(tmp_path / "m.xml")
    assert [joint.name for joint in model.joints] == ["a", "b"]
    (told,) = outside(model)
    assert f"'hand.xml' (line 1 of arm.xml) is {tmp_path}/hand.xml, and there is {tmp_path}/robots/hand.xml" in told
    (tmp_path / "hand.xml").unlink()
    assert [joint.name for joint in mbsym.load(tmp_path / "m.xml").joints] == ["a", "second"]


def test_a_link_that_leads_away_is_followed_before_it_is_judged(tmp_path: Path) -> None:
    written(tmp_path, {"far/arm.xml": ARM.format(hand="hand.xml"), "far/hand.xml": HAND, "home/m.stl": CUBE})
    written(tmp_path, {"home/m.xml": MAIN.format(asset=ASSET, arm="arm.xml")})
    (tmp_path / "home" / "arm.xml").symlink_to(tmp_path / "far" / "arm.xml")
    (tmp_path / "home" / "hand.xml").symlink_to(tmp_path / "far" / "hand.xml")
    assert len(outside(mbsym.load(tmp_path / "home" / "m.xml"))) == 2
    with pytest.raises(FormatError, match=r"'arm.xml' lies outside"):
        mbsym.load(tmp_path / "home" / "m.xml", mbsym.LoadOptions(files_under=str(tmp_path / "home")))


def test_meshes_are_named_from_the_included_file_too(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "m.xml": MAIN.format(asset="<include file='robots/assets.xml'/>", arm="robots/hand.xml"),
            "robots/assets.xml": f"<any>{ASSET}</any>",
            "robots/hand.xml": HAND,
            "robots/m.stl": CUBE,
        },
    )
    model = mbsym.load(tmp_path / "m.xml")
    assert [shape.form.file for shape in model.shapes] == ["robots/m.stl"]  # type: ignore[union-attr]
    (tmp_path / "m.stl").write_text(CUBE)
    assert [shape.form.file for shape in mbsym.load(tmp_path / "m.xml").shapes] == ["m.stl"]  # type: ignore[union-attr]


URDF = """<robot name="a"><link name="base"/><link name="tip"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="{file}"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>"""


def test_meshes_outside_are_told_and_refused_where_that_is_asked(tmp_path: Path) -> None:
    written(tmp_path, {"urdf/a.urdf": URDF.format(file="../meshes/m.stl"), "meshes/m.stl": CUBE})
    (told,) = outside(mbsym.load(tmp_path / "urdf" / "a.urdf"))
    assert told == "the mesh '../meshes/m.stl' lies outside the directory of the model"
    options = mbsym.LoadOptions(files_under=str(tmp_path / "urdf"))
    with pytest.raises(FormatError, match=r"a.urdf: the mesh '../meshes/m.stl' lies outside"):
        mbsym.load(tmp_path / "urdf" / "a.urdf", options)
    # A package is one tree, and one that is named is meant.
    (tmp_path / "package.xml").touch()
    assert not outside(mbsym.load(tmp_path / "urdf" / "a.urdf"))


def test_sdf_finds_models_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leg = """<sdf version="1.9"><model name="leg"><link name="shank"><inertial><mass>1</mass></inertial></link>
</model></sdf>"""
    main_file = """<sdf version="1.9"><model name="robot"><include><uri>model://leg</uri></include>
<joint name="j" type="revolute"><parent>world</parent><child>leg::shank</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""
    written(tmp_path, {"home/robot.sdf": main_file, "models/leg/model.sdf": leg})
    with pytest.raises(FormatError, match=r"'model://leg' is not found; .* or name where it is in ROS_PACKAGE_PATH or"):
        mbsym.load(tmp_path / "home" / "robot.sdf")
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", f"/nowhere:{tmp_path / 'models'}")
    model = mbsym.load(tmp_path / "home" / "robot.sdf")
    assert [body.name for body in model.bodies] == ["leg::shank"] and len(outside(model)) == 1


def test_parts_of_native_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: [prismatic, ground, b]}\n"
    written(tmp_path, {"home/m.yaml": "include: {a: ../part.yaml}\n", "part.yaml": part})
    (told,) = outside(mbsym.load(tmp_path / "home" / "m.yaml"))
    assert told.startswith("'../part.yaml' of part 'a' lies outside the directory of the model")
    assert main(["info", str(tmp_path / "home" / "m.yaml"), "--files-under", str(tmp_path / "home")]) == 2
    assert "m.yaml:1:11: '../part.yaml' lies outside" in capsys.readouterr().err
    assert main(["info", str(tmp_path / "home" / "m.yaml"), "--files-under", str(tmp_path)]) == 0
