"""What linear analyses refuse, each with the words that help: states, loops, responses, vibrations, symbols."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.errors import AnalysisError
from mbsym.linear import freedom, symbols
from mbsym.linear.equations import LinearEquations, prepare
from mbsym.linear.equilibrium import Stability, stability_at
from mbsym.linear.freedom import freedom_at
from mbsym.linear.modal_system import transfer_matrix_system
from mbsym.linear.state_values import read_state, state_of
from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes
from mbsym.model.system import Model
from mechanisms.one_joint import SOLID, one_joint
from mechanisms.overconstrained import parallel_cranks

ROD = mbsym.Body("rod", 1, (0, 0, -1), (0, 0, 0, 0, 0, 0))


def hanging_rod() -> Model:
    """A point mass below two hinges, of which the first turns it about itself."""
    return Model(
        "arm",
        bodies=(mbsym.Body("turn", 0), ROD),
        joints=(
            mbsym.Joint("yaw", "revolute", "ground", "turn", axis=(0, 0, 1)),
            mbsym.Joint("pitch", "revolute", "turn", "rod", axis=(0, 1, 0)),
        ),
    )


def slider(stiffness: str = "0", damping: str = "0") -> Model:
    """A mass of 1 kg on a spring and a damper."""
    forces = mbsym.JointSpring("k", "j", stiffness), mbsym.JointDamper("d", "j", damping)
    return replace(one_joint("prismatic", SOLID, axis=(1, 0, 0)), forces=forces, gravity=(0, 0, 0))


@pytest.fixture(scope="module")
def four_bar() -> LinearEquations:
    return prepare(examples.load("four_bar"))


# ---- states ----------------------------------------------------------------------------------------------------------


def test_a_state_belongs_to_its_model(tmp_path: Path) -> None:
    state = mbsym.linearise("planar_3r").state
    assert np.array_equal(mbsym.linearise("planar_3r", state).state.q, state.q)
    with pytest.raises(AnalysisError, match="the state is that of another model"):
        mbsym.linearise("cart_pole", state)
    with pytest.raises(AnalysisError, match="no coordinate, control input or speed is called 'q_hing'; did you mean"):
        mbsym.equilibrium("cart_pole", ["q_hing"])
    (tmp_path / "state.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(AnalysisError, match="the file is no text"):
        read_state(tmp_path / "state.csv", {})


def test_where_nothing_resists_nothing_is_known() -> None:
    equations = prepare(hanging_rod())
    state = state_of(equations, {})
    with pytest.raises(AnalysisError, match="forward_dynamics has no result at this state: "):
        equations.evaluate("forward_dynamics", state)
    told = stability_at(equations, state)
    assert told.kind == "unknown" and told.sentence.startswith("unknown: the mass matrix is singular at this state")
    with pytest.raises(AnalysisError, match="no joint can move"):
        prepare(one_joint("fixed"))


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (Stability("unstable", 1, 2), "unstable: 1 mode grows"),
        (Stability("unstable", 2), "unstable: 2 modes grow"),
        (Stability("indifferent", 0, 1), "indifferent: 1 mode drifts"),
        (Stability("indifferent", 0, 3), "indifferent: 3 modes drift"),
        (Stability("asymptotically stable"), "asymptotically stable"),
    ],
)
def test_stability_in_words(told: Stability, sentence: str) -> None:
    assert told.sentence == sentence


# ---- closed loops ----------------------------------------------------------------------------------------------------


def test_states_that_no_loop_has(four_bar: LinearEquations) -> None:
    state = state_of(four_bar, {})
    with pytest.raises(AnalysisError, match=r"the state does not close the loop of D: the gap is .* m"):
        freedom_at(four_bar, replace(state, q=state.q + 0.1))
    with pytest.raises(AnalysisError, match="the speeds part the loops by"):
        freedom_at(four_bar, replace(state, v=np.ones(3)))
    with pytest.raises(AnalysisError, match="no coordinate is called 'q_X'"):
        freedom_at(four_bar, state, ["q_X"])
    with pytest.raises(AnalysisError, match=r"no equilibrium was found: the loop of D stays open by .* m"):
        mbsym.equilibrium("four_bar", ["v_A", "v_B", "v_C"], replace(state, q=state.q + 0.1), starts=1)


def test_a_coordinate_that_is_held_is_not_independent(four_bar: LinearEquations) -> None:
    """Rows that hold A and tie B to C: B or C is free, A is not."""
    rows = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]])
    assert freedom._chosen(four_bar, rows, rows, ["q_B"]) == ([1], [1])
    with pytest.raises(AnalysisError, match="q_A cannot be independent at this state: q_B, q_C can move without"):
        freedom._chosen(four_bar, rows, rows, ["q_A"])


def test_held_speeds_leave_coordinates_free(four_bar: LinearEquations) -> None:
    """One row closes a loop, one holds a speed: two coordinates and one speed are free, the speed's among them."""
    rows = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, -1.0]])
    assert freedom._chosen(four_bar, rows, rows[:1], ["q_B", "q_C"]) == ([1, 2], [2])
    coordinates, (speed,) = freedom._chosen(four_bar, rows, rows[:1], [])
    assert len(coordinates) == 2 and speed in coordinates
    with pytest.raises(AnalysisError, match="1 independent coordinates are chosen of a mechanism with 2 freedoms"):
        freedom._chosen(four_bar, rows, rows[:1], ["q_B"])


