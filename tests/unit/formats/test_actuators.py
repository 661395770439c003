"""What actuators and joints of robot files say about forces, on request."""

from __future__ import annotations

import pytest

from mbsym.errors import FormatError
from mbsym.forces import JointForce, JointFriction
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate

MJCF = """<mujoco><default><motor gear="3"/></default><worldbody><body name="b"><joint name="x" type="slide"
 frictionloss="0.4"/><geom size="0.1"/><site name="s"/></body></worldbody>
<actuator><motor name="1st" joint="x"/><motor joint="x" gear="2" ctrlrange="-1 2"/><motor name="t" site="s"/>
<muscle joint="x"/><general name="slow" joint="x" dyntype="filter"/></actuator></mujoco>"""


def read(text: str = MJCF, **options: str) -> Model:
    return read_mjcf(TextSource("m.xml", text), LoadOptions(**options))  # type: ignore[arg-type]


def test_inputs_have_names_laws_and_limits() -> None:
    model = read(actuators="inputs")
    assert [item.name for item in model.inputs] == ["u_1st", "x_motor", "slow"]
    assert (model.inputs[1].lower, model.inputs[1].upper) == (-1, 2)
    laws = [force.expression for force in model.forces if isinstance(force, JointForce)]
    assert laws == ["(3)*((1)*u_1st)", "(2)*((1)*x_motor)", "(1)*((1)*slow)"]
    assert read_native(TextSource("m.yaml", dump_native(model))) == model


@pytest.mark.parametrize("count", range(1, 7))
def test_of_the_numbers_of_a_gear_the_first_is_that_of_the_joint(count: int) -> None:
    gear = " ".join(["4", *"00000"][:count])
    model = read(MJCF.replace('gear="2"', f'gear="{gear}"'), actuators="inputs")
    assert [force.expression for force in model.forces if isinstance(force, JointForce)][1] == "(4)*((1)*x_motor)"


def test_what_has_no_counterpart_is_named() -> None:
    text = " ".join(read(actuators="inputs").warnings)
    assert "1 actuators <motor> without a joint of one freedom are left out" in text
    assert "1 actuators <muscle>" in text
    assert "the activation dynamics of actuator 'slow' are left out" in text
    assert "actuators are left out of the dynamics" not in text


def test_both_are_left_out_by_default() -> None:
    model = read()
    assert model.inputs == ()
    assert model.forces == ()
    assert model.joints[0].actuated
    text = " ".join(model.warnings)
    assert "5 actuators are left out of the dynamics" in text
    assert "the dry friction of 1 joints is left out" in text


def test_dry_friction_on_request() -> None:
    model = read(joint_dynamics="forces")
    found = [(force.joint, force.magnitude) for force in model.forces if isinstance(force, JointFriction)]
    assert found == [("x", "0.4")]
    assert "dry friction" not in " ".join(model.warnings)


def test_a_bad_number_has_its_place() -> None:
    with pytest.raises(FormatError, match=r"m.xml:3:\d+: .*gear"):
        read(MJCF.replace('gear="2"', 'gear="two"'), actuators="inputs")


URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>{}</robot>"""
TRANSMISSION = '<transmission name="t"><joint name="pin"/><actuator name="a"/></transmission>'


@pytest.mark.parametrize(("more", "actuated"), [("", False), (TRANSMISSION, True)])
def test_a_transmission_marks_its_joint(more: str, actuated: bool) -> None:
    model = read_urdf(TextSource("r.urdf", URDF.format(more)))
    assert model.joints[0].actuated is actuated


ROTORS = """<mujoco><default><motor armature="0.5"/></default><worldbody><body name="b"><joint name="x" type="slide"
 {joint}/><joint name="ball" type="ball"/><geom size="0.1"/><site name="s"/></body></worldbody>
<actuator>{actuators}</actuator></mujoco>"""


def test_joints_feel_the_rotors_of_their_actuators() -> None:
    """By the square of the gear, whether their forces are read or not."""
    motors = '<motor joint="x" gear="3"/><motor joint="x"/><motor joint="x" armature="0"/>'
    for options in ({}, {"actuators": "inputs"}):
        joint = read(ROTORS.format(joint="", actuators=motors), **options).joint("x")
        assert evaluate(joint.armature) == 5.0


@pytest.mark.parametrize(
    ("joint", "actuator", "told"),
    [
        (
            'armature="0.1"',
            '<motor name="m" joint="x"/>',
            "joint 'x' has an armature of its own beside",
        ),
        ("", '<motor name="m" joint="ball"/>', "actuator 'm' has an armature, but no joint of one freedom"),
        ("", '<motor name="m" site="s"/>', "actuator 'm' has an armature, but no joint of one freedom"),
    ],
)
def test_rotors_that_are_told_twice_or_of_no_joint_are_refused(joint: str, actuator: str, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        read(ROTORS.format(joint=joint, actuators=actuator))
