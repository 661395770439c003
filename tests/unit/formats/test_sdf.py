"""SDF: links, joints and what acts along them, as the format means them."""

from __future__ import annotations

import math

import pytest

from mbsym.constraints import GearConstraint
from mbsym.conventions import STANDARD_GRAVITY
from mbsym.forces import JointDamper, JointFriction, JointSpring
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.sdf import read_sdf
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling
from mbsym.model.system import Model
from mbsym.registry import TREE_FUNCTIONS
from mbsym.symbolic.equality import compare
from mbsym.values.numbers import evaluate
from mechanisms.mechanism import mechanism_of

ARM = """\
<?xml version="1.0"?>
<sdf version="1.6">
  <model name="arm">
    <link name="upper">
      <pose>0 0 1.0 0 0 0</pose>
      <inertial>
        <pose>0 0 0.25 0 0 1.57079632679</pose>
        <mass>2.50</mass>
        <inertia><ixx>0.03</ixx><ixy>0.001</ixy><ixz>0</ixz><iyy>0.02</iyy><iyz>0</iyz><izz>0.012</izz></inertia>
      </inertial>
      <collision name="shell"><geometry><box><size>1 1 1</size></box></geometry></collision>
    </link>
    <link name="tool"><pose>0 0 1.5 3.14159265359 0 0</pose><inertial><mass>0.5</mass>
      <inertia><ixx>1e-3</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial></link>
    <link name="finger"><pose>0 -0.02 1.4 0 0 0</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>0.1</mass>
      <inertia><ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia></inertial></link>
    <joint name="shoulder" type="revolute">
      <parent>world</parent><child>upper</child><pose>0 0 -0.1 0 0 0</pose>
      <axis><xyz>0 1 0</xyz>
        <limit><lower>-1.5</lower><upper>2</upper><effort>10</effort><velocity>3</velocity></limit>
        <dynamics><damping>0.7</damping><friction>0.2</friction>
          <spring_stiffness>4</spring_stiffness><spring_reference>0.1</spring_reference></dynamics></axis>
    </joint>
    <joint name="flange" type="fixed"><pose>0 0 0.2 0 0 0</pose><parent>upper</parent><child>tool</child></joint>
    <joint name="slide" type="prismatic"><parent>tool</parent><child>finger</child>
      <axis><xyz>0 0 2</xyz><use_parent_model_frame>1</use_parent_model_frame>
        <limit><lower>-inf</lower><upper>1e16</upper><effort>-1</effort></limit></axis></joint>
  </model>
</sdf>
"""


def read(text: str, options: LoadOptions = LoadOptions()) -> Model:  # noqa: B008
    return read_sdf(TextSource("arm.sdf", text), options)


def joints_of(body: str, version: str = "1.11") -> Model:
    """A model with two links of that body and what stands in it."""
    links = "".join(
        f'<link name="{name}"><pose>{x} 0 0 0 0 0</pose><inertial><mass>1</mass><inertia/></inertial></link>'
        for x, name in enumerate("abc")
    )
    return read(f'<sdf version="{version}"><model name="m">{links}{body}</model></sdf>')


def test_links_and_joints_are_read_exactly() -> None:
    model = read(ARM)
    assert (model.name, model.ground, model.accept_impossible_inertia) == ("arm", "world", True)
    assert [body.name for body in model.bodies] == ["upper", "finger"]
    shoulder, slide = model.joints
    assert (shoulder.type, shoulder.predecessor, shoulder.successor) == ("revolute", "world", "upper")
    assert shoulder.axis == (0, 1, 0)
    assert shoulder.predecessor_placement == Placement((0, 0, "0.9"))
    assert shoulder.successor_placement == Placement((0, 0, "-0.1"))
    assert (shoulder.lower, shoulder.upper, shoulder.effort, shoulder.velocity) == (("-1.5",), (2,), (10,), (3,))
    assert (slide.lower, slide.upper, slide.effort, slide.velocity) == ((), (), (), ())
    assert (slide.predecessor, slide.successor, slide.axis) == ("upper", "finger", (0, 0, 2))
    assert slide.predecessor_placement == Placement((0, "-0.02", "0.4"))
    assert slide.successor_placement == Placement()


