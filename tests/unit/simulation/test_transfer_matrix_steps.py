"""Steps by transfer matrices on the ordinary road: one module, one history, quaternions that do not jump."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.codegen.load import LoadedModule, load_numpy
from mbsym.errors import SimulationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.simulation import equations as preparation
from mbsym.simulation.equations import prepare
from mbsym.simulation.options import Preparation
from mbsym.simulation.transfer_matrix_steps import TransferMatrixSteps
from mbsym.transfer_matrix.stepper import TransferMatrixStepper


@pytest.mark.parametrize("language", ["c", "numpy"])
def test_a_simulation_prints_and_loads_one_module(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[Any] = []

    def counted(description: Any, languages: Any, render: Any = preparation.render) -> Any:
        rendered.append(description.name)
        return render(description, languages)

    monkeypatch.setattr(preparation, "render", counted)
    monkeypatch.setattr("mbsym.transfer_matrix.stepper.render", counted)
    result = mbsym.simulate(
        "rhombus_planar", 4e-3, step=1e-3, output_step=2e-3, method="transfer-matrix", preparation=Preparation(language)
    )
    assert rendered == ["rhombus_planar"]
    assert result.statistics.steps == 4
    assert result.t.tolist() == [0.0, 2e-3, 4e-3]
    monkeypatch.undo()
    runge_kutta = mbsym.simulate("rhombus_planar", 4e-3, step=1e-4, output_step=2e-3, method="rk4")
    np.testing.assert_allclose(result.q, runge_kutta.q, atol=1e-8)


@pytest.fixture(scope="module")
def spinning() -> preparation.Equations:
    return prepare(examples.load("spinning_top"), preparation=Preparation("numpy"), stepped=True)


def start_of(equations: preparation.Equations) -> np.ndarray:
    q = np.array([0.8, 0.6, 0.0, 0.0])
    return equations.layout.state(q, np.array([0.0, 1.0, 9.0]))


def test_a_call_goes_on_with_the_history_of_the_last_one(spinning: preparation.Equations) -> None:
    x = start_of(spinning)
    at_once = TransferMatrixSteps(spinning).advance(0.0, 1e-3, x, 6)
    steps = TransferMatrixSteps(spinning)
    half = steps.advance(0.0, 1e-3, x, 3)
    in_two = steps.advance(3e-3, 1e-3, half, 3)
    np.testing.assert_allclose(in_two, at_once, rtol=0, atol=1e-11)
    # Without the history, the auxiliary acceleration starts anew, which costs some of the last digits.
    anew = TransferMatrixSteps(spinning).advance(3e-3, 1e-3, half, 3)
    assert 1e-11 < np.abs(anew - at_once).max() < 1e-3


def test_another_state_starts_without_a_past(spinning: preparation.Equations) -> None:
    x = start_of(spinning)
    steps = TransferMatrixSteps(spinning)
    first = steps.advance(0.0, 1e-3, x, 4)
    steps.advance(4e-3, 1e-3, first, 4)
    assert np.array_equal(steps.advance(0.0, 1e-3, x, 4), first)


def test_quaternions_keep_the_sign_that_they_come_with(spinning: preparation.Equations) -> None:
    x = start_of(spinning)
    other = x.copy()
    other[:4] = -other[:4]
    first = TransferMatrixSteps(spinning).advance(0.0, 1e-3, x, 4)
    second = TransferMatrixSteps(spinning).advance(0.0, 1e-3, other, 4)
    np.testing.assert_allclose(second[:4], -first[:4], rtol=0, atol=1e-14)
    np.testing.assert_allclose(second[4:], first[4:], rtol=0, atol=1e-12)


def test_cut_forces_are_found_with_row_pivots(monkeypatch: pytest.MonkeyPatch) -> None:
    """3 + x + 4 y = 0 and 4 + 4 x + y = 0: rows of size 1 have the pivots 1 and 15/16, as they stand 1/4 and -15/4."""
    names: dict[str, Any] = {}

    def executed(path: Path) -> LoadedModule:
        exec(path.read_text(encoding="utf-8"), names)
        return load_numpy(path)

    monkeypatch.setattr("mbsym.transfer_matrix.stepper.load_numpy", executed)
    TransferMatrixStepper(examples.load("rhombus_regular"), engine="numpy")
    memory = names["_TransferMatrixMemory"]({})
    memory.F[:] = [[3.0, 1.0, 4.0], [4.0, 4.0, 1.0]]
    assert names["_transfer_matrix_solve_closure"](memory) == 15 / 16
    np.testing.assert_allclose(memory.multipliers, [-13 / 15, -8 / 15], rtol=1e-14)


def test_a_step_that_fails_says_when(spinning: preparation.Equations) -> None:
    with pytest.raises(SimulationError, match=r"t = 0\.5 s"):
        TransferMatrixSteps(spinning).advance(0.0, 0.5, start_of(spinning) * np.r_[np.ones(4), 1e4 * np.ones(3)], 2)


def damped(**entries: Any) -> mbsym.Model:
    joint = mbsym.Joint("pin", "revolute", "ground", "rod", axis=(0, 1, 0), initial=(1.0,), **entries)
    rod = mbsym.Body("rod", 2, center_of_mass=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    return mbsym.Model("damped", (rod,), (joint,), (mbsym.JointForce("damper", "pin", "-v_pin"),))


def stepped(model: mbsym.Model, **arguments: Any) -> Any:
    preparation = Preparation("numpy")
    return mbsym.simulate(model, 0.3, method="transfer-matrix", step=2e-3, preparation=preparation, **arguments)


def test_the_work_of_what_is_external_is_summed_over_each_step() -> None:
    """The trapezoidal rule and the scheme err by the square of the step."""
    result = stepped(damped())
    assert result.monitors.work[-1] < -0.1
    assert result.monitors.worst_energy_drift < 1e-3 * abs(result.monitors.work[-1])


def test_limits_are_told_and_the_history_of_steps_stays_as_it_was() -> None:
    free, limited = stepped(damped()), stepped(damped(lower=(0.9,), velocity=(1.0,)))
    assert np.array_equal(free.q, limited.q) and np.array_equal(free.v, limited.v)
    first, second = sorted(limited.exceeded, key=lambda item: item.name)
    assert (first.name, first.side, first.beyond) == ("q_pin", "lower", 0.9 - limited.q[-1, 0])
    # Between the ends of a step on a straight line, which is off by an eighth of h^2 times the acceleration.
    k = int(np.searchsorted(-limited.q[:, 0], -0.9))
    assert limited.t[k - 1] < first.t < limited.t[k] and second.name == "v_pin"
    with pytest.raises(SimulationError, match="nor stops at limits"):
        stepped(damped(lower=(0.9,)), limits="stop")


def test_differences_over_several_steps_start_anew_where_the_last_step_is_shorter() -> None:
    """The state of half a step is as far from the exact one as those of whole steps are."""
    start, houbolt = {"q_shoulder": 1.0}, mbsym.Stepping(mbsym.Scheme("houbolt"))
    for duration in (0.020, 0.0205):
        exact = mbsym.simulate("double_pendulum", duration, initial=start, preparation=Preparation("numpy"))
        result = mbsym.simulate(
            "double_pendulum", duration, step=1e-3, method="transfer-matrix", initial=start, stepping=houbolt
        )
        assert np.abs(result.v[-1] - exact.v[-1]).max() < 1e-4


@pytest.mark.parametrize("name", ["bars", "spinning_top"])
def test_long_trees_are_stepped_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is derived for them; energies that the steps tell are those of the derived functions, as poses are."""
    model = examples.load(name) if name == "spinning_top" else read_native(TextSource("bars.yaml", BARS))
    options: dict[str, Any] = {
        "duration": 4e-3,
        "step": 1e-3,
        "method": "transfer-matrix",
        "preparation": Preparation("numpy"),
    }
    given = mbsym.simulate(model, **options)
    monkeypatch.setattr(preparation, "STEPS_ALONE", 1)
    alone = mbsym.simulate(model, **options)
    assert alone.equations.steps_alone and not given.equations.steps_alone
    assert np.array_equal(alone.q, given.q)
    np.testing.assert_allclose(alone.y, given.y, rtol=1e-12)
    scale = given.monitors.energy_scale
    for energy in ("kinetic_energy", "potential_energy"):
        both = [getattr(run.monitors, energy) for run in (alone, given)]
        np.testing.assert_allclose(*both, rtol=0, atol=1e-12 * (scale + np.abs(both[1]).max()))
    np.testing.assert_allclose(alone.poses, given.poses, atol=1e-12)
    assert alone.monitors.momentum is None and "linear_momentum_x" not in [column.name for column in alone.columns]
    with pytest.raises(SimulationError, match="add stepped=False"):
        mbsym.simulate(alone.equations, 1e-3, method="rk4")


BARS = """\
name: bars
bodies:
  first: {mass: 1, center_of_mass: [0.5, 0, 0], inertia: [0.1, 0.2, 0.25]}
  second: {mass: 2, center_of_mass: [0.2, 0.1, 0], inertia: [0.1, 0.2, 0.25]}
joints:
  root: {type: revolute, from: ground, to: first, axis: y, armature: 0.3}
  knee: {type: revolute, from: first, to: second, axis: y, at: [1, 0, 0], armature: 0.2}
forces:
  spring: {type: joint_spring, joint: knee, stiffness: 20, reference: 0.3}
outputs: {height: position(second).z}
gravity: [0, 0, -9.81]
"""
