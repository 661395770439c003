"""Progress is for people: a bar on a terminal, silence in a pipe."""

from __future__ import annotations

import io
import sys

import pytest

from mbsym.cli.progress import progress_bar


class Terminal(io.StringIO):
    """Standard error that says that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with progress_bar() as progress:
        assert progress is None
    assert pipe.getvalue() == ""


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar() as progress:
        assert progress is not None
        progress("deriving mass_matrix", 1, 3)
    assert "deriving mass_matrix" in terminal.getvalue()
    assert capsys.readouterr().out == ""
