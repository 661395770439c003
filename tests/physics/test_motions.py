"""Prescribed motions: accelerations and driving forces against maximal coordinates, textbooks and closed forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import mbsym
from mbsym.derivatives.functions import DERIVATIVE_FUNCTIONS
from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.driven import driven_speeds, prescribed_entries
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.functions import LOOP_FUNCTIONS, MOTION_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.reference import Reference
from mbsym.reference.motions import prescribed_motions
from mbsym.registry import FORMULATIONS, available_functions
from mbsym.simulation.options import Loads, Preparation
from mbsym.symbolic.equality import compare
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.parameter import ControlInput, Parameter
from mbsym.values.table import Table
from mbsym.verification.random_state import random_state
from mechanisms.mechanism import mechanism_of
from mechanisms.motions import as_labelled_now, free_to_drive, with_motions
from mechanisms.random_mechanisms import random_closed_loops, random_tree

ROUNDING = 1e-10
"""Relative, times the condition of what is solved for."""

KAPITZA = Model(
    "kapitza",
    bodies=(Body("pivot"), Body("rod", "m", (0, 0, "c"), ("J", "J", 0, 0, 0, 0))),
    joints=(
        Joint("shake", "prismatic", "ground", "pivot", axis="z"),
        Joint("swing", "revolute", "pivot", "rod", axis="y"),
    ),
    parameters=tuple(
        Parameter(name, value, unit, symbolic=True)
        for name, value, unit in (
            ("m", 0.2, "kg"),
            ("c", 0.3, "m"),
            ("J", 0.0001, "kg m^2"),
            ("a", 0.02, "m"),
            ("w", 200, "rad/s"),
        )
    ),
    motions=(PrescribedMotion("shaker", "shake", "a*cos(w*t)"),),
)

CRANK = Model(
    "crank",
    bodies=(
        Body("crank", 0.4, ("r/2", 0, 0), (0, 0.0003, 0.0003, 0, 0, 0)),
        Body("rod", 0.3, ("l/3", 0, 0), (0, 0.001, 0.001, 0, 0, 0)),
        Body("piston", 0.25),
    ),
    joints=(
        Joint("main", "revolute", "ground", "crank", axis="y"),
        Joint("big_end", "revolute", "crank", "rod", predecessor_placement=("r", 0, 0), axis="y"),
        Joint("small_end", "revolute", "rod", "piston", predecessor_placement=("l", 0, 0), axis="y"),
        Joint("bore", "prismatic", "ground", "piston", axis="x", initial=(0.2,)),
    ),
    parameters=(Parameter("r", 0.05, "m"), Parameter("l", 0.15, "m")),
    motions=(PrescribedMotion("drive", "main", "100*t"),),
)


def state_of(model: Model, rng: np.random.Generator) -> tuple[Reference, dict[str, np.ndarray | float]]:
    reference = Reference(model)
    q, v, _ = random_state(model, reference.labelling, rng, reference=reference)
    return reference, {"q": q, "v": v, "tau": rng.normal(size=reference.nv), "t": float(rng.uniform(0, 2))} | {
        "u": rng.normal(size=len(model.inputs))
    }


def near(found: np.ndarray, expected: np.ndarray, factor: float = 1.0) -> bool:
    return bool(np.abs(found - expected).max(initial=0.0) < ROUNDING * factor * (1 + np.abs(expected).max(initial=0.0)))


def condition_of(reference: Reference, model: Model, q: np.ndarray) -> float:
    """Of the mass matrix of what is free."""
    driven = [motion.speed for motion in prescribed_motions(reference.mechanism)]
    free = [k for k in range(reference.nv) if k not in driven]
    return float(np.linalg.cond(reference.mass_matrix(q)[np.ix_(free, free)])) if free else 1.0


def driven_tree_moves_as_the_reference_has_it(seed: int) -> None:
    """Every formulation, joint type, coupling and free root; what a motion takes, and wrenches in all joints."""
    rng = np.random.default_rng(seed)
    model = with_motions(random_tree(seed, bodies=int(rng.integers(2, 9))), rng)
    reference, state = state_of(model, rng)
    expected = reference.solve(state["q"], state["v"], state["tau"], state["t"], state["u"])
    condition = condition_of(reference, model, state["q"])
    ways = [name for name, formulation in FORMULATIONS.items() if formulation.whole is None]
    for name in ("auto", ways[seed % len(ways)]):
        mechanism = mechanism_of(model)
        functions = available_functions(mechanism, name).functions
        for function, result in (("forward_dynamics", "vdot"), ("driving_forces", "driving"), ("joint_wrenches", "")):
            program = functions[function](mechanism)
            (found,) = interpret(program, {item.name: state[item.name] for item in program.inputs}).values()
            wanted = getattr(expected, result or "wrenches")
            assert near(found, wanted, condition), (name, function)


@settings(max_examples=9)
@given(st.integers(0, 10**6))
def test_driven_trees_move_as_the_reference_has_it(seed: int) -> None:
    driven_tree_moves_as_the_reference_has_it(seed)


@pytest.mark.more
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_more_driven_trees_move_as_the_reference_has_it(seed: int) -> None:
    driven_tree_moves_as_the_reference_has_it(seed)


def driven_loop_moves_as_the_reference_has_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before, q = random_closed_loops(seed, forces=bool(seed % 2))
    free = free_to_drive(mechanism_of(before), q)
    model = with_motions(before, rng, 0.4, free, start=q)
    if not model.motions:
        return  # a structure
    q = as_labelled_now(before, q, model)
    reference = Reference(model)
    if reference.closure_gap(q).size and np.abs(reference.closure_gap(q)).max() > 1e-9:
        q = reference.closed_position(q)
    state = {"q": q, "v": reference.consistent_velocity(q, rng.normal(size=reference.nv))}
    state |= {"tau": rng.normal(size=reference.nv), "t": float(rng.uniform(0, 2)), "u": np.zeros(len(model.inputs))}
    mechanism = mechanism_of(model)
    loops = analyse_loops(mechanism)
    expected = reference.solve(state["q"], state["v"], state["tau"], state["t"], state["u"])
    held = np.eye(reference.nv)[[each.column for each in driven_speeds(mechanism)]]
    sizes = np.linalg.svd(np.concatenate([reference.closure_jacobian(q), held]), compute_uv=False)
    condition = np.linalg.cond(reference.mass_matrix(q)) * (sizes[0] / sizes[sizes > 1e-7 * sizes[0]][-1]) ** 2
    for function, result, wanted in (
        (LOOP_FUNCTIONS["constrained_dynamics"], "vdot", expected.vdot),
        (MOTION_FUNCTIONS["driving_forces"], "driving", expected.driving),
    ):
        program = function(mechanism, loops)
        found = interpret(program, {item.name: state[item.name] for item in program.inputs})[result]
        assert near(found, wanted, float(condition)), function.name


@settings(max_examples=4)
@given(st.integers(0, 10**6))
def test_so_do_driven_loops(seed: int) -> None:
    driven_loop_moves_as_the_reference_has_it(seed)


@pytest.mark.more
@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_so_do_more_driven_loops(seed: int) -> None:
    driven_loop_moves_as_the_reference_has_it(seed)


@pytest.mark.parametrize("seed", range(8))
def test_prescribed_motion_is_inverse_dynamics_exactly(seed: int) -> None:
    """Driving forces are those of the motion, and what is left free gets tau: in the field of 2^61 - 1 elements."""
    rng = np.random.default_rng(seed)
    whole = seed % 2 == 0
    model = with_motions(random_tree(seed, bodies=5), rng, 1.0 if whole else 0.4)
    mechanism = mechanism_of(model)
    functions = available_functions(mechanism, "auto").functions

    def asked(rates: list[Scalar]) -> list[Scalar]:
        there = replace(mechanism, vdot=replace(mechanism.vdot, symbols=tuple(x.ref for x in rates)))
        return _scalars(mechanism, TREE_FUNCTIONS["inverse_dynamics"](there))

    driven = {each.column for each in driven_speeds(mechanism)}
    derive = LOOP_FUNCTIONS["forward_dynamics"]
    vdot = _scalars(mechanism, derive(mechanism, analyse_loops(mechanism), "sparse"))
    known = prescribed_entries(mechanism)
    forces, needed = _scalars(mechanism, functions["driving_forces"](mechanism)), asked(vdot)
    tau = mechanism.entries(mechanism.tau)
    assert _are_equal(mechanism, [vdot[k] for k in driven], [known[k] for k in driven])
    assert _are_equal(mechanism, [forces[k] for k in driven], [needed[k] for k in driven])
    free = [k for k in range(mechanism.nv) if k not in driven]
    assert _are_equal(mechanism, [needed[k] for k in free], [tau[k] for k in free])
    assert not (whole and free)


def _are_equal(mechanism: Mechanism, found: list[Scalar], expected: list[Scalar]) -> bool:
    """For all states with quaternions of unit length."""
    inputs = (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs)
    sides = (
        Program("side", mechanism.graph, inputs, (Output("x", (len(side),), tuple(x.ref for x in side)),))
        for side in (found, expected)
    )
    return bool(compare(*sides))


def _scalars(mechanism: Mechanism, program: Program) -> list[Scalar]:
    assert program.graph is mechanism.graph
    return [Scalar(program.graph, ref) for ref in program.outputs[0].values]


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_are_those_of_the_driven_motion(seed: int) -> None:
    """Against differences of the reference; what is driven depends on time alone."""
    rng = np.random.default_rng(seed)
    model = with_motions(random_tree(seed, bodies=5, joint_types=("revolute", "prismatic", "universal")), rng, 0.4)
    reference, state = state_of(model, rng)
    mechanism = mechanism_of(model)
    program = DERIVATIVE_FUNCTIONS["forward_dynamics_derivatives"](mechanism)
    found = interpret(program, {item.name: state[item.name] for item in program.inputs})
    step = 1e-6

    def slope(name: str, k: int) -> np.ndarray:
        sides = []
        for sign in (1, -1):
            moved = {**state, name: np.array(state[name], dtype=float)}
            moved[name][k] += sign * step
            sides.append(reference.solve(moved["q"], moved["v"], moved["tau"], moved["t"], moved["u"]).vdot)
        return (sides[0] - sides[1]) / (2 * step)

    for name in ("q", "v", "tau"):
        expected = np.stack([slope(name, k) for k in range(reference.nv)], axis=-1)
        # A central difference of a step of 1e-6 errs by 1e-12 of third derivatives and 1e-10 of rounding.
        assert np.abs(found[f"dvdot_d{name}"] - expected).max() < 1e-6 * (1 + np.abs(expected).max())
    driven = [each.column for each in driven_speeds(mechanism)]
    assert not any(found[f"dvdot_d{name}"][driven].any() for name in ("q", "v", "tau"))
    assert not found["dvdot_dtau"][:, driven].any()


# ---- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "function"),
    [
        ("0.1*sin(3*t)**2", lambda t: mpmath.mpf("0.1") * mpmath.sin(3 * t) ** 2),
        ("exp(-t)*atan2(2*t, 1) + sqrt(1 + t)", lambda t: mpmath.exp(-t) * mpmath.atan(2 * t) + mpmath.sqrt(1 + t)),
        ("t**3/(2 + cos(t))", lambda t: t**3 / (2 + mpmath.cos(t))),
        ("tanh(t - 1)", lambda t: mpmath.tanh(t - 1)),
    ],
)
def test_laws_are_differentiated(law: str, function: object) -> None:
    """Against mpmath's derivatives in fifty digits; the reference finds the same in its own way."""
    model = replace(KAPITZA, motions=(PrescribedMotion("shaker", "shake", law),))
    mechanism = mechanism_of(model)
    functions = available_functions(mechanism, "auto").functions
    with mpmath.workdps(50):
        for t in (0.0, 0.37, 1.9):
            exact = [float(mpmath.diff(function, mpmath.mpf(t), n)) for n in range(3)]
            state = {"q": np.zeros(2), "v": np.zeros(2), "t": t, "tau": np.zeros(2), "u": np.zeros(0)}
            programs = [functions[name](mechanism) for name in ("driven_state", "forward_dynamics")]
            found = {}
            for program in programs:
                found |= interpret(program, {item.name: state[item.name] for item in program.inputs})
            assert found["q_prescribed"][0] == pytest.approx(exact[0], rel=1e-13, abs=1e-15)
            assert found["v_prescribed"][0] == pytest.approx(exact[1], rel=1e-12, abs=1e-14)
            assert found["vdot"][0] == pytest.approx(exact[2], rel=1e-12, abs=1e-13)
            (prescribed,) = prescribed_motions(Reference(model).mechanism, t)
            assert prescribed.values == pytest.approx(exact, rel=1e-12, abs=1e-13)


