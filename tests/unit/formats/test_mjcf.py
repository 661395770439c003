"""MJCF: kinematics, mass matrix and forces agree with MuJoCo's; what is not covered is refused where it stands."""

from __future__ import annotations

import contextlib
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import FormatError, MbsymError
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.registry import LoadOptions, load
from mbsym.formats.text_source import TextSource
from mbsym.model.joint import Coupling
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.reference.reference import Reference
from mbsym.values.numbers import evaluate

WALKER = """\
<mujoco model="walker">
  <compiler angle="degree" eulerseq="xyz"/>
  <option gravity="0.5 0 -9.81"/>
  <default>
    <joint damping="0.1"/>
    <geom density="500"/>
    <default class="leg">
      <joint armature="0.02" axis="0 1 0"/>
      <geom type="capsule" size="0.05"/>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="trunk" pos="0 0 1" euler="10 20 30">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.1 0.05" pos="0.01 0 0" euler="0 0 45"/>
      <geom type="ellipsoid" size="0.2 0.1 0.05" pos="0 0 0.1" mass="2"/>
      <body name="thigh" pos="0.2 0.1 0" quat="0.9 0.1 0.2 0.3" childclass="leg">
        <joint name="hip1" axis="1 0 0" pos="0 0 0.05"/>
        <joint name="hip2" pos="0 0.02 0" ref="30" range="-90 45" stiffness="3" springref="10"/>
        <geom fromto="0 0 0 0.1 0 -0.3"/>
        <body name="shank" pos="0 0 -0.3" axisangle="1 1 0 40">
          <joint name="knee" type="slide" axis="1 2 3" ref="0.1"/>
          <inertial pos="0.01 0 -0.1" mass="0.7" fullinertia="0.02 0.03 0.02 0.001 -0.002 0.003"/>
          <body name="foot" pos="0 0 -0.3" xyaxes="0 1 0 -1 0 1">
            <geom type="cylinder" size="0.03 0.05" zaxis="1 1 1"/>
            <geom type="sphere" size="0.04" pos="0.1 0 0" class="main"/>
            <body name="toe" pos="0.1 0 0">
              <joint name="ball" type="ball" pos="0.01 0 0"/>
              <inertial pos="0 0.1 0.05" quat="1 1 0 0.1" mass="0.2" diaginertia="0.001 0.002 0.0015"/>
            </body>
          </body>
        </body>
      </body>
    </body>
    <body name="crank" pos="2 0 0">
      <joint name="c1" axis="0.3 1 0" ref="-20"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/>
    </body>
  </worldbody>
</mujoco>
"""

EULER = """\
<mujoco>
  <compiler angle="radian" eulerseq="ZyX"/>
  <worldbody>
    <body name="a" euler="0.1 0.2 0.3">
      <joint name="j" axis="0 0 1" pos="0.1 0 0" ref="0.4"/>
      <geom type="box" size="0.1 0.2 0.3"/>
      <body name="b" pos="1 0 0" euler="1.5707963267948966 0 0">
        <joint name="k" type="hinge" axis="1 0 0"/>
        <geom type="cylinder" size="0.1" fromto="0 0 0 0 1 1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def read(text: str, **options: Any) -> Model:
    return read_mjcf(TextSource("m.xml", text), LoadOptions(**options))


class Theirs:
    """MuJoCo's numbers in our coordinates: v_theirs = T v_ours."""

    def __init__(self, text: str, model: Model, q: np.ndarray, v: np.ndarray, reference: Reference) -> None:
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.T = np.zeros((self.model.nv, reference.nv))
        drift = np.zeros(self.model.nv)
        at, speeds = reference.joint_coordinates(q), reference.joint_speeds(q, v)
        column = 0
        joints = {joint.name: joint for joint in model.joints}
        for name in self._in_order(reference, joints):
            number = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name)
            p, d = self.model.jnt_qposadr[number], self.model.jnt_dofadr[number]
            mine, speed = np.asarray(at[name]), np.asarray(speeds[name])
            n = joints[name].shape.nv
            if joints[name].type == "free":
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, mine[:4])
                R = R.reshape(3, 3)
                self.data.qpos[p : p + 7] = (*mine[4:], *mine[:4])
                self.T[d : d + 3, column + 3 : column + 6] = R
                self.T[d + 3 : d + 6, column : column + 3] = np.eye(3)
                drift[d : d + 3] = R @ np.cross(speed[:3], speed[3:])
            else:
                self.data.qpos[p : p + len(mine)] = mine
                self.T[d : d + n, column : column + n] = np.eye(n)
            column += n
        self.data.qvel[:] = self.T @ v
        mujoco.mj_forward(self.model, self.data)
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        self.M = self.T.T @ M @ self.T
        self.bias = self.T.T @ (M @ drift + self.data.qfrc_bias - self.data.qfrc_passive)

    @staticmethod
    def _in_order(reference: Reference, joints: dict[str, Any]) -> list[str]:
        labelling = reference.labelling
        return [str(name) for name in labelling.joint_names[: labelling.nb] if joints[str(name)].shape.nv]

    def position(self, body: str) -> np.ndarray:
        return np.array(self.data.body(body).xpos)

    def rotation(self, body: str) -> np.ndarray:
        return np.array(self.data.body(body).xmat).reshape(3, 3)


