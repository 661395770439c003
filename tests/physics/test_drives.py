"""States of drives: motors and cylinders against closed forms, random mechanisms against the reference."""

from __future__ import annotations

from math import tau
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

import mbsym
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.errors import AnalysisError, CodegenError, DerivationError, SimulationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.drive_functions import DRIVE_FUNCTIONS
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.registry import available_functions
from mbsym.symbolic.interpret import interpret
from mbsym.values.numbers import evaluate, parameter_values
from mechanisms.drives import with_drives
from mechanisms.examples import further, some
from mechanisms.mechanism import mechanism_of
from mechanisms.motions import as_labelled_now
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_trees import random_tree

Array = np.ndarray[Any, Any]

ROUNDING = 1e-12
"""Of the largest entry, times the condition of what is solved."""

MOTOR = """name: motor
parameters: {R: {value: 2, symbolic: true}, L: 0.05, k: {value: 0.3, symbolic: true}, m: 0.4, l: 0.3, d: 0.02}
inputs: {voltage: V}
bodies: {rod: {mass: m, center_of_mass: [0, 0, -l], inertia: [0.012, 0.012, 0]}}
joints: {hinge: {type: revolute, from: ground, to: rod, axis: y, armature: 0.01}}
forces:
  motor: {type: joint_force, joint: hinge, expression: k*current}
  bearing: {type: joint_damper, joint: hinge, damping: d}
drives: {current: {rate: (voltage - R*current - k*v_hinge)/L, unit: A, initial: 1}}
outputs: {torque: {expression: k*current, unit: N m}}
"""

R, L, K, D, J, TILT = 2.0, 0.05, 0.3, 0.02, 0.012 + 0.4 * 0.3**2 + 0.01, 0.4 * 9.81 * 0.3

CYLINDER = """name: cylinder
gravity: [0, 0, 0]
parameters: {E: {value: 1.4e9, unit: Pa}, A: {value: 2e-3, unit: m^2}, V: {value: 4e-3, unit: m^3}}
inputs: {flow: m^3/s}
bodies: {mass: {mass: 500}}
joints: {slide: {type: prismatic, from: ground, to: mass, axis: x}}
forces: {push: {type: joint_force, joint: slide, expression: A*(head - ring)}}
drives:
  head: {rate: "E/(V/2 + A*q_slide)*(flow - A*v_slide)", unit: Pa, initial: 50 bar}
  ring: {rate: "E/(V/2 - A*q_slide)*(A*v_slide - flow)", unit: Pa, initial: 50 bar}
"""


def model_of(text: str) -> Model:
    return read_native(TextSource("model.yaml", text))


# ---- closed forms ----------------------------------------------------------------------------------------------------