def test_cam_follower_by_a_table_has_the_second_derivative_of_the_table() -> None:
    angle = np.linspace(0.0, 1.0, 9)
    lift = np.array([0, 0.001, 0.004, 0.008, 0.01, 0.008, 0.004, 0.001, 0])
    cam = Table("cam", tuple(angle), tuple(lift), between="spline")
    model = replace(KAPITZA, tables=(cam,), motions=(PrescribedMotion("lift", "shake", "cam(3*t)"),))
    mechanism = mechanism_of(model)
    program = available_functions(mechanism, "auto").functions["forward_dynamics"](mechanism)
    spline = CubicSpline(angle, lift)
    for t in (0.01, 0.1, 0.2, 0.33):
        state = {"q": np.zeros(2), "v": np.zeros(2), "tau": np.zeros(2), "t": t, "u": np.zeros(0)}
        found = interpret(program, {item.name: state[item.name] for item in program.inputs})["vdot"][0]
        assert found == pytest.approx(9 * spline(3 * t, 2), rel=1e-11)


# ---- textbooks -------------------------------------------------------------------------------------------------------


def test_pendulum_on_a_shaken_pivot_has_the_textbook_equation() -> None:
    """(J + m c^2) phi'' = m c (g - a w^2 cos w t) sin phi, phi from above (Kapitza 1951)."""
    (_, found) = mbsym.derive(KAPITZA).matrix("forward_dynamics")
    names = {str(symbol): symbol for symbol in found.free_symbols}
    m, c, J, a, w, t, q, tau = (names[name] for name in ("m", "c", "J", "a", "w", "t", "q_swing", "tau_swing"))
    g = sp.Rational(980665, 100000)
    gravity = {value for value in found.atoms(sp.Rational) if abs(value - g) < 0.01}
    (g,) = gravity or {g}
    expected = (tau + m * c * (g - a * w**2 * sp.cos(w * t)) * sp.sin(q)) / (J + m * c**2)
    assert sp.simplify(found - expected) == 0


