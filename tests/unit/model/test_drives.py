"""Drives in files: read, written, put into other models, told, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mbsym
from mbsym.errors import FormatError, ModelError
from mbsym.formats.native.reader import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.report.overview import overview
from mbsym.report.overview_text import overview_text

TEXT = """
name: valve
parameters: {delay: {value: 20 ms, unit: s}, area: 2e-3}
inputs: {command: {}}
bodies: {piston: {mass: 2}}
joints: {slide: {type: prismatic, from: ground, to: piston}}
forces: {oil: {type: joint_force, joint: slide, expression: area*pressure}}
drives:
  spool: {rate: (command - spool)/delay}
  pressure: {rate: 1e9*spool - 2e8*v_slide, initial: 50 bar, unit: Pa}
outputs: {load: area*pressure}
"""


def read(text: str) -> Model:
    return read_native(TextSource("valve.yaml", text))


def test_drives_come_back_from_files() -> None:
    model = read(TEXT)
    assert model.drives == (
        mbsym.DriveState("spool", "(command - spool)/delay"),
        mbsym.DriveState("pressure", "1e9*spool - 2e8*v_slide", 5000000, "Pa"),
    )
    assert model.drives[1].rate_unit == "Pa/s" and model.drives[0].rate_unit == "1/s"
    assert read(dump_native(model)) == model
    assert "2 drives" in repr(model)


def test_parts_bring_their_drives(tmp_path: Path) -> None:
    (tmp_path / "valve.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "two.yaml").write_text("include: {a: valve.yaml, b: valve.yaml}", encoding="utf-8")
    found = mbsym.load(tmp_path / "two.yaml")
    assert [(item.name, str(item.rate), item.unit) for item in found.drives] == [
        ("a_spool", "(a_command - a_spool)/a_delay", ""),
        ("a_pressure", "1e9*a_spool - 2e8*v_a_slide", "Pa"),
        ("b_spool", "(b_command - b_spool)/b_delay", ""),
        ("b_pressure", "1e9*b_spool - 2e8*v_b_slide", "Pa"),
    ]


def test_named_states_have_them(tmp_path: Path) -> None:
    text = TEXT + "states: {shut: {v: {slide: 0.1}, x: {pressure: 20 bar}}}"
    model = read(text)
    assert model.states[0].x == (("pressure", 2000000),)
    assert read(dump_native(model)) == model
    motion = mbsym.simulate(model, 1e-3, initial="shut")
    assert (motion.v[0, 0], *motion.x[0]) == (0.1, 0.0, 2e6)
    mbsym.generate(model, tmp_path, functions=("drive_rates",))
    manifest = json.loads((tmp_path / "valve.json").read_text(encoding="utf-8"))
    assert manifest["states"] == [{"name": "shut", "q": [0.0], "v": [0.1], "x": [0.0, 2e6]}]
    (tmp_path / "valve.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "two.yaml").write_text("include: {a: valve.yaml}", encoding="utf-8")
    assert mbsym.load(tmp_path / "two.yaml").states[0].x == (("a_pressure", 2000000),)


def test_drives_are_repeated() -> None:
    text = """
bodies: {a: {mass: 1}}
joints: {j: {type: prismatic, from: ground, to: a}}
forces: {f: {type: joint_force, joint: j, expression: x3}}
drives: {x0: {rate: "-x0"}}
repeat: {index: k, from: 1, to: 3, drives: {x<k>: {rate: x<k - 1> - x<k>}}}
"""
    assert [(item.name, item.rate) for item in read(text).drives] == [
        ("x0", "-x0"), ("x1", "x0 - x1"), ("x2", "x1 - x2"), ("x3", "x2 - x3")
    ]  # fmt: skip


def test_info_and_manifest_tell_them(tmp_path: Path) -> None:
    found = overview(read(TEXT))
    assert "x[1]  pressure  1e9*spool - 2e8*v_slide  5000000  Pa" in overview_text(found)
    assert found.as_dict()["drives"] == [
        {"name": "spool", "rate": "(command - spool)/delay", "initial": "0", "unit": ""},
        {"name": "pressure", "rate": "1e9*spool - 2e8*v_slide", "initial": "5000000", "unit": "Pa"},
    ]
    mbsym.generate(read(TEXT), tmp_path, functions=("drive_rates",))
    manifest = json.loads((tmp_path / "valve.json").read_text(encoding="utf-8"))
    assert manifest["drives"] == [
        {"name": "spool", "unit": "", "initial": 0.0},
        {"name": "pressure", "unit": "Pa", "initial": 5e6},
    ]
    (function,) = manifest["functions"]
    assert [item["name"] for item in function["arguments"]] == ["q", "v", "t", "u", "x", "xdot"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("(command - spool)/delay", "(comand - spool)/delay", "9:18: unknown name comand; did you mean command?"),
        ("(command - spool)/delay", "load", "unknown name load; that is an output, which is told and not taken"),
        ("{rate: (command - spool)/delay}", "{initial: 1}", "the entry 'rate' is missing"),
        ("{rate: (command - spool)/delay}", "{rate: 1, start: 1}", "'start'"),
        ("initial: 50 bar", "initial: 50 kg", "Pa"),
        ("initial: 50 bar", "initial: command", "unknown name command"),
        ("spool:", "command:", "drive 'command' has the name of a control input"),
        ("spool:", "t:", "the name 't' of a drive has a meaning of its own"),
        ("{load:", "{spool:", "output 'spool' has the name of a drive"),
        ("expression: area*pressure", "expression: area*pressur", "did you mean pressure?"),
        ("outputs:", "motions: {m: {joint: slide, law: spool}}\noutputs:", "motion 'm' depends on 'spool'"),
        (
            "outputs:",
            "constraints: {c: {type: expression, expression: q_slide - spool}}\noutputs:",
            "depends on 'spool'; hold coordinates and frames",
        ),
        ("area: 2e-3", "area: 2e-3*spool", "unknown name spool"),
        ("outputs:", "states: {shut: {x: {presure: 1}}}\noutputs:", "is of drive 'presure', which does not exist"),
        ("outputs:", "states: {shut: {x: {pressure: spool}}}\noutputs:", "unknown name spool"),
    ],
)
def test_mistakes_have_an_answer(old: str, new: str, told: str) -> None:
    assert old in TEXT
    with pytest.raises((FormatError, ModelError)) as caught:
        read(TEXT.replace(old, new, 1))
    assert told in str(caught.value), caught.value


def test_speeds_named_like_a_drive_get_another_name() -> None:
    model = read(TEXT.replace("spool", "v_slide_").replace("pressure", "q_slide"))
    assert mbsym.simulate(model, 0.01).names == ("q_slide_2",)
