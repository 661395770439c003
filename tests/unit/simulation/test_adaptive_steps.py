"""Adaptive steps of our own: those of SciPy's integrators to round-off, the same in C and in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate._ivp import dop853_coefficients as published
from scipy.integrate._ivp.rk import RK45

import mbsym
from mbsym.errors import SimulationError
from mbsym.simulation.adaptive_steps import STUCK, TOO_SHORT, PairIntegrator
from mbsym.simulation.equations import Equations, prepare
from mbsym.simulation.evaluated_steps import evaluated_steps
from mbsym.simulation.events import Event
from mbsym.simulation.methods import DORMAND_PRINCE, HAIRER
from mbsym.simulation.options import Accuracy
from mbsym.simulation.rates import ActingLoads
from mbsym.simulation.time_stepping import NOT_FINITE

Rates = Callable[[float, np.ndarray], np.ndarray]

MOTIONS: tuple[tuple[str, dict[str, float]], ...] = (
    ("double_pendulum", {"q_shoulder": 1.0}),
    ("spinning_top", {"q_tip_w": 0.955, "q_tip_x": 0.2955, "v_tip_z": 5.0}),
)


def test_tableaus_are_those_that_scipy_has_of_the_same_sources() -> None:
    five, eight = DORMAND_PRINCE.table(), HAIRER.table()
    assert np.array_equal(five[:6, :5], RK45.A) and np.array_equal(five[6, :6], RK45.B)
    assert np.array_equal(five[16, :6], RK45.C) and np.array_equal(five[17, :7], RK45.E)
    assert np.array_equal(five[19, :7], RK45.P[:, 3])
    assert np.array_equal(eight[:12], published.A[:12]) and np.array_equal(eight[13:16], published.A[13:])
    assert np.array_equal(eight[12, :12], published.B) and np.array_equal(eight[16], published.C)
    assert np.array_equal(eight[17, :13], published.E5) and np.array_equal(eight[18, :13], published.E3)
    assert np.array_equal(eight[19:23], published.D)


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
@pytest.mark.parametrize(("name", "initial"), MOTIONS)
@pytest.mark.parametrize("language", ["c", "numpy"])
def test_steps_and_what_lies_between_are_those_of_scipy(
    method: str, name: str, initial: dict[str, float], language: str
) -> None:
    equations = prepare(mbsym.load(name), mbsym.Preparation(language))
    # So loose that the first step's error, which is round-off, lets the next grow to the limit: at tight tolerances
    # the length of each step follows from how that error was rounded.
    ours = mbsym.simulate(equations, 0.5, method=method, initial=initial, accuracy=Accuracy(rtol=1e-5, atol=1e-7))
    x = equations.layout.state(ours.q[0], ours.v[0])
    steps = evaluated_steps(equations, ActingLoads(np.zeros(equations.mechanism.nv), np.zeros(0)))
    theirs = getattr(integrate, method)(steps.rates, 0.0, x, 0.5, rtol=1e-5, atol=1e-7)
    found, count = [x], 0
    while theirs.status == "running":
        theirs.step()
        count += 1
        dense = theirs.dense_output()
        found += [
            equations.layout.normalise(dense(t)) for t in ours.t[len(found) : int(np.searchsorted(ours.t, theirs.t))]
        ]
        x = equations.layout.normalise(theirs.y.copy())
        if not np.array_equal(x, theirs.y):
            theirs.y, theirs.f = x, steps.rates(theirs.t, x)
    assert ours.statistics.steps == count and ours.statistics.evaluations <= theirs.nfev
    # Differences of round-off in the first step's length, times the lengths of what the motion makes of them.
    assert np.max(np.abs(ours.q[: len(found)] - np.array(found)[:, : equations.layout.nq])) < 1e-11


def test_c_and_python_are_the_same_where_nobody_looks_and_where_events_do() -> None:
    """One whole call, a call a step, and Python's steps: one text, one motion."""
    crossed = Event(lambda t, q, v: float(q[0]), "down")
    found = [
        mbsym.simulate("cart_pole", 2.0, initial={"q_hinge": 0.3}, events=events, preparation=mbsym.Preparation(lang))
        for events in ((), (crossed,))
        for lang in ("c", "numpy")
    ]
    assert len({result.statistics.steps for result in found}) == 1
    for result in found[1:]:
        assert np.max(np.abs(result.q - found[0].q)) < 1e-12
    # Constant control inputs and generalised forces are known to the compiled text, laws to that in Python.
    pushed: list[Any] = [mbsym.Loads(inputs={"push": 0.7}), mbsym.Loads(inputs=lambda t, q, v: np.array([0.7]))]
    one, other = (mbsym.simulate("cart_pole", 1.0, loads=loads) for loads in pushed)
    assert np.max(np.abs(one.q - other.q)) < 1e-12 and np.max(np.abs(one.q)) > 0.1


def failing(rates: Rates) -> tuple[int, float]:
    integrator = PairIntegrator("DOP853", rates, np.ones(1), np.array([0.0, 2.0]), Accuracy(), idle=1e-3)
    with np.errstate(all="ignore"):
        while integrator.status == "running":
            integrator.step()
    return int(integrator._control[14]), integrator.t


def test_failures_are_told_apart() -> None:
    status, t = failing(lambda t, x: np.array([x[0] ** 2]))
    # x = 1/(1 - t) goes to infinity at t = 1.
    assert status in (TOO_SHORT, STUCK, NOT_FINITE) and abs(t - 1.0) < 1e-2
    status, t = failing(lambda t, x: np.array([1.0 if t < 0.5 else np.nan]))
    assert status in (TOO_SHORT, STUCK) and abs(t - 0.5) < 1e-2
    with pytest.raises(ValueError):
        failing(lambda t, x: np.array([np.nan]))


@pytest.mark.parametrize("language", ["c", "numpy"])
def test_a_motion_into_infinity_is_told_with_its_time(language: str) -> None:
    with pytest.raises(SimulationError, match=r"t = [\d.e-]+ s"):
        mbsym.simulate(runaway(language), 10.0, initial={"q_rail": 1.0, "v_rail": 1.0})


def runaway(language: str) -> Equations:
    body = mbsym.Body("block", mass=1)
    rail = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0))
    push = mbsym.JointForce("push", "rail", "q_rail**3")
    model = mbsym.Model("runaway", bodies=(body,), joints=(rail,), forces=(push,), gravity=(0, 0, 0))
    return prepare(model, mbsym.Preparation(language))


def test_a_state_that_was_put_right_has_rates_of_its_own() -> None:
    """y' = y: a step from a new state starts with the rate there."""
    walker = PairIntegrator("RK45", lambda t, y: y, np.ones(1), np.array([0.0, 1.0]), Accuracy(1e-9))
    walker.step()
    walker.restart(walker.t, np.array([5.0]))
    before = walker.t
    walker.step()
    assert walker.y[0] == pytest.approx(5.0 * np.exp(walker.t - before), rel=1e-8)


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
def test_a_step_to_infinity_is_no_step(method: str) -> None:
    """A constant rate has no error, so that nothing but the state itself says that it is infinite."""
    rates = np.array([1e306])
    times = np.array([0.0, 1000.0])
    walker = PairIntegrator(method, lambda t, y: rates, np.array([1e306]), times, Accuracy(1e-3, 1e300))
    messages = []
    while walker.status == "running":
        messages.append(walker.step())
    assert walker.status == "failed" and messages[-1] is not None
    assert np.all(np.isfinite(walker.y)) and walker.t < 180.0
