"""Sweeps of simulations: the motions of single runs, those that cannot go on, and what is refused before any starts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.errors import CodegenError, MbsymError, SimulationError

FALL = mbsym.Simulations(0.3, method="rk4", step=0.01, output_step=0.1)


def test_each_start_has_the_motion_of_its_own_run() -> None:
    angles, speeds = np.array([0.1, 0.4, 0.9]), np.array([1.0, 0.0, -1.0])
    names = ("q_shoulder", "v_shoulder")
    found = mbsym.sweep("double_pendulum", FALL, initial={names[0]: angles, names[1]: speeds}, chunk=2)
    assert found.function == "simulate" and not found.status.any()
    assert found["q"].shape == (3, 4, 2) and found["t"][1].tolist() == pytest.approx([0, 0.1, 0.2, 0.3])
    for k in range(3):
        initial = {names[0]: angles[k], names[1]: speeds[k]}
        own = mbsym.simulate("double_pendulum", 0.3, method="rk4", step=0.01, output_step=0.1, initial=initial)
        np.testing.assert_array_equal(found["q"][k], own.q)
        np.testing.assert_array_equal(found["v"][k], own.v)


def test_states_of_drives_are_swept_and_told() -> None:
    currents = np.array([0.0, 3.0])
    how = mbsym.Simulations(0.02, method="rk4", step=0.001, preparation=mbsym.Preparation("numpy"))
    found = mbsym.sweep("dc_motor_arm", how, initial={"current": currents})
    assert found["x"].shape == (2, 21, 1) and found["x"][:, 0, 0].tolist() == currents.tolist()
    own = mbsym.simulate(
        "dc_motor_arm",
        0.02,
        method="rk4",
        step=0.001,
        initial={"current": 3.0},
        preparation=mbsym.Preparation("numpy"),
    )
    np.testing.assert_array_equal(found["x"][1], own.x)


def test_parameters_are_those_of_each_run_and_the_end_alone_can_be_kept() -> None:
    lengths = np.array([0.5, 0.7])
    how = mbsym.Simulations(0.2, method="rk4", step=0.05, preparation=mbsym.Preparation(language="numpy"), last=True)
    initial = {"q_hinge": 0.3}
    found = mbsym.sweep("cart_pole", how, initial=initial, parameters={"l": lengths})
    assert found["t"].shape == (2,) and found["q"].shape == (2, 2)
    for k, length in enumerate(lengths):
        own = mbsym.simulate(
            "cart_pole",
            0.2,
            method="rk4",
            step=0.05,
            initial=initial,
            parameters={"l": length},
            preparation=mbsym.Preparation(language="numpy"),
        )
        np.testing.assert_array_equal(found["q"][k], own.q[-1])
    assert np.ptp(found["q"][:, 1]) > 1e-3


def test_a_run_that_cannot_go_on_is_told_and_the_others_are_there() -> None:
    found = mbsym.sweep("double_pendulum", FALL, initial={"v_shoulder": [0.0, 1e200, 1.0]})
    assert found.status.tolist() == [0, 1, 0]
    assert np.isnan(found["q"][1]).all() and np.isfinite(found["q"][[0, 2]]).all()


def test_runs_that_exceed_a_limit_are_marked() -> None:
    joint = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0), upper=(0.1,))
    model = mbsym.Model("rail", (mbsym.Body("block", 1),), (joint,))
    how = mbsym.Simulations(1.0, preparation=mbsym.Preparation("numpy"), last=True)
    found = mbsym.sweep(model, how, initial={"v_rail": [0.05, 0.2, -3.0]})
    assert found["exceeded"].tolist() == [False, True, False]


def test_parameters_without_a_motion_are_told_and_the_others_are_there() -> None:
    how = mbsym.Simulations(0.1, method="rk4", step=0.05, preparation=mbsym.Preparation("numpy"), last=True)
    found = mbsym.sweep("cart_pole", how, initial={"q_hinge": 0.3}, parameters={"l": [0.5, np.nan, 0.6]})
    assert found.status.tolist() == [0, 1, 0] and np.isfinite(found["q"][[0, 2]]).all()
    with pytest.raises(SimulationError, match="is no Loads"):
        mbsym.Simulations(0.1, loads={"push": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "inputs", "options", "error", "told"),
    [
        (FALL, (), {"initial": {"q_wrist": [0.1]}}, SimulationError, "q_wrist"),
        (FALL, (), {"parameters": {"nothing": [0.1]}}, MbsymError, "nothing"),
        (FALL, (), {}, CodegenError, "none has an axis of states"),
        (FALL, ([[0.1, 0.2]],), {}, CodegenError, "simulations take no arguments"),
        (FALL, (), {"initial": [0.1]}, CodegenError, "initial = .* does not give values by name"),
        (FALL, (), {"initial": {"q_shoulder": ["up"]}}, CodegenError, "q_shoulder = .* is no array of real numbers"),
        (FALL, (), {"initial": {"q_shoulder": [[1], [1, 2]]}}, CodegenError, "is no array of real numbers"),
        (FALL, (), {"initial": {"q_shoulder": [0.1]}, "chunk": 1.5}, CodegenError, "1.5 is no number of states"),
        (FALL, (), {"initial": {"q_shoulder": [0.1]}, "output": 5}, CodegenError, "5 is no path"),
        (FALL, (), {"initial": {"q_shoulder": [0.1]}, "progress": 5}, SimulationError, "progress = 5 is no function"),
        (mbsym.Simulations, (), {}, CodegenError, "is no function to sweep"),
        (mbsym.Simulations(0.1, method="euler"), (), {"initial": {"q_shoulder": [0.1]}}, SimulationError, "euler"),
        ("mass_matrix", ([[0.1, 0.2]],), {"initial": {"q_shoulder": [0.1]}}, CodegenError, "starts from no state"),
    ],
)
def test_what_makes_no_sense_is_refused(function: Any, inputs: Any, options: Any, error: Any, told: str) -> None:
    with pytest.raises(error, match=told):
        mbsym.sweep("double_pendulum", function, *inputs, **options)
