"""Pieces of linear analysis on what can be worked by hand: balance, modes, freedom, names of states, text."""

from __future__ import annotations

import json
from dataclasses import replace
from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym import examples
from mbsym.errors import AnalysisError
from mbsym.kinematics.measures import measures_of
from mbsym.linear.balance import Balance, Free
from mbsym.linear.equations import State, prepare
from mbsym.linear.freedom import freedom_at
from mbsym.linear.modes import Mode
from mbsym.linear.observed import Observed, observed, spelt_out
from mbsym.linear.search import _leads_to
from mbsym.linear.state_values import is_state_file, read_state, state_of
from mbsym.linear.tangent import increment_names, increment_units
from mbsym.loops.redundancy import analyse_loops
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import BAR, one_joint

Array = NDArray[Any]


def two_masses() -> mbsym.Model:
    """Masses of 2 kg in a row, each on a spring of 50 N/m and a damper of 0.4 N s/m to the one before."""
    return mbsym.Model(
        "row",
        bodies=(mbsym.Body("near", 2.0), mbsym.Body("far", 2.0)),
        joints=tuple(
            mbsym.Joint(name, "prismatic", *ends, axis=(1, 0, 0))
            for name, ends in (("first", ("ground", "near")), ("second", ("near", "far")))
        ),
        forces=tuple(
            element
            for name in ("first", "second")
            for element in (
                mbsym.JointSpring(f"spring_{name}", name, 50), mbsym.JointDamper(f"damper_{name}", name, "0.4")
            )
        ),
        gravity=(0, 0, 0),
    )  # fmt: skip


def test_two_masses_in_a_row() -> None:
    """In relative coordinates M = [[4, 2], [2, 2]], K = 50 E, D = 0.4 E: omega^2 = 25 (3 -+ sqrt 5) / 2."""
    M, K, D = np.array([[4.0, 2], [2, 2]]), 50 * np.eye(2), 0.4 * np.eye(2)
    found = mbsym.linearise(two_masses(), inputs="tau")
    inverse = np.linalg.inv(M)
    expected = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ K, -inverse @ D]])
    assert np.allclose(found.A, expected, rtol=0, atol=1e-13 * 50)
    assert np.allclose(found.B, np.vstack([np.zeros((2, 2)), inverse]), rtol=0, atol=1e-14)
    assert np.array_equal(found.C, np.eye(4)) and not found.D.any() and found.is_equilibrium
    assert (found.states, found.state_units) == (
        ("q_first", "q_second", "v_first", "v_second"), ("m", "m", "m/s", "m/s")
    )  # fmt: skip
    modes = mbsym.modes(two_masses())
    squares = 25 * (3 - sqrt(5)) / 2, 25 * (3 + sqrt(5)) / 2
    assert modes.frequencies**2 == pytest.approx(squares, rel=1e-12)
    # Damping in proportion to stiffness: ratio = 0.4 / 50 omega / 2.
    assert [mode.damping for mode in modes] == pytest.approx([0.004 * sqrt(x) for x in squares], rel=1e-10)
    assert [mode.behaviour for mode in modes] == ["oscillates and decays"] * 2
    # The shapes are eigenvectors of M^-1 K, the largest entry one.
    for mode, square in zip(modes, squares, strict=True):
        assert np.abs(K @ mode.shape - square * M @ mode.shape).max() < 1e-9 * square
        assert np.abs(mode.shape).max() == pytest.approx(1.0, abs=1e-14)
    response = mbsym.frequency_response(two_masses(), 0.3, inputs="tau").values[0]
    w = 2 * pi * 0.3
    assert np.allclose(response[:2], np.linalg.inv(K + 1j * w * D - w * w * M), rtol=1e-11, atol=0)
    assert np.allclose(response[2:], 1j * w * response[:2], rtol=1e-11, atol=0)
    text = found.text
    assert text.startswith("row: linearised about an equilibrium\n") and "q_first [m], q_second [m]" in text
    assert "oscillates and decays" in modes.text
    assert not any("stability" in each for each in (text, modes.text))


def test_poles_about_a_motion_are_said_to_be_of_its_state_alone() -> None:
    """Of a mass that moves on evenly A is what it is everywhere, but nothing here knows that."""
    moving = mbsym.modes(two_masses(), {"v_first": 1.0})
    told = "of A at this state alone: where it changes along the motion, {} nothing of its stability"
    assert moving.linearisation.text.splitlines()[-1].strip() == told.format("they say")
    assert told.format("modes say") in moving.text


