"""Errors of whole motions beside the errors that are allowed, as docs/explanations/simulation.md states them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import mbsym
from mbsym.simulation.equations import Equations, prepare
from mbsym.simulation.result import SimulationResult
from mechanisms.examples import further

MOTIONS = {
    "double_pendulum": (5.0, {"q_shoulder": 1.0, "q_elbow": 0.5}),
    "cart_pole": (5.0, {"q_hinge": 0.3}),
    "four_bar": (2.0, {}),
}

WORST = {"DOP853": 120.0, "RK45": 40.0, "Radau": 1.0, "BDF": 40.0, "LSODA": 40.0}
"""Largest error of a coordinate, as a part of the largest coordinate, beside the relative error that is allowed. An
error per step grows with the motion, most where that is unstable: DOP853 has the longest steps, so the least averaging
of loose ones."""


@cache
def equations(name: str) -> Equations:
    return prepare(mbsym.load(name))


def motion(name: str, method: str, error: float) -> SimulationResult:
    duration, initial = MOTIONS[name]
    return mbsym.simulate(equations(name), duration, method=method, initial=initial, accuracy=mbsym.Accuracy(error))


@cache
def accurate(name: str) -> SimulationResult:
    """By steps whose errors are a thousandth of the smallest that is asked for below."""
    return motion(name, "DOP853", 1e-12)


@pytest.mark.parametrize(
    ("method", "error"),
    [*((method, 1e-6) for method in WORST), *further(*((method, 1e-9) for method in WORST if method != "Radau"))],
)
def test_errors_of_whole_motions_are_a_stated_number_of_times_those_allowed(method: str, error: float) -> None:
    for name in MOTIONS:
        found, true = motion(name, method, error), accurate(name)
        off = np.max(np.abs(found.q - true.q)) / np.max(np.abs(true.q))
        assert off < WORST[method] * error, name
        if found.monitors.closure_gap is not None:
            # Rates that pull drift back leave no more than one step's errors of it; projections leave round-off.
            assert np.max(found.monitors.closure_gap) < error


@pytest.mark.parametrize("method", ["DOP853", "RK45", "LSODA", "rk4"])
def test_a_million_radians_and_metres_away_a_motion_is_the_same(method: str) -> None:
    turns = 2.0 * np.pi * 159155
    duration, initial = 2.0, {"q_hinge": 0.3 + turns, "q_rail": 1e6}
    far = mbsym.simulate(equations("cart_pole"), duration, method=method, initial=initial)
    near = mbsym.simulate(equations("cart_pole"), duration, method=method, initial={"q_hinge": 0.3})
    # All rates feel the spacing of numbers at 1e6, 1.2e-10, of which the falling pole makes some hundred times as much;
    # that is more than the errors of steps.
    allowed = 1e3 * np.spacing(1e6)
    assert np.max(np.abs(far.q - near.q - [1e6, turns])) < allowed
    assert np.max(np.abs(far.v - near.v)) < 10.0 * allowed
    assert far.stiffness is None and far.monitors.worst_energy_drift < 1e-7 * far.monitors.energy_scale
    columns = {column.name: column.values for column in far.columns}
    assert np.array_equal(columns["q_rail"], far.q[:, 0])


def test_errors_that_no_method_of_scipy_reaches_are_told() -> None:
    said: list[str] = []
    asked = {"method": "LSODA", "tell": said.append}
    result = mbsym.simulate(equations("cart_pole"), 0.1, accuracy=mbsym.Accuracy(1e-13), **asked)  # type: ignore[arg-type]
    assert said == ["LSODA reaches no relative error per step below 2.2e-13, and 1e-13 is asked for"]
    assert said[0] in result.summary()
    mbsym.simulate(equations("cart_pole"), 0.1, accuracy=mbsym.Accuracy(1e-12), **asked)  # type: ignore[arg-type]
    assert len(said) == 1