def test_a_motor_in_linear_equations() -> None:
    found = mbsym.linearise(model_of(MOTOR), {"current": 0}, outputs=("torque", "current", "vdot_hinge"))
    assert found.states == ("q_hinge", "v_hinge", "current") and found.state_units == ("rad", "rad/s", "A")
    A = np.array([[0, 1, 0], [-TILT / J, -D / J, K / J], [0, -K / L, -R / L]])
    np.testing.assert_allclose(found.A, A, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(found.B, [[0], [0], [1 / L]], rtol=1e-14)
    np.testing.assert_allclose(found.C, [[0, 0, K], [0, 0, 1], A[1]], rtol=1e-14, atol=1e-14)
    roots = np.roots([1, D / J + R / L, (TILT + D * R / L + K**2 / L) / J, TILT * R / (L * J)])
    assert found.poles == pytest.approx(np.sort_complex(roots), rel=1e-12)
    assert found.is_equilibrium
    assert not mbsym.linearise(model_of(MOTOR), {"current": 1e-6}).is_equilibrium
    gain = found.response(1e-9)[0, 0, 0]
    assert gain == pytest.approx(K / R, rel=1e-7)  # a still motor is a resistor


def test_what_a_motor_holds_in_equilibrium() -> None:
    found = mbsym.equilibrium(model_of(MOTOR), at={"voltage": 2.0})
    assert sorted(float(item.q[0]) for item in found) == pytest.approx(
        [np.arcsin(K * 2 / R / TILT), np.pi - np.arcsin(K * 2 / R / TILT)], rel=1e-9
    )
    for item in found:
        assert item.state.x == pytest.approx([2 / R], rel=1e-9)
    assert {item.stability.kind for item in found} == {"asymptotically stable", "unstable"}


def test_the_natural_frequency_of_a_cylinder() -> None:
    """Two chambers of half the volume each are springs side by side: w^2 = 4 E A^2 / (V m)."""
    model = model_of(CYLINDER)
    found = mbsym.linearise(model)
    frequency = np.sqrt(4 * 1.4e9 * 2e-3**2 / (4e-3 * 500))
    assert found.poles == pytest.approx([-1j * frequency, 1j * frequency, 0, 0], rel=1e-12, abs=1e-9)
    assert [mode.frequency for mode in mbsym.modes(model)] == pytest.approx([0, 0, frequency], rel=1e-12)
    held = mbsym.equilibrium(model, tau={"v_slide": 1000.0})[0]
    assert held.state.x == pytest.approx([50e5 - 1000 / 2e-3 / 2, 50e5 + 1000 / 2e-3 / 2], rel=1e-9)
    assert "q_slide" in held.idle
    with pytest.raises(AnalysisError, match="the state head of a drive does not come to rest"):
        mbsym.equilibrium(model, at={"flow": 1e-4})


@pytest.mark.parametrize("language", ["c", "numpy"])
@pytest.mark.parametrize("method", ["DOP853", "RK45", "rk4", "Radau", "BDF", "LSODA"])
def test_a_motor_turns_as_its_own_equations_do(method: str, language: str) -> None:
    """SciPy integrates the three equations as they are written by hand; a step of rk4 leaves (h/tau)^4/120, 1e-9."""

    def rates(t: float, y: Array) -> list[float]:
        q, v, i = y
        return [v, (K * i - D * v - TILT * np.sin(q)) / J, (12 - R * i - K * v) / L]

    expected = solve_ivp(rates, (0, 1), [0.2, 0, 1], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    found = mbsym.simulate(
        model_of(MOTOR),
        1.0,
        step=1e-3,
        method=method,
        initial={"q_hinge": 0.2},
        loads=mbsym.Loads(inputs={"voltage": 12}),
        preparation=mbsym.Preparation(language),
    )
    last = np.concatenate([found.q[-1], found.v[-1], found.x[-1]])
    assert np.abs(last - expected).max() < 1e-7 * np.abs(expected).max()
    assert found.y[:, 0] == pytest.approx(K * found.x[:, 0], rel=1e-14)
    assert found.monitors.worst_energy_drift < 1e-6


def test_power_of_a_motor() -> None:
    """Work on the rod is what the source gives less heat and what the coil stores, by Simpson's rule."""
    found = mbsym.simulate(
        model_of(MOTOR.replace("d: 0.02", "d: 0")), 0.5, step=1e-4, loads=mbsym.Loads(inputs={"voltage": 12})
    )
    i = found.x[:, 0]
    power = 12 * i - R * i**2
    weights = np.ones(len(i))
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    given = float(weights @ power) * 1e-4 / 3
    assert found.monitors.work[-1] == pytest.approx(given - L * (i[-1] ** 2 - i[0] ** 2) / 2, rel=1e-7)


def test_loads_that_follow_the_motion_meet_drives() -> None:
    def law(t: float, q: Array, v: Array) -> Array:
        return 6 - 2 * v

    follows = mbsym.simulate(model_of(MOTOR), 0.3, loads=mbsym.Loads(inputs=law))
    inside = mbsym.simulate(model_of(MOTOR.replace("(voltage -", "(6 - 2*v_hinge -")), 0.3)
    assert np.abs(follows.x - inside.x).max() < 1e-7 * np.abs(inside.x).max()


@pytest.mark.more
def test_a_cylinder_in_a_closed_loop() -> None:
    """The stiffness of both chambers along the cylinder, brought to the boom by how far the cylinder goes with it."""
    at = mbsym.equilibrium("hydraulic_boom")[0]
    found = mbsym.linearise("hydraulic_boom", at, independent=("q_root",))
    assert found.states == ("q_root", "v_root", "flow", "head", "ring")
    root, trunnion, slide = at.q
    # By the triangle of root, trunnion and pin.
    reach = np.array([0.6 * np.cos(root) - 0.3, 0.6 * np.sin(root) + 0.8])
    length = float(np.hypot(*reach))
    assert (slide, trunnion) == pytest.approx((length - 0.6, np.arctan2(reach[1], reach[0])), rel=1e-8)
    ratio = 0.6 * (np.cos(root) * reach[1] - np.sin(root) * reach[0]) / length
    stiffness = 1.4e9 * (3e-3**2 / (2e-4 + 3e-3 * slide) + 2e-3**2 / (2e-4 + 2e-3 * (0.6 - slide)))
    turned = found.A[1, 3:] @ found.A[3:, 1]
    assert turned == pytest.approx(-stiffness * ratio**2 / float(found.mass[0, 0]), rel=1e-9)
    moving = mbsym.simulate("hydraulic_boom", 0.5, loads=mbsym.Loads(inputs={"command": 3e-4}))
    assert moving.monitors.closure_gap is not None and moving.monitors.closure_gap.max() < 1e-9
    # Oil that was pumped is where the cylinder went, but for what pressure made of it.
    assert moving.x[-1, 0] == pytest.approx(3e-4 * (1 - np.exp(-0.5 / 0.05)), rel=1e-8)


# ---- parts that are ready -------------------------------------------------------------------------------------------

WITH_PARTS = """name: whole
gravity: [0, 0, 0]
bodies: {rod: {mass: 0.4, inertia: [0.1, 0.1, 0.012]}, table: {mass: 500}, wheel: {mass: 2, inertia: [0.1, 0.1, 0.2]}}
joints: {guide: {type: prismatic, from: ground, to: table, axis: x, initial: 0.85}}
include:
  m: {file: dc_motor, connect: {load: rod}, parameters: {ratio: 3, resistance: 2, inductance: 0.05, constant: 0.3}}
  e: {file: series_elastic, connect: {load: wheel}, parameters: {rotor: 0.3, damping: 0, friction: 0}}
  p: {file: hydraulic_cylinder, connect: {load: table}, parameters: {seals: 0, delay: 0.1}}
"""


def test_parts_that_are_ready_have_the_poles_of_their_formulas() -> None:
    """A motor behind its gear, two wheels with a spring between them, a mass between two chambers, a late valve."""
    found = mbsym.linearise(model_of(WITH_PARTS), independent=("q_guide", "q_m_shaft", "q_e_motor", "q_e_shaft"))
    inertia, torque = 0.012 + 1e-5 * 9, 3 * 0.3
    motor = np.roots([1, 2 / 0.05, torque**2 / 0.05 / inertia])
    spring = 1j * np.sqrt(300 * (1 / 0.2 + 1 / 0.3))
    head, ring = (area**2 / (200e-6 + area * 0.25) for area in (50e-4, 30e-4))
    oil = 1j * np.sqrt(1.4e9 * (head + ring) / 512)
    expected = [*motor, spring, -spring, oil, -oil, -1 / 0.1]
    left = list(found.poles)
    for pole in expected:
        nearest = min(left, key=lambda each: abs(each - pole))
        left.remove(nearest)
        assert nearest == pytest.approx(pole, rel=1e-9)
    # Where both wheels stand, the angle of the motor, and what both pressures share and the place they hold.
    assert np.abs(left).max() < 1e-3 and len(left) == len(found.poles) - len(expected)


SCREW = """\
name: lift
bodies: {table: {mass: 100}}
include:
  lift: {file: ball_screw, connect: {load: table}, parameters: {%s}}
"""


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("efficiency", [0.9, 0.6, 0.4])
def test_a_ball_screw_asks_for_what_its_efficiency_says(efficiency: float, way: int) -> None:
    """At a steady speed; lowered, a screw of less than one half must be driven down."""
    model = model_of(SCREW % f"efficiency: {efficiency}, lead: -0.02, stiffness: 1e6")
    weight, travel = 981.0, -0.02 / tau
    state = {"q": [0.0, -weight / 1e6], "v": [8 * way, 8 * way * travel], "vdot": [0, 0], "t": [0], "u": [0]}
    program = TREE_FUNCTIONS["inverse_dynamics"](mechanism_of(model))
    (found,) = interpret(program, {each.name: np.array(state[each.name], float) for each in program.inputs}).values()
    torque, along = found.ravel()
    against = 1 / efficiency if way * travel > 0 else 2 - 1 / efficiency
    assert torque == pytest.approx(weight * travel * against, rel=1e-12)
    assert along == pytest.approx(0, abs=1e-9 * weight)


def test_a_screw_without_losses_swings_against_its_load() -> None:
    found = mbsym.linearise(model_of(SCREW % "efficiency: 1, damping: 0"), at={"q_lift_nut": -981 / 1e7})
    expected = np.sqrt(1e7 * (1 / 100 + (0.01 / tau) ** 2 / 1e-4))
    assert np.abs(found.poles.imag).max() == pytest.approx(expected, rel=1e-9)


def test_a_cylinder_has_the_limits_of_its_stroke() -> None:
    """Further out the volume around its rod is soon negative; a start there is told, and simulations tell the rest."""
    model = model_of(WITH_PARTS.replace("seals: 0,", "seals: 0, out: 0.7, stroke: 0.6,"))
    (slide,) = (joint for joint in model.joints if joint.name == "p_slide")
    values = parameter_values(model)
    assert [evaluate(*each, values) for each in (slide.lower, slide.upper)] == [0, 0.6]
    (warning,) = model.warnings
    assert "'p_slide' starts outside its limits" in warning


def test_muscles_pull_with_what_their_tables_say() -> None:
    text = "bodies: {bone: {mass: 1, inertia: [1, 1, 1]}}\ninclude: {m: {file: muscles, connect: {load: bone}}}\n"
    model = model_of("name: arm\n" + text)
    active, passive, at_speed = (PchipInterpolator(table.x, table.y, extrapolate=True) for table in model.tables)
    reference = Reference(model)
    for q, v, first, second in ((0.3, 1.0, 0.7, 0.2), (-0.9, -2.0, 0.1, 0.4)):
        pulls = [
            1000
            * (
                x * active(1 - way * 0.04 * q / 0.12) * at_speed(-way * 0.04 * v / 1.2)
                + passive(1 - way * 0.04 * q / 0.12)
            )
            for way, x in ((1, first), (-1, second))
        ]
        found = reference.inverse_dynamics([q], [v], [0.0], 0.0, (), (first, second))
        program = TREE_FUNCTIONS["inverse_dynamics"](mechanism_of(model))
        ours = interpret(program, {"q": [q], "v": [v], "vdot": [0.0], "x": [first, second], "t": 0.0, "u": [0.0, 0.0]})
        assert ours["tau"] == pytest.approx([-0.04 * (pulls[0] - pulls[1])], rel=1e-12)
        assert found == pytest.approx(ours["tau"], rel=1e-12)


DRIVEN = """name: driven
parameters: {k: 0.4}
bodies:
  a: {mass: 1, center_of_mass: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, center_of_mass: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  one: {type: revolute, from: ground, to: a, axis: y, limits: {effort: 3}}
  two: {type: revolute, from: a, to: b, axis: y, at: [0.4, 0, 0]}
motions: {turn: {joint: one, law: sin(3*t)}}
forces:
  f: {type: joint_force, joint: two, expression: k*i}
  g: {type: joint_force, joint: one, expression: i}
drives: {i: {rate: (5 - i - v_two)/0.1, initial: 2}}
"""


@pytest.mark.parametrize("language", ["c", "numpy"])
def test_what_motions_take_beside_drives(language: str) -> None:
    """The force of the motion, and that it is beyond what the joint can take, by the reference at each row."""
    found = mbsym.simulate(model_of(DRIVEN), 0.5, step=1e-3, method="rk4", preparation=mbsym.Preparation(language))
    mechanism = found.equations.mechanism
    reference = Reference(mechanism.model, mechanism.labelling)
    rows = range(0, len(found.t), 50)
    needed = [reference.solve(found.q[k], found.v[k], np.zeros(2), found.t[k], (), found.x[k]).driving[0] for k in rows]
    assert found.y[rows, 0] == pytest.approx(needed, rel=1e-9)
    assert found.monitors.worst_energy_drift < 1e-9
    (beyond,) = found.exceeded
    assert beyond.name == "v_one" and beyond.beyond >= np.abs(found.y[:, 0]).max() - 3 - 1e-9


# ---- against the reference -------------------------------------------------------------------------------------------


def drawn(reference: Reference, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 7])
    model = reference.mechanism.model
    q = reference.integrate_position(reference.neutral, rng.uniform(-1, 1, reference.nv), 1.0)
    sizes = {"v": reference.nv, "vdot": reference.nv, "u": len(model.inputs), "x": len(model.drives)}
    return {"q": q, "t": 0.7, **{name: rng.uniform(-1, 1, size) for name, size in sizes.items()}}


def size(values: Array) -> float:
    return max(1.0, float(np.abs(values).max(initial=0.0)))


def stateful_tree(seed: int) -> Model:
    return with_drives(random_tree(seed, bodies=(2, 4), free_roots=False), np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(50))
def test_random_trees(seed: int) -> None:
    model = stateful_tree(seed)
    reference, mechanism = Reference(model, model.label()), mechanism_of(model)
    state = drawn(reference, seed)
    (found,) = interpret(TREE_FUNCTIONS["inverse_dynamics"](mechanism), state).values()
    expected = reference.inverse_dynamics(**state)
    assert np.abs(found - expected).max(initial=0.0) <= ROUNDING * size(expected)
    moving = {name: value for name, value in state.items() if name != "vdot"}
    (rates,) = interpret(DRIVE_FUNCTIONS["drive_rates"](mechanism), moving).values()
    assert np.abs(rates - reference.drive_rates(**moving)).max() <= ROUNDING * size(rates)
    bare = reference.inverse_dynamics(**{**state, "x": np.zeros(3)})
    assert np.abs(expected - bare).max() > 1e-3  # the states are felt


@pytest.mark.parametrize("seed", [*range(10), *further(*range(10, 50))])
def test_derivatives_by_states_in_random_trees(seed: int) -> None:
    """By differences of the reference over 1e-5: some 1e-10 of what the laws bend, and of rounding."""
    model = stateful_tree(seed)
    reference, mechanism = Reference(model, model.label()), mechanism_of(model)
    state = drawn(reference, seed)
    available = available_functions(mechanism, "auto")
    for name, method, leave in (
        ("inverse_dynamics", reference.inverse_dynamics, ()),
        ("drive_rates", reference.drive_rates, ("vdot",)),
    ):
        given = {key: value for key, value in state.items() if key not in leave}
        request = DerivativeRequest(name, ("x",))
        program = available.with_derivatives([request])[request.name](mechanism)
        (found,) = interpret(program, given).values()
        for k, step in enumerate(1e-5 * np.eye(3)):
            ahead, behind = (method(**{**given, "x": state["x"] + each}) for each in (step, -step))
            expected = (ahead - behind) / 2e-5
            assert np.abs(found[:, k] - expected).max(initial=0.0) <= 1e-8 * size(expected)


@pytest.mark.parametrize("seed", some(range(50), range(25)))
def test_random_loops(seed: int) -> None:
    before, q = random_closed_loops(seed, forces=False, bodies=(3, 4), loops=(1, 2))
    model = with_drives(before, np.random.default_rng(seed))
    q = as_labelled_now(before, q, model)
    reference, mechanism = Reference(model), mechanism_of(model)
    state = drawn(reference, seed) | {"q": q}
    state["v"], tau = reference.consistent_velocity(q, state["v"]), state.pop("vdot")
    program = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analyse_loops(mechanism))
    found = interpret(program, {**state, "tau": tau})["vdot"]
    expected = reference.solve(**state, tau=tau).vdot
    bound = 1e-9 * np.linalg.cond(reference.mass_matrix(q))
    assert np.abs(found - expected).max(initial=0.0) <= bound * size(expected)


