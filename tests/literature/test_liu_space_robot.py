"""The space robot of Liu, Hu and Zhang for 10 s: constraint forces and recursion move it alike, figures 8 to 12."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

from mbsym.codegen.build import find_compiler
from mbsym.errors import ToolchainError

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "paper_liu.py"


@pytest.fixture(scope="module")
def paper() -> ModuleType:
    try:
        find_compiler()
    except ToolchainError as error:
        pytest.skip(str(error))
    spec = importlib.util.spec_from_file_location("paper_liu", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["paper_liu"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def found(paper: ModuleType) -> dict[str, Any]:
    motions: dict[str, Any] = paper.motions()
    return motions


@pytest.mark.more
def test_constraint_forces_and_recursion_move_alike(
    paper: ModuleType, found: dict[str, Any], tmp_path: Path, agreement: Callable[[object], None]
) -> None:
    assert found["cfa"].t[-1] == 10.0
    # The arms turn by more than two revolutions and the base with them, so that errors have time to grow.
    assert abs(found["cfa"].arm).max() > 12.0
    for name, difference in paper.differences(found).items():
        # The paper's bound; round-off of 20000 evaluations leaves a tenth of it.
        assert 0.0 < difference < 1e-12, name
        agreement(difference)
    paper.draw(found, tmp_path)
    assert sorted(path.name.split("_")[1] for path in tmp_path.iterdir()) == ["10", "11", "12", "8", "9"]


@pytest.mark.more
def test_the_free_robot_keeps_its_momentum_and_gets_the_power_of_its_motors(
    paper: ModuleType, found: dict[str, Any], agreement: Callable[[object], None]
) -> None:
    run = found["cfa"]
    power = np.array([paper.torques(t) @ v for t, v in zip(run.t, run.v, strict=True)])
    assert run.energy.max() > 3.0
    # Errors of the steps are of fourth order, those of the sum of powers every 20 ms likewise.
    assert np.abs(run.momentum).max() < 1e-6
    agreement(np.abs(run.momentum).max())
    np.testing.assert_allclose(run.energy, cumulative_simpson(power, x=run.t, initial=0), rtol=0, atol=1e-3)