def test_a_fixed_link_becomes_part_of_its_parent_and_stays_a_frame() -> None:
    model = read(ARM)
    upper = model.bodies[0]
    assert upper.mass == 3
    # (2.5 * 0.25 + 0.5 * 0.5) / 3, and the reduced mass 2.5 * 0.5 / 3 over the distance of 0.25
    assert evaluate(upper.center_of_mass[2]) == 0.875 / 3
    shift = 2.5 * 0.5 / 3 * 0.25**2
    expected = (0.02 + 0.001 + shift, 0.03 + 0.001 + shift, 0.012 + 0.001, -0.001, 0, 0)
    assert [evaluate(value) for value in upper.inertia] == pytest.approx(expected, rel=1e-15)
    assert [(frame.name, frame.body) for frame in model.frames] == [("flange", "upper"), ("tool", "upper")]
    assert model.frame("tool").placement == Placement((0, 0, "0.5"), (("x", "pi"),))
    assert model.frame("flange").placement == Placement((0, 0, "0.3"), (("x", "pi"),))


def test_fixed_joints_may_be_kept() -> None:
    model = read(ARM, LoadOptions(fixed_joints="keep"))
    assert [joint.type for joint in model.joints] == ["revolute", "fixed", "prismatic"]
    # turned by a right angle, the inertia keeps its decimals
    assert model.bodies[0] == Body("upper", "2.50", (0, 0, "0.25"), ("0.02", "0.03", "0.012", "-0.001", 0, 0))


def test_springs_always_act_and_dampers_on_request() -> None:
    spring = JointSpring("shoulder_spring", "shoulder", 4, "0.1")
    model = read(ARM)
    assert model.forces == (spring,)
    assert any("damping and friction of 1 joints ('shoulder') are left out" in note for note in model.warnings)
    damper, friction = JointDamper("shoulder_damping", "shoulder", "0.7"), None
    model = read(ARM, LoadOptions(joint_dynamics="forces"))
    friction = JointFriction("shoulder_friction", "shoulder", "0.2")
    assert model.forces == (damper, friction, spring)
    assert not any("left out" in note for note in model.warnings)


def test_what_is_left_out_of_an_inertial_is_one() -> None:
    model = read('<sdf version="1.9"><model name="m"><link name="a"/><link name="b"><inertial/></link></model></sdf>')
    assert model.bodies == tuple(Body(name, 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)) for name in "ab")
    assert any("2 links ('a', 'b') have no mass, which SDF takes as 1 kg" in note for note in model.warnings)
    assert any("have no inertia" in note for note in model.warnings)


def test_what_nothing_joins_to_the_world_floats_from_where_it_is() -> None:
    model = joints_of(
        '<pose>0 0 2 0 0 1.5</pose><joint name="j" type="ball"><parent>c</parent><child>a</child></joint>'
    )
    assert [(joint.name, joint.type) for joint in model.joints] == [
        ("a_free", "free"), ("j", "spherical"), ("b_free", "free"),
    ]  # fmt: skip
    start = [evaluate(value) for value in model.joint("b_free").initial]
    assert start == pytest.approx([math.cos(0.75), 0, 0, math.sin(0.75), math.cos(1.5), math.sin(1.5), 2], rel=1e-15)