@pytest.mark.parametrize("text", [WALKER, EULER], ids=["walker", "euler"])
@pytest.mark.parametrize("fixed_joints", ["merge", "keep"])
def test_dynamics_agree_with_mujoco(text: str, fixed_joints: str) -> None:
    model = read(text, snap_angles=0.0, fixed_joints=fixed_joints)
    reference = Reference(model)
    random = np.random.default_rng(7)
    q = reference.integrate_position(reference.neutral, random.normal(size=reference.nv), 1.0)
    v = random.normal(size=reference.nv)
    theirs = Theirs(text, model, q, v, reference)
    poses = reference.poses(q)
    known = {body.name for body in model.bodies}
    assert known >= ({"trunk", "shank", "toe", "crank"} if text is WALKER else {"a", "b"})
    for name, label in reference.labelling.body_labels.items():
        if label and mujoco.mj_name2id(theirs.model, mujoco.mjtObj.mjOBJ_BODY, str(name)) >= 0:
            pose = poses[label - 1]
            np.testing.assert_allclose(pose[:3, 3], theirs.position(str(name)), atol=1e-12)
            np.testing.assert_allclose(pose[:3, :3], theirs.rotation(str(name)), atol=1e-12)
    # Both compute in doubles; MuJoCo stores principal inertias, which costs a few digits.
    scale = np.abs(theirs.M).max()
    np.testing.assert_allclose(reference.mass_matrix(q), theirs.M, atol=1e-12 * scale)
    np.testing.assert_allclose(
        reference.bias_force(q, v), theirs.bias, atol=1e-11 * max(1.0, float(np.abs(theirs.bias).max()))
    )


@pytest.mark.parametrize(
    "geom",
    [
        'type="sphere" size="0.3"',
        'type="capsule" size="0.3 0.7"',
        'type="capsule" size="0.1" fromto="0 1 0 1 2 -1"',
        'type="cylinder" size="0.3 0.7"',
        'type="box" size="0.3 0.7 0.2"',
        'type="ellipsoid" size="0.3 0.7 0.2" mass="3"',
        'size="0.2" density="10"',
        'type="box" size="0.1 0.1" fromto="0 1 0 1 2 -1"',
    ],
)
def test_masses_of_geoms_agree_with_mujoco(geom: str) -> None:
    frame = "" if "fromto" in geom else 'pos="0 0.1 0" euler="10 20 30"'
    body_text = f'<body name="a"><freejoint/><geom {geom} {frame}/></body>'
    text = f"<mujoco><worldbody>{body_text}</worldbody></mujoco>"
    body = read(text).bodies[0]
    theirs = mujoco.MjModel.from_xml_string(text)
    assert evaluate(body.mass) == pytest.approx(theirs.body_mass[1], rel=1e-13)
    assert [evaluate(value) for value in body.center_of_mass] == pytest.approx(list(theirs.body_ipos[1]), abs=1e-14)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, theirs.body_iquat[1])
    R = R.reshape(3, 3)
    J = R @ np.diag(theirs.body_inertia[1]) @ R.T
    ours = [evaluate(value) for value in body.inertia]
    assert ours == pytest.approx([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]], rel=1e-9, abs=1e-12)


def test_right_angles_and_decimals_stay_exact() -> None:
    text = """<mujoco model="m"><worldbody><body name="a" pos="0 0 0.10" euler="90 0 -180">
      <joint name="j" range="-150 90"/><inertial pos="0 0 0" mass="1.50" diaginertia="1 1 1"/>
      </body></worldbody></mujoco>"""
    model = read(text)
    joint = model.joints[0]
    assert joint.predecessor_placement.rotation == (("x", "pi/2"), ("z", "-pi"))
    assert (joint.lower, joint.upper) == (("-150*pi/180",), ("pi/2",))
    assert (model.bodies[0].mass, joint.predecessor_placement.translation) == ("1.50", (0, 0, "0.10"))


