"""Motions in files: read, written, put into other models, told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import mbsym
from mbsym.formats.native.reader import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.report.overview import overview
from mbsym.report.overview_text import overview_text

TEXT = """
name: shaken
parameters: {a: {value: 20 mm, unit: m}}
bodies:
  pivot: {}
  rod: {mass: 0.2, center_of_mass: [0, 0, 0.3], inertia: [1e-4, 1e-4, 0]}
joints:
  shake: {type: prismatic, from: ground, to: pivot}
  swing: {type: revolute, from: pivot, to: rod, axis: y}
motions:
  shaker: {joint: shake, law: a*cos(200*t)}
  turned: {joint: swing, law: 3000 rpm, gives: speed}
"""


def read(text: str) -> Model:
    return read_native(TextSource("shaken.yaml", text))


def test_motions_come_back_from_files() -> None:
    model = read(TEXT)
    assert model.motions[0] == PrescribedMotion("shaker", "shake", "a*cos(200*t)")
    assert model.motions[1].law == "100*pi"
    assert read(dump_native(model)) == model
    assert model.motors == ("shake", "swing")


def test_parts_bring_their_motions(tmp_path: Path) -> None:
    (tmp_path / "shaken.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "two.yaml").write_text("include: {a: shaken.yaml, b: shaken.yaml}", encoding="utf-8")
    found = mbsym.load(tmp_path / "two.yaml").motions
    assert [(item.name, item.joint, str(item.law)) for item in found if item.gives == "position"] == [
        ("a_shaker", "a_shake", "a_a*cos(200*t)"),
        ("b_shaker", "b_shake", "b_a*cos(200*t)"),
    ]


def test_info_tells_what_is_prescribed() -> None:
    text = overview_text(overview(read(TEXT)))
    assert "degrees of freedom  2, 2 of them prescribed by motions" in text
    assert "shaker  shake      0  position  a*cos(200*t)" in text


def test_manifests_say_which_entries_are_driven(tmp_path: Path) -> None:
    mbsym.generate(read(TEXT), tmp_path, functions=("driven_state",), languages=("numpy",))
    manifest = json.loads((tmp_path / "shaken.json").read_text(encoding="utf-8"))
    assert manifest["motions"] == [
        {"name": "shaker", "gives": "position", "q": 0, "v": 0},
        {"name": "turned", "gives": "speed", "q": None, "v": 1},
    ]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("{joint: shake}", "the entry 'law' is missing"),
        ("{joint: shake, law: t, gives: places}", "'places' is not known here; say position, speed or acceleration"),
        ("{joint: shake, law: t, speed: 1}", "unknown key 'speed'"),
        ("{joint: shake, law: 20 deg}", "deg"),
    ],
)
def test_what_stands_wrong_in_a_file_is_told_with_its_place(entry: str, sentence: str) -> None:
    with pytest.raises(mbsym.MbsymError) as raised:
        read(TEXT.replace("{joint: shake, law: a*cos(200*t)}", entry))
    assert "shaken.yaml:1" in str(raised.value)
    assert sentence in f"{raised.value.what}; {raised.value.remedy}"


def test_a_start_beside_the_law_is_told() -> None:
    model = read(TEXT)
    joints = (replace(model.joints[0], initial=(0.1,)), model.joints[1])
    found = [item.what for item in mbsym.model.validate.validate(replace(model, joints=joints))]
    assert "motion 'shaker' begins at 0.02, which counts, and joint 'shake' has the initial value 0.1" in found
