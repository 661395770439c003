"""The Jacobian of the rates for implicit integrators: right, and of bounded steps."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import mbsym
from mbsym.simulation.equations import prepare
from mbsym.simulation.scipy_integrators import RateJacobian
from mechanisms.governor import governor


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_a_stiff_governor_turns_to_the_end(method: str) -> None:
    """The angle of the shaft enters no force; differences by it grew until the state was not finite."""
    initial = {"v_spin": 2 * pi}
    stiff = mbsym.simulate(governor(), 10.0, method=method, accuracy=mbsym.Accuracy(1e-6), initial=initial)
    other = mbsym.simulate(governor(), 10.0, method="LSODA", accuracy=mbsym.Accuracy(1e-9), initial=initial)
    assert np.max(np.abs(stiff.q[-1] - other.q[-1])) < 2e-3
    assert stiff.monitors.worst_energy_drift < 1e-5 * stiff.monitors.energy_scale
    assert stiff.statistics.evaluations > 0


def test_entries_are_derivatives_and_steps_are_bounded() -> None:
    equations = prepare(mbsym.load("cart_pole"), mbsym.Preparation("numpy"))
    layout = equations.layout
    longest = np.zeros(layout.size)
    place = np.array([1e6, -1e5, 0.3, 0.2, *([0.0] if layout.work else [])])

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        np.maximum(longest, np.abs(x - place), out=longest)
        return np.array([x[2], x[3], np.sin(x[1]) + x[2] ** 2, np.cos(x[0]) * 0.0 - 3.0 * x[3], *x[4:] * 0.0])

    jacobian = RateJacobian(rates, equations.mechanism, layout)
    for _ in range(20):
        found = jacobian(0.0, place)
    expected = np.zeros((layout.size, layout.size))
    expected[0, 2] = expected[1, 3] = 1.0
    expected[2, 1], expected[2, 2], expected[3, 3] = np.cos(place[1]), 0.6, -3.0
    assert np.max(np.abs(found - expected)) < 1e-5
    assert np.max(longest) < 1e-5
    assert jacobian.evaluations == 20 * 2 * 4


def test_small_speeds_have_small_steps() -> None:
    """Friction that bends within a millimetre a second: a part of 1e-10 is left, with the step of a metre 1e-5."""
    equations = prepare(mbsym.load("cart_pole"), mbsym.Preparation("numpy"))
    layout, speed, bend = equations.layout, 1e-3, 1e-3
    place = np.zeros(layout.size)
    place[2] = speed

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        return np.array([x[2], x[3], -np.tanh(x[2] / bend), 0.0, *x[4:] * 0.0])

    slope = RateJacobian(rates, equations.mechanism, layout)(0.0, place)[2, 2]
    assert slope == pytest.approx(-1.0 / np.cosh(speed / bend) ** 2 / bend, rel=1e-8)