@pytest.mark.parametrize(("w", "stays"), [(200.0, True), (90.0, False)])
def test_fast_shaking_holds_it_upright(w: float, stays: bool) -> None:
    """It stays where a^2 w^2 > 2 g L with L = (J + m c^2)/(m c), averaged over fast shaking: here at w > 122 rad/s."""
    assert ((0.02 * w) ** 2 > 2 * 9.81 * (0.0001 + 0.2 * 0.09) / (0.2 * 0.3)) == stays
    motion = mbsym.simulate(KAPITZA, 3.0, parameters={"w": w}, initial={"q_swing": 0.05})
    assert (np.abs(motion.q[:, 1]).max() < 0.5) == stays


def test_slider_crank_at_constant_speed_takes_the_torque_of_the_closed_form() -> None:
    """tau = J'(theta) w^2 / 2 + V'(theta), with the kinetic energy J w^2 / 2 and the weight's energy V of one turn."""
    theta, r, l = sp.symbols("theta r l", positive=True)
    swing = sp.asin(r / l * sp.sin(theta))
    rate = sp.diff(swing, theta)
    points = {
        "crank": (r / 2 * sp.cos(theta), -r / 2 * sp.sin(theta)),
        "rod": (r * sp.cos(theta) + l / 3 * sp.cos(swing), -r * sp.sin(theta) + l / 3 * sp.sin(swing)),
        "piston": (r * sp.cos(theta) + l * sp.cos(swing), sp.Integer(0)),
    }
    masses, turned = {"crank": 0.4, "rod": 0.3, "piston": 0.25}, {"crank": 1, "rod": rate, "piston": 0}
    inertias = {"crank": 0.0003, "rod": 0.001, "piston": 0.0}
    inertia = sum(
        masses[name] * (sp.diff(x, theta) ** 2 + sp.diff(z, theta) ** 2) + inertias[name] * turned[name] ** 2
        for name, (x, z) in points.items()
    )
    weight = sum(9.81 * masses[name] * z for name, (_, z) in points.items())
    torque = sp.lambdify(theta, (sp.diff(inertia, theta) * 5000 + sp.diff(weight, theta)).subs({r: 0.05, l: 0.15}))
    motion = mbsym.simulate(CRANK, 2 * np.pi / 100, output_step=2 * np.pi / 100 / 60)
    found = motion.y[:, 0]
    expected = np.array([torque(angle) for angle in motion.q[:, 0]])
    # The loops are closed to 1e-14 m and solved for with a condition of a hundred.
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    assert np.array_equal(motion.q[:, 0], 100 * motion.t)