@pytest.mark.parametrize(
    ("value", "told", "damping"),
    [(0j, "drifts", 0.0), (-2 + 0j, "decays", 1.0), (3 + 0j, "grows", -1.0), (4j, "oscillates", 0.0),
     (-3 + 4j, "oscillates and decays", 0.6), (3 + 4j, "oscillates and grows", -0.6)],
)  # fmt: skip
def test_words_for_a_mode(value: complex, told: str, damping: float) -> None:
    mode = Mode("mode 1", value, np.ones(1))
    assert (mode.behaviour, mode.damping, mode.frequency) == (told, damping, abs(value))
    assert mode.hertz == pytest.approx(value.imag / (2 * pi), rel=1e-15)


@pytest.mark.parametrize("damping", [0.2, 1.2, 1.9, 2.5, 2.6])
def test_an_eigenvalue_that_the_search_meets_exactly_is_one(damping: float) -> None:
    """1 kg on 1 N/m: s^2 + d s + 1 = 0, of an overdamped mass both roots; a pivot of one number is zero there."""
    forces = mbsym.JointSpring("k", "j", 1), mbsym.JointDamper("d", "j", damping)
    mass = replace(one_joint("prismatic", BAR, axis=(1, 0, 0)), forces=forces, gravity=(0, 0, 0))
    found = [mode.eigenvalue for mode in mbsym.transfer_matrix_modes(mass)]
    roots = sorted((root for root in np.roots([1.0, damping, 1.0]) if root.imag >= 0), key=abs)
    assert found == pytest.approx(roots, abs=1e-12)


# ---- equilibrium -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "free"), [
    ("four_bar", Free((0, 1, 2), (), (0,))), ("spinning_top", Free((0, 1, 2))), ("cart_pole", Free((1,), (0,), (0,))),
])  # fmt: skip
def test_slopes_of_the_balance_are_those_of_its_residual(name: str, free: Free) -> None:
    """Central differences along random steps of all unknowns, coordinates, inputs, forces and multipliers."""
    model = examples.load(name)
    own = mechanism_of(model)
    loops = analyse_loops(own) if own.cut_joints else None
    state = state_of(prepare(model), {})
    balance, rng = Balance(own, loops, state, free), np.random.default_rng(0)
    assert balance.problem.nv == free.count + balance.rows
    z = balance.start(state.q)
    z = balance.move(z, 0.1 * rng.normal(size=balance.problem.nv))
    step, h = rng.normal(size=balance.problem.nv), 1e-5
    slope = (balance.residual(balance.move(z, h * step))[0] - balance.residual(balance.move(z, -h * step))[0]) / (2 * h)
    # Differences of second order: an error of some 1e-10 of what is differentiated.
    matrix = balance.residual(z)[1]
    assert np.abs(matrix @ step - slope).max() < 1e-8 * max(1.0, np.abs(matrix).max())


def test_places_that_an_idle_motion_joins_are_one_equilibrium() -> None:
    """The cart anywhere along its rail, near or far; the other place of the pole is another one."""
    model = examples.load("cart_pole")
    balance = Balance(mechanism_of(model), None, state_of(prepare(model), {}), Free((0, 1)))
    first = balance.start(np.array([0.0, np.pi]))
    for rail in (0.15, -1.2):
        assert _leads_to(balance, first, balance.start(np.array([rail, np.pi])))
    assert not _leads_to(balance, first, balance.start(np.array([0.15, 0.0])))


def test_a_pendulum_hangs_or_stands() -> None:
    """A bar of 1 kg whose centre is 0.5 m from the hinge: gravity of 9.81 asks for 4.905 N m where it lies level."""
    model = mbsym.Model("bar", (BAR,), (mbsym.Joint("j", "revolute", "ground", "a", axis=(0, 1, 0)),))
    found = mbsym.equilibrium(model)
    angles = sorted(float(np.remainder(item.q[0], 2 * pi)) for item in found)
    assert angles == pytest.approx([pi / 2, 3 * pi / 2], abs=1e-9)
    words = {round(float(np.remainder(item.q[0], 2 * pi)), 3): item.stability.kind for item in found}
    assert sorted(words.values()) == ["stable without damping", "unstable"]
    (held,) = mbsym.equilibrium(model, free=["v_j"], starts=1)
    assert abs(held.tau[0]) == pytest.approx(9.81 / 2, rel=1e-12) and held.q[0] == 0.0


# ---- closed loops ----------------------------------------------------------------------------------------------------