def test_states_act_as_inputs_do() -> None:
    """Forward dynamics under a state are exactly those under a control input in its place."""
    text = MOTOR.replace("inputs: {voltage: V}", "inputs: {voltage: V, given: A}")
    others = [model_of(each) for each in (text, text.replace("expression: k*current}", "expression: k*given}"))]
    first, second = (TREE_FUNCTIONS["forward_dynamics"](mechanism_of(model)) for model in others)
    state = {"q": [0.3], "v": [0.7], "tau": [0.1], "t": 0.0, "u": [5.0, 1.7], "x": [1.7]}
    assert interpret(first, state)["vdot"] == interpret(second, {**state, "x": [9.0]})["vdot"]
    assert interpret(first, {**state, "x": [9.0]})["vdot"] != interpret(second, state)["vdot"]


BLOCK = """name: block
parameters: {stiffness: 1e5, damping: 300, most: 6}
bodies: {block: {mass: 1}}
joints: {slope: {type: prismatic, from: ground, to: block, axis: [sqrt(3)/2, 0, -1/2]}}
forces: {friction: {type: joint_force, joint: slope, expression: -stiffness*bristle - damping*v_slope}}
drives: {bristle: {rate: v_slope - abs(v_slope)*bristle*stiffness/most}}
"""


def test_bristles_hold_what_is_less_than_they_take_at_most() -> None:
    """Its weight along the slope is 9.81/2 N: with 6 N it rests, bent by weight/stiffness; with 4 N it comes to a speed
    at which the damper takes the rest."""
    weight = 9.81 / 2
    held = mbsym.simulate(model_of(BLOCK), 2.0, initial={"bristle": weight / 1e5})
    assert np.abs(held.v).max() < 1e-9 and held.x[-1, 0] == pytest.approx(weight / 1e5, rel=1e-9)
    bent = mbsym.simulate(model_of(BLOCK), 2.0, initial={"bristle": 0.0})
    assert abs(bent.v[-1, 0]) < 1e-9 and bent.x[-1, 0] == pytest.approx(weight / 1e5, rel=1e-6)
    slides = mbsym.simulate(model_of(BLOCK.replace("most: 6", "most: 4")), 2.0, initial={"bristle": 0.0})
    assert slides.v[-1, 0] == pytest.approx((weight - 4) / 300, rel=1e-6)


