"""Closed loops simulated from model files: assembled first, closed throughout, energy kept."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import mbsym
from mbsym.errors import SimulationError
from mbsym.simulation.equations import Equations, prepare


@cache
def prepared(name: str) -> Equations:
    """Equations that are derived and compiled once for all tests."""
    # The platform's equations are many, and NumPy needs no compiler to work on them.
    return prepare(mbsym.load(name), preparation=mbsym.Preparation("numpy" if name == "stewart_platform" else "auto"))


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "stewart_platform", "rhombus_planar"])
def test_loops_stay_closed_and_energy_is_kept(name: str) -> None:
    result = mbsym.simulate(prepared(name), 0.3, step=0.01, accuracy=mbsym.Accuracy(rtol=1e-10))
    monitors = result.monitors
    assert result.statistics.correction == "projection"
    assert monitors.closure_gap is not None and monitors.speed_gap is not None
    # Newton steps end at round-off.
    assert np.max(monitors.closure_gap) < 1e-12
    assert np.max(monitors.speed_gap) < 1e-11
    assert monitors.worst_energy_drift < 1e-8 * monitors.energy_scale


def test_corrections_differ_in_what_they_leave() -> None:
    gaps = {}
    for correction in ("none", "velocity", "baumgarte", "projection", "partitioning"):
        result = mbsym.simulate(prepared("four_bar"), 0.4, step=0.01, method="rk4", keeping=mbsym.Keeping(correction))
        assert result.monitors.closure_gap is not None
        gaps[correction] = float(np.max(result.monitors.closure_gap))
    assert gaps["projection"] < 1e-13 and gaps["partitioning"] < 1e-12
    assert gaps["velocity"] < gaps["none"]
    assert gaps["none"] > 1e-9


def test_multi_step_methods_take_restoring_terms() -> None:
    result = mbsym.simulate(prepared("four_bar"), 0.2, method="LSODA")
    assert result.statistics.correction == "baumgarte"
    assert result.monitors.closure_gap is not None and np.max(result.monitors.closure_gap) < 1e-6
    with pytest.raises(SimulationError, match="remembers earlier steps"):
        mbsym.simulate(prepared("four_bar"), 0.2, method="BDF", keeping=mbsym.Keeping("projection"))


def test_a_start_that_is_open_is_assembled_and_what_is_given_stays() -> None:
    free = mbsym.simulate(prepared("four_bar"), 0.01)
    name = free.names[0]
    moved = {name: float(free.q[0, 0]) + 0.2}
    result = mbsym.simulate(prepared("four_bar"), 0.01, initial=moved)
    assert result.monitors.closure_gap is not None and result.monitors.closure_gap[0] < 1e-12
    assert result.q[0, 0] == pytest.approx(moved[name], abs=1e-12)
    assert np.max(np.abs(result.q[0, 1:] - free.q[0, 1:])) > 1e-3


def test_speeds_that_are_given_stay_and_the_others_follow() -> None:
    equations = prepared("four_bar")
    first, *others = mbsym.simulate(equations, 0.01).speed_names
    result = mbsym.simulate(equations, 0.01, initial={first: 2.0})
    assert result.v[0, 0] == pytest.approx(2.0, abs=1e-12)
    assert np.all(np.abs(result.v[0, 1:]) > 0.01)
    assert result.monitors.speed_gap is not None and result.monitors.speed_gap[0] < 1e-12
    with pytest.raises(SimulationError, match="contradict the closed loops by"):
        mbsym.simulate(equations, 0.01, initial={first: 2.0, others[0]: 50.0, others[1]: 3.0})


def test_a_start_that_cannot_close_is_refused_with_its_gap() -> None:
    equations = prepared("four_bar")
    names = mbsym.simulate(equations, 0.01).names
    with pytest.raises(SimulationError, match=r"cannot be closed: the smallest gap .* hold other coordinates"):
        mbsym.simulate(equations, 0.01, initial=dict.fromkeys(names, 0.1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keeping": mbsym.Keeping("projektion")}, "did you mean projection"),
        ({"method": "symplectic"}, "does not cover closed loops|variational=True"),
        ({"method": "transfer-matrix", "keeping": mbsym.Keeping("baumgarte")}, "closes loops by itself"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        mbsym.simulate(prepared("four_bar"), 0.1, **arguments)


def test_the_transfer_matrix_method_gives_the_same_motion() -> None:
    exact = mbsym.simulate(prepared("rhombus_planar"), 0.2, step=0.1, accuracy=mbsym.Accuracy(rtol=1e-11))
    result = mbsym.simulate(prepared("rhombus_planar"), 0.2, step=1e-4, output_step=0.1, method="transfer-matrix")
    # Generalised alpha is of second order in the step: (1e-4)^2 times rates of 1e2 and 1e3.
    assert np.max(np.abs(result.q - exact.q)) < 1e-4
    assert result.monitors.closure_gap is not None and np.max(result.monitors.closure_gap) < 1e-8