def test_arm_on_a_moving_base_feels_the_base() -> None:
    """An accelerated base is gravity turned round: a lift that rises at g weighs its load twice."""
    lift = (PrescribedMotion("lift", "shake", "rise", "acceleration"),)
    lifted = replace(KAPITZA, inputs=(ControlInput("rise", "m/s^2"),), motions=lift)
    heavier = replace(KAPITZA, motions=(PrescribedMotion("still", "shake", 0),), gravity=(0, 0, -2 * 9.81))
    moving, still = (
        mbsym.simulate(model, 1.0, initial={"q_swing": 0.4}, loads=Loads(inputs=given))
        for model, given in ((lifted, {"rise": 9.81}), (heavier, {}))
    )
    assert np.abs(moving.q[:, 1] - still.q[:, 1]).max() < 1e-7
    assert moving.y[:, 0] == pytest.approx(still.y[:, 0], rel=1e-6, abs=1e-6)


# ---- simulation and linear analysis ----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [KAPITZA, CRANK], ids=lambda model: model.name)
@pytest.mark.parametrize(
    ("method", "step", "drift"), [("DOP853", None, 1e-7), ("rk4", 1e-5, 1e-7), ("Radau", None, 1e-3)]
)
def test_states_are_as_prescribed_and_energy_is_what_motions_put_in(
    model: Model, method: str, step: float | None, drift: float
) -> None:
    motion = mbsym.simulate(model, 0.06, method=method, step=step, output_step=0.002)
    (law,) = model.motions
    t = motion.t
    q, v = (0.02 * np.cos(200 * t), -4 * np.sin(200 * t)) if law.name == "shaker" else (100 * t, 100 + 0 * t)
    assert np.abs(motion.q[:, 0] - q).max() < 1e-14
    assert np.abs(motion.v[:, 0] - v).max() < 1e-12
    assert motion.monitors.worst_energy_drift < drift * motion.monitors.energy_scale
    assert np.abs(motion.monitors.work).max() > 0.1 * motion.monitors.energy_scale
    if motion.monitors.closure_gap is not None:
        assert motion.monitors.closure_gap.max() < 1e-12