def test_the_links_of_static_models_are_ground() -> None:
    model = read(
        '<sdf version="1.9"><model name="m"><static>true</static><link name="a"><pose>1 0 0 0 0 0</pose></link>'
        '<model name="n"><pose>0 1 0 0 0 0</pose><link name="b"/></model></model></sdf>'
    )
    assert (model.bodies, model.joints) == ((), ())
    assert [(frame.name, frame.body) for frame in model.frames] == [
        ("n", "world"), ("a", "world"), ("n::b", "world"),
    ]  # fmt: skip
    assert model.frame("n::b").placement == Placement((0, 1, 0))


@pytest.mark.parametrize(
    ("thread", "pitch"),
    [
        ("<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02 / (2 * math.pi)),
        ("<thread_pitch>-50</thread_pitch>", 1 / 50),
        ("<thread_pitch>50</thread_pitch><screw_thread_pitch>3</screw_thread_pitch>", 3 / (2 * math.pi)),
        ("", 1 / (2 * math.pi)),
    ],
)
def test_the_pitch_of_a_screw(thread: str, pitch: float) -> None:
    """Metres a turn, right-handed; the older word counts radians a metre, left-handed."""
    model = joints_of(
        f'<joint name="j" type="screw"><parent>a</parent><child>b</child>{thread}<axis><xyz>0 0 1</xyz></axis></joint>'
    )
    assert evaluate(model.joint("j").pitch) == pytest.approx(pitch, rel=1e-15)
    assert any("has no pitch" in note for note in model.warnings) is (not thread)


def test_two_axes() -> None:
    body = (
        '<joint name="j" type="{}"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><limit><lower>-1</lower>'
        "<upper>1</upper></limit></axis><axis2><xyz>{}</xyz><limit><lower>-2</lower></limit><dynamics>"
        "<spring_stiffness>3</spring_stiffness></dynamics></axis2></joint>"
    )
    for kind in ("universal", "revolute2"):
        model = joints_of(body.format(kind, "0 1 0"))
        assert "limits that only one axis of 1 joints ('j') states are left out" in model.warnings
        joint = model.joint("j")
        assert (joint.type, joint.axis, joint.second_axis) == ("universal", (1, 0, 0), (0, 1, 0))
        assert (joint.lower, joint.upper) == ((-1, -2), ())
    model = joints_of(body.format("revolute2", "1 1 0"))
    first, second = model.joint("j"), model.joint("j_2")
    assert (first.predecessor, first.successor, first.axis) == ("a", "j_between", (1, 0, 0))
    assert (second.predecessor, second.successor, second.axis) == ("j_between", "b", (1, 1, 0))
    assert model.forces == (JointSpring("j_2_spring", "j_2", 3),)
    assert model.body("j_between").mass == 0
    loop = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics></joint>"
    free = body.format("revolute2", "1 1 0").replace("<spring_stiffness>3</spring_stiffness>", "")
    assert joints_of(free.replace("</joint>", loop)).joint("j_2").cut == "cut"
    beside = '<joint name="j_2" type="revolute"><parent>b</parent><child>c</child><axis/></joint>'
    model = joints_of(body.format("revolute2", "1 1 0") + beside)
    assert {joint.name: joint.successor for joint in model.joints if not joint.kind.is_unbound} == {
        "j": "j_between", "j_2_2": "b", "j_2": "c",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ("<parent>a</parent><child>b</child>", "<parent>a</parent><child>c</child>", -0.25),
        ("<parent>b</parent><child>a</child>", "<parent>a</parent><child>c</child>", 0.25),
        ("<parent>b</parent><child>a</child>", "<parent>c</parent><child>a</child>", -0.25),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_gearbox_is_a_gear_between_the_angles_from_its_reference(
    first: str, second: str, ratio: float, turned: bool
) -> None:
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    model = joints_of(
        f'<joint name="g" type="gearbox"><parent>b</parent><child>c</child><gearbox_ratio>0.25</gearbox_ratio>'
        f"<gearbox_reference_body>a</gearbox_reference_body><axis><xyz>0 0 {'-' if turned else ''}2</xyz></axis>"
        f'<axis2><xyz>0 0 1</xyz></axis2></joint><joint name="p" type="revolute">{first}{axis}</joint>'
        f'<joint name="q" type="revolute">{second}{axis}</joint>'
    )
    (gear,) = model.constraints
    assert isinstance(gear, GearConstraint)
    assert (gear.name, gear.first_joint, gear.second_joint) == ("g", "q", "p")
    assert evaluate(gear.ratio) == (-ratio if turned else ratio)


def test_mimic() -> None:
    axis = "<axis><xyz>0 0 1</xyz>{}</axis>"
    mimic = '<mimic joint="p"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>'
    body = (
        f'<joint name="p" type="revolute"><parent>a</parent><child>b</child>{axis.format("")}</joint>'
        f'<joint name="q" type="revolute"><parent>b</parent><child>c</child>{axis.format(mimic)}</joint>'
    )
    (coupling,) = joints_of(body).couplings
    assert (coupling.joint, coupling.source, coupling.ratio) == ("q", "p", 2)
    assert evaluate(coupling.offset) == pytest.approx(0.5 - 2 * 0.1)
    plain = body.replace("<reference>0.1</reference>", "")
    assert joints_of(plain).couplings == (Coupling("q", "p", 2, "0.5"),)


def test_gravity_is_that_of_the_world() -> None:
    model = '<model name="m"><link name="a"/></model>'
    world = '<sdf version="1.9"><world name="w">{}' + model + "</world></sdf>"
    assert read(world.format("<gravity>0 0 -1.62</gravity>")).gravity == (0, 0, "-1.62")
    assert read(world.format("")).gravity == (0, 0, "-9.8")
    assert read(f'<sdf version="1.9">{model}</sdf>').gravity == STANDARD_GRAVITY
    assert [body.name for body in read(world.format("")).bodies] == ["a"]
    two = world.format('<model name="n"><link name="a"/></model>')
    assert [body.name for body in read(two).bodies] == ["n::a", "m::a"]


def test_the_order_of_the_file_is_depth_first_and_loops_come_last() -> None:
    """Joints stand as they like; the second closes the loop because something acts along the others."""
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    sprung = "<axis><xyz>0 0 1</xyz><dynamics><spring_stiffness>1</spring_stiffness></dynamics></axis>"
    model = joints_of(
        f'<joint name="bc" type="revolute"><parent>b</parent><child>c</child>{sprung}</joint>'
        f'<joint name="ac" type="revolute"><parent>a</parent><child>c</child>{axis}</joint>'
        f'<joint name="root" type="revolute"><parent>world</parent><child>a</child>{axis}</joint>'
        f'<joint name="ab" type="revolute"><parent>a</parent><child>b</child>{sprung}</joint>'
    )
    assert [(joint.name, joint.cut) for joint in model.joints] == [
        ("root", "auto"), ("ab", "tree"), ("bc", "tree"), ("ac", "auto"),
    ]  # fmt: skip
    assert model.label().cut_joints == ("ac",)


def test_fixed_joints_lead_from_the_world_outward_whatever_their_direction() -> None:
    model = joints_of(
        '<joint name="ba" type="fixed"><parent>b</parent><child>a</child></joint>'
        '<joint name="bc" type="fixed"><parent>b</parent><child>c</child></joint>'
        '<joint name="ca" type="ball"><parent>c</parent><child>a</child></joint>'
        '<joint name="root" type="ball"><parent>world</parent><child>c</child></joint>'
    )
    assert [(body.name, body.mass) for body in model.bodies] == [("c", 3)]
    assert [joint.name for joint in model.joints] == ["root"]
    assert {frame.name: frame.placement.translation[0] for frame in model.frames} == {
        "a": -2, "b": -1, "ba": -2, "bc": 0,
    }  # fmt: skip
    assert any("1 joints ('ca') join what fixed joints hold together" in note for note in model.warnings)


def test_what_is_written_out_is_the_same_model() -> None:
    for options in (LoadOptions(), LoadOptions(fixed_joints="keep", joint_dynamics="forces")):
        model = read(ARM, options)
        text = dump_native(model)
        assert read_native(TextSource("arm.yaml", text)) == model


URDF = """<robot name="arm">
<link name="world"/>
<link name="a"><inertial><origin xyz="0 0.1 0.2"/><mass value="2"/>
 <inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><origin xyz="0.3 0 0"/><mass value="3"/>
 <inertia ixx="0.4" iyy="0.5" izz="0.6" ixy="0" ixz="0.02" iyz="0"/></inertial></link>
<joint name="p" type="revolute"><parent link="world"/><child link="a"/>
 <origin xyz="0 0 1" rpy="1.5707963267948966 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="q" type="prismatic"><parent link="a"/><child link="b"/>
 <origin xyz="0.5 0 0" rpy="0 0 1.5707963267948966"/><axis xyz="0 1 0"/></joint>
</robot>"""
LINKS = """<link name="a"><pose{}>{}</pose><inertial><pose>0 0.1 0.2 0 0 0</pose><mass>2</mass><inertia>
 <ixx>0.1</ixx><iyy>0.2</iyy><izz>0.3</izz><ixy>0.01</ixy></inertia></inertial></link>
<link name="b"><pose{}>{}</pose><inertial><pose>0.3 0 0 0 0 0</pose><mass>3</mass><inertia>
 <ixx>0.4</ixx><iyy>0.5</iyy><izz>0.6</izz><ixz>0.02</ixz></inertia></inertial></link>"""
RIGHT = "1.5707963267948966"
JOINTS = """<joint name="p" type="revolute"><parent>world</parent><child>a</child>{}<axis>{}</axis></joint>
<joint name="q" type="prismatic"><parent>a</parent><child>b</child>{}<axis>{}</axis></joint>"""
OLD = LINKS.format("", f"0 0 1 {RIGHT} 0 0", "", f"0.5 0 1 {RIGHT} -{RIGHT} 0") + JOINTS.format(
    "", "<xyz>0 -1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", "", "<xyz>0 1 0</xyz>"
)
NEW = LINKS.format(' relative_to="p"', "", ' relative_to="q"', "") + JOINTS.format(
    f'<pose relative_to="__model__">0 0 1 {RIGHT} 0 0</pose>',
    '<xyz expressed_in="a">0 0 1</xyz>',
    '<pose relative_to="a" degrees="true">0.5 0 0 0 0 90</pose>',
    '<xyz expressed_in="a">-1 0 0</xyz>',
)


def test_one_arm_in_three_descriptions_has_the_same_equations_exactly() -> None:
    urdf = mechanism_of(read_urdf(TextSource("arm.urdf", URDF)))
    for version, body in (("1.6", OLD), ("1.11", NEW)):
        sdf = mechanism_of(read(f'<sdf version="{version}"><model name="arm">{body}</model></sdf>'))
        for function in ("mass_matrix", "bias_force", "body_poses"):
            assert compare(TREE_FUNCTIONS[function](urdf), TREE_FUNCTIONS[function](sdf)), function


def test_what_is_left_out_is_named() -> None:
    model = joints_of(
        '<link name="d"><gravity>0</gravity><velocity_decay><linear>0.1</linear></velocity_decay>'
        '<wobble/></link><drake:rotor xmlns:drake="x"/>'
        '<joint name="j" type="ball"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
        '<joint name="k" type="fixed"><parent>b</parent><child>c</child><gearbox_ratio>2</gearbox_ratio></joint>'
    )
    notes = " ".join(model.warnings)
    for word in (
        "<drake:rotor>",
        "<wobble>",
        "links ('d') without gravity",
        "decay of velocity",
        "ball joints ('j')",
        "gear ratio of 1 joints ('k')",
    ):
        assert word in notes
