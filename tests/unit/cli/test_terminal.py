"""Text in a terminal."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from mbsym.cli import main
from mbsym.cli.terminal import fitted

MATRIX = """A      theta  omega      x
----------------------------
theta    0.1      2  -3.25
omega  -1000      0      1
"""


def test_what_fits_stays() -> None:
    assert fitted(MATRIX, 28) == MATRIX


def test_a_wide_table_becomes_several_with_the_same_rows() -> None:
    assert fitted(MATRIX, 21) == (
        "A      theta  omega\ntheta    0.1      2\nomega  -1000      0\n\nA          x\ntheta  -3.25\nomega      1\n"
    )


def test_no_cell_is_lost_however_narrow() -> None:
    words = set(MATRIX.replace("-" * 28, "").split())
    for width in range(10, 30):
        assert set(fitted(MATRIX, width).replace("-" * 28, "").split()) == words


def test_names_with_what_they_are_go_on_below_it() -> None:
    text = "q           q_shoulder = 1, q_elbow = 2\nrates       v_shoulder = -3.5, v_elbow = 12"
    assert fitted(text, 30).splitlines() == [
        "q           q_shoulder = 1,",
        "            q_elbow = 2",
        "rates       v_shoulder = -3.5,",
        "            v_elbow = 12",
    ]


def test_sentences_go_on_below_where_they_begin() -> None:
    assert fitted("  one word and another\n\nshort", 12) == "  one word\n  and\n  another\n\nshort"


def test_a_word_that_is_longer_than_the_terminal_stays_whole() -> None:
    """A path in two pieces could not be copied; the terminal itself breaks it where it must."""
    path = "build/" + 12 * "name/" + "robot.c"
    assert fitted(f"written to {path} now", 40) == f"written to\n{path}\nnow"


@pytest.mark.parametrize(
    "line", [["linearise", "planar_3r"], ["label", "quadruped"], ["examples"], ["modes", "double_pendulum"]]
)
def test_no_verb_overruns_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: list[str]
) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((60, 24)))
    assert main(line) == 0
    whole = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) > 60
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(line) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 60
    assert {word for word in shown.split() if "--" not in word} == {word for word in whole.split() if "--" not in word}
