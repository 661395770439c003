"""Simulated motions keep what nature keeps: energy less work, momentum, and known solutions."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.special import ellipk

import mbsym
from mbsym.reference import Reference
from mbsym.simulation.equations import Equations, prepare, speed_quantities
from mbsym.simulation.events import Event
from mbsym.simulation.result import SimulationResult
from mechanisms.examples import further, some
from mechanisms.random_trees import random_tree

MOTIONS = {
    "double_pendulum": {"q_shoulder": 1.2, "v_elbow": 2.0},
    "spinning_top": {"q_tip_w": cos(0.2), "q_tip_x": sin(0.2), "v_tip_z": 80.0},
    "quadruped": {"v_floating_base_wx": 1.0, "v_floating_base_wz": -2.0, "v_front_left_knee": 3.0},
    "floating_two_arm": {"v_base_motion_wx": 3.0, "v_left_shoulder": -4.0, "v_right_elbow": 2.0},
    "puma560": {"q_joint2": 0.4, "v_joint4": 3.0},
}


@cache
def prepared(name: str) -> Equations:
    """Equations that are derived and compiled once for all tests."""
    return prepare(mbsym.load(name), variational=name != "puma560")


@pytest.mark.parametrize("name", [*sorted({*MOTIONS} - {"quadruped"}), *further("quadruped")])
def test_energy_of_conservative_trees_is_kept(name: str) -> None:
    result = mbsym.simulate(prepared(name), 2.0, initial=MOTIONS[name], accuracy=mbsym.Accuracy(rtol=1e-11))
    assert np.ptp(result.q, axis=0).max() > 0.1
    # Some hundred steps with errors of 1e-11 each.
    assert result.monitors.worst_energy_drift < 1e-9 * result.monitors.energy_scale
    if name in ("quadruped", "floating_two_arm"):
        assert result.monitors.momentum_drift is not None
        assert np.max(result.monitors.momentum_drift) < 1e-9 * np.max(np.abs(result.monitors.momentum))
    else:
        assert result.monitors.momentum_drift is None


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA", "rk4", "symplectic"])
def test_every_method_follows_the_same_motion(method: str) -> None:
    initial = {"q_tip_w": cos(0.2), "q_tip_x": sin(0.2), "v_tip_z": 40.0}
    exact = mbsym.simulate(prepared("spinning_top"), 0.2, initial=initial, accuracy=mbsym.Accuracy(rtol=1e-13))
    result = mbsym.simulate(
        prepared("spinning_top"), 0.2, step=2e-4, method=method, initial=initial, accuracy=mbsym.Accuracy(rtol=1e-9)
    )
    # BDF is of low order and allows its errors in each of some thousand steps; the midpoint rule is of order two.
    tolerance = {"BDF": 1e-5, "LSODA": 1e-6, "symplectic": 1e-4}.get(method, 1e-7)
    assert np.max(np.abs(result.q[-1] - exact.q[-1])) < tolerance
    assert np.max(np.abs(np.linalg.norm(result.q, axis=1) - 1.0)) < 1e-14


def test_the_energy_of_the_symplectic_rule_swings_and_does_not_drift() -> None:
    result = mbsym.simulate(
        prepared("double_pendulum"),
        400.0,
        step=1e-2,
        output_step=0.05,
        method="symplectic",
        initial=MOTIONS["double_pendulum"],
    )
    drift = np.abs(result.monitors.energy_drift) / result.monitors.energy_scale
    first, last = drift[: len(drift) // 8], drift[-len(drift) // 8 :]
    assert 1e-5 < np.max(first) < 2e-3
    assert np.max(last) < 1.5 * np.max(first)


def test_the_variational_rule_keeps_momentum_to_round_off() -> None:
    """Noether's theorem holds for the rule itself, whatever the step: here one of a tenth of a second's fifth."""
    result = mbsym.simulate(
        prepared("floating_two_arm"),
        1.0,
        step=0.02,
        method="symplectic",
        initial={**MOTIONS["floating_two_arm"], "v_base_motion_vy": 1.0},
    )
    reference = Reference(result.equations.mechanism.model, result.equations.mechanism.labelling)
    centers = np.array([reference.center_of_mass(q) for q in result.q])
    momentum = result.monitors.momentum
    about_origin = momentum[:, :3] + np.cross(centers, momentum[:, 3:])
    # The implicit equation of each of 50 steps is solved to 1e-15 of speeds and inertias of the order of ten.
    assert np.ptp(momentum[:, 3:], axis=0) == pytest.approx(np.zeros(3), abs=1e-11)
    assert np.ptp(about_origin, axis=0) == pytest.approx(np.zeros(3), abs=1e-11)
    assert result.monitors.worst_energy_drift > 1e-6


def order(method: str, name: str, initial: dict[str, float], steps: tuple[float, float], duration: float) -> float:
    exact = mbsym.simulate(
        prepared(name), duration, initial=initial, accuracy=mbsym.Accuracy(rtol=1e-13), output_step=duration
    ).q[-1]
    errors = [
        np.max(np.abs(mbsym.simulate(prepared(name), duration, step=h, method=method, initial=initial).q[-1] - exact))
        for h in steps
    ]
    return float(np.log2(errors[0] / errors[1]))


@pytest.mark.parametrize(("method", "expected"), [("rk4", 4.0), ("symplectic", 2.0)])
@pytest.mark.parametrize(
    ("name", "initial"),
    [
        ("spinning_top", {"q_tip_w": cos(0.2), "q_tip_x": sin(0.2), "v_tip_z": 40.0}),
        ("quadruped", {"v_floating_base_wx": 2.0, "v_floating_base_vx": 1.0, "v_front_left_knee": 3.0}),
    ],
)
def test_orders_of_convergence(method: str, expected: float, name: str, initial: dict[str, float]) -> None:
    steps = (4e-3, 2e-3) if name == "spinning_top" else (2e-2, 1e-2)
    assert order(method, name, initial, steps, 0.2) == pytest.approx(expected, abs=0.1)


def test_a_steady_top_precesses_as_euler_and_lagrange_say() -> None:
    """I_t cos(theta) W^2 - I_s w_3 W + m g l = 0 for the slow rate W of precession at the tilt theta."""
    transverse, axial, moment, tilt, spin = 0.006, 0.001, 0.5 * 9.81 * 0.1, 0.5, 150.0
    a, b = transverse * cos(tilt), axial * spin
    slow = (b - sqrt(b * b - 4 * a * moment)) / (2 * a)
    # In body axes, with the axis tilted about x, the vertical is (0, sin, cos); w_3 = spin is the whole axial rate.
    initial = {
        "q_tip_w": cos(tilt / 2),
        "q_tip_x": sin(tilt / 2),
        "v_tip_y": slow * sin(tilt),
        "v_tip_z": spin,
    }
    result = mbsym.simulate(prepared("spinning_top"), 2.0, initial=initial, accuracy=mbsym.Accuracy(rtol=1e-11))
    axis = result.poses[:, 0, :3, 2]
    azimuth = np.unwrap(np.arctan2(axis[:, 0], -axis[:, 1]))
    # Errors of 1e-11 in each of some thousand steps.
    assert np.max(np.abs(axis[:, 2] - cos(tilt))) < 1e-8
    assert np.max(np.abs(azimuth - slow * result.t)) < 1e-7
    assert slow * 2.0 > pi


def test_a_pendulum_swings_with_the_period_of_the_elliptic_integral() -> None:
    length, amplitude = 0.8, 2.5
    rod = mbsym.Body("rod", 1.3, (0, 0, -length / 2), (1.3 * length**2 / 12, 1.3 * length**2 / 12, 0, 0, 0, 0))
    model = mbsym.Model("pendulum", (rod,), (mbsym.Joint("pin", "revolute", "ground", "rod", axis=(0, -1, 0)),))
    down = Event(lambda t, q, v: float(q[0]), "down", direction=-1)
    result = mbsym.simulate(
        model, 10.0, initial={"q_pin": amplitude}, events=[down], accuracy=mbsym.Accuracy(rtol=1e-12)
    )
    period = 4.0 * sqrt(2.0 * length / (3.0 * 9.81)) * ellipk(sin(amplitude / 2) ** 2)
    times = [item.t for item in result.events]
    assert len(times) >= 3
    assert times == pytest.approx([period * (k + 0.25) for k in range(len(times))], abs=1e-9)


def test_work_of_dampers_and_motors_is_taken_off() -> None:
    for method, tolerance in (("DOP853", 1e-9), ("rk4", 1e-9), ("symplectic", 1e-4)):
        result = mbsym.simulate(
            prepared("cart_pole"),
            2.0,
            step=1e-3,
            method=method,
            accuracy=mbsym.Accuracy(rtol=1e-11),
            initial={"q_hinge": 0.4},
            loads=mbsym.Loads(inputs={"push": 2.0}),
        )
        assert result.monitors.work[-1] > 0.1
        assert result.monitors.worst_energy_drift < tolerance * result.monitors.energy_scale


def test_power_agrees_with_the_reference() -> None:
    result = mbsym.simulate(
        prepared("cart_pole"),
        0.5,
        step=1e-3,
        initial={"q_hinge": 0.4},
        loads=mbsym.Loads(inputs={"push": 2.0}),
        accuracy=mbsym.Accuracy(rtol=1e-11),
    )
    reference = Reference(result.equations.mechanism.model, result.equations.mechanism.labelling)
    zero = np.zeros(2)
    powers = [reference.power(q, v, zero, t, [2.0]) for t, q, v in zip(result.t, result.q, result.v, strict=True)]
    steps = np.diff(result.t)
    simpson = sum(
        h / 3 * (powers[k] + 4 * powers[k + 1] + powers[k + 2]) for k, h in enumerate(steps[:-1]) if k % 2 == 0
    )
    # Simpson's rule at steps of a millisecond.
    assert result.monitors.work[-1] == pytest.approx(simpson, abs=1e-10)


# All joint types and every kind of force element occur among these.
@pytest.mark.parametrize("seed", some([0, 2, 4, 7, 12, 13, 17], [0, 7, 13]))
def test_random_trees_by_three_ways(seed: int) -> None:
    equations = prepare(
        random_tree(seed, bodies=(1, 5)), preparation=mbsym.Preparation("numpy"), variational=True, loaded=True
    )
    speeds = np.random.default_rng(seed).normal(size=equations.mechanism.nv)
    initial = dict(zip((item.name for item in speed_quantities(equations.mechanism)), speeds.tolist(), strict=True))
    inputs = {item.name: 0.5 for item in equations.mechanism.model.inputs}

    def end(method: str, step: float) -> SimulationResult:
        return mbsym.simulate(
            equations,
            0.02,
            step=step,
            output_step=0.02,
            method=method,
            initial=initial,
            loads=mbsym.Loads(inputs=inputs),
            accuracy=mbsym.Accuracy(rtol=1e-12),
        )

    exact = end("DOP853", 0.02)
    assert exact.monitors.worst_energy_drift < 1e-10 * exact.monitors.energy_scale
    # Steps of 1e-3 times rates of the order of ten, to the powers of the orders.
    assert np.max(np.abs(end("rk4", 1e-3).q[-1] - exact.q[-1])) < 1e-9
    errors = [np.max(np.abs(end("symplectic", step).q[-1] - exact.q[-1])) for step in (2e-3, 1e-3)]
    assert errors[0] == pytest.approx(4.0 * errors[1], rel=1e-2)
