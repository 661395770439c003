"""Limits of coordinates, speeds, forces and inputs: told with time and size, stopped at, or kept by saturation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import FormatError, SimulationError
from mbsym.simulation.events import Event
from mbsym.simulation.result import SimulationResult

NUMPY = mbsym.Preparation("numpy")

RAIL = """
name: rail
bodies: {block: {mass: 2.0}}
joints:
  rail:
    type: prismatic
    from: ground
    to: block
    axis: x
    limits: {lower: -0.1, upper: 0.1, velocity: 5, effort: 30}
inputs: {push: {unit: N, lower: -6, upper: 10}}
forces:
  push: {type: joint_force, joint: rail, expression: push}
"""


@pytest.fixture(scope="module")
def rail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A block of 2 kg, at most 0.1 m from the middle, driven by at most 10 N: x = F t^2 / 4."""
    path = tmp_path_factory.mktemp("models") / "rail.yaml"
    path.write_text(RAIL, encoding="utf-8")
    return path


def run(source: Path | mbsym.Model, duration: float, push: float = 0.0, **arguments: object) -> SimulationResult:
    given = {"loads": mbsym.Loads(inputs={"push": push}), "preparation": NUMPY, **arguments}
    return mbsym.simulate(source, duration, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau", "BDF", "LSODA", "rk4", "symplectic"])
def test_a_travel_that_is_exceeded_is_told_with_time_and_size(rail: Path, method: str) -> None:
    step = {"rk4": 0.05, "symplectic": 0.05}.get(method)
    found = run(rail, 10.0, 4.0, method=method, step=step).exceeded
    assert [(item.name, item.side) for item in found] == [("q_rail", "upper"), ("v_rail", "upper")]
    # x = t^2, v = 2 t. Each step of the methods that choose theirs may be off by 1e-9 of the state; 1e-6 leaves room
    # for the sum of them; the midpoint rule is off by h^2/4 in x at the first crossing.
    allowed = {"symplectic": 2e-3}.get(method, 1e-6)
    assert (found[0].t, found[0].beyond, found[0].t_most) == pytest.approx((0.1**0.5, 99.9, 10.0), rel=allowed)
    assert (found[1].t, found[1].beyond) == pytest.approx((2.5, 15.0), rel=allowed)


def test_what_lies_between_rows_and_between_the_ends_of_a_step_is_seen(tmp_path: Path) -> None:
    # q = 0.5 cos 3 t - 0.1 with limits that only the turning points pass, and one row of output in all.
    path = tmp_path / "spring.yaml"
    path.write_text(
        "bodies: {block: {mass: 2.0}}\n"
        "joints: {rail: {type: prismatic, from: ground, to: block, axis: x, initial: 0.4,"
        " limits: {lower: -0.59999, velocity: 1.49999}}}\n"
        "forces: {spring: {type: joint_spring, joint: rail, stiffness: 18.0, reference: -0.1}}\n",
        encoding="utf-8",
    )
    result = run(path, 3.0, output_step=3.0, loads=mbsym.Loads())
    lower, slow, fast = result.exceeded[1], result.exceeded[0], result.exceeded[2]
    assert (lower.name, lower.side, lower.beyond) == ("q_rail", "lower", pytest.approx(1e-5, rel=1e-3))
    assert lower.t_most == pytest.approx(np.pi / 3, abs=1e-4)
    assert lower.t == pytest.approx(np.arccos(-0.49999 / 0.5) / 3, abs=1e-6)
    assert (slow.side, slow.t_most) == ("lower", pytest.approx(np.pi / 6, abs=1e-4))
    assert (fast.side, fast.beyond) == ("upper", pytest.approx(1e-5, rel=1e-3))


def test_a_motion_within_its_limits_says_nothing(rail: Path) -> None:
    # To the edge: 10 N for as long as x = 0.0999 m takes; at rest exactly on a limit; a coordinate on the other one.
    assert run(rail, 0.199, 10.0).exceeded == ()
    assert run(rail, 1.0, initial={"q_rail": 0.1}).exceeded == ()
    assert run(rail, 1.0, initial={"q_rail": -0.1}, loads=mbsym.Loads(tau={"v_rail": 0.0})).exceeded == ()


@pytest.mark.parametrize("method", ["DOP853", "Radau", "LSODA", "rk4"])
def test_a_motion_stops_where_its_limit_is(rail: Path, method: str) -> None:
    result = run(rail, 10.0, -4.0, method=method, limits="stop", step=1e-2)
    assert result.ended_by_event and result.exceeded == ()
    assert result.t[-1] == pytest.approx(0.1**0.5, abs=1e-9)
    assert result.q[-1, 0] == pytest.approx(-0.1, abs=1e-12)
    assert [item.name for item in result.events] == ["q_rail at its lower limit -0.1 m"]
    assert np.all(np.diff(result.t) > 0)


def test_events_come_in_their_order_beside_limits(rail: Path) -> None:
    def half(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(q[0]) - 0.05

    def far(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(q[0]) - 0.15

    watched = [Event(half, "half"), Event(far, "far", terminal=True)]
    stopped = run(rail, 10.0, 4.0, limits="stop", events=watched)
    assert [item.name for item in stopped.events] == ["half", "q_rail at its upper limit 0.1 m"]
    told = run(rail, 10.0, 4.0, events=watched)
    assert [item.name for item in told.events] == ["half", "far"]
    # The motion ends at 0.15 m: what would have come later in the same step is not told.
    assert told.exceeded[0].beyond == pytest.approx(0.05, abs=1e-12) and len(told.exceeded) == 1


def test_a_start_beyond_its_limits_is_told_first_or_refused(rail: Path) -> None:
    said: list[str] = []
    beyond = run(rail, 1.0, 12.0, initial={"q_rail": 0.3}, tell=said.append).exceeded
    assert said == [
        "input push is beyond its upper limit 10 N at t = 0 s, by 2 N",
        "q_rail is beyond its upper limit 0.1 m at t = 0 s, by 0.2 m",
    ]
    assert beyond[1].t == 0.0 and beyond[1].beyond == pytest.approx(0.2 + 3.0, abs=1e-9)
    with pytest.raises(SimulationError, match=r"starts where it is to stop: q_rail is beyond .* by 0.2 m"):
        run(rail, 1.0, initial={"q_rail": 0.3}, limits="stop")
    # On the limit it stays, or leaves for where the motion is to stop.
    assert run(rail, 1.0, -1.0, initial={"q_rail": 0.1}, limits="stop").t[-1] > 0.1
    ended = run(rail, 1.0, 1.0, initial={"q_rail": 0.1}, limits="stop")
    assert ended.t.tolist() == [0.0] and ended.ended_by_event and "0 s" in ended.summary()
    with pytest.raises(SimulationError, match="did you mean stop"):
        run(rail, 1.0, limits="stopp")


@pytest.mark.parametrize("language", ["numpy", "c"])
def test_inputs_and_forces_are_held_where_that_is_asked_for(rail: Path, language: str) -> None:
    preparation = mbsym.Preparation(language)
    held = mbsym.Loads(inputs={"push": 25.0}, tau={"v_rail": -40.0}, saturate=True)
    result = run(rail, 1.0, loads=held, preparation=preparation)
    assert result.q[-1, 0] == pytest.approx((10.0 - 30.0) / 4.0, rel=1e-12)
    told = {item.kind: item for item in result.exceeded if item.held}
    assert told["input"].beyond == 15.0 and told["force along"].beyond == 10.0
    assert "held at its lower limit -30 N" in told["force along"].sentence
    free = run(rail, 1.0, loads=mbsym.Loads(held.inputs, held.tau), preparation=preparation)
    assert free.q[-1, 0] == pytest.approx((25.0 - 40.0) / 4.0, rel=1e-12)
    assert {item.kind for item in free.exceeded if not item.held} >= {"input", "force along"}


def test_laws_are_held_from_when_they_ask_for_too_much(rail: Path) -> None:
    loads = mbsym.Loads(inputs=lambda t, q, v: [20.0 * t], saturate=True)
    result = run(rail, 2.0, loads=loads, limits="tell")
    (push,) = (item for item in result.exceeded if item.kind == "input")
    assert push.held and push.t == pytest.approx(0.5, abs=1e-9) and push.beyond == pytest.approx(30.0)
    # 20 t up to half a second, then 10 N: v = 20 0.5^2 / 4 + 10 1.5 / 2.
    assert result.v[-1, 0] == pytest.approx(1.25 + 7.5, rel=1e-8)


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_forces_that_motions_take_are_told_and_never_held(tmp_path: Path, method: str) -> None:
    """A push of 10 N, held from 25 N, leaves 30 t - 10 N of the force of x = 2.5 t^3: 30 N at 4/3 s, 35 N at last."""
    path = tmp_path / "driven.yaml"
    path.write_text(RAIL + "motions: {move: {joint: rail, law: 2.5*t**3}}\n", encoding="utf-8")
    step = {"rk4": 0.05}.get(method)
    loads = mbsym.Loads(inputs={"push": 25.0}, saturate=True)
    result = run(path, 1.5, loads=loads, method=method, step=step)
    (force,) = (item for item in result.exceeded if item.kind == "force along")
    assert not force.held and force.t == pytest.approx(4.0 / 3.0, abs=1e-6) and force.beyond == pytest.approx(5.0)
    assert result.y[-1, 0] == pytest.approx(35.0)
    stopped = run(path, 1.5, loads=mbsym.Loads(), limits="stop", events=[])
    assert "q_rail at its upper limit" in stopped.summary()


def test_a_motion_that_fails_beyond_its_limits_is_told_with_them(tmp_path: Path) -> None:
    """Pulled ever more strongly to 1.2 m, beyond a limit at 1 m."""
    model = tmp_path / "pulled.yaml"
    model.write_text("""\
name: pulled
gravity: [0, 0, 0]
bodies: {cart: {mass: 1}}
joints: {rail: {type: prismatic, from: ground, to: cart, axis: x, initial: 0.5, limits: {upper: 1}}}
forces: {pull: {type: joint_force, joint: rail, expression: 1/(1.2 - q_rail)**3}}
""")
    message = (
        r"q_rail exceeds its upper limit 1 m, first at t = 0\.\d+ s, by up to 0\.[12]\d* m .*; DOP853 failed at .*; "
        r"look at the limits first, .*; allow larger errors"
    )
    with pytest.raises(SimulationError, match=message):
        mbsym.simulate(model, 2)


def test_what_comes_after_a_stop_is_not_told(rail: Path) -> None:
    loads = mbsym.Loads(inputs=lambda t, q, v: [20.0 * t], saturate=True)
    result = run(rail, 1.8, loads=loads, limits="stop", method="rk4", step=0.6)
    # 10/6 t^3 = 0.1 at 0.3915 s, before 20 t is more than 10 N.
    assert result.t[-1] == pytest.approx(0.06 ** (1 / 3), rel=0.1)
    assert result.exceeded == ()


def test_followers_and_cut_joints(tmp_path: Path) -> None:
    path = tmp_path / "geared.yaml"
    path.write_text(
        "gravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1}}\n"
        "joints:\n  one: {type: revolute, from: ground, to: a}\n"
        "  two: {type: revolute, from: ground, to: b, limits: {lower: -1, upper: 9, velocity: 1.5}}\n"
        "  three: {type: prismatic, from: ground, to: c, limits: {upper: 6}}\n"
        "couplings: {two: {source: one, ratio: -2, offset: 1}, three: {source: two, ratio: -3, offset: 1}}\n",
        encoding="utf-8",
    )
    result = run(path, 2.0, initial={"v_one": 1.0}, loads=mbsym.Loads())
    # q_two = 1 - 2 t, and q_three = 1 - 3 q_two = 6 t - 2.
    speed, place, last = result.exceeded
    assert (speed.name, speed.side, speed.t, speed.beyond) == ("v_two", "lower", 0.0, pytest.approx(0.5))
    assert (place.name, place.side) == ("q_two", "lower")
    assert place.t == pytest.approx(1.0) and place.beyond == pytest.approx(2.0)
    assert (last.name, last.t, last.beyond) == ("q_three", pytest.approx(8 / 6), pytest.approx(4.0))
    loop = mbsym.load("four_bar")
    (cut,) = (item.joint for item in mbsym.simulate(loop, 0.01).equations.mechanism.cut_joints)
    told = run(_with_upper(loop, cut.name), 0.01, loads=mbsym.Loads())
    assert told.warnings[0].startswith(f"the limits of joint {cut.name} are not looked at")


def _with_upper(model: mbsym.Model, name: str) -> mbsym.Model:
    from dataclasses import replace

    joints = tuple(replace(item, upper=(9,)) if item.name == name else item for item in model.joints)
    return replace(model, joints=joints)


def test_the_command_line_tells_it_everywhere(rail: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "run.csv"
    command = ["simulate", str(rail), "--duration", "10", "--language", "numpy"]
    assert main([*command, "--input", "push=4", "-o", str(table)]) == 0
    said = capsys.readouterr()
    assert "q_rail exceeds its upper limit 0.1 m, first at t = 0.316228 s, by up to 99.9 m at t = 10 s" in said.out
    assert "beyond the limits of q_rail, v_rail" in table.read_text(encoding="utf-8").splitlines()[0]
    assert main([*command, "--input", "push=40", "--saturate", "--json", "--limits", "stop"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["ended_by_event"] and found["limits_exceeded"][0]["held"]
    assert "warning: input push is held at its upper limit 10 N" in said.err
    assert main([*command, "--limits", "no"]) == 2
    assert "limits: limits cannot be treated by 'no'; known are tell, stop" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "lower: -0.1, upper: 0.1",
            r"rail.yaml:10:\d+: a lower limit of prismatic joint 'rail' exceeds",
        ),
        ("lower: -6, upper: 10", r"rail.yaml:11:\d+: the lower bound of control input 'push' exceeds"),
    ],
)
def test_limits_the_wrong_way_round_are_refused_with_their_place(tmp_path: Path, entry: str, message: str) -> None:
    numbers = [part.split(": ")[1] for part in entry.split(", ")]
    path = tmp_path / "rail.yaml"
    path.write_text(RAIL.replace(entry, f"lower: {numbers[1]}, upper: {numbers[0]}"), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        mbsym.load(path)
