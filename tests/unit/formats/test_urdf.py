"""URDF: links and joints as the format means them, errors where they are, agreement with Pinocchio's reader."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import FormatError, MbsymError
from mbsym.forces import JointDamper, JointFriction
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.registry import LoadOptions, load
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.formats.urdf.loop_file import LoopFile, parse_loops
from mbsym.model.body import Body, Placement
from mbsym.model.geometry import placement_numbers
from mbsym.model.inertia_checks import mass_properties
from mbsym.model.joint import COINCIDENT, Coupling
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate
from mechanisms.examples import some

ROBOTS = Path(pinocchio.__file__).resolve().parents[4] / "share" / "example-robot-data" / "robots"
EXACT = LoadOptions(snap_angles=0.0)

ARM = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.25" rpy="0 0 1.57079632679"/>
      <mass value="2.50"/>
      <inertia ixx="0.03" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.012"/>
    </inertial>
  </link>
  <link name="tool"><inertial><mass value="0.5"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/></inertial></link>
  <link name="finger">
    <inertial>
      <origin xyz="0.1 0 0"/>
      <mass value="0.1"/>
      <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 1.0" rpy="1.5708 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="upper"/>
    <child link="tool"/>
    <origin xyz="0 0 0.5" rpy="3.14159265359 0 0"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="tool"/>
    <child link="finger"/>
    <origin xyz="0 0.02 0.1"/>
    <mimic joint="shoulder" multiplier="-0.5" offset="0.1"/>
  </joint>
</robot>
"""


def read(text: str, options: LoadOptions = LoadOptions(), loops: LoopFile | None = None) -> Model:  # noqa: B008
    return read_urdf(TextSource("arm.urdf", text), options, loops)


def test_links_and_joints_are_read_exactly() -> None:
    model = read(ARM)
    assert (model.name, model.ground, model.accept_impossible_inertia) == ("arm", "base", True)
    assert [body.name for body in model.bodies] == ["upper", "finger"]
    shoulder, slide = model.joints
    assert (shoulder.type, shoulder.predecessor, shoulder.successor, shoulder.axis) == (
        "revolute",
        "base",
        "upper",
        (0, 1, 0),
    )
    assert shoulder.predecessor_placement == Placement((0, 0, "1.0"), (("x", "1.5708"),))
    assert (shoulder.lower, shoulder.upper, shoulder.effort, shoulder.velocity) == (("-1.5",), (2,), (10,), (3,))
    assert slide.axis == (1, 0, 0)
    assert (slide.predecessor, slide.successor) == ("upper", "finger")
    assert slide.predecessor_placement == Placement((0, "-0.02", "0.4"), (("x", "pi"),))
    assert slide.successor_placement == COINCIDENT
    assert model.couplings == (Coupling("slide", "shoulder", "-0.5", "0.1"),)
    assert model.forces == ()


def test_a_fixed_link_becomes_part_of_its_parent() -> None:
    upper = read(ARM).bodies[0]
    assert upper.mass == 3
    # (2.5 * 0.25 + 0.5 * 0.5) / 3, and the reduced mass 2.5 * 0.5 / 3 over the distance of 0.25
    assert evaluate(upper.center_of_mass[2]) == 0.875 / 3
    shift = 2.5 * 0.5 / 3 * 0.25**2
    expected = (0.02 + 0.001 + shift, 0.03 + 0.001 + shift, 0.012 + 0.001, -0.001, 0, 0)
    assert [evaluate(value) for value in upper.inertia] == pytest.approx(expected, rel=1e-15)


def test_fixed_joints_may_be_kept() -> None:
    model = read(ARM, LoadOptions(fixed_joints="keep"))
    assert [body.name for body in model.bodies] == ["upper", "tool", "finger"]
    assert [joint.type for joint in model.joints] == ["revolute", "fixed", "prismatic"]
    # turned by a right angle, the inertia keeps its decimals
    assert model.bodies[0] == Body("upper", "2.50", (0, 0, "0.25"), ("0.02", "0.03", "0.012", "-0.001", 0, 0))


