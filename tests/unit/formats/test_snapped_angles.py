"""Angles near multiples of 90 degrees: exact within the tolerance, as they stand where it is zero."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.native.text import dump_native
from mbsym.model.frame_ends import with_frames
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express
from mbsym.symbolic.interpret import interpret

NEAR = 1.570796325
"""A right angle with nine digits."""

INERTIA = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
FILES = {
    "near.urdf": f"""<robot name="near"><link name="base"/><link name="arm"><inertial>{INERTIA}</inertial></link>
<link name="half"/><link name="tip"/>
<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint>
<joint name="one" type="fixed"><parent link="arm"/><child link="half"/><origin rpy="FIRST 0 0"/></joint>
<joint name="two" type="fixed"><parent link="half"/><child link="tip"/><origin rpy="REST 0 0"/></joint></robot>""",
    "near.xml": """<mujoco model="near"><compiler angle="radian"/>
<worldbody><body name="arm"><joint name="pin" axis="1 0 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<body name="half" euler="FIRST 0 0"><body name="tip" euler="REST 0 0"/></body></body></worldbody></mujoco>""",
    "near.sdf": """<sdf version="1.9"><model name="near"><link name="arm"><inertial><mass>1</mass><inertia><ixx>1</ixx>
<iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="pin" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>1 0 0</xyz></axis></joint>
<frame name="half" attached_to="arm"><pose>0 0 0 FIRST 0 0</pose></frame>
<frame name="tip" attached_to="half"><pose>0 0 0 REST 0 0</pose></frame></model></sdf>""",
    "near.yaml": """name: near
bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}
joints: {pin: {type: revolute, from: ground, to: arm, axis: x}}
frames: {tip: {body: arm, at: {rotation: [[x, FIRST], [x, REST]]}}}
""",
}


def tip(model: Model) -> np.ndarray:
    """The rotation of the frame ``tip`` at q = 0, as generated code has it."""
    options = GenerationOptions(functions=("frame_pose",), frames=("tip",))
    (program,) = derive(express(model, options), options).programs
    return interpret(program, {"q": [0.0]})["poses"][0, :3, :3]


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("turns", [(str(NEAR), "0"), ("0", str(NEAR)), ("0.785398162", "0.785398163")])
@pytest.mark.parametrize("tolerance", [0.0, 1e-8])
def test_off_is_off(name: str, turns: tuple[str, str], tolerance: float, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name].replace("FIRST", turns[0]).replace("REST", turns[1]), encoding="utf-8")
    model = mbsym.load(path, LoadOptions(snap_angles=tolerance))
    cosine = tip(model)[1, 1]
    if tolerance and not (name == "near.yaml" and turns[0] == "0.785398162"):  # which says two turns, and means them
        assert cosine == 0
    else:  # 1.8e-9, of doubles near one
        assert cosine == pytest.approx(math.cos(NEAR), abs=1e-15)
    again = tmp_path / "again.yaml"
    again.write_text(dump_native(with_frames(model, ["tip"])), encoding="utf-8")
    assert tip(mbsym.load(again))[1, 1] == cosine


def test_degrees_are_exact_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "near.xml"
    text = FILES["near.xml"].replace("radian", "degree").replace("FIRST", "45").replace("REST", "45")
    path.write_text(text, encoding="utf-8")
    assert tip(mbsym.load(path, LoadOptions(snap_angles=0)))[1, 1] == 0
