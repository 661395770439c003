"""mbsym info: text that fits a terminal, and JSON that has everything."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from mbsym.cli import main

Captured = pytest.CaptureFixture[str]


def test_it_prints_figures_and_tables(capsys: Captured) -> None:
    assert main(["info", "cart_pole"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "bodies              2, 1.2 kg in all\n" in out
    assert "motor    actuator      joint rail\n" in out
    assert "m_cart         1  kg     run-time argument\n" in out


def test_warnings_stand_in_the_document_and_not_beside_it(capsys: Captured) -> None:
    assert main(["info", "qi_closed_loops", "--order", "input", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert [loop["name"] for loop in found["loops"]] == ["5", "7", "8"]
    assert found["degrees_of_freedom"] is None
    assert any("no body has mass" in finding for finding in found["findings"])


def test_a_terminal_is_not_overrun(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["info", "floating_two_arm"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) > 100
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((72, 24)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["info", "floating_two_arm"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 72


@pytest.mark.parametrize("line", [["--order", "size"], ["--coordinates", "nobody"], ["--actuators", "some"]])
def test_nonsense_is_refused(capsys: Captured, line: list[str]) -> None:
    assert main(["info", "four_bar", *line]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.strip() and "Traceback" not in err


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A few files: two models, one of them below, one that is none, one that is hidden, one of another kind."""
    monkeypatch.chdir(tmp_path)
    assert main(["convert", "four_bar", "models/a.yaml"]) == 0
    assert main(["convert", "double_pendulum", "models/below/b.yaml"]) == 0
    text = (tmp_path / "models/a.yaml").read_text(encoding="utf-8")
    (tmp_path / "models/.hidden.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "models/robot.urdf").write_text("<robot name='r'/>", encoding="utf-8")
    (tmp_path / "models/notes.txt").write_text("no model", encoding="utf-8")
    return tmp_path / "models"


def test_a_directory_has_a_line_for_each_file(directory: Path, capsys: Captured) -> None:
    capsys.readouterr()
    assert main(["info", "models"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    heading, _, *rows = out.splitlines()
    assert heading.split() == ["file", "name", "bodies", "joints", "cut", "speeds", "freedoms", "to", "look", "at"]
    assert rows[0].split() == ["a.yaml", "four_bar", "3", "4", "1", "3", "1", "0"]
    assert rows[1].split() == ["below/b.yaml", "double_pendulum", "2", "2", "0", "2", "2", "0"]
    assert rows[2:4] == ["", "not read"]
    assert len(rows) == 5 and rows[4].startswith("* robot.urdf:1:1: the robot has no <link>")


def test_the_document_of_a_directory_has_the_same(directory: Path, capsys: Captured) -> None:
    capsys.readouterr()
    assert main(["info", str(directory), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["name"] == "models"
    assert [(each["file"], each["cut_joints"], each["degrees_of_freedom"]) for each in found["models"]] == [
        ("a.yaml", 1, 1),
        ("below/b.yaml", 0, 2),
    ]
    assert [each["file"] for each in found["not_read"]] == ["robot.urdf"]


def test_a_directory_without_models_is_told(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "notes.txt").write_text("no model", encoding="utf-8")
    assert main(["info", str(tmp_path)]) == 2
    assert "there is no model file in this directory; model files end in .yaml" in capsys.readouterr().err


def test_an_example_comes_before_a_directory_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four_bar").mkdir()
    assert main(["info", "four_bar"]) == 0
    assert capsys.readouterr().out.startswith("name                four_bar\n")
