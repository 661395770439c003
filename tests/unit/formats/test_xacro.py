"""Robots in xacro: expanded by the package, and what is said where that cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import mbsym
from mbsym.errors import FormatError, ToolchainError
from mbsym.values.numbers import evaluate

ROBOT = """<robot name="arms" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="m" value="1.5"/>
<xacro:include filename="part.xacro"/>
<link name="base"/>
<xacro:arm side="left" mass="${m}"/>
<xacro:arm side="right" mass="${2*m}"/>
</robot>"""

PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="arm" params="side mass">
<link name="${side}"><inertial><mass value="${mass}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="${side}_joint" type="continuous"><parent link="base"/><child link="${side}"/><axis xyz="0 0 1"/></joint>
</xacro:macro></robot>"""


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    (tmp_path / "arms.urdf.xacro").write_text(ROBOT)
    (tmp_path / "part.xacro").write_text(PART)
    return tmp_path / "arms.urdf.xacro"


def test_macros_become_links_and_joints(robot: Path) -> None:
    pytest.importorskip("xacro")
    model = mbsym.load(robot)
    assert model.name == "arms"
    assert {body.name: evaluate(body.mass) for body in model.bodies} == {"left": 1.5, "right": 3.0}
    assert [joint.name for joint in model.joints] == ["left_joint", "right_joint"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("${2*m}", "${2*n}", r"arms.urdf.xacro:1:1: xacro cannot expand it: .*'n'.*; check the file"),
        ("part.xacro", "none.xacro", "xacro cannot expand it: .*none.xacro"),
        ("</robot>", "", "xacro cannot expand it"),
        ('mass="${m}"', "", "xacro cannot expand it: .*mass"),
        ('side="left"', 'side="right"', r"arms.urdf.xacro \(expanded\):\d+:\d+: two links are named 'right'"),
    ],
)
def test_mistakes(robot: Path, old: str, new: str, complaint: str) -> None:
    pytest.importorskip("xacro")
    assert old in ROBOT
    robot.write_text(ROBOT.replace(old, new))
    with pytest.raises(FormatError, match=complaint):
        mbsym.load(robot)


def test_without_the_package_it_is_said_how_it_is_installed(robot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(
        ToolchainError, match=r"which the package xacro expands, which is not installed; .*mbsym\[xacro\]"
    ):
        mbsym.load(robot)
    plain = robot.with_name("arms.urdf")
    plain.write_text(ROBOT)
    with pytest.raises(FormatError, match=r"arms.urdf:2:1: this file is written in xacro.*; end its name in .xacro"):
        mbsym.load(plain)
