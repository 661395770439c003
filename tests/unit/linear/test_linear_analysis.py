"""Linearisation, equilibria and modes against differences of the reference, closed forms and published spectra."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.cli.application import main
from mbsym.errors import AnalysisError, MbsymError
from mbsym.forces.joint_damper import JointDamper
from mbsym.forces.joint_force import JointForce
from mbsym.forces.joint_spring import JointSpring
from mbsym.formats.native.text import dump_native
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.linear.equations import State
from mbsym.linear.tangent import turning_at
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.reference.differences import central_difference
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree

Captured = pytest.CaptureFixture[str]

SEEDS = (2, 12, 20, 26, 28, 40, 43, 59, 67, 90)
"""Random trees with joints of all types, both ways round."""


def random_state(model: Model, seed: int = 3) -> tuple[Reference, State]:
    mechanism, reference = mechanism_of(model), Reference(model, model.label())
    rng = np.random.default_rng(seed)
    q = reference.integrate_position(initial_coordinates(mechanism), rng.uniform(-1, 1, reference.nv), 0.4)
    v, tau = rng.uniform(-1, 1, (2, reference.nv))
    return reference, State(q, v, tau, rng.uniform(-1, 1, len(model.inputs)), 0.2)


def slope(function: Any) -> Any:
    """Sixth-order central difference at zero."""
    h = 1e-3
    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    return sum(w * (np.asarray(function(k * h)) - np.asarray(function(-k * h))) for k, w in weights) / h


def test_the_random_trees_have_everything() -> None:
    found = {joint.type for seed in SEEDS for joint in random_tree(seed, bodies=(1, 4)).joints}
    assert set(JOINT_TYPES) - {"fixed"} <= found


@pytest.mark.parametrize("name", ["cart_pole", "spinning_top", *SEEDS])
def test_linear_systems_are_differences_of_the_reference(name: str | int) -> None:
    """About moving states: increments along random directions, q moved along the speeds."""
    model = examples.load(name) if isinstance(name, str) else random_tree(name, bodies=(1, 4))
    reference, state = random_state(model)
    found = mbsym.linearise(model, state)
    n = reference.nv
    rng = np.random.default_rng(1)
    dq, dv, du = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.uniform(-1, 1, len(found.inputs))

    def rates(q: Any, v: Any, u: Any, tau: Any) -> Any:
        return reference.forward_dynamics(q, v, tau, state.t, u)

    along = slope(lambda h: rates(reference.integrate_position(state.q, dq, h), state.v, state.u, state.tau))
    faster = slope(lambda h: rates(state.q, state.v + h * dv, state.u, state.tau))
    if model.inputs:
        pushed = slope(lambda h: rates(state.q, state.v, state.u + h * du, state.tau))
    else:
        pushed = slope(lambda h: rates(state.q, state.v, state.u, state.tau + h * du))
    size = max(1.0, float(np.abs(found.A).max()))
    # The differences err by some 1e-10 of what is differentiated, accelerations of up to the size of A.
    close = {"rtol": 0.0, "atol": 1e-8 * size}
    assert np.allclose(found.A[n:, :n] @ dq, along, **close)
    assert np.allclose(found.A[n:, n:] @ dv, faster, **close)
    assert np.allclose(found.B[n:] @ du, pushed, rtol=0.0, atol=1e-8 * max(1.0, float(np.abs(found.B).max())))
    assert np.array_equal(found.A[:n, n:], np.eye(n)) and not found.B[:n].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_increments_turn_with_the_motion(seed: int) -> None:
    """T K dq = d(T v) along dq less d(T dq) along v, from qdot = T v of both motions."""
    model = random_tree(seed, bodies=(1, 4))
    reference, state = random_state(model)
    increment = np.random.default_rng(2).uniform(-1, 1, reference.nv)
    numeric = reference.mechanism
    change = central_difference(numeric, lambda q: reference.position_rate(q, state.v), state.q, increment)
    change = change - central_difference(numeric, lambda q: reference.position_rate(q, increment), state.q, state.v)
    turned = turning_at(mechanism_of(model), state.v) @ increment
    assert np.allclose(reference.position_rate(state.q, turned), change, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("name", ["cart_pole", "spinning_top", *further("double_pendulum")])
def test_symbols_are_the_numbers(name: str) -> None:
    model = examples.load(name)
    _, state = random_state(model)
    found = mbsym.linearise(model, state, outputs=["vdot_" + model.joints[0].name] if name == "cart_pole" else ())
    defaults = {item.name: item.value for item in model.parameters}
    # Simplifying a cart with a pole takes SymPy seconds where the state is not put in.
    for general in (False, True)[: 1 if name == "cart_pole" else 2]:
        names = zip(found.equations.coordinates, state.q, strict=True)
        values = {**defaults, **dict(names), **dict(zip(found.equations.speeds, state.v, strict=True))}
        values |= {f"tau_{speed[2:]}": x for speed, x in zip(found.equations.speeds, state.tau, strict=True)}
        values |= dict(zip(found.equations.inputs, state.u, strict=True))
        for exact, number in zip(found.symbolic(general=general), found, strict=True):
            shown = np.array(exact.subs(values).evalf(), dtype=float).reshape(number.shape)
            assert np.allclose(shown, number, rtol=1e-11, atol=1e-11)


def test_symbols_hold_only_parameters_at_a_state() -> None:
    A, B, _, _ = mbsym.linearise("cart_pole").symbolic()
    assert {str(x) for x in A.free_symbols | B.free_symbols} == {"m_cart", "m_pole", "l", "d"}


def test_scipy_and_control_take_a_linear_system_as_it_is() -> None:
    from scipy.linalg import expm
    from scipy.signal import StateSpace, lsim

    found = mbsym.linearise("double_pendulum", outputs=["q_elbow"])
    start = np.array([0.1, 0.2, -0.3, 0.4])
    times = np.linspace(0.0, 1.0, 11)
    _, y, _ = lsim(StateSpace(*found), np.zeros((11, 2)), times, start)
    assert y[-1] == pytest.approx((found.C @ expm(found.A) @ start)[0], rel=1e-9)
    control = pytest.importorskip("control")
    assert np.allclose(np.sort(control.ss(*found).poles().real), np.sort(found.poles.real))


def test_outputs_are_chosen_by_name() -> None:
    found = mbsym.linearise("cart_pole", outputs=["q_hinge", "v_rail", "vdot_hinge"])
    assert np.array_equal(found.C[:2], np.eye(4)[[1, 2]])
    assert np.array_equal(found.C[2], found.A[3]) and np.array_equal(found.D[2], found.B[3])
    forces = mbsym.linearise("cart_pole", inputs=["v_hinge", "push"])
    assert forces.inputs == ("tau_hinge", "push")
    assert mbsym.linearise("cart_pole", inputs="push").inputs == ("push",)
    assert mbsym.linearise("cart_pole", inputs="all").inputs == ("push", "tau_rail", "tau_hinge")
    # The push acts along the rail.
    assert np.allclose(forces.B[2:, 1], mbsym.linearise("cart_pole", inputs=["v_rail"]).B[2:, 0])


@pytest.mark.parametrize("name", ["puma560", "four_bar", "spinning_top"])
def test_places_of_bodies_shift_as_the_reference_says(name: str) -> None:
    model = examples.load(name)
    body = model.bodies[-1].name
    found = mbsym.linearise(model, outputs=[body, f"{body}.y"])
    assert found.outputs == (f"{body}.x", f"{body}.y", f"{body}.z", f"{body}.y")
    reference, label = Reference(model, model.label()), model.label().body_labels[body]
    n, direction = len(found.states) // 2, np.random.default_rng(0).uniform(-1, 1, len(found.states) // 2)
    motion = found.freedom.motion @ direction
    shift = slope(lambda h: reference.poses(reference.integrate_position(found.state.q, motion, h))[label - 1, :3, 3])
    assert np.allclose(found.C[:3, :n] @ direction, shift, rtol=0.0, atol=1e-10)
    assert np.array_equal(found.C[3], found.C[1]) and not found.C[:, n:].any() and not found.D.any()
    if name == "spinning_top":
        exact = np.array(found.symbolic().C.subs({"l": 1}).evalf(), dtype=float)
        assert np.allclose(exact, found.C)


# ---- spectra ---------------------------------------------------------------------------------------------------------


def hanging_chain(links: int) -> Model:
    """Equal point masses on massless links."""
    names = ["ground", *(f"bead{k}" for k in range(1, links + 1))]
    return Model(
        "chain",
        bodies=tuple(mbsym.Body(name, 0.7, (0, 0, -0.25), (0, 0, 0, 0, 0, 0)) for name in names[1:]),
        joints=tuple(
            mbsym.Joint(f"pin{k}", "revolute", names[k - 1], names[k], axis=(0, 1, 0),
                        predecessor_placement=mbsym.Placement((0, 0, -0.25 if k > 1 else 0)))
            for k in range(1, links + 1)
        ),
    )  # fmt: skip


@pytest.mark.parametrize("links", [1, 2, 5, *further(20)])
def test_a_hanging_chain_swings_by_the_roots_of_a_laguerre_polynomial(links: int) -> None:
    """omega^2 = x g / l with L_n(x) = 0 (Bernoulli's chain of beads)."""
    found = mbsym.modes(hanging_chain(links))
    roots = np.polynomial.laguerre.lagroots([0] * links + [1])
    expected = np.sqrt(np.sort(roots.real) * 9.81 / 0.25)
    assert np.allclose(found.frequencies, expected, rtol=1e-10, atol=0.0)
    assert all(mode.behaviour == "oscillates" and mode.damping == 0.0 for mode in found)


def test_a_damped_oscillator_has_the_textbooks_damping_ratio() -> None:
    mass, stiffness, damping = 2.0, 50.0, 4.0
    model = Model(
        "oscillator",
        bodies=(mbsym.Body("block", mass),),
        joints=(mbsym.Joint("slide", "prismatic", "ground", "block", axis=(1, 0, 0)),),
        forces=(mbsym.JointSpring("spring", "slide", stiffness), mbsym.JointDamper("damper", "slide", damping)),
    )
    (mode,) = mbsym.modes(model)
    natural = np.sqrt(stiffness / mass)
    ratio = damping / (2 * np.sqrt(stiffness * mass))
    assert mode.frequency == pytest.approx(natural, rel=1e-13)
    assert mode.damping == pytest.approx(ratio, rel=1e-13)
    assert mode.hertz == pytest.approx(natural * np.sqrt(1 - ratio**2) / (2 * np.pi), rel=1e-13)
    assert mode.behaviour == "oscillates and decays"


def test_what_floats_drifts() -> None:
    found = mbsym.modes("floating_two_arm")
    assert [mode.behaviour for mode in found] == ["drifts"] * 12


def test_slow_motion_beside_fast_one_is_no_rest() -> None:
    """Eigenvalues of a block on a stiff spring, of one that creeps in oil at 1e-9 of its frequency, and of one that
    slides: two zeros, and no other."""
    bodies = ("stiff", "slow", "sliding")
    model = Model(
        "blocks",
        bodies=tuple(mbsym.Body(name, 1.0) for name in bodies),
        joints=tuple(mbsym.Joint(f"{name}_x", "prismatic", "ground", name, axis=(1, 0, 0)) for name in bodies),
        forces=(
            mbsym.JointSpring("spring", "stiff_x", 1e12),
            mbsym.JointDamper("oil", "slow_x", 1e-3),
        ),
    )
    found = mbsym.linearise(model)
    assert np.allclose(found.poles, [-1e-3, -1e6j, 0, 0, 0, 1e6j], rtol=1e-9, atol=0.0)
    assert sorted(mode.behaviour for mode in mbsym.modes(model)) == ["decays", "drifts", "drifts", "oscillates"]


def test_a_spinning_top_sleeps_where_it_is_fast_enough() -> None:
    """Upright, stable where (I_a w)^2 > 4 I_t m g l (Goldstein); K(v) takes part in it."""
    model = examples.load("spinning_top")
    mechanism = mechanism_of(model)
    (inertia,) = mbsym.linearise(model, inputs="tau").mass[:1, :1].ravel()
    reference = Reference(model, model.label())
    still = reference.inverse_dynamics(reference.neutral, np.zeros(3), np.zeros(3))
    assert np.allclose(still, 0.0)
    axial = reference.mass_matrix(reference.neutral)[2, 2]
    tipping = mbsym.linearise(model).A[3, 0] * inertia
    critical = np.sqrt(4 * inertia * tipping) / axial
    for factor, stable in ((0.99, False), (1.01, True)):
        spin = dict(
            zip((f"v_{mechanism.bodies[0].joint.name}_{x}" for x in "xyz"), (0, 0, factor * critical), strict=True)
        )
        largest = np.linalg.eigvals(mbsym.linearise(model, spin).A).real.max()
        assert (largest < 1e-6 * critical) == stable


# ---- equilibria ------------------------------------------------------------------------------------------------------


def test_a_double_pendulum_has_four_equilibria() -> None:
    found = mbsym.equilibrium("double_pendulum")
    angles = [tuple(np.round(item.q / np.pi).astype(int).tolist()) for item in found]
    assert set(angles) == {(0, 0), (0, 1), (1, 0), (1, 1)} and angles[0] == (0, 0)
    assert [item.stability.growing for item in found] == [{(0, 0): 0, (1, 0): 2}.get(angle, 1) for angle in angles]
    for item in found:
        assert np.allclose(item.q, np.round(item.q / np.pi) * np.pi, rtol=0.0, atol=1e-9)


def test_the_first_equilibrium_is_the_one_that_the_word_means() -> None:
    for name in ("puma560", "double_pendulum"):
        first, second, *_ = mbsym.equilibrium(name)
        assert np.array_equal(mbsym.linearise(name, "equilibrium").state.q, first.q)
        assert np.array_equal(mbsym.linearise(name, "equilibrium:2").state.q, second.q)


def test_a_spinning_top_stands_or_hangs_whichever_way_it_is_turned() -> None:
    """The turn about its own axis is idle, so that all attitudes in which it hangs are one family."""
    found = mbsym.equilibrium("spinning_top")
    assert [item.stability.kind for item in found] == ["unstable", "indifferent"]
    assert all(item.idle == ("d_v_tip_z",) for item in found)


def test_a_cart_may_stand_anywhere() -> None:
    found = mbsym.equilibrium("cart_pole")
    assert [item.idle for item in found] == [("q_rail",)] * 2
    assert [item.stability.kind for item in found] == ["unstable", "indifferent"]
    assert all(item.q[0] == 0.0 for item in found)


def test_forces_that_hold_an_arm_are_its_gravity_forces() -> None:
    model = examples.load("puma560")
    reference = Reference(model, model.label())
    q = np.linspace(-1.0, 1.5, 6)
    names = mbsym.linearise(model).states
    held = mbsym.equilibrium(model, free=names[6:], at=dict(zip(names[:6], q.tolist(), strict=True)))
    assert len(held) == 1
    assert np.array_equal(held[0].q, q)
    assert np.allclose(held[0].tau, reference.gravity_force(q), rtol=0.0, atol=1e-9)


def test_an_input_is_found_that_holds_a_spring() -> None:
    model = Model(
        "pressed",
        inputs=(mbsym.ControlInput("press", "N"),),
        bodies=(mbsym.Body("block", 2),),
        joints=(mbsym.Joint("slide", "prismatic", "ground", "block", axis=(1, 0, 0), coordinates=("x",)),),
        forces=(mbsym.JointSpring("spring", "slide", 50.0), mbsym.Actuator("motor", "slide", "press")),
    )
    (found,) = mbsym.equilibrium(model, free=["press"], at={"x": 0.2})
    assert found.u == pytest.approx([10.0]) and found.q == pytest.approx([0.2])
    (found,) = mbsym.equilibrium(model, at={"press": 5.0})
    assert found.q == pytest.approx([0.1]) and found.stability.kind == "stable without damping"


# ---- the command line ------------------------------------------------------------------------------------------------


def test_states_come_from_files(tmp_path: Path, capsys: Captured) -> None:
    motion = mbsym.simulate("double_pendulum", 0.5, initial={"q_shoulder": 0.3})
    table = motion.save(tmp_path / "motion.csv")
    found = mbsym.linearise("double_pendulum", table)
    assert np.array_equal(found.state.q, motion.q[-1]) and np.array_equal(found.state.v, motion.v[-1])
    assert main(["linearise", "double_pendulum", "--at", str(table), "-o", str(tmp_path / "linear.json")]) == 0
    capsys.readouterr()
    again = mbsym.linearise("double_pendulum", tmp_path / "linear.json")
    assert np.array_equal(again.A, found.A)
    assert main(["linearise", "double_pendulum", "--at", "equilibrium:2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["q"]["q_elbow"] == pytest.approx(np.pi) and document["states"][2:] == ["v_shoulder", "v_elbow"]
    assert np.shape(document["A"]) == (4, 4) and document["equilibrium"]


def test_tables_and_pages(tmp_path: Path, capsys: Captured) -> None:
    page = tmp_path / "shapes.html"
    assert main(["modes", "double_pendulum", "--page", str(page)]) == 0
    out = capsys.readouterr().out
    assert "mode 2         ±10.4883i  10.4883   1.66926        0  oscillates" in out
    assert "from 0 s mode 1: 0.6365 Hz" in page.read_text(encoding="utf-8")
    assert main(["equilibrium", "cart_pole"]) == 0
    assert "equilibrium 2: indifferent: 1 mode drifts" in capsys.readouterr().out
    assert main(["linearise", "cart_pole", "--symbols"]) == 0
    assert "B[4,1] = -6/(l*(4*m_cart + m_pole))" in capsys.readouterr().out
    assert main(["linearise", "double_pendulum"]) == 0
    assert "poles       ±3.99915i, ±10.4883i" in capsys.readouterr().out


def test_a_state_of_the_model_is_one_to_linearise_about(capsys: Captured) -> None:
    named = mbsym.linearise("quadruped_on_ground", "standing")
    assert named.state.q[6] == 0.3
    assert mbsym.linearise("quadruped_on_ground", ["standing", "q_floating_base_pz=0.4"]).state.q[6] == 0.4
    assert main(["linearise", "quadruped_on_ground", "--at", "sitting"]) == 2
    assert "give NAME=VALUE pairs, the name of a state (standing)" in capsys.readouterr().err


def test_two_runs_say_the_same(capsys: Captured) -> None:
    texts = []
    for _ in range(2):
        assert main(["equilibrium", "puma560", "--json"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["linearise", "cart_pole", "--at", "q_hing=1"], "did you mean q_hinge?"),
        (["linearise", "cart_pole", "--inputs", "pus"], "did you mean push?"),
        (["linearise", "cart_pole", "--outputs", "vdot_hing"], "did you mean vdot_hinge?"),
        (["linearise", "cart_pole", "--outputs", "pole."], "is called 'pole.'"),
        (["linearise", "cart_pole", "--outputs", "pole.xy"], "is called 'pole.xy'"),
        (["linearise", "cart_pole", "--at", "rest"], "'rest' is no state"),
        (["linearise", "cart_pole", "--at", "equilibrium:7"], "2 equilibria were found; take one of 1 to 2"),
        (["linearise", "cart_pole", "--at", "q_hinge=1", "--at", "equilibrium"], "is no one state"),
        (["linearise", "cart_pole", "--at", "nowhere.json"], "nowhere.json: cannot read"),
        (["linearise", "double_pendulum", "--inputs", "u"], "has no control inputs; take tau"),
        (["linearise", "double_pendulum", "--inputs", "motors"], "has no joints that are marked as actuated"),
        (["linearise", "cart_pole", "--independent", "q_rail"], "all coordinates of a tree are independent"),
        (["equilibrium", "cart_pole", "--free", "q_hing"], "did you mean q_hinge?"),
        (["equilibrium", "cart_pole", "--at", "push=3"], "3 N along v_rail stay unbalanced"),
        (["modes", "cart_pole", "--page", "shapes.png"], "use .html"),
        (["linearise", "cart_pole", "-o", "linear.npz"], "use .json or .txt"),
    ],
)
def test_mistakes_are_told(words: list[str], message: str, capsys: Captured) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("state.json", '{"q_hinge": }', r"state\.json:1:13: this is no JSON"),
        ("state.json", "[1, 2]", "no object of numbers by name"),
        ("state.json", '{"q_hinge": "much"}', "is no finite number"),
        ("state.json", '{"q_hinge": null}', "q_hinge is no number"),
        ("state.json", f'{{"q_hinge": {"9" * 400}}}', "q_hinge = 9{40} is no finite number"),
        ("state.json", f'{{"q_hinge": {"9" * 5000}}}', "this is no state"),
        ("state.json", "[" * 100_000, "this is no state"),
        ("state.json", '{"q": {"q_hing": 1}}', "did you mean q_hinge"),
        ("state.csv", "", "this is no table"),
        ("state.csv", "time,angle\n0,1\n", "no column is called like a coordinate"),
        ("state.csv", "q_rail,q_hinge\n0,1\n1\n", "the last row has 1 cells below 2 names"),
        ("state.csv", "q_rail [mm],q_hinge\n0,1\n", r"q_rail \[mm\] is not in m; give m"),
        ("state.csv", "q_rail,q_rail\n0,1\n", "there are two columns q_rail"),
        ("state.csv", f"q_rail\n{'1' * 200_000}\n", "this is no table: field larger"),
    ],
)
def test_files_that_hold_no_state_are_told(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(MbsymError, match=message):
        mbsym.linearise("cart_pole", tmp_path / name)


def test_what_holds_at_one_time_alone_says_so(tmp_path: Path, capsys: Captured) -> None:
    model, found = tmp_path / "shaken.yaml", tmp_path / "found.json"
    shaken = JointForce("shake", "shoulder", "3*sin(5*t)")
    model.write_text(dump_native(replace(examples.load("double_pendulum"), forces=(shaken,))), encoding="utf-8")
    assert main(["equilibrium", str(model), "--at", "t=0.2", "--starts", "1", "-o", str(found)]) == 0
    assert "t           0.2 s, at which this holds: forces depend on time" in capsys.readouterr().out
    assert mbsym.linearise(model, found).is_equilibrium
    assert main(["equilibrium", "double_pendulum", "--starts", "1"]) == 0
    assert "depend on time" not in capsys.readouterr().out


def test_degrees_above_a_column_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "state.csv"
    path.write_text("t [s],q_rail [m],q_hinge [deg],v_hinge [deg/s]\n0,0.5,180,90\n", encoding="utf-8")
    state = mbsym.linearise("cart_pole", path).state
    assert np.allclose(state.q, (0.5, np.pi)) and np.allclose(state.v, (0.0, np.pi / 2))


def test_a_singular_state_names_the_coordinate() -> None:
    """A point mass on the axis of its joint: the joint moves nothing where the arm is straight."""
    model = Model(
        "arm",
        bodies=(mbsym.Body("turn", 0), mbsym.Body("rod", 1, (0, 0, -1), (0, 0, 0, 0, 0, 0))),
        joints=(
            mbsym.Joint("yaw", "revolute", "ground", "turn", axis=(0, 0, 1)),
            mbsym.Joint("pitch", "revolute", "turn", "rod", axis=(0, 1, 0)),
        ),
    )
    assert len(mbsym.linearise(model, {"q_pitch": 0.5}).states) == 4
    with pytest.raises(AnalysisError, match="nothing resists a motion of v_yaw"):
        mbsym.linearise(model)


def test_what_cannot_be_written_is_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for verb in ("linearise", "equilibrium", "modes"):
        monkeypatch.setattr(f"mbsym.cli.{verb}.read_model", lambda *_, **__: pytest.fail("worked"))
        assert main([verb, "cart_pole", "-o", "x.csv"]) == 2
        assert "no format is called '.csv'" in capsys.readouterr().err


def test_inputs_are_known_by_the_names_that_results_have() -> None:
    found = mbsym.linearise("cart_pole", inputs=["v_rail"])
    again = mbsym.linearise("cart_pole", inputs=found.inputs)
    assert found.inputs == again.inputs == ("tau_rail",)
    assert np.array_equal(found.B, again.B)


def test_critically_damped_modes_decay() -> None:
    """Both roots of s^2 + 2 s + 1, which round-off parts by its root: no oscillation."""
    mode = next(iter(mbsym.modes(oscillator(2.0, 1.0), at={})))
    assert mode.damping == pytest.approx(1.0, abs=1e-6)
    assert mode.behaviour == "decays"
    assert next(iter(mbsym.modes(oscillator(1.9, 1.0), at={}))).behaviour == "oscillates and decays"


def oscillator(damping: float, stiffness: float) -> Model:
    """A unit mass on a slide with a spring and a damper."""
    return Model(
        "oscillator",
        (Body("mass", 1),),
        (Joint("slide", "prismatic", "ground", "mass", axis=(1, 0, 0)),),
        forces=(JointSpring("spring", "slide", stiffness), JointDamper("damper", "slide", damping)),
        gravity=(0, 0, 0),
    )
