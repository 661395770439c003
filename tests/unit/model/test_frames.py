"""Frames in models: names, places, files, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym import examples
from mbsym.errors import FormatError, ModelError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.model.body import Placement
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import with_frames
from mbsym.model.system import Model
from mbsym.model.validate import require_valid
from mbsym.model.wrench_inputs import with_wrench_inputs

ARM = """name: arm
bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}
joints: {pin: {type: revolute, from: ground, to: rod, at_successor: [0, 0, 1/2]}}
frames:
  tip: {body: rod, at: {translation: [0, 0, -1], rpy: [0, 0.1, 0]}, axes: aligned}
  mark: {body: ground, at: [1, 0, 0]}
"""


def arm(text: str = ARM) -> Model:
    return read_native(TextSource("arm.yaml", text))


def test_frames_are_read_and_written() -> None:
    model = arm()
    assert model.frames == (
        Frame("tip", "rod", Placement((0, 0, -1), (("y", "0.1"),)), "aligned"),
        Frame("mark", "ground", Placement((1, 0, 0))),
    )
    assert arm(dump_native(model)) == model


def test_bodies_and_joints_are_frames_too() -> None:
    model = arm()
    assert model.frame("rod") == Frame("rod", "rod", kind="body")
    assert model.frame("pin") == Frame("pin", "rod", Placement((0, 0, "1/2")), kind="joint")
    assert model.frame("ground") == Frame("ground", "ground", kind="body")
    with pytest.raises(ModelError, match="no frame 'tp'; did you mean 'tip'"):
        model.frame("tp")


def test_frames_are_chosen_by_name() -> None:
    model = arm()
    assert [frame.name for frame in with_frames(model, ["pin", "tip"]).frames] == ["pin", "tip"]
    assert {frame.axes for frame in with_frames(model, ["all"], "base").frames} == {"base"}
    assert with_frames(model, []).frames == ()
    with pytest.raises(ModelError, match="'tip' is asked for twice"):
        with_frames(model, ["tip", "tip"])


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("mark: {body: ground", "mark: {body: grund", r"arm.yaml:6:16: .*body 'grund', which does not exist"),
        ("axes: aligned", "axes: world", r"arm.yaml:5:.*'world' is not known here"),
        ("[0, 0, -1]", "[0, 0, nobody]", r"arm.yaml:5:.*nobody"),
        ("mark: {", "tip: {", r"arm.yaml:6:3: .*twice"),
    ],
)
def test_bad_frames_have_their_place(old: str, new: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        arm(ARM.replace(old, new))


def test_two_frames_of_a_name_are_refused() -> None:
    model = arm()
    with pytest.raises(ModelError, match="two of the frames are named 'tip'"):
        require_valid(replace(model, frames=(*model.frames, model.frames[0])))


ROBOT = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="flange"/><link name="tool"/>
<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="flange" type="fixed"><parent link="arm"/><child link="flange"/><origin xyz="0 0 1" rpy="0 0.5 0"/></joint>
<joint name="to_tool" type="fixed"><parent link="flange"/><child link="tool"/><origin xyz="0.5 0 0"/></joint>
</robot>"""


def test_fixed_links_and_joints_stay_as_frames() -> None:
    model = read_urdf(TextSource("r.urdf", ROBOT))
    assert [body.name for body in model.bodies] == ["arm"]
    assert {frame.name: frame.body for frame in model.frames} == {
        "flange": "arm", "tool": "arm", "joint:flange": "arm", "to_tool": "arm"
    }  # fmt: skip
    assert model.frame("tool").placement == model.frame("to_tool").placement
    again = read_native(TextSource("r.yaml", dump_native(model)))
    assert again.frames == model.frames
    kept = read_urdf(TextSource("r.urdf", ROBOT), LoadOptions(fixed_joints="keep"))
    assert kept.frames == ()
    assert kept.frame("tool").body == "tool"


def test_wrenches_are_inputs() -> None:
    loaded = with_wrench_inputs(arm(), ["tip"])
    assert [(item.name, item.unit) for item in loaded.inputs] == [
        *((f"tip_m{axis}", "N m") for axis in "xyz"), *((f"tip_f{axis}", "N") for axis in "xyz")
    ]  # fmt: skip
    require_valid(loaded)
    with pytest.raises(ModelError, match="an input 'tip_mx' already"):
        with_wrench_inputs(loaded, ["tip"])
    with pytest.raises(ModelError, match="'mark' is on ground"):
        with_wrench_inputs(arm(), ["mark"])
    with pytest.raises(ModelError, match="no frame 'nose'"):
        with_wrench_inputs(examples.load("four_bar"), ["nose"])
