"""What tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import mbsym
from mbsym.cli import main


@dataclass(frozen=True)
class Outcome:
    """How a run ended and what it printed."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process; whatever happens, there is no traceback and a failure says why."""

    def call(*arguments: str | Path) -> Outcome:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert status in (0, 1, 2, 3)
        assert status == 0 or err.strip()
        return Outcome(status, out, err)

    return call


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generated files of the double pendulum, not to be changed."""
    directory = tmp_path_factory.mktemp("generated")
    mbsym.generate("double_pendulum", directory)
    return directory