def test_options() -> None:
    floating = read(ARM, LoadOptions(floating=True))
    assert floating.ground == "ground"
    assert floating.joints[0].name == "base_free"
    assert (floating.joints[0].type, floating.joints[0].successor) == ("free", "base")
    assert [body.name for body in floating.bodies] == ["base", "upper", "finger"]
    forces = read(ARM, LoadOptions(joint_dynamics="forces")).forces
    assert forces == (
        JointDamper("shoulder_damping", "shoulder", "0.7"),
        JointFriction("shoulder_friction", "shoulder", "0.2"),
    )
    assert read(ARM, LoadOptions(mimic="ignore")).couplings == ()
    snapped = read(ARM, LoadOptions(snap_angles=1e-4)).joints[0].predecessor_placement
    assert snapped == Placement((0, 0, "1.0"), (("x", "pi/2"),))
    kept = read(ARM, LoadOptions(snap_angles=0.0, fixed_joints="keep")).joints[1].predecessor_placement
    assert kept == Placement((0, 0, "0.5"), (("x", "3.14159265359"),))


def test_what_the_user_should_know_is_said() -> None:
    rounded, dynamics = read(ARM).warnings
    assert "joint shoulder (1.5708)" in rounded and "`snap_angles 1e-4`" in rounded
    assert dynamics.startswith("damping and friction of 1 joints ('shoulder')")
    assert not any("snap" in note for note in read(ARM, LoadOptions(snap_angles=1e-4)).warnings)
    world = ARM.replace('"base"', '"world"').replace('"upper"', '"ground"')
    notes = read(world).warnings
    assert any("link 'world' is the root and is taken as ground" in note for note in notes)
    assert any("link 'ground' is a body like any other here" in note for note in notes)
    floating = read(world, LoadOptions(floating=True))
    assert floating.ground == "ground_2"


def test_impossible_inertias_are_named_and_strictly_refused() -> None:
    text = ARM.replace('izz="0.012"', 'izz="0.1"').replace('iyy="1e-4"', 'iyy="-1e-4"')
    notes = [note for note in read(text).warnings if "body" in note]
    assert [note.split()[1] for note in notes] == ["'upper'", "'finger'"]
    with pytest.raises(FormatError) as caught:
        read(text, LoadOptions(strict=True))
    assert str(caught.value).startswith("arm.urdf:8:7: body 'upper' has principal moments")
    assert "arm.urdf:16:7: body 'finger' has the negative principal moment" in str(caught.value)


def test_a_robot_of_one_link_floats() -> None:
    model = read('<robot name="drone"><link name="hull"><inertial><mass value="1"/></inertial></link></robot>')
    assert [joint.type for joint in model.joints] == ["free"]
    assert any("taken as floating" in note for note in model.warnings)


def test_planar_floating_and_continuous_joints() -> None:
    text = ARM.replace("<mimic", "<ignored")
    assert read(text.replace('"prismatic"', '"floating"')).joints[1].type == "free"
    assert read(text.replace('"prismatic"', '"planar"')).joints[1].axis == (1, 0, 0)
    continuous = read(text.replace('"revolute"', '"continuous"')).joints[0]
    assert (continuous.type, continuous.lower, continuous.effort) == ("revolute", (), (10,))