def test_dependent_coordinates_follow_the_closure() -> None:
    """G N = 0 and G N' = -d(G N v_i)/dq N, the latter by differences of G along the motion."""
    equations = prepare(examples.load("five_bar"))
    state = state_of(equations, {"v_left_motor": 0.7, "v_right_motor": -0.3})
    freedom = freedom_at(equations, state)
    (G,) = equations.evaluate("constraint_jacobian", state)
    assert np.abs(G @ freedom.motion).max() < 1e-13
    assert np.array_equal(freedom.motion[list(freedom.independent)], np.eye(2))
    assert not freedom.change[list(freedom.independent)].any()
    h = 1e-5
    for k in range(2):
        moved = [
            equations.evaluate("constraint_jacobian", State(state.q + s * h * freedom.motion[:, k], state.v,
                                                            state.tau, state.u, state.t))[0] @ state.v for s in (1, -1)
        ]  # fmt: skip
        rate = (moved[0] - moved[1]) / (2 * h)
        assert np.abs(G @ freedom.change[:, k] + rate).max() < 1e-9
    assert np.array_equal(freedom.of_states[: len(state.q), 2:], np.zeros((len(state.q), 2)))
    with pytest.raises(AnalysisError, match="1 independent coordinates are chosen of a mechanism with 2 freedoms"):
        freedom_at(equations, state, [increment_names(equations.mechanism)[0]])


# ---- names -----------------------------------------------------------------------------------------------------------


def test_names_units_and_measures_of_increments() -> None:
    """A spinning top turns by quaternions; a cart is as long as its pole."""
    top = mechanism_of(examples.load("spinning_top"))
    assert increment_units(top) == ("rad",) * 3 and all(name.startswith("d_") for name in increment_names(top))
    cart = mechanism_of(examples.load("cart_pole"))
    assert (increment_names(cart), increment_units(cart)) == (("q_rail", "q_hinge"), ("m", "rad"))
    # The longest of its bodies: the root of the trace of its inertia about the origin, 0.21 + 2 0.5^2, over its mass.
    measures = measures_of(mechanism_of(one_joint("prismatic", BAR, axis=(1, 0, 0))))
    assert measures.length == pytest.approx(sqrt(0.71), rel=1e-15)
    assert (measures.of_unit("m"), measures.of_unit("rad")) == (measures.length, 1.0)
    assert measures.increments.tolist() == measures.coordinates.tolist() == [measures.length]


def test_what_outputs_stand_for() -> None:
    model = examples.load("cart_pole")
    assert spelt_out(model, ["pole", "q_rail", "cart.y"]) == (
        ("pole.x", "pole.y", "pole.z", "q_rail", "cart.y"), ("pole", "cart")
    )  # fmt: skip
    equations = prepare(model, frames=("pole", "cart"))
    assert observed(equations, "q_hinge") == Observed("increment", 1)
    assert observed(equations, "v_rail") == Observed("speed", 0)
    assert observed(equations, "vdot_hinge") == Observed("acceleration", 1)
    assert observed(equations, "cart.y") == Observed("position", 1, 1)
    with pytest.raises(
        AnalysisError, match=r"no coordinate, speed, acceleration, output, frame or body is called 'pole\.w'"
    ):
        observed(equations, "pole.w")


def test_states_in_files(tmp_path: Path) -> None:
    """JSON as names or in groups, tables by their last row, in degrees where the header says so."""
    known = {"q_rail": "m", "q_hinge": "rad", "v_rail": "m/s", "push": "N", "t": "s"}
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"q_rail": 1, "v_rail": "2.5"}))
    assert read_state(path, known) == ({"q_rail": 1.0, "v_rail": 2.5}, {})
    groups = {"q": {"q_rail": 1}, "v": {}, "u": {"push": 3}, "tau": {"v_rail": 4}, "t": 0.5, "stability": "unstable"}
    path.write_text(json.dumps({"solutions": [groups]}))
    assert read_state(path, known) == ({"q_rail": 1.0, "push": 3.0, "t": 0.5}, {"v_rail": 4.0})
    table = tmp_path / "state.csv"
    table.write_text("# a remark\nt,q_hinge [deg],q_rail [m],other\n0,1,2,3\n0.5,90,-2,4\n")
    assert read_state(table, known)[0] == pytest.approx({"t": 0.5, "q_hinge": pi / 2, "q_rail": -2.0}, rel=1e-15)
    for text, what in (
        ("t,q_rail\n1\n", "the last row has 1 cells below 2 names"),
        ("q_rail,q_rail\n1,2\n", "two columns q_rail"),
        ("q_rail [rad]\n1\n", "is not in m"),
        ("x,y\n1,2\n", "no column is called like a coordinate"),
        ("q_rail\n", "this is no table"),
        ("q_rail\nnan\n", "q_rail = nan is no finite number"),
    ):
        table.write_text(text)
        with pytest.raises(AnalysisError, match=what):
            read_state(table, known)
    assert [is_state_file(name) for name in ("a.JSON", "a.csv", "a.yaml", "equilibrium")] == [True, True, False, False]
