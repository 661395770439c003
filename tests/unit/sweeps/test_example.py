"""The example of a Monte Carlo sweep, on a mechanism that compiles quickly."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "sweeps" / "stewart_tolerances.py"


@pytest.mark.more
def test_it_prints_mean_and_spread_of_each_acceleration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("stewart_tolerances", EXAMPLE)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert (example.MODEL, example.BODY) == ("stewart_platform", "platform")
    monkeypatch.setattr(example, "MODEL", "slider_crank")
    monkeypatch.setattr(example, "BODY", "rod")
    output = tmp_path / "found.npz"
    example.main(50, 1, str(output))
    out = capsys.readouterr().out
    assert "50 of 50 sets have an acceleration" in out and " +- " in out
    with np.load(output) as file:
        assert len(file["vdot"]) == 50 and np.ptp(file["vdot"], axis=0).max() > 0