FOUR_BAR = """\
<mujoco model="four_bar">
  <worldbody>
    <body name="crank" pos="0 0 0" euler="0 20 0">
      <joint name="a" axis="0 1 0"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0"/>
      <body name="coupler" pos="0.2 0 0" euler="0 30 0">
        <joint name="b" axis="0 1 0"/>
        <geom type="capsule" size="0.01" fromto="0 0 0 0.5 0 0"/>
      </body>
    </body>
    <body name="rocker" pos="0.5 0 0" euler="0 10 40">
      <joint name="c" axis="0 1 0" ref="5"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0.3 0 0"/>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" body1="coupler" body2="rocker" anchor="0.5 0 0"/>
    <weld body1="crank" active="false"/>
    <weld name="glue" body1="rocker" body2="crank"/>
    <joint joint1="c" joint2="a" polycoef="0.1 -2 0 0 0"/>
  </equality>
  <actuator><motor joint="a"/></actuator>
</mujoco>
"""


def test_equalities_close_loops() -> None:
    model = read(FOUR_BAR)
    pin, glue = model.joints[3:]
    assert (pin.name, pin.type, pin.predecessor, pin.successor) == ("pin", "spherical", "coupler", "rocker")
    assert (glue.type, glue.predecessor, glue.successor) == ("fixed", "rocker", "crank")
    assert model.joints[0].actuated
    (coupling,) = model.couplings
    assert (coupling.joint, coupling.source, evaluate(coupling.ratio)) == ("c", "a", -2)
    assert evaluate(coupling.offset) == pytest.approx(0.1 + 5 * np.pi / 180, rel=1e-15)
    # At the reference position the loop is closed: both ends of each joint are one frame.
    reference = Reference(Model(model.name, model.bodies, model.joints[:3], ground="world"))
    poses = reference.poses(
        [0, 0, 5 * np.pi / 180] if reference.labelling.joint_labels["c"] == 3 else [0, 5 * np.pi / 180, 0]
    )
    at = {name: poses[label - 1] for name, label in reference.labelling.body_labels.items() if label}
    first = at["coupler"] @ [0.5, 0, 0, 1]
    second = at["rocker"] @ [*(evaluate(value) for value in pin.successor_placement.translation), 1]
    np.testing.assert_allclose(first, second, atol=1e-14)
    assert isinstance(coupling, Coupling)


def test_inertias_that_no_body_has_are_warnings() -> None:
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'
    text = f'<mujoco><worldbody><body name="b"><freejoint/>{inertial}</body></worldbody></mujoco>'
    (found,) = validate(read(text))
    assert (found.severity, found.path) == ("warning", ("bodies", 0, "inertia"))


def test_an_import_survives_the_native_format() -> None:
    for text in (WALKER, EULER, FOUR_BAR):
        model = read(text)
        assert read_native(TextSource("m.yaml", dump_native(model))) == model


def equality(element: str) -> str:
    return f"<equality>{element}</equality></mujoco>"


