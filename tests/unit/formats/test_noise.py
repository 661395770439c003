"""What programs leave in robot files: numbers that are zero but for rounding, attributes that nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbsym
from mbsym.errors import FormatError
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import read_xml
from mbsym.values.numbers import evaluate

URDF = """<robot name="a">
<link name="base"/>
<link name="tip"><inertial><origin xyz="1e-135 0 0.1"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="-3E-130" ixz="4e-99" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/></joint>
</robot>"""

MJCF = """<mujoco model="a"><worldbody><body name="tip"><joint name="turn" axis="0 1 0"/>
<inertial pos="1e-135 0 0.1" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""

SDF = """<sdf version="1.9"><model name="a"><link name="tip">
<inertial><pose>1e-135 0 0.1 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz>
<ixy>-3e-130</ixy></inertia></inertial></link>
<joint name="turn" type="revolute"><parent>world</parent><child>tip</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


@pytest.mark.parametrize(
    ("suffix", "text", "lines"),
    [("urdf", URDF, "2 times from line 3 on"), ("xml", MJCF, "line 2"), ("sdf", SDF, "2 times from line 2 on")],
)
def test_it_is_taken_as_zero_with_a_word(suffix: str, text: str, lines: str, tmp_path: Path) -> None:
    (tmp_path / f"a.{suffix}").write_text(text)
    model = mbsym.load(tmp_path / f"a.{suffix}")
    assert f"taken as zero: numbers smaller than 1e-100 ({lines})" in model.warnings
    (body,) = (body for body in model.bodies if body.name == "tip")
    assert [evaluate(entry) for entry in body.center_of_mass] == [0.0, 0.0, 0.1]
    assert evaluate(body.inertia[3]) == 0.0


def test_what_is_small_stays() -> None:
    """Just above the bound, in another place than a number, as part of a name."""
    root = read_xml(TextSource("a.xml", '<a b="1e-100 -2.5e-099 1e-010" name="arm1e-200" c="x1e-300"><d>1e-99</d></a>'))
    assert root.attributes == {"b": "1e-100 -2.5e-099 1e-010", "name": "arm1e-200", "c": "x1e-300"}
    assert root.children[0].text == "1e-99" and not any(element.has_noise for element in root.every())


def test_roll_pitch_and_yaw_of_an_axis_are_told(tmp_path: Path) -> None:
    text = URDF.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0" rpy="0 0 1"/>')
    (tmp_path / "a.urdf").write_text(text)
    model = mbsym.load(tmp_path / "a.urdf")
    assert "not understood and left out: rpy (line 5)" in model.warnings
    with pytest.raises(FormatError, match="rpy in <axis> is not understood"):
        mbsym.load(tmp_path / "a.urdf", mbsym.LoadOptions(strict=True))
    (tmp_path / "a.urdf").write_text(text.replace("rpy=", "xzy="))
    with pytest.raises(FormatError, match="xzy in <axis> is not understood; did you mean 'xyz'"):
        mbsym.load(tmp_path / "a.urdf")