def test_numpy_steps_as_c_does() -> None:
    ways = [
        mbsym.simulate(CRANK, 0.02, method="rk4", step=1e-4, preparation=Preparation(language))
        for language in ("c", "numpy")
    ]
    assert np.abs(ways[0].q - ways[1].q).max() < 1e-12


def test_servo_driven_cart_in_linear_equations() -> None:
    """The acceleration of the cart is the input: (J + m c^2) phi'' = -m g c phi - m c u for a rod that hangs."""
    rail = Joint("rail", "prismatic", "ground", "cart", axis="x")
    swing = Joint("swing", "revolute", "cart", "rod", axis="y")
    model = Model(
        "servo",
        bodies=(Body("cart", 2), Body("rod", 0.2, (0, 0, -0.3), (0.0001, 0.0001, 0, 0, 0, 0))),
        joints=(rail, swing),
        inputs=(ControlInput("acc", "m/s^2"),),
        motions=(PrescribedMotion("servo", "rail", "acc", "acceleration"),),
        gravity=(0, 0, -9.81),
    )
    found = mbsym.linearise(model)
    about = 0.0001 + 0.2 * 0.09
    assert found.states == ("q_rail", "q_swing", "v_rail", "v_swing")
    slopes = np.zeros((4, 4))
    slopes[0, 2] = slopes[1, 3] = 1
    slopes[3, 1] = -0.2 * 9.81 * 0.3 / about
    assert pytest.approx(slopes, rel=1e-12) == found.A
    assert pytest.approx(np.array([[0], [0], [1], [0.2 * 0.3 / about]]), rel=1e-12) == found.B
    with pytest.raises(mbsym.MbsymError, match="motions are prescribed"):
        found.symbolic()


