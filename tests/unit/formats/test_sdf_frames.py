"""Where the frames of an SDF are, and what they move with."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.sdf import load_sdf, read_sdf
from mbsym.formats.text_source import TextSource
from mbsym.model.body import Placement
from mbsym.model.geometry import placement_numbers
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate

LINK = '<link name="{}"><pose{}>{}</pose><inertial><mass>1</mass><inertia/></inertial></link>'


def link(name: str, pose: str = "", relative_to: str = "") -> str:
    return LINK.format(name, f' relative_to="{relative_to}"' if relative_to else "", pose)


def read(body: str, version: str = "1.11", attributes: str = "") -> Model:
    """A model whose links are kept apart."""
    text = f'<sdf version="{version}"><model name="m" {attributes}>{body}</model></sdf>'
    return read_sdf(TextSource("m.sdf", text), LoadOptions(fixed_joints="keep"))


def start(model: Model, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and place of a floating body in the world."""
    w, x, y, z, *place = (evaluate(value) for value in model.joint(f"{body}_free").initial)
    R, _ = placement_numbers(Placement(quaternion=(w, x, y, z)), evaluate)
    return np.array(R), np.array(place)


def turned(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_poses_relative_to_links_joints_and_frames() -> None:
    model = read(
        "<pose>0 0 5 0 0 0</pose>"
        + link("a", "1 0 0 0 0 0.5")
        + link("b", "0 1 0 0 0 0.25", "a")
        + link("c", "0 0 1 0 0 0", "f")
        + link("d", "0 0 0 0 0 0", "j")
        + '<frame name="f" attached_to="b"><pose>2 0 0 0 0 0.125</pose></frame>'
        '<frame name="g" attached_to="b"><pose relative_to="a">0 0 7 0 0 0</pose></frame>'
        '<frame name="h" attached_to="j"/><frame name="base"/>'
        '<joint name="j" type="ball"><pose>0.5 0 0 0 0 0</pose><parent>a</parent><child>c</child></joint>'
    )
    R, place = turned(0.5), np.array([1.0, 0, 5])
    found = start(model, "a")
    assert found[0] == pytest.approx(R, abs=1e-15)
    assert found[1] == pytest.approx(place, abs=1e-15)
    place, R = place + R @ [0, 1, 0], R @ turned(0.25)
    assert start(model, "b")[1] == pytest.approx(place, abs=1e-15)
    assert start(model, "b")[0] == pytest.approx(R, abs=1e-15)
    place, R = place + R @ [2, 0, 0] + [0, 0, 1], R @ turned(0.125)
    # c is on the joint from a
    joint = model.joint("j")
    out = [np.array(item) for item in placement_numbers(joint.predecessor_placement, evaluate)]
    back = [np.array(item) for item in placement_numbers(joint.successor_placement, evaluate)]
    assert back[1] == pytest.approx([0.5, 0, 0])
    inner = start(model, "a")
    assert inner[1] + inner[0] @ out[1] == pytest.approx(place + R @ [0.5, 0, 0], abs=1e-15)
    assert inner[0] @ out[0] == pytest.approx(R @ back[0], abs=1e-15)
    assert start(model, "d")[1] == pytest.approx(place + R @ [0.5, 0, 0], abs=1e-15)
    frames = {frame.name: (frame.body, frame.placement) for frame in model.frames}
    assert frames["f"] == ("b", Placement((2, 0, 0), (("z", "0.125"),)))
    assert frames["g"][0] == "b"
    assert [evaluate(value) for value in frames["g"][1].translation] == pytest.approx(
        [-math.sin(0.25), -math.cos(0.25), 7]
    )
    assert frames["h"] == ("c", Placement(("0.5", 0, 0)))
    assert frames["base"][0] == "a"


def test_before_version_1_7_poses_have_frames_and_axes_may_be_in_the_model() -> None:
    body = (
        link("a", "1 0 0 0 0 0") + '<link name="b"><pose frame="a">0 1 0 0 0 0.5</pose></link>'
        '<link name="c"><pose frame="">0 0 2 0 0 0</pose></link>'
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>{}</axis></joint>'
    )
    for version, flag, axis in (
        ("1.6", "", (1, 0, 0)),
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", (math.cos(0.5), -math.sin(0.5), 0)),
        ("1.5", "<use_parent_model_frame>true</use_parent_model_frame>", (math.cos(0.5), -math.sin(0.5), 0)),
        ("1.4", "", (math.cos(0.5), -math.sin(0.5), 0)),
    ):
        model = read(body.format(flag), version)
        assert model.joint("j").predecessor_placement == Placement((0, 1, 0), (("z", "0.5"),))
        assert [evaluate(value) for value in model.joint("j").axis] == pytest.approx(axis)
        assert start(model, "c")[1] == pytest.approx([0, 0, 2])


def test_an_axis_is_expressed_in_the_frame_that_it_names() -> None:
    body = (
        link("a") + link("b", "0 0 0 0 0 1.5707963267948966") + '<frame name="f"><pose>9 9 9 0 0 0.5</pose></frame>'
        '<joint name="j" type="prismatic"><parent>a</parent><child>b</child><pose>0 0 0 0 0 0.25</pose>'
        "<axis><xyz{}>1 0 0</xyz></axis></joint>"
    )
    for name, angle in (("", 0.0), ("j", 0.0), ("f", 0.25 - math.pi / 2), ("a", -0.25 - math.pi / 2), ("b", -0.25)):
        text = body.format(f' expressed_in="{name}"' if name else "")
        axis = [evaluate(value) for value in read(text).joint("j").axis]
        assert axis == pytest.approx([math.cos(angle), math.sin(angle), 0], abs=1e-15), name
    assert (
        read(body.format(' expressed_in="__model__"')).joint("j").axis
        == read(body.format(' expressed_in="a"')).joint("j").axis
    )


def test_rotations_in_degrees_and_as_quaternions() -> None:
    poses = {
        "a": '<pose degrees="true">1 2 3 90 0 -30</pose>',
        "b": '<pose rotation_format="quat_xyzw">1 2 3 0 0 0.7071067811865476 0.7071067811865476</pose>',
        "c": '<pose rotation_format="quat_xyzw">1 2 3 0 0 0.6 0.8</pose>',
        "d": '<pose degrees="true" rotation_format="euler_rpy"/>',
    }
    joints = "".join(
        f'<joint name="j{name}" type="ball"><parent>world</parent><child>{name}</child></joint>' for name in poses
    )
    model = read("".join(f'<link name="{name}">{pose}</link>' for name, pose in poses.items()) + joints)
    placements = {joint.successor: joint.predecessor_placement for joint in model.joints}
    assert placements["b"] == Placement((1, 2, 3), (("z", "pi/2"),))
    assert placements["c"] == Placement((1, 2, 3), quaternion=("0.8", 0, 0, "0.6"))
    assert placements["d"] == Placement()
    assert placements["a"].rotation[1] == ("x", "pi/2")
    assert evaluate(placements["a"].rotation[0][1]) == pytest.approx(-math.pi / 6, rel=1e-15)


def test_nested_models_have_frames_and_scopes() -> None:
    inner = (
        '<model name="n"><pose>0 0 1 0 0 0</pose>' + link("a", "1 0 0 0 0 0") + '<frame name="tip" attached_to="a"/>'
    )
    model = read(
        link("a") + f"{inner}</model>" + '<frame name="on" attached_to="n::tip"><pose>0 3 0 0 0 0</pose></frame>'
        '<frame name="in" attached_to="n"/>'
        '<joint name="j" type="ball"><parent>a</parent><child>n::tip</child></joint>'
    )
    assert [body.name for body in model.bodies] == ["a", "n::a"]
    assert model.joint("j").predecessor_placement == Placement((1, 0, 1))
    frames = {frame.name: (frame.body, frame.placement.translation) for frame in model.frames}
    assert frames == {
        "n": ("n::a", (-1, 0, 0)),
        "n::tip": ("n::a", (0, 0, 0)),
        "on": ("n::a", (0, 3, 0)),
        "in": ("n::a", (-1, 0, 0)),
    }


def test_sensors_are_frames_of_what_they_are_on() -> None:
    sensor = '<sensor name="{}" type="imu">{}</sensor>'
    other = '<pose relative_to="a">0 2 0 0 0 0</pose>'
    model = read(
        link("a").replace("</link>", sensor.format("imu", "<pose>0 0 1 0 0 0.5</pose>") + "<sensor/></link>")
        + link("b", "1 0 0 0 0 0").replace("</link>", sensor.format("imu", other) + "</link>")
        + '<joint name="j" type="ball"><pose>0 0 3 0 0 0</pose><parent>a</parent><child>b</child>'
        + sensor.format("force", "")
        + "</joint>"
    )
    assert {frame.name: (frame.body, frame.placement) for frame in model.frames} == {
        "a::imu": ("a", Placement((0, 0, 1), (("z", "0.5"),))),
        "b::imu": ("b", Placement((-1, 2, 0))),
        "j::force": ("b", Placement((0, 0, 3))),
    }


def test_the_canonical_link_carries_the_frame_of_the_model() -> None:
    body = link("a") + link("b", "1 0 0 0 0 0") + '<frame name="f"/>'
    assert [(f.body, f.placement.translation) for f in read(body).frames] == [("a", (0, 0, 0))]
    named = read(body, attributes='canonical_link="b"')
    assert [(f.body, f.placement.translation) for f in named.frames] == [("b", (-1, 0, 0))]
    assert [joint.name for joint in named.joints] == ["b_free", "a_free"]


def test_a_placement_frame_is_where_the_pose_of_the_model_says() -> None:
    model = read(
        "<pose>0 0 3 0 0 0.5</pose>" + link("a") + link("b", "1 0 0 0 0 0.2"), attributes='placement_frame="b"'
    )
    rotation, place = start(model, "b")
    assert place == pytest.approx([0, 0, 3], abs=1e-15)
    assert rotation == pytest.approx(turned(0.5), abs=1e-15)
    assert start(model, "a")[0] == pytest.approx(turned(0.3), abs=1e-15)


def test_long_chains_of_poses_take_as_long_as_short_ones_do() -> None:
    """Nearly; composing every pose of every chain anew took minutes."""
    count = 120
    names = [f"l{k}" for k in range(count)]
    body = link("l0", "0 0 1 0 0 0.01") + "".join(
        link(name, "1 0 0 0 0 0.01", before) for before, name in pairwise(names)
    )
    model = read(body + f'<frame name="end" attached_to="l{count - 1}"/>', attributes='placement_frame="end"')
    turn, place = np.eye(3), np.zeros(3)
    for _ in names[1:]:
        turn = turned(-0.01) @ turn
        place = turned(-0.01) @ (place - [1, 0, 0])
    found = start(model, "l0")
    assert found[0] == pytest.approx(turn, abs=1e-13)
    assert found[1] == pytest.approx(place, abs=1e-12)
    assert start(model, names[-1])[1] == pytest.approx(np.zeros(3), abs=1e-12)


# ---- includes -------------------------------------------------------------------------------------------------------

LEG = f'<sdf version="1.6"><model name="leg"><pose>9 9 9 0 0 0</pose>{link("shank")}</model></sdf>'
MAIN = """<sdf version="1.9"><model name="robot">{link}
<include><uri>parts/leg.sdf</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>
<include><uri>model://foot</uri><placement_frame>sole</placement_frame></include>
<joint name="hip" type="ball"><parent>trunk</parent><child>left::shank</child></joint>
</model></sdf>"""
FOOT = f"""<sdf version="1.7"><model name="foot"><pose relative_to="trunk">0 0 2 0 0 0</pose>
{link("sole", "0 0 1 0 0 0")}</model></sdf>"""
CONFIG = '<model><name>foot</name><sdf version="1.5">old.sdf</sdf><sdf version="1.10">foot.sdf</sdf></model>'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in {
        "robot.sdf": MAIN.format(link=link("trunk")),
        "parts/leg.sdf": LEG,
        "foot/model.config": CONFIG,
        "foot/foot.sdf": FOOT,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_models_of_other_files_stand_where_they_are_included(files: Path) -> None:
    model = load_sdf(files / "robot.sdf")
    assert [body.name for body in model.bodies] == ["trunk", "left::shank", "foot::sole"]
    assert model.joint("hip").predecessor_placement == Placement((0, 1, 0))
    assert start(model, "foot::sole")[1] == pytest.approx([0, 0, 2])


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("parts/leg.sdf", '"shank"', '"a"><lnk/></link><link name="a"', r"leg.sdf:1:\d+: two links are named 'a'"),
        ("parts/leg.sdf", "</model>", "", r"leg.sdf:1:\d+: no valid XML"),
        ("parts/leg.sdf", "<model", "<world", r"leg.sdf:1:\d+: "),
        ("robot.sdf", "parts/leg.sdf", "parts/arm.sdf", r"robot.sdf:2:1: 'parts/arm.sdf' is not found"),
        ("robot.sdf", "parts/leg.sdf", "robot.sdf", r"robot.sdf:2:1: 'robot.sdf' includes itself"),
        ("robot.sdf", "parts/leg.sdf", "../leg.sdf", r"robot.sdf:2:1: '../leg.sdf' is not found"),
        ("robot.sdf", "parts/leg.sdf", "model://../leg", r"robot.sdf:2:1: .* is not found"),
        ("robot.sdf", "parts/leg.sdf", "file:///etc/passwd", r"/etc/passwd:.*no valid XML"),
        ("robot.sdf", "parts/leg.sdf", "package://leg/leg.sdf", r"robot.sdf:2:1: 'package://leg/leg.sdf' is not found"),
        ("robot.sdf", "parts/leg.sdf", "https://x/leg.sdf", r"robot.sdf:2:1: 'https://x/leg.sdf' is not fetched"),
        ("robot.sdf", "<uri>parts/leg.sdf</uri>", "", r"robot.sdf:2:1: <include> names no file"),
        ("robot.sdf", "<name>left</name>", "<nam>left</nam>", r"robot.sdf:2:\d+: <nam> in <include>"),
        ("foot/model.config", "<sdf", "<sfd", r"robot.sdf:3:1: model.config of 'model://foot' names no <sdf>|no valid"),
        ("foot/model.config", "foot.sdf<", "../../x.sdf<", r"robot.sdf:3:1: 'model://foot' is not found"),
        ("foot/foot.sdf", '"trunk"', '"trnk"', r"foot.sdf:1:\d+: the pose of model 'foot' refers to 'trnk'.*'trunk'"),
        ("foot/foot.sdf", "0 0 1 0 0 0", "0 0 1", r"foot.sdf:2:\d+: <pose> has 3 numbers"),
    ],
)
def test_mistakes_are_answered_in_the_file_that_has_them(
    files: Path, file: str, old: str, new: str, complaint: str
) -> None:
    path = files / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=complaint):
        load_sdf(files / "robot.sdf")


def test_files_that_include_each_other_end(files: Path) -> None:
    (files / "parts/leg.sdf").write_text(
        LEG.replace("</model>", "<include><uri>model://foot</uri></include></model>"), encoding="utf-8"
    )
    (files / "foot/foot.sdf").write_text(
        FOOT.replace("</model>", "<include><uri>model://parts/leg.sdf</uri></include></model>"), encoding="utf-8"
    )
    with pytest.raises(FormatError, match="includes itself"):
        load_sdf(files / "robot.sdf")