def test_a_flat_parallelogram_is_singular() -> None:
    """Two cranks of one length in line with the bar on them: both ways out are open."""
    with pytest.raises(AnalysisError, match="the position is singular: 2 in place of 1 of the coordinates"):
        mbsym.linearise(parallel_cranks(2, 0.0))


# ---- responses and symbols -------------------------------------------------------------------------------------------


def test_an_undamped_response_is_infinite_at_its_frequency() -> None:
    """A mass of 1 kg on 25 N/m: 5 rad/s. Beside it the response is 1/(k - w^2)."""
    found = mbsym.linearise(slider("25"), inputs="tau", outputs=["q_j"])
    assert len(found) == 4 and found[3] is found.D
    assert found.at(4j)[0, 0] == pytest.approx(1 / 9, rel=1e-12)
    with pytest.raises(AnalysisError, match=r"the response is infinite at 0\.795775 Hz"):
        found.at(5j)


def test_long_entries_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = mbsym.linearise("cart_pole")
    monkeypatch.setattr(symbols, "LONGEST", 10)
    with pytest.raises(AnalysisError, match="the entries written out are too long; ask for shared=True"):
        found.symbolic()
    assert found.symbolic(shared=True).A.shape == (4, 4)


# ---- vibrations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("at", "message"), [
    ({"q_elbow": 0.3}, "the state is no equilibrium: a joint is not balanced; take the state 'equilibrium'"),
    ({"v_elbow": 1.0}, "the state moves"),
])  # fmt: skip
def test_vibrations_are_about_rest(at: dict[str, float], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        transfer_matrix_modes("double_pendulum", at)


def test_vibrations_have_springs_or_oscillate() -> None:
    with pytest.raises(AnalysisError, match="beams cannot be 'soft'; say exact, consistent, lumped, segments"):
        transfer_matrix_modes("double_pendulum", beams="soft")
    with pytest.raises(AnalysisError, match="a motion that no spring resists is damped"):
        transfer_matrix_system(slider("0", "0.1"), inputs="b.x")
    with pytest.raises(AnalysisError, match="mode 1 does not oscillate, and has no residue here"):
        transfer_matrix_system(slider("1", "2.6"), inputs="b.x")
    poles = transfer_matrix_system(slider("1", "0.2"), inputs="b.x").eigenvalues
    assert poles == pytest.approx([complex(-0.1, np.sqrt(1 - 0.01))], rel=1e-10)


def test_a_spring_between_points_that_coincide_has_no_direction() -> None:
    """Without a rest length it resists all ways alike: 9 N/m on 1 kg, which turns as it likes."""
    spring = mbsym.PointSpringDamper("s", "ground", "b", stiffness=9)
    free = replace(one_joint("free", SOLID), forces=(spring,), gravity=(0, 0, 0))
    assert transfer_matrix_modes(free).frequencies == pytest.approx([0.0] * 3 + [3.0] * 3, rel=1e-12)
    with pytest.raises(AnalysisError, match="force s: its ends coincide, so it has no direction"):
        transfer_matrix_modes(replace(free, forces=(replace(spring, free_length=1),)), None)
