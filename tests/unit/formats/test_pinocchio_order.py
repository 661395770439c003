"""The manifest of a URDF says how Pinocchio lays its coordinates out: siblings by name, fixed links included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mbsym
from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
JOINT = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/><limit lower="-1" upper="1"/></joint>'
LINKS = ("base", "bracket", "z_link", "m_link", "b_link")
JOINTS = (
    ("m", "revolute", "base", "m_link"), ("b", "prismatic", "m_link", "b_link"),
    ("a_fixed", "fixed", "base", "bracket"), ("z", "revolute", "bracket", "z_link"),
)  # fmt: skip
ROBOT = "".join([
    "<robot name=\"r\">", *(f"<link name=\"{name}\">{BODY}</link>" for name in LINKS),
    *(JOINT.format(*joint) for joint in JOINTS), "</robot>",
])  # fmt: skip


def robot(*, floating: bool = False) -> mbsym.Model:
    return read_urdf(TextSource("r.urdf", ROBOT), LoadOptions(floating=floating))


def manifest(model: mbsym.Model, directory: Path) -> dict[str, object]:
    mbsym.generate(model, directory, functions=["mass_matrix"])
    found: dict[str, object] = json.loads((directory / "r.json").read_text(encoding="utf-8"))["pinocchio_order"]
    return found


def test_a_fixed_joint_takes_its_place_among_siblings(tmp_path: Path) -> None:
    model = robot()
    assert [joint.name for joint in model.joints] == ["m", "b", "z"]
    assert manifest(model, tmp_path) == {"joints": ["z", "m", "b"], "q": [2, 0, 1], "v": [2, 0, 1]}


def test_a_free_base_has_its_entries_in_their_order(tmp_path: Path) -> None:
    found = manifest(robot(floating=True), tmp_path)
    assert found["joints"] == ["base_free", "z", "m", "b"]
    assert found["q"] == [4, 5, 6, 1, 2, 3, 0, 9, 7, 8]
    assert found["v"] == [3, 4, 5, 0, 1, 2, 8, 6, 7]


def test_it_is_written_and_read() -> None:
    text = dump_native(robot())
    assert "pinocchio_order: [z, m, b]" in text
    assert read_native(TextSource("r.yaml", text)) == robot()
    with pytest.raises(FormatError, match=r"r.yaml:4:19: there is no joint 'y'"):
        read_native(TextSource("r.yaml", text.replace("[z, m, b]", "[y, m, b]")))