MISTAKES = [
    ("</robot>", "", "39:1", "no valid XML: no element found, inside <robot> of line 2"),
    ("</inertial>\n  </link>", "</link>", "9:7", "no valid XML: mismatched tag"),
    ("<robot", "<robot <", "2:8", "no valid XML"),
    ('<robot name="arm">', '<!DOCTYPE robot><robot name="arm">', "2:", "a document type or entity"),
    ('<robot name="arm">', '<!DOCTYPE r [<!ENTITY a "a"><!ENTITY b "&a;&a;">]><robot name="&b;">', "2:", "entity"),
    ('name="arm"', 'name="&arm;"', "2:", "no valid XML: undefined entity"),
    ('<robot name="arm">', '<sdf name="arm">', "", "mismatched tag"),
    ('<link name="base"/>', "<link/>", "3:3", "<link> has no name"),
    ('<link name="base"/>', "", "20:5", "refers to link 'base', which does not exist"),
    ('<link name="base"/>', '<link name="base"/><link name="base"/>', "3:22", "two links are named 'base'"),
    ('<link name="base"/>', '<link name="base"/><link name="b"/>', "3:22", "the links 'base', 'b' have no parent"),
    ('<link name="base"/>', '<link name="base"/><link name="*/"/>', "3:22", "have no parent"),
    ('name="finger"', 'name="fin*ger"', "34:5", "refers to link 'finger'"),
    ('value="2.50"', 'value="-2.50"', "7:7", "has the negative mass -2.5"),
    ('value="2.50"', 'value="nan"', "7:7", "value of <mass> is 'nan', no finite number"),
    ('value="2.50"', 'value="inf"', "7:7", "no finite number"),
    ('value="2.50"', 'value="1e999999"', "7:7", "out of range"),
    ('value="2.50"', 'value="2,5"', "7:7", "no finite number"),
    ('value="2.50"', 'value="${m}"', "7:7", "xacro"),
    ('<mass value="2.50"/>', "<mass/>", "7:7", "<mass> has no value"),
    ('<mass value="2.50"/>', "", "5:5", "the inertial of link 'upper' has no mass"),
    ('ixx="0.03"', 'ixx="x"', "8:7", "ixx of <inertia> is 'x'"),
    ('xyz="0 0 0.25"', 'xyz="0 0"', "6:7", "xyz of <origin> has 2 numbers"),
    ('xyz="0 0 0.25"', 'xyz="0 0 z"', "6:7", "xyz of <origin> is 'z'"),
    ('rpy="1.5708 0 0"', 'rpy="1.5708 0 Infinity"', "22:5", "no finite number"),
    ('xyz="0 1 0"', 'xyz="0 0 0"', "23:5", "the axis of revolute joint 'shoulder' is zero"),
    ('type="revolute"', 'type="revolut"', "19:3", "unknown type 'revolut'; did you mean 'revolute'?"),
    ('type="revolute"', "", "19:3", "<joint> has no type"),
    ('<parent link="base"/>', "", "19:3", "joint 'shoulder' has no parent"),
    ('<parent link="base"/>', '<parent link="upper"/>', "19:3", "connects link 'upper' with itself"),
    ('<parent link="base"/>', '<parent link="bases"/>', "20:5", "did you mean 'base'?"),
    ('<parent link="base"/>', '<parent link="finger"/>', "4:3", "nothing connects body 'upper' to ground"),
    ('<child link="tool"/>', '<child link="upper"/>', "27:3", "is the child of two joints"),
    ('joint="shoulder"', 'joint="elbow"', "36:5", "mimics joint 'elbow', which does not exist"),
    ('joint="shoulder"', 'joint="slide"', "36:5", "couplings go round in a circle"),
    ('multiplier="-0.5"', 'multiplier="a"', "36:5", "multiplier of <mimic> is 'a'"),
    ('name="flange"', 'name="shoulder"', "27:3", "two joints are named 'shoulder'"),
    ('name="flange"', 'name="a&quot;; system()"', "27:3", "holds the character"),
    ('name="arm"', 'name="../../arm"', "2:1", "the model's name holds '..'"),
    ('  <link name="base"/>', "  <xacro:include/>", "3:3", "xacro"),
]


@pytest.mark.parametrize(("old", "new", "place", "message"), MISTAKES, ids=[f"{m[2]}-{m[3][:40]}" for m in MISTAKES])
def test_every_mistake_is_found_where_it_is(refused: Any, old: str, new: str, place: str, message: str) -> None:
    assert old in ARM
    refused(read, ARM.replace(old, new, 1), "arm.urdf", place, message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\x80<robot/>", "1:1: byte 0x80 is not UTF-8"),
        (b"<robot/>", "the robot has no <link>"),
        (b"<sdf/>", "<sdf> is no robot description in URDF; convert it"),
        (b"<a>" * 1000, "nested too deeply"),
        (b"robot", "no valid XML"),
    ],
)
def test_files_that_are_no_robots_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "robot.urdf"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:")
    assert message in str(caught.value)


LOOPS = """\
joints:
  closing: {type: spherical, from: tool, to: finger, at: [0, 0.1, 0]}
constraints:
  rod: {type: distance, first_body: tool, second_body: finger, length: 1, first_point: [0, 1, 0]}
"""


def test_a_side_file_closes_loops(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "arm.loops.yaml").write_text(LOOPS)
    model = load(tmp_path / "arm.urdf")
    closing = model.joints[-1]
    assert (closing.predecessor, closing.successor) == ("upper", "finger")
    assert closing.predecessor_placement == Placement((0, "-0.1", "0.5"), (("x", "pi"),))
    assert model.constraints[0].first_point == (0, -1, "0.5")  # type: ignore[union-attr]
    assert model.label().cut_joints == ("closing",)