# ---- generated code --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", ["dc_motor_arm", *further("hydraulic_boom")])
def test_generated_modules_are_verified(example: str, tmp_path: Path) -> None:
    derivatives = [("inverse_dynamics", ("u", "x")), ("drive_rates", ("u", "x"))]
    mbsym.generate(example, tmp_path, languages=("c", "numpy", "javascript"), derivatives=derivatives)
    certificate = mbsym.verify(tmp_path)
    assert certificate.passed
    told = {(check.function, check.language, check.against) for check in certificate.checks}
    for language in ("c", "numpy"):
        assert ("drive_rates", language, "reference") in told
        for name, _ in derivatives:
            assert (f"{name}_by_u_x", language, "difference of the function") in told
    header = (tmp_path / f"{example}.h").read_text(encoding="utf-8")
    assert "states of drives" in header and f"{example}_X_" in header


def test_a_wrong_rate_is_found(tmp_path: Path) -> None:
    mbsym.generate("dc_motor_arm", tmp_path, languages=("numpy",))
    file = tmp_path / "dc_motor_arm.py"
    text = file.read_text(encoding="utf-8")
    begin = text.index("def drive_rates")
    damaged = text[begin:].replace("resistance*x[0]", "1.001*resistance*x[0]", 1)
    assert damaged != text[begin:]
    file.write_text(text[:begin] + damaged, encoding="utf-8")
    failed = {check.function for check in mbsym.verify(tmp_path).checks if not check.passed}
    assert failed == {"drive_rates"}


# ---- what does not know them -----------------------------------------------------------------------------------------


def test_refusals() -> None:
    arm = mbsym.load("dc_motor_arm")
    for method in ("symplectic", "transfer-matrix"):
        with pytest.raises(SimulationError, match="knows no states of drives"):
            mbsym.simulate(arm, 0.1, method=method)
    with pytest.raises(DerivationError, match="knows no states of drives"):
        mbsym.generate(arm, "unused", formulation="transfer-matrix")
    with pytest.raises(AnalysisError, match="knows no states of drives"):
        mbsym.transfer_matrix_modes(arm, {})
    with pytest.raises(AnalysisError, match="drives have states, which has no symbolic form"):
        mbsym.linearise(arm, {}).symbolic()
    with pytest.raises(CodegenError, match="implicit dynamics of acados have no states of drives"):
        mbsym.export(arm, "acados", "unused")
    with pytest.raises(CodegenError, match="no control inputs or states of drives"):
        mbsym.export(arm, "ros2", "unused")
    with pytest.raises(SimulationError, match="did you mean current"):
        mbsym.simulate(arm, 0.1, initial={"curent": 1.0})
