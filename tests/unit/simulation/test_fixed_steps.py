"""Steps of fixed length: C and NumPy agree, groups are followed exactly, the variational rule keeps what it must."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import mbsym
from mbsym.codegen.build import WARNINGS, compile_c
from mbsym.errors import SimulationError
from mbsym.simulation.adaptive_steps import adaptive_source
from mbsym.simulation.equations import prepare
from mbsym.simulation.evaluated_steps import evaluated_steps
from mbsym.simulation.events import Event
from mbsym.simulation.rates import ActingLoads
from mbsym.simulation.stepping_text import CompiledEngine, EvaluatedEngine
from mbsym.simulation.time_stepping import (
    DONE,
    NOT_FINITE,
    NOT_SOLVED,
    Run,
    StateLayout,
    Steps,
    StepSizes,
    coordinate_runs,
    driver_source,
    sizes_of,
    step_text,
)
from mechanisms.examples import further

FREE = StepSizes(StateLayout(7, 6, False, (0,)), (Run(2, 0, 0, 6),), variational=True)
TANGENT, INVERSE_TANGENT = 0, 1


class Printed:
    """Functions of the text in Python, for one free joint at a state."""

    def __init__(self, v: np.ndarray, q: np.ndarray | None = None) -> None:
        engine = EvaluatedEngine({}, step_text(FREE), {})
        self.functions, self.memory = engine.functions, engine.memory
        runs, coefficients = FREE.tables()
        self.memory.run, self.memory.coefficient = runs.tolist(), coefficients.tolist()
        self.memory.v[:] = v.tolist()
        if q is not None:
            self.memory.q[:] = q.tolist()

    def __call__(self, name: str, *arguments: object, entries: int) -> np.ndarray:
        result = [0.0] * entries
        assert self.functions[f"_time_steps_{name}"](*arguments, result, self.memory) in (None, DONE)
        return np.array(result)


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def screw(v: np.ndarray) -> np.ndarray:
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = skew(v[:3]), v[3:]
    return matrix


def pose(q: np.ndarray) -> np.ndarray:
    w, u = q[0], q[1:4]
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3) + 2 * w * skew(u) + 2 * skew(u) @ skew(u)
    matrix[:3, 3] = q[4:]
    return matrix


def adjoint(v: np.ndarray) -> np.ndarray:
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = matrix[3:, 3:] = skew(v[:3])
    matrix[3:, :3] = skew(v[3:])
    return matrix


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.0099, 0.0101, 0.7, 3.0])
def test_a_free_joint_moves_along_the_exponential_of_its_twist(size: float) -> None:
    generator = np.random.default_rng(1)
    q = generator.normal(size=7)
    q[:4] /= np.linalg.norm(q[:4])
    v = generator.normal(size=6)
    h = size / np.linalg.norm(v[:3])
    moved = pose(Printed(v, q)("move", h, entries=7))
    assert np.max(np.abs(moved - pose(q) @ expm(h * screw(v)))) < 1e-14


def test_series_are_those_of_the_tangent_of_the_exponential() -> None:
    generator = np.random.default_rng(2)
    v, f = generator.normal(size=6), generator.normal(size=6)
    h = 0.1
    printed = Printed(v)
    printed.memory.momentum[:] = f.tolist()
    x = h * adjoint(v)
    # ad of a twist is singular; (1 - exp(-X))/X is the integral of exp(-s X) over s from 0 to 1.
    nodes, weights = np.polynomial.legendre.leggauss(12)
    tangent = sum(0.5 * w * expm(-0.5 * (1 + s) * x) for s, w in zip(nodes, weights, strict=True))
    assert np.max(np.abs(printed("series", TANGENT, h, f.tolist(), entries=6) - tangent.T @ f)) < 1e-14
    back = np.linalg.inv(tangent).T @ f
    assert np.max(np.abs(printed("series", INVERSE_TANGENT, h, f.tolist(), entries=6) - back)) < 1e-13
    assert np.max(np.abs(printed("half_step", h, entries=6) - back)) < 1e-13
    # Forces act over half the step: momenta are those of the middle and what the forces add to them.
    push = generator.normal(size=6)
    printed.memory.force[:] = push.tolist()
    half = sum(0.5 * w * expm(-0.25 * (1 + s) * x) for s, w in zip(nodes, weights, strict=True))
    pushed = np.linalg.inv(tangent).T @ (f + 0.5 * h * half.T @ push)
    assert np.max(np.abs(printed("half_step", h, entries=6) - pushed)) < 1e-13


def test_runs_join_neighbours_whose_rates_are_speeds() -> None:
    quadruped = prepare(mbsym.load("quadruped"), preparation=mbsym.Preparation("numpy")).mechanism
    assert coordinate_runs(quadruped) == (Run(2, 0, 0, 6), Run(0, 7, 6, 12))


@pytest.mark.parametrize("method", ["rk4", "symplectic"])
@pytest.mark.parametrize(
    ("name", "initial", "arguments"),
    [
        (
            "spinning_top",
            {"q_tip_w": 0.955, "q_tip_x": 0.2955, "v_tip_z": 50.0},
            {"loads": mbsym.Loads(tau={"v_tip_x": 0.01})},
        ),
        *further(("floating_two_arm", {"v_base_motion_wx": 3.0, "v_left_shoulder": -4.0}, {})),
        ("cart_pole", {"q_hinge": 0.3}, {"loads": mbsym.Loads(inputs={"push": 0.7})}),
    ],
)
def test_c_and_numpy_take_the_same_steps(method: str, name: str, initial: dict, arguments: dict) -> None:
    found = [
        mbsym.simulate(
            name, 0.02, step=1e-3, method=method, initial=initial, preparation=mbsym.Preparation(language), **arguments
        )
        for language in ("c", "numpy")
    ]
    # Round-off of some dozens of operations in each of 20 steps.
    for one, other in zip(found[0].columns, found[1].columns, strict=True):
        assert np.max(np.abs(one.values - other.values)) < 1e-12 * max(1.0, float(np.max(np.abs(other.values))))


def test_steps_of_the_variational_rule_are_symplectic() -> None:
    """J^T W J = W for the derivative J of a step in (q, p)."""
    equations = prepare(mbsym.load("double_pendulum"), preparation=mbsym.Preparation("c"), variational=True)
    steps = evaluated_steps(equations, ActingLoads(np.zeros(2), np.zeros(0)))
    terms, speeds = (equations.module.functions[name] for name in ("variational_terms", "speeds_of_momentum"))

    def step(z: np.ndarray) -> np.ndarray:
        x = steps.advance("symplectic", 0.0, 0.05, np.concatenate([z[:2], speeds(z[:2], z[2:])]), 1)
        return np.concatenate([x[:2], terms(x[:2], x[2:])[0]])

    z = np.array([1.1, -0.7, 0.3, 0.2])
    h = 1e-4

    def slope(e: np.ndarray) -> np.ndarray:
        return (8 * (step(z + h * e) - step(z - h * e)) - step(z + 2 * h * e) + step(z - 2 * h * e)) / (12 * h)

    derivative = np.column_stack([slope(e) for e in np.eye(4)])
    form = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    # Differences of fourth order with steps of 1e-4 lose four of 15 digits.
    assert np.max(np.abs(derivative.T @ form @ derivative - form)) < 1e-10


def test_a_step_that_is_too_long_is_refused_with_its_time() -> None:
    with pytest.raises(SimulationError, match="after t = "):
        mbsym.simulate(
            "double_pendulum",
            20,
            step=0.5,
            method="rk4",
            initial={"q_shoulder": 3.0, "v_elbow": 50.0},
            preparation=mbsym.Preparation("c"),
        )


def test_the_last_step_is_shorter_where_the_duration_asks_for_it() -> None:
    result = mbsym.simulate("double_pendulum", 0.0105, step=1e-3, method="rk4", initial={"q_shoulder": 1.0})
    exact = mbsym.simulate(
        "double_pendulum", 0.0105, method="DOP853", initial={"q_shoulder": 1.0}, accuracy=mbsym.Accuracy(rtol=1e-12)
    )
    assert result.t[-1] == 0.0105 and len(result.t) == 12
    # The error of Runge-Kutta steps of a millisecond is of the order (1e-3)^4.
    assert np.max(np.abs(result.q[-1] - exact.q[-1])) < 1e-11


@pytest.mark.parametrize(
    ("method", "speed", "h", "status"),
    [("rk4", 50.0, 0.5, NOT_FINITE), ("symplectic", 1e200, 0.5, NOT_FINITE), ("symplectic", 30.0, 0.1, NOT_SOLVED)],
)
def test_c_and_python_fail_in_the_same_step(method: str, speed: float, h: float, status: int) -> None:
    equations = prepare(mbsym.load("double_pendulum"), preparation=mbsym.Preparation("c"), variational=True)
    assert equations.library is not None
    engine = partial(CompiledEngine, equations.library, equations.name)
    compiled = Steps("double_pendulum", equations.sizes, np.zeros(2), engine)
    evaluated = evaluated_steps(equations, ActingLoads(np.zeros(2), np.zeros(0)))
    found, told = [], []
    for steps in (compiled, evaluated):
        with np.errstate(all="ignore"), pytest.raises(SimulationError) as error:
            steps.advance(method, 0.0, h, np.array([3.0, 0.0, 0.0, speed]), 40)
        told.append(str(error.value))
        found.append((*steps.report, *steps.state))
    assert found[0][:2] == found[1][:2] and found[0][0] == status and told[0] == told[1]
    np.testing.assert_allclose(found[0][2:], found[1][2:], rtol=1e-6)


def test_a_law_may_raise_what_it_likes() -> None:
    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if t > 0.0015:
            raise ValueError("no such force")
        return np.zeros(2)

    with pytest.raises(ValueError, match="no such force"):
        mbsym.simulate("double_pendulum", 0.01, step=1e-3, method="rk4", loads=mbsym.Loads(tau=law))


@pytest.mark.parametrize("powered", [False, True])
@pytest.mark.parametrize("name", ["spinning_top", *further("floating_two_arm"), "cart_pole"])
def test_the_driver_compiles_without_warnings(name: str, powered: bool, tmp_path: Path) -> None:
    functions = ["forward_dynamics", "position_rate"]
    files = mbsym.generate(name, tmp_path, languages=["c"], functions=functions, symbolic_parameters="none")
    mechanism = files.derivation.mechanism
    sizes = sizes_of(mechanism, work=True, powered=powered, variational=powered)
    source = f"{driver_source(name, sizes)}\n{adaptive_source(name, sizes)}"
    timed = mechanism.time is not None
    extra, unread = ("double t, const double *u, ", "(void)t; (void)u; ") if timed else ("", "")
    stand_ins = [
        f"void {name}_{function}(const double *q, const double *{read}, {more}"
        f"{', '.join(f'double *{x}' for x in filled)})"
        f"\n{{ {ignored}(void)q; (void){read}; {' '.join(f'{x}[0] = 0.0;' for x in filled)} }}"
        for function, read, more, ignored, filled in (
            ("external_power", "v", extra, unread, ["power"]),
            ("variational_terms", "v", extra, unread, ["momentum", "force"]),
            ("speeds_of_momentum", "momentum", "", "", ["v"]),
        )
    ]
    prototypes = [text.partition("\n")[0] + ";" for text in stand_ins]
    text = source.replace(f'{name}.c"', "\n".join([f'{name}.c"', *prototypes, *stand_ins]), 1)
    (tmp_path / f"{name}_steps.c").write_text(text, encoding="utf-8")
    assert compile_c(tmp_path, f"{name}_steps", (*WARNINGS, "-O1")).warnings == ""


def test_the_shorter_step_before_a_row_is_taken_at_its_time() -> None:
    """Steps of 0.3 s, rows of 1 s: fourth order integrates 6 t exactly, if each step is at its time."""
    joint = mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0))
    model = mbsym.Model("pushed", (mbsym.Body("block", 2),), (joint,), (mbsym.JointForce("push", "rail", "6*t"),))
    for language in ("c", "numpy"):
        preparation = mbsym.Preparation(language)
        for events in ((), (Event(lambda t, q, v: 1.0),)):
            result = mbsym.simulate(
                model, 2.0, method="rk4", step=0.3, output_step=1.0, events=events, preparation=preparation
            )
            np.testing.assert_allclose(result.v[:, 0], 1.5 * result.t**2, rtol=1e-14)
            assert result.statistics.steps == 8