MISTAKES = [
    ("<worldbody>", '<worldbody><composite count="2"/>', "12:14", "<composite> is not covered"),
    ("<worldbody>", '<include file="a.xml"/><worldbody>', "12:3", "the file cannot be read"),
    ('model="walker"', 'model="wal*ker"', "1:1", "the model's name holds"),
    ('angle="degree"', 'angle="turns"', "2:3", "angles in 'turns' are unknown"),
    ('eulerseq="xyz"', 'eulerseq="xyw"', "2:3", "no sequence of three axes"),
    ('eulerseq="xyz"', 'coordinate="global"', "2:3", "global coordinates are not covered"),
    ('eulerseq="xyz"', 'boundmass="x"', "2:3", "boundmass of <compiler> is 'x', no finite number"),
    ('gravity="0.5 0 -9.81"', 'gravity="0 -9.81"', "3:3", "gravity of <option> has 2 numbers"),
    ('childclass="leg"', 'childclass="lg"', "19:9", "there is no default class 'lg'; did you mean 'leg'?"),
    ('euler="10 20 30"', 'euler="10 20 x"', "14:5", "euler of <body> is 'x'"),
    ('euler="10 20 30"', 'euler="10 20 30" quat="1 0 0 0"', "14:5", "two orientations, quat and euler"),
    ('quat="0.9 0.1 0.2 0.3"', 'quat="0 0 0 0"', "18:7", "the quaternion of <body> is zero"),
    ('axisangle="1 1 0 40"', 'axisangle="0 0 0 40"', "22:9", "has the direction zero"),
    ('xyaxes="0 1 0 -1 0 1"', 'xyaxes="0 1 0 0 2 0"', "25:11", "the two axes of xyaxes are parallel"),
    ('type="slide"', 'type="screw"', "23:11", "there is no joint type 'screw'"),
    ('axis="1 2 3"', 'axis="0 0 0"', "23:11", "the axis of prismatic joint 'knee' is zero"),
    ('name="hip2"', 'name="hip1"', "20:9", "two joints are named 'hip1'"),
    ('type="ball" pos', 'type="ball" stiffness="1" pos', "29:15", "the stiffness of ball joint 'ball' is not covered"),
    ('stiffness="3"', 'stiffness="3 0 1"', "20:9", "stiffness as a polynomial is not covered"),
    ('type="ball"', 'type="free"', "29:15", "is not the only joint of a body of the world"),
    ('mass="0.7"', 'mass="-0.7"', "24:11", "has the negative mass -0.7"),
    ('type="sphere" size="0.04"', 'type="mesh" mesh="a"', "27:13", "there is no mesh 'a'; add it under <asset>"),
    ('type="sphere" size="0.04"', 'type="sphere"', "27:13", "a sphere has 1 sizes, this has 0"),
    ('type="sphere" size="0.04"', 'type="sphere" size="-1"', "27:13", "a size of this sphere is not positive"),
    ('fromto="0 0 0 0.1 0 -0.3"', 'fromto="0 0 0 0 0 0"', "21:9", "the two ends of fromto coincide"),
    ("</mujoco>", equality('<connect body1="toe" body2="trnk" anchor="0 0 0"/>'), "41:11", "did you mean 'trunk'?"),
    ("</mujoco>", equality("<distance/>"), "41:11", "<distance> is not covered"),
    ("</mujoco>", equality('<joint joint1="x1"/>'), "41:11", "joint1='x1' does not exist"),
    ("</mujoco>", equality('<connect site1="s" site2="t"/>'), "41:11", "site1='s' does not exist"),
    ("</mujoco>", equality('<weld site1="s" body1="trunk"/>'), "41:11", "body1 beside sites"),
    ("</mujoco>", equality('<joint joint1="c1" joint2="hip1" polycoef="0 1 2"/>'), "41:11", "not linear"),
    ("</mujoco>", "", "42:1", "no valid XML: no element found"),
    ("<mujoco", "<!DOCTYPE a><mujoco", "1:", "a document type or entity"),
]  # fmt: skip


def test_names_made_for_joints_leave_those_of_the_file_alone() -> None:
    text = """<mujoco><worldbody><body name="a"><joint stiffness="2 0"/><geom size="0.1"/>
    <body name="b"><geom size="0.1"/><body><joint name="a_hinge"/><geom size="0.1"/></body>
    <frame><body><joint name="b_weld"/><geom size="0.1"/></body></frame></body></body></worldbody>
    <equality><connect body1="a" body2="b" anchor="0 0 0"/>
    <connect name="connect_1" body1="a" body2="b" anchor="1 0 0"/></equality></mujoco>"""
    model = read_mjcf(TextSource("m.xml", text), LoadOptions(fixed_joints="keep"))
    assert [joint.name for joint in model.joints] == [
        "a_hinge_2", "b_weld_2", "a_hinge", "b_weld", "connect_1_2", "connect_1"
    ]  # fmt: skip
    assert model.forces[0].named("joint") == ("a_hinge_2",)


@pytest.mark.parametrize(("old", "new", "place", "message"), MISTAKES, ids=[f"{m[2]}-{m[3][:40]}" for m in MISTAKES])
def test_every_mistake_is_found_where_it_is(refused: Any, old: str, new: str, place: str, message: str) -> None:
    assert old in WALKER
    refused(read, WALKER.replace(old, new, 1), "m.xml", place, message)


def test_a_urdf_is_no_mjcf(tmp_path: Any) -> None:
    (tmp_path / "a.xml").write_text("<robot/>")
    with pytest.raises(FormatError, match=r"a\.xml:1:1: <robot> is no model in MJCF; give the file the suffix \.urdf"):
        load(tmp_path / "a.xml")


@given(st.integers(0, len(WALKER) - 1), st.integers(0, 15), st.text("<>/=\"'& xyz01.e+-\0\n", max_size=6))
def test_no_change_of_a_file_makes_the_reader_fail(position: int, length: int, insertion: str) -> None:
    with contextlib.suppress(MbsymError):
        read(WALKER[:position] + insertion + WALKER[position + length :])