def test_a_pushed_carriage_answers_as_it_is_simulated() -> None:
    """Amplitudes of the swing per acceleration of the rail, where the swing feels the rail's place and speed, too."""
    law = "-0.2*v_swing - 0.5*v_rail - 1.0*q_rail"
    model = Model(
        "servo",
        bodies=(Body("cart", 1), Body("rod", 0.2, (0, 0, -0.3), (0.01, 0.01, 0.01, 0, 0, 0))),
        joints=(
            Joint("rail", "prismatic", "ground", "cart", axis="x"),
            Joint("swing", "revolute", "cart", "rod", axis="y"),
        ),
        forces=(mbsym.JointForce("felt", "swing", law),),
        inputs=(ControlInput("acc", "m/s^2"),),
        motions=(PrescribedMotion("servo", "rail", "acc", "acceleration"),),
    )
    found = mbsym.linearise(model)
    for w in (2.0, 8.0):
        answer = np.linalg.solve(1j * w * np.eye(4) - found.A, found.B)[1, 0]
        x, weight, J = -1 / w**2, 0.2 * 9.81 * 0.3, 0.01 + 0.2 * 0.09
        exact = (0.2 * 0.3 - (1.0 + 0.5j * w) * x) / (-J * w**2 + weight + 0.2j * w)
        assert answer == pytest.approx(exact, rel=1e-10)


def test_what_moves_has_no_equilibrium() -> None:
    for model in (KAPITZA, CRANK):
        with pytest.raises(mbsym.MbsymError, match="moves at t = 0 s"):
            mbsym.equilibrium(model)


@pytest.mark.parametrize(
    ("motion", "sentence"),
    [
        (PrescribedMotion("m", "shake", "0.1*max(0, t - 0.5)"), "motion 'm' has max in its law"),
        (PrescribedMotion("m", "shake", "sign(t - 1)", "speed"), "motion 'm' has sign in its law"),
        (PrescribedMotion("m", "shake", "abs(t - 1)", "speed"), ""),
        (PrescribedMotion("m", "shake", "sign(t - 1)", "acceleration"), ""),
        (PrescribedMotion("m", "shake", "steep(t)"), "held beyond ends where it is not level"),
        (PrescribedMotion("m", "shake", "level(t)"), ""),
    ],
)
def test_laws_that_may_jump_are_told(motion: PrescribedMotion, sentence: str) -> None:
    tables = (
        Table("steep", (0, 1, 2, 3), (0, 1, 2, 4), between="spline"),
        Table("level", (0, 1, 2, 3), (0, 0, 1, 1), between="cubic"),
    )
    found = [item.what for item in validate(replace(KAPITZA, motions=(motion,), tables=tables))]
    assert [sentence in what for what in found] == [True] * bool(sentence)


