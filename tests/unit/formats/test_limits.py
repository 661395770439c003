"""Limits the wrong way round, and starts beyond them, have their place in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbsym
from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions

FILES = {
    "r.yaml": """name: n
bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}
joints:
  pin: {type: revolute, from: ground, to: rod, initial: 0.5,
    limits: {lower: LOW, upper: HIGH, velocity: SPEED, effort: FORCE}}
inputs:
  push: {unit: N, lower: LEAST, upper: 3}
""",
    "r.urdf": """<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="revolute"><parent link="base"/><child link="rod"/>
 <limit lower="LOW" upper="HIGH" velocity="SPEED" effort="FORCE"/></joint></robot>""",
    "r.xml": """<mujoco model="r"><compiler angle="radian"/><worldbody><body name="rod">
 <joint name="pin" limited="true" range="LOW HIGH"/>
 <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
<actuator>
 <motor joint="pin" ctrllimited="true" ctrlrange="LEAST 3"/></actuator></mujoco>""",
    "r.sdf": """<sdf version="1.9"><model name="r">
<link name="rod"><inertial><mass>1</mass><inertia><ixx>1</ixx></inertia></inertial></link>
<joint name="pin" type="revolute"><parent>world</parent><child>rod</child><axis><xyz>1 0 0</xyz>
 <limit><lower>LOW</lower><upper>HIGH</upper><velocity>SPEED</velocity><effort>FORCE</effort></limit>
 </axis></joint></model></sdf>""",
}
RIGHT = {"LOW": "-1", "HIGH": "2", "SPEED": "3", "FORCE": "4", "LEAST": "-3"}


def load(name: str, folder: Path, **other: str) -> mbsym.Model:
    text = FILES[name]
    for word, number in {**RIGHT, **other}.items():
        text = text.replace(word, number)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return mbsym.load(path, LoadOptions(actuators="inputs" if path.suffix == ".xml" else "ignore"))


@pytest.mark.parametrize(
    ("name", "wrong", "place", "said"),
    [
        (
            "r.yaml",
            {"LOW": "2.5"},
            "5:21",
            "a lower limit of revolute joint 'pin' exceeds the upper one; exchange them",
        ),
        ("r.urdf", {"LOW": "2.5"}, "4:2", "a lower limit of revolute joint 'pin' exceeds the upper one"),
        ("r.xml", {"LOW": "2.5"}, "2:2", "a lower limit of revolute joint 'pin' exceeds the upper one"),
        ("r.sdf", {"LOW": "2.5"}, "4:2", "a lower limit of revolute joint 'pin' exceeds the upper one"),
        ("r.yaml", {"SPEED": "-1"}, "5:45", "a largest speed of revolute joint 'pin' is negative"),
        ("r.urdf", {"SPEED": "-1"}, "4:2", "a largest speed of revolute joint 'pin' is negative"),
        ("r.yaml", {"FORCE": "-0.1"}, "5:56", "a largest force of revolute joint 'pin' is negative"),
        ("r.urdf", {"FORCE": "-0.1"}, "4:2", "a largest force of revolute joint 'pin' is negative"),
        ("r.yaml", {"LEAST": "4"}, "7:26", "the lower bound of control input 'push' exceeds the upper one"),
        ("r.yaml", {"LEAST": "4*nobody"}, "7:28", "nobody"),
        ("r.xml", {"LEAST": "4"}, "5:2", "the ctrlrange of <motor> is the wrong way round"),
    ],
)
def test_the_wrong_way_round_is_refused(
    name: str, wrong: dict[str, str], place: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as caught:
        load(name, tmp_path, **wrong)
    assert str(caught.value).startswith(f"{tmp_path / name}:{place}: ") and said in str(caught.value)


def test_sdf_takes_negative_sizes_as_none(tmp_path: Path) -> None:
    """Its format says so."""
    joint = load("r.sdf", tmp_path, SPEED="-1", FORCE="-1").joint("pin")
    assert (joint.velocity, joint.effort) == ((), ())


@pytest.mark.parametrize("name", sorted(FILES))
def test_what_is_right_is_taken_without_a_word(name: str, tmp_path: Path) -> None:
    assert load(name, tmp_path).warnings == ()
    assert load(name, tmp_path, LOW="0.5", HIGH="0.5").warnings == ()


def test_a_start_beyond_the_limits_is_told(tmp_path: Path) -> None:
    (said,) = load("r.yaml", tmp_path, LOW="0.6").warnings
    assert said.startswith("revolute joint 'pin' starts outside its limits")
