"""Singular positions: tight tolerances get across them, and what happens there is told."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import ClassVar

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import SimulationError
from mbsym.model.body import Placement
from mbsym.simulation.equations import Equations, prepare
from mbsym.simulation.rates import looped_system
from mbsym.simulation.singular_positions import SingularWatch
from mbsym.simulation.time_stepping import StateLayout
from mechanisms.examples import further
from mechanisms.overconstrained import windows


@cache
def falling_windows() -> Equations:
    """Two windows in the vertical plane, which swing through the position where all lies flat."""
    return prepare(replace(windows(2), gravity=(0, "-9.81", 0)))


@cache
def rhombus() -> Equations:
    """Six bars, four in a loop, that come through singular positions."""
    return prepare(mbsym.load("rhombus_planar"))


def swing(correction: str) -> mbsym.SimulationResult:
    return mbsym.simulate(
        falling_windows(), 1.5, initial={"q_A0": 1.0}, output_step=0.05, keeping=mbsym.Keeping(correction)
    )


def off_parallel(result: mbsym.SimulationResult) -> float:
    """How far couplers are from the direction that they keep on the branch of parallel cranks [rad]."""
    q = dict(zip(result.names, result.q.T, strict=True))
    return float(np.max([np.abs(q["q_A0"] + q[f"q_B{k}"] + (q["q_B0"] + q["q_C0"]) * k) for k in range(2)]))


@pytest.mark.parametrize("rtol", [1e-11, 1e-12, 1e-13])
def test_tight_tolerances_get_across(rtol: float) -> None:
    result = mbsym.simulate(rhombus(), 2.5, accuracy=mbsym.Accuracy(rtol))
    loose = mbsym.simulate(rhombus(), 2.5, accuracy=mbsym.Accuracy(1e-9))
    assert result.monitors.worst_energy_drift < 2e-9 * result.monitors.energy_scale
    assert np.max(np.abs(result.q[-1] - loose.q[-1])) < 1e-6
    assert [round(item.t, 5) for item in result.singular] == [0.36344, 0.87078, 1.58666]
    assert {item.way for item in result.singular} == {"straight on"}


@pytest.mark.parametrize("push", [-1e-9, -1e-13, 1e-13, 1e-9])
def test_rounding_does_not_decide_where_a_motion_goes(push: float) -> None:
    """Steps that differ end elsewhere before a singular position, some of them on it, and take the same branch."""
    found = mbsym.simulate(rhombus(), 3.5, initial={"v_hinge_1": push}, accuracy=mbsym.Accuracy(1e-11))
    assert [round(item.t, 4) for item in found.singular] == [0.3634, 0.8708, 1.5867, 2.7794, 3.3615]
    assert [item.way for item in found.singular] == ["straight on"] * 3 + ["turned", "straight on"]
    assert found.statistics.steps < 300


@pytest.mark.parametrize(("method", "ways"), [("RK45", {"straight on"}), ("Radau", {"straight on", "turned"})])
def test_other_one_step_methods_get_across(method: str, ways: set[str]) -> None:
    """Radau ends its steps with a stage, so that round-off may decide on the branch there; which one it was is told."""
    result = mbsym.simulate(rhombus(), 1.0, method=method, accuracy=mbsym.Accuracy(1e-7))
    assert result.monitors.worst_energy_drift < 1e-5 * result.monitors.energy_scale
    assert result.singular[0].t == pytest.approx(0.36344, abs=1e-4)
    assert {item.way for item in result.singular} <= ways


def test_what_lost_rank_is_told() -> None:
    found = swing("projection")
    assert off_parallel(found) < 1e-6
    first, *_ = found.singular
    # Both windows lie flat at once: of four rows two are left.
    assert (first.lost, first.way) == (2, "straight on")
    assert first.measure < 1e-6
    assert first.before["v_A0"] * first.after["v_A0"] > 0.0
    assert "A1" in first.sentence or "A2" in first.sentence


@cache
def longer(by: float) -> Equations:
    """One window whose coupler is longer than its base by so much [m]."""
    (end,) = (joint for joint in windows(1).joints if joint.name == "C0")
    own = replace(end, predecessor_placement=Placement((1.0 + by, 0, 0)))
    joints = tuple(own if joint.name == end.name else joint for joint in windows(1).joints)
    return prepare(replace(windows(1), gravity=(0, "-9.81", 0), joints=joints), mbsym.Preparation("numpy"))


@pytest.mark.parametrize("correction", ["projection", "velocity", "none", "baumgarte"])
def test_lengths_decide_which_branch_a_motion_takes_and_it_is_told(correction: str) -> None:
    """Where a parallelogram lies flat its branches cross, and it swings straight on.

    One whose coupler differs by a ten-millionth has no crossing: each of its motions turns from one branch into the
    other, where the first crank stays flat on the base, and the coupler swings this way or that way round.
    """
    for by, way, turns in ((-1e-7, "turned", 1.0), (1e-7, "turned", -1.0), (0.0, "straight on", 0.0)):
        if not by and correction != "projection":
            continue  # steps that leave gaps open may fold by rounding
        keeping = mbsym.Keeping(correction)
        found = mbsym.simulate(
            longer(by), 0.8, initial={"q_A0": 1.0}, output_step=0.1, keeping=keeping, accuracy=mbsym.Accuracy(1e-7)
        )
        (first,) = found.singular
        assert first.way == way and first.t == pytest.approx(0.512, abs=1e-3)
        assert found.as_dict()["singular_positions"][0]["t"] == first.t  # type: ignore[index]
        q = dict(zip(found.names, found.q[-1], strict=True))
        if turns:
            assert max(abs(q["q_A0"]), abs(q["q_C0"])) < 1e-3 and q["q_B0"] * turns > 1.0
            assert "the motion leaves its branch" in first.sentence and first.sentence in found.summary()
        else:
            assert q["q_A0"] < -1.0 and q["q_A0"] == pytest.approx(q["q_C0"], abs=1e-6)


def test_a_motion_that_starts_in_a_singular_position_says_so() -> None:
    result = mbsym.simulate(falling_windows(), 0.05, output_step=0.01)
    assert result.singular[0].way == "started there" and result.singular[0].before == {}
    still = mbsym.simulate(replace(windows(1), gravity=(0, 0, 0)), 0.05, preparation=mbsym.Preparation("numpy"))
    assert [item.way for item in still.singular] == ["started there"]


@pytest.mark.parametrize("back", [-1.0, *further(1.0)])  # on along the branch, and back along it
def test_a_row_that_is_never_far_from_singular_does_not_start_there(back: float) -> None:
    """Six windows have a measure of 0.037 where they stand upright, and less on the way to where they lie flat."""
    equations = prepare(windows(6), mbsym.Preparation("numpy"))
    assert equations.loops is not None
    watch = SingularWatch(equations, equations.loops, looped_system(equations))
    turned = np.array([{"A": 1.0, "B": -1.0, "C": 1.0}[body.joint.name[0]] for body in equations.mechanism.bodies])
    for k in range(17):
        t, sign = 0.125 * k, -1.0 if k <= 8 else back
        state = equations.layout.state(turned * (1.0 - t if k <= 8 else back * (t - 1.0)), turned * sign)
        watch.start(t, state) if k == 0 else watch.step(t, state)
    (found,) = watch.finish()
    assert found.t == pytest.approx(1.0, abs=1e-6) and found.lost == 6
    assert found.way == "straight on" and found.before["v_A0"] < 0.0


def test_a_singular_start_is_told_before_the_first_step_and_when_it_fails() -> None:
    said: list[str] = []

    def tell(sentence: str) -> None:
        said.append(sentence)

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if t > 0.0:
            assert said, "a step was taken before the start was told"
        return np.zeros(len(v))

    numpy = mbsym.Preparation("numpy")
    still = replace(windows(1), gravity=(0, 0, 0))
    mbsym.simulate(still, 0.05, preparation=numpy, loads=mbsym.Loads(tau=law), tell=tell)
    assert [sentence.split(":")[0] for sentence in said] == ["singular at t = 0 s"]
    said.clear()
    with pytest.raises(SimulationError, match=r"singular at t = 0 s: .*; DOP853 failed at t = .*; start beside"):
        mbsym.simulate(falling_windows(), 0.5, initial={"v_A0": 1.0}, tell=tell)
    assert len(said) == 1
    said.clear()
    mbsym.simulate("four_bar", 0.05, preparation=numpy, tell=tell)
    assert said == []


@pytest.mark.parametrize(("correction", "end", "times"), [("projection", 1.2, [0.16, 0.97]), ("none", 0.5, [0.16])])
def test_a_start_near_a_singular_position_is_not_one(correction: str, end: float, times: list[float]) -> None:
    """From 0.15 rad the whole swing stays near; it turns round once on the way, which leaves no branch."""
    keeping = mbsym.Keeping(correction)
    found = mbsym.simulate(falling_windows(), end, initial={"q_A0": 0.15}, output_step=0.05, keeping=keeping)
    assert [round(item.t, 2) for item in found.singular] == times
    assert {item.way for item in found.singular} == {"straight on"} and off_parallel(found) < 1e-3
    assert found.singular[0].before["v_A0"] * found.singular[0].after["v_A0"] > 0.0


def test_a_mechanism_whose_measure_is_small_everywhere_has_zones_of_its_own() -> None:
    """Of six windows the measure is 0.037 a radian away from where all lie flat."""

    class System:
        functions: ClassVar = {"constraint_jacobian": lambda q: np.diag([1.0, 0.044 * np.sin(float(q[0]))])}

        @staticmethod
        def position_rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return v

    watch = SingularWatch(falling_windows(), falling_windows().loops, System())  # type: ignore[arg-type]
    watch._longest, watch._rows, watch._joints = np.ones(2), ("a", "b"), ("J", "K")
    watch._layout, watch._speeds = StateLayout(2, 2, False, ()), ("v", "w")
    angles = np.linspace(1.0, -1.0, 21)
    assert watch.start(0.0, np.array([1.0, 0.0, -1.0, 0.0])) is None
    for t, angle in enumerate(angles[1:], 1):
        watch.step(0.1 * t, np.array([angle, 0.0, -1.0, 0.0]))
    (found,) = watch.finish()
    assert (found.way, found.t) == ("straight on", pytest.approx(1.0, abs=1e-3))


def test_both_singular_positions_within_one_long_step_are_found() -> None:
    """Two angles turn together, and their sum comes through 0 and pi in a step whose ends have the same G."""

    class System:
        functions: ClassVar = {"constraint_jacobian": lambda q: np.diag([1.0, np.sin(float(q[0] + q[1]))])}

        @staticmethod
        def position_rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return v

    watch = SingularWatch(falling_windows(), falling_windows().loops, System())  # type: ignore[arg-type]
    watch._longest, watch._rows, watch._joints = np.ones(2), ("a", "b"), ("J", "K")
    watch._layout, watch._speeds = StateLayout(2, 2, False, ()), ("v", "w")
    start, end = -0.2, np.pi / 2 + 0.2
    speed = end - start
    watch.start(0.0, np.array([start, start, speed, speed]))
    watch.step(1.0, np.array([end, end, speed, speed]))
    times = [(0.0 - start) / speed, (np.pi / 2 - start) / speed]
    assert [item.t for item in watch.finish()] == pytest.approx(times, abs=1e-6)


def test_speeds_recorded_in_a_singular_position_are_not_projected_onto_round_off() -> None:
    """Cranks of constant speed lie flat at a time of the output."""
    model = replace(windows(2), gravity=(0, 0, 0))
    result = mbsym.simulate(
        model, 2.0, initial={"q_A0": 1.0, "v_A0": -1.0}, output_step=0.05, preparation=mbsym.Preparation("numpy")
    )
    assert np.max(np.abs(np.abs(result.v) - 1.0)) < 1e-8
    assert result.monitors.worst_energy_drift < 1e-8


def test_the_command_line_warns(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["simulate", "rhombus_planar", "--duration", "1", "--rtol", "1e-11", "--output-step", "0.1"]
    assert main(run) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said if line.startswith("warning")] == [
        "warning        singular at t = 0.363438 s",
        "warning        singular at t = 0.870785 s",
    ]
    assert main([*run, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["singular_positions"]
    assert [(item["lost"], item["way"]) for item in found] == [(1, "straight on")] * 2


def test_regular_motions_have_nothing_to_tell() -> None:
    result = mbsym.simulate("four_bar", 2.0)
    assert result.singular == () and "warning" not in result.summary()
    assert mbsym.simulate("double_pendulum", 0.1).as_dict().get("singular_positions") is None