def test_equilibrium_solves_for_the_force_that_holds_what_is_driven() -> None:
    still = replace(CRANK, motions=(PrescribedMotion("hold", "main", "0.4 + 0*t"),))
    (found, *_) = mbsym.equilibrium(still)
    # Against virtual work of the weights along the closed form, by a central difference.

    def weight(angle: float) -> float:
        lowered = 0.4 * 0.025 * np.sin(angle) + 0.3 * 0.05 * (np.sin(angle) - np.sin(np.arcsin(np.sin(angle) / 3)))
        return -9.81 * float(lowered)

    slope = (weight(0.4 + 1e-6) - weight(0.4 - 1e-6)) / 2e-6
    assert found.q[0] == pytest.approx(0.4, rel=1e-14)
    assert found.tau[0] == pytest.approx(slope, rel=1e-8)


# ---- what cannot be --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("motions", "sentence"),
    [
        ((PrescribedMotion("m", "shakes", "t"),), "joint 'shakes', which does not exist; did you mean 'shake'"),
        ((PrescribedMotion("m", "shake", "q_swing"),), "depends on 'q_swing'; a motion follows a law of time"),
        ((PrescribedMotion("m", "shake", "t", index=1),), "acts on speed 1 of prismatic joint 'shake', which has 1"),
        ((PrescribedMotion("m", "shake", "t", "jerk"),), "there are no gives 'jerk'; say position or speed or"),
        ((PrescribedMotion("m", "shake", "t"), PrescribedMotion("n", "shake", 0)), "drives what motion 'm' drives"),
        ((PrescribedMotion("m", "shake", "push"),), "whose rate nobody knows; give its acceleration by the input"),
        (
            (PrescribedMotion("m", "shake", "rise(t)"),),
            "table 'rise', which is linear, so that its speed jumps",
        ),
        ((PrescribedMotion("m", "shake", "map(t, 1)"),), "follows table 'map', which takes two arguments"),
    ],
)
def test_what_cannot_be_followed_is_refused(motions: tuple[PrescribedMotion, ...], sentence: str) -> None:
    tables = Table("rise", (0, 1, 2), (0, 1, 1)), Table("map", (0, 1), (0, 1), ((0, 1), (1, 2)))
    model = replace(KAPITZA, motions=motions, inputs=(ControlInput("push"),), tables=tables)
    with pytest.raises(mbsym.MbsymError) as raised:
        mbsym.derive(model)
    assert sentence in f"{raised.value.what}; {raised.value.remedy}"


def test_motions_that_loops_contradict_are_named() -> None:
    both = (*CRANK.motions, PrescribedMotion("push", "bore", 0.01, "speed"))
    with pytest.raises(DerivationError, match="motions of main, bore contradict what holds the mechanism: small_end"):
        mbsym.generate(replace(CRANK, motions=both), "nowhere")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"initial": {"q_shake": 0.1}}, "q_shake is given, which motion shaker prescribes"),
        ({"initial": {"v_shake": 0.1}}, "v_shake is given, which motion shaker prescribes"),
        ({"loads": Loads(tau={"v_shake": 1.0})}, "a force on v_shake is given, which motion shaker prescribes"),
        ({"method": "symplectic", "step": 0.01}, "the variational midpoint rule prescribes no motions"),
    ],
)
def test_simulations_do_not_contradict_motions(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(mbsym.MbsymError, match=sentence):
        mbsym.simulate(KAPITZA, 0.1, **options)


def test_what_knows_no_motions_says_so(tmp_path: Path) -> None:
    with pytest.raises(mbsym.MbsymError, match="acados have no motions that are prescribed"):
        mbsym.export(KAPITZA, "acados", tmp_path, symbolic_parameters="none")
    with pytest.raises(DerivationError, match="motions are prescribed, and it is there for free motion only"):
        mbsym.generate(KAPITZA, "nowhere", functions=("operational_space_inertia",), frames=("rod",))
