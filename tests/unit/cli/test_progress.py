"""Progress is for people: a bar on a terminal, in a pipe nothing but sentences."""

from __future__ import annotations

import io
import sys

import pytest

from mbsym.cli.progress import progress_bar


class Terminal(io.StringIO):
    """Standard error that says that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with progress_bar() as progress:
        progress("deriving mass_matrix", 1, 3)
        assert pipe.getvalue() == ""
        progress("x makes about 20 MB of code", 0, 0)
    assert pipe.getvalue() == "note: x makes about 20 MB of code\n"


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar() as progress:
        assert "read the model" in terminal.getvalue()
        progress("deriving mass_matrix", 1, 3)
        progress("x makes about 20 MB of code", 0, 0)
    assert "deriving mass_matrix" in terminal.getvalue()
    assert "note: x makes about 20 MB of code" in terminal.getvalue()
    assert capsys.readouterr().out == ""
