"""mbsym info: text that fits a terminal, and JSON that has everything."""

from __future__ import annotations

import json
import os
import shutil
import sys

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