def test_mistakes_in_a_side_file_are_found_there() -> None:
    def loops(text: str) -> LoopFile:
        return parse_loops(TextSource("arm.loops.yaml", text))

    with pytest.raises(FormatError, match=r"^arm\.loops\.yaml:2:3: .*body 'tol'.*did you mean 'tool'"):
        read(ARM, loops=loops(LOOPS.replace("from: tool", "from: tol")))
    with pytest.raises(FormatError, match=r"^arm\.loops\.yaml:2:3: two of the joints are named 'shoulder'"):
        read(ARM, loops=loops(LOOPS.replace("closing", "shoulder")))
    with pytest.raises(FormatError, match=r"^arm\.loops\.yaml:5:1: 'bodies' has no place"):
        loops(LOOPS + "bodies: [a]\n")


def test_an_import_survives_the_native_format() -> None:
    for options in (LoadOptions(), LoadOptions(floating=True, fixed_joints="keep", joint_dynamics="forces")):
        model = read(ARM, options)
        assert read_native(TextSource("arm.yaml", dump_native(model))) == model


# ---- real robots -----------------------------------------------------------------------------------------------------

DEFECTS = {
    "alex_psyonic_hands.urdf": "joint 'Left_index_q2' mimics joint 'index_q1', which does not exist",
    "ur3.urdf": "the robot has no <link>",
}


def robot_files() -> list[Path]:
    return sorted(ROBOTS.rglob("*.urdf"))


def test_there_are_real_robots() -> None:
    assert len(robot_files()) >= 60


@pytest.mark.parametrize("path", some(robot_files(), robot_files()[::2]), ids=lambda path: path.stem)
def test_real_robots_agree_with_pinocchio(path: Path) -> None:
    """Joint placements and the mass properties of the merged bodies, without snapping of angles."""
    if path.name in DEFECTS:
        with pytest.raises(FormatError, match=re.escape(DEFECTS[path.name])):
            load(path)
        return
    model = load(path, EXACT)
    theirs = pinocchio.buildModelFromUrdf(str(path))
    if theirs.njoints == 1:
        assert [joint.type for joint in model.joints] == ["free"]
        return
    joints = {joint.name: joint for joint in model.joints}
    assert set(theirs.names) - {"universe"} == set(joints)
    number = {model.ground: 0, **{joints[name].successor: k for k, name in enumerate(theirs.names) if k}}
    for k in range(1, theirs.njoints):
        joint = joints[theirs.names[k]]
        assert theirs.parents[k] == number[joint.predecessor]
        R, p = placement_numbers(joint.predecessor_placement, evaluate)
        # Both multiply the same doubles; 1e-13 leaves room for a dozen fixed joints in a row.
        np.testing.assert_allclose(R, theirs.jointPlacements[k].rotation, atol=1e-13, rtol=0)
        np.testing.assert_allclose(p, theirs.jointPlacements[k].translation, atol=1e-13, rtol=0)
        assert joint.successor_placement == COINCIDENT
        _assert_same_mass(model.body(joint.successor), theirs.inertias[k])


def _assert_same_mass(body: Body, theirs: Any) -> None:
    ours = mass_properties(body, {})
    assert ours.mass == pytest.approx(theirs.mass, rel=1e-13, abs=1e-300)
    if theirs.mass:
        np.testing.assert_allclose(ours.center, theirs.lever, atol=1e-13, rtol=0)
    scale = float(np.abs(theirs.inertia).max())
    np.testing.assert_allclose(ours.inertia, theirs.inertia, atol=1e-12 * scale, rtol=0)


# ---- nothing makes the reader fail -----------------------------------------------------------------------------------


@given(st.integers(0, len(ARM) - 1), st.integers(0, 15), st.text("<>/=\"'& xyz01.e+-\0\n", max_size=6))
def test_no_change_of_a_file_makes_the_reader_fail(position: int, length: int, insertion: str) -> None:
    with contextlib.suppress(MbsymError):
        read(ARM[:position] + insertion + ARM[position + length :])


@given(st.text(max_size=100))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    with contextlib.suppress(MbsymError):
        read(text)
