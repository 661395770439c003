"""Assembly from bad guesses, with coordinates held, and errors that name the loop that stays open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbsym import Body, GearConstraint, Joint, Model, examples
from mbsym.errors import SimulationError
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.assembly import assemble, consistent_velocity
from mbsym.loops.redundancy import analyse_loops
from mechanisms.examples import further
from mechanisms.looped_systems import looped_system
from mechanisms.mechanism import mechanism_of

Array = np.ndarray[Any, Any]


def gap(model: Model, q: Array) -> float:
    mechanism = mechanism_of(model)
    system = looped_system(mechanism)
    return float(np.max(np.abs(system.functions["closure_gap"](q))))


@pytest.mark.parametrize(
    "name",
    ["four_bar", "slider_crank", "rhombus_spatial", *further("five_bar", "rhombus_regular", "stewart_platform")],
)
def test_bad_guesses_are_assembled(name: str) -> None:
    model = examples.load(name)
    mechanism = mechanism_of(model)
    generator = np.random.default_rng(11)
    for _ in range(3):
        guess = generator.uniform(-2, 2, mechanism.nq)
        done = assemble(mechanism, guess)
        assert done.gap < 1e-12
        assert gap(model, done.q) < 1e-12
        for first in mechanism.q.quaternions:
            assert np.isclose(np.linalg.norm(done.q[first : first + 4]), 1)


def test_a_closed_guess_stays_where_it_is() -> None:
    model = examples.load("stewart_platform")
    done = assemble(model)
    assert done.moved < 1e-14
    assert done.iterations <= 1


def test_held_joints_stay() -> None:
    model = examples.load("five_bar")
    guess = np.array([2.0, -1.0, 1.0, 1.2])
    mechanism = mechanism_of(model)
    done = assemble(model, guess, fixed=("left_motor", "right_motor"))
    for body in mechanism.bodies:
        start = body.q_range[0]
        if body.joint.name.endswith("motor"):
            assert done.q[start] == guess[start]
    assert gap(model, done.q) < 1e-12


def test_the_loop_that_cannot_close_is_named_with_its_smallest_gap() -> None:
    model = examples.load("four_bar")
    wide = replace(model, parameters=tuple(replace(p, value=2) if p.name == "l_base" else p for p in model.parameters))
    with pytest.raises(SimulationError, match=r"loop of D cannot be closed: the smallest gap found is 0\.3 m"):
        assemble(wide)


def test_held_joints_that_keep_the_loop_open_are_named() -> None:
    model = examples.load("five_bar")
    # With cranks turned outward the elbows are 0.9 m apart, and the forearms reach 0.76 m together.
    wide = replace(model, parameters=tuple(replace(p, value=0.4) if p.name == "base" else p for p in model.parameters))
    with pytest.raises(SimulationError, match="closes if left_motor, right_motor may move"):
        assemble(wide, np.array([3.14, 0.1, 0.0, 0.1]), fixed=("left_motor", "right_motor"))


def test_wrong_guesses_and_names_are_refused() -> None:
    model = examples.load("four_bar")
    with pytest.raises(SimulationError, match="give 3 coordinates"):
        assemble(model, [0.0])
    with pytest.raises(SimulationError, match="infinite or missing"):
        assemble(model, [0.0, np.nan, 0.0])
    with pytest.raises(SimulationError, match="joint D is cut"):
        assemble(model, fixed=("D",))
    with pytest.raises(SimulationError, match="no joint 'Z'"):
        assemble(model, fixed=("Z",))


@pytest.mark.parametrize("name", ["spinning_top", "floating_two_arm"])
def test_joints_of_a_guess_of_zeros_are_not_turned(name: str) -> None:
    """Four zeros are no attitude."""
    mechanism = mechanism_of(examples.load(name))
    done = assemble(mechanism, np.zeros(mechanism.nq))
    assert mechanism.q.quaternions
    for first in mechanism.q.quaternions:
        assert done.q[first : first + 4].tolist() == [1, 0, 0, 0]


def test_trees_need_no_assembly() -> None:
    done = assemble(examples.load("double_pendulum"))
    assert done.gap == 0
    assert done.iterations == 0


def test_speeds_follow_from_those_of_the_motors() -> None:
    model = examples.load("five_bar")
    mechanism = mechanism_of(model)
    system = looped_system(mechanism, analyse_loops(mechanism))
    q = assemble(mechanism).q
    v = consistent_velocity(mechanism, system, q, {"v_left_motor": 1.0, "v_right_motor": -0.5}).v
    speeds = {body.joint.name: v[body.v_range[0]] for body in mechanism.bodies}
    assert (speeds["left_motor"], speeds["right_motor"]) == (1.0, -0.5)
    assert np.max(np.abs(system.closure(q).jacobian @ v)) < 1e-12


def test_speeds_of_one_motor_leave_the_others_nearest_to_zero() -> None:
    model = examples.load("five_bar")
    mechanism = mechanism_of(model)
    system = looped_system(mechanism)
    q = assemble(mechanism).q
    found = consistent_velocity(mechanism, system, q, {"v_left_motor": 1.0})
    v = found.v
    assert np.max(np.abs(system.closure(q).jacobian @ v)) < 1e-12
    assert found.chosen == tuple(k for k, name in enumerate(mechanism.speed_names) if name != "v_left_motor")
    column = next(body.v_range[0] for body in mechanism.bodies if body.joint.name == "right_motor")
    for change in (-0.1, 0.1):
        other = consistent_velocity(mechanism, system, q, {"v_left_motor": 1.0, "v_right_motor": v[column] + change})
        assert float(other.v @ other.v) > float(v @ v)


def test_speeds_that_no_loop_moves_stay_zero() -> None:
    """A wheel on an arm, beside two discs in gear: with an arm that turns back the energy would be less."""
    names = ("arm", "wheel", "first", "second")
    bodies = tuple(Body(name, 1, inertia=(0.1, 0.1, 0.1)) for name in names)
    below = ("ground", "arm", "ground", "ground")
    joints = tuple(Joint(name, "revolute", base, name, axis="y") for name, base in zip(names, below, strict=True))
    model = Model("fit", bodies, joints, constraints=(GearConstraint("gears", "first", "second", "2"),))
    mechanism = mechanism_of(model)
    found = consistent_velocity(mechanism, looped_system(mechanism), np.zeros(4), {"v_wheel": 10.0, "v_first": 2.0})
    assert dict(zip(mechanism.speed_names, found.v.tolist(), strict=True)) == pytest.approx(
        {"v_arm": 0.0, "v_wheel": 10.0, "v_first": 2.0, "v_second": 1.0}, abs=1e-12
    )
    assert not found.chosen


def test_contradicting_speeds_are_refused() -> None:
    model = examples.load("four_bar")
    mechanism = mechanism_of(model)
    system = looped_system(mechanism)
    with pytest.raises(SimulationError, match="speeds of v_A, v_C contradict"):
        consistent_velocity(mechanism, system, assemble(mechanism).q, {"v_A": 1.0, "v_C": 5.0})


def test_the_driver_cab_moves(agreement: Callable[[object], None]) -> None:
    """Six loops, the cuts as printed in the paper, fifteen freedoms, closed as it is given."""
    model = examples.load("driver_cab_motion")
    labelling = model.label()
    assert labelling.cut_joints == ("backrest", "seat", "left grip", "right grip", "left pedal", "right pedal")
    mechanism = build_mechanism(model, labelling)
    analysis = analyse_loops(mechanism)
    assert (len(analysis.rows), analysis.dependent, analysis.mobility) == (18, (), 15)
    moved = assemble(mechanism).moved
    assert moved < 1e-12
    agreement(moved)


def test_a_stretched_chain_keeps_rows_that_depend_on_others_there_alone() -> None:
    """Seat and backrest in the plane of head, trunk and pelvis hold the trunk twice, but only in that plane."""
    model = examples.load("driver_cab_motion")
    flat = {"backrest": (-0.11, 0, 0.25), "seat": (0, 0.07, 0)}
    joints = []
    for joint in model.joints:
        here, there = joint.predecessor_placement, joint.successor_placement
        if joint.name == "backrest":
            here, there = replace(here, translation=(-0.16, 0, 0.85)), replace(there, translation=flat["backrest"])
        if joint.name == "seat":
            here, there = replace(here, translation=(-0.06, 0, 0.42)), replace(there, translation=flat["seat"])
        joints.append(replace(joint, predecessor_placement=here, successor_placement=there))
    analysis = analyse_loops(build_mechanism(replace(model, joints=tuple(joints)), model.label()))
    assert (len(analysis.rows), analysis.mobility) == (18, 15)
    assert any("not beside them: they are singular" in sentence for sentence in analysis.sentences)
