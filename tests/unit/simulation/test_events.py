"""Events: found in both directions, at their instant, in order; terminal ones end the simulation."""

from __future__ import annotations

import numpy as np
import pytest

import mbsym
from mbsym.errors import SimulationError
from mbsym.simulation.events import Event, EventWatch, Step

TEXT = """
name: oscillator
bodies:
  block: {mass: 2.0}
joints:
  rail: {type: prismatic, from: ground, to: block, axis: x, initial: 0.5}
forces:
  spring: {type: joint_spring, joint: rail, stiffness: 18.0}
"""


@pytest.fixture(scope="module")
def oscillator(tmp_path_factory: pytest.TempPathFactory) -> mbsym.Model:
    """q = 0.5 cos 3 t."""
    path = tmp_path_factory.mktemp("models") / "oscillator.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return mbsym.load(path)


def position(t: float, q: np.ndarray, v: np.ndarray) -> float:
    return float(q[0])


@pytest.mark.parametrize(
    ("method", "tolerance"),
    # The error of the motion after 2 s: errors of 1e-11 and 1e-9 in each step, and (3 h)^p with p = 4 and 2.
    [("DOP853", 1e-9), ("Radau", 1e-7), ("LSODA", 1e-7), ("rk4", 1e-9), ("symplectic", 1e-4)],
)
def test_zeros_are_found_where_they_are(oscillator: mbsym.Model, method: str, tolerance: float) -> None:
    result = mbsym.simulate(
        oscillator,
        2.0,
        step=2e-3,
        method=method,
        events=[Event(position, "middle")],
        accuracy=mbsym.Accuracy(rtol=1e-11),
    )
    times = [item.t for item in result.events]
    assert times == pytest.approx([np.pi / 6, np.pi / 2], abs=tolerance)
    assert [item.name for item in result.events] == ["middle", "middle"]
    assert all(abs(item.q[0]) < 1e-9 for item in result.events)


@pytest.mark.parametrize(("direction", "zero"), [(1, np.pi / 2), (-1, np.pi / 6)])
def test_directions_choose(oscillator: mbsym.Model, direction: int, zero: float) -> None:
    result = mbsym.simulate(
        oscillator, 2.0, events=[Event(position, direction=direction)], accuracy=mbsym.Accuracy(rtol=1e-11)
    )
    assert [item.t for item in result.events] == pytest.approx([zero], abs=1e-8)


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_a_terminal_event_ends_the_motion(oscillator: mbsym.Model, method: str) -> None:
    watched = [
        Event(position, "any"),
        Event(lambda t, q, v: float(v[0]) + 1.0, "slow"),
        Event(position, "back", direction=1, terminal=True),
    ]
    result = mbsym.simulate(oscillator, 5.0, step=1e-3, method=method, events=watched)
    assert result.ended_by_event
    assert result.t[-1] == pytest.approx(np.pi / 2, abs=1e-7)
    assert abs(result.q[-1, 0]) < 1e-9
    assert np.all(np.diff(result.t) > 0)
    assert [item.name for item in result.events] == ["slow", "any", "slow", "any", "back"]
    assert "ended" in result.summary()


def test_a_motion_that_starts_on_an_event_leaves_it_first(oscillator: mbsym.Model) -> None:
    watched = [Event(position, "middle")]
    result = mbsym.simulate(oscillator, 1.2, initial={"q_rail": 0.0, "v_rail": 1.0}, events=watched)
    assert [item.t for item in result.events] == pytest.approx([np.pi / 3], abs=1e-7)


def test_events_of_one_step_are_in_order_of_time() -> None:
    later, earlier = (Event(lambda t, q, v, at=at: t - at, name) for at, name in ((0.7, "later"), (0.2, "earlier")))
    watch = EventWatch([later, earlier], lambda x: (x, x))
    x = np.zeros(1)
    watch.start(0.0, x)
    watch.step(Step(0.0, x, 1.0, x, lambda t: x))
    assert [item.name for item in watch.occurrences] == ["earlier", "later"]


def test_a_function_that_only_touches_zero_at_a_step_is_one_event() -> None:
    watch = EventWatch([Event(lambda t, q, v: t - 1.0)], lambda x: (x, x))
    x = np.zeros(1)
    watch.start(0.0, x)
    assert watch.step(Step(0.0, x, 1.0, x, lambda t: x)) is None
    assert watch.step(Step(1.0, x, 2.0, x, lambda t: x)) is None
    assert [item.t for item in watch.occurrences] == [1.0]


def test_mistakes_are_named(oscillator: mbsym.Model) -> None:
    with pytest.raises(SimulationError, match="direction 2 of event odd"):
        mbsym.simulate(oscillator, 1.0, events=[Event(position, "odd", direction=2)])
    with pytest.raises(SimulationError, match="event edge is not finite at t = "):
        mbsym.simulate(oscillator, 1.0, events=[Event(lambda t, q, v: float("nan"), "edge")])
