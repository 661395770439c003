"""Stiff motions are told with a remedy that helps; fast ones and short ones are not called stiff."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.simulation.adaptive_steps import PairIntegrator
from mbsym.simulation.options import Accuracy
from mbsym.simulation.result import SimulationResult
from mbsym.simulation.time_stepping import StateLayout

RUBBED = """
name: rubbed
bodies: {rod: {mass: 2.0, center_of_mass: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}
joints: {pin: {type: revolute, from: ground, to: rod, axis: y, initial: 0.2}}
forces:
  rub: {type: joint_force, joint: pin, expression: "-5*tanh(v_pin/0.001)"}
"""
"""A pendulum of J = 0.6 kg m^2 that its friction holds: there v dies away at 5 / 0.001 / 0.6 = 8333 1/s."""


def rubbed(method: str = "DOP853", **arguments: object) -> SimulationResult:
    from mbsym.formats.native import read_native
    from mbsym.formats.text_source import TextSource

    model = read_native(TextSource("rubbed.yaml", RUBBED))
    return mbsym.simulate(model, 0.6, method=method, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_a_stiff_motion_is_told_once_with_a_method_that_helps(method: str) -> None:
    said: list[str] = []
    result = rubbed(method, tell=said.append)
    assert result.stiffness is not None and result.statistics.steps > 500
    assert said[0].startswith("stiff from t = ") and f"of {method} short" in said[0] and len(said) == 1
    # Lengths swing about the edge, so that not all steps are beyond it.
    assert result.stiffness.steps > 0.4 * result.statistics.steps
    # Estimated from two stages that differ by errors: within a fifth.
    assert result.stiffness.rate == pytest.approx(5 / 0.001 / 0.6, rel=0.2)
    assert result.stiffness.sentence in result.warnings
    assert f"dies away at {result.stiffness.rate:.2g} 1/s" in result.stiffness.sentence
    better = rubbed(result.stiffness.remedy)
    assert better.stiffness is None and better.statistics.steps < result.statistics.steps / 5
    assert better.q[-1, 0] == pytest.approx(result.q[-1, 0], abs=1e-8)


def test_the_command_line_says_it_on_standard_error(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "rubbed.yaml"
    path.write_text(RUBBED, encoding="utf-8")
    assert main(["simulate", str(path), "--duration", "0.6", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err.count("warning: stiff from t = ") == 1 and "take the method Radau" in said.err
    assert json.loads(said.out)["stiffness"]["method"] == "DOP853"


@pytest.mark.parametrize(("method", "error"), [("DOP853", 1e-9), ("RK45", 1e-9), ("DOP853", 1e-6)])
def test_fast_oscillations_are_not_stiff(method: str, error: float) -> None:
    # Undamped at 1e4 rad/s: errors choose the steps, and an implicit method would need as many.
    joint = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0), initial=(0.1,))
    force = mbsym.JointForce("spring", "rail", "-1e8*q_rail")
    model = mbsym.Model("fast", (mbsym.Body("block", 1),), (joint,), (force,))
    result = mbsym.simulate(model, 0.3, method=method, accuracy=Accuracy(error))
    assert result.statistics.steps > 1000 and result.stiffness is None


@pytest.mark.parametrize(("felt", "work"), [(StateLayout(0, 1, True, ()), 1e9), (None, 1.0)])
def test_the_text_in_python_feels_what_rates_depend_on(felt: StateLayout | None, work: float) -> None:
    """y' = 1000 (cos 4 t - y) dies away; work that is only summed up does not count."""

    def walked(fast: float) -> PairIntegrator:
        def rates(t: float, y: np.ndarray) -> np.ndarray:
            return np.array([fast * (np.cos(4.0 * t) - y[0]), work * y[0]])

        walker = PairIntegrator("RK45", rates, np.ones(2), np.array([0.0, 3.0]), Accuracy(1e-3, 1e-3), felt)
        while walker.status == "running":
            walker.step()
        return walker

    stiff = walked(1000.0).stiffness
    assert stiff is not None and stiff.t < 0.1
    assert felt is None or stiff.rate == pytest.approx(1000.0, rel=0.05)
    assert walked(1.0).stiffness is None
