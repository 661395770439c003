"""Dynamics with closed loops: the equations they solve, corrections, actuators, and the functions' common form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.errors import DerivationError, SimulationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.actuation import actuated_inverse_dynamics
from mbsym.loops.corrections import (
    CORRECTIONS,
    Partitioning,
    dependent_columns,
    keeper,
)
from mbsym.loops.functions import LOOP_FUNCTIONS, Method
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.joint import Joint
from mbsym.registry import available_functions
from mbsym.symbolic.equality import compare
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar
from mechanisms.examples import further
from mechanisms.looped_systems import looped_system
from mechanisms.mechanism import mechanism_of
from mechanisms.programs import make_program

Array = np.ndarray[Any, Any]
METHODS: tuple[Method, ...] = ("sparse", "articulated")
LINKAGES = ("four_bar", "slider_crank", "five_bar", "stewart_platform", "rhombus_spatial")


def prepared(name: str) -> tuple[Mechanism, LoopAnalysis]:
    model = examples.load(name)
    mechanism = mechanism_of(model)
    return mechanism, analyse_loops(mechanism)


def timed(mechanism: Mechanism) -> dict[str, Any]:
    return {} if mechanism.controls is None else {"t": 0.5, "u": np.ones(mechanism.controls.shape)}


def state(mechanism: Mechanism, analysis: LoopAnalysis, seed: int = 0) -> dict[str, Any]:
    """A consistent random state."""
    generator = np.random.default_rng(seed)
    system = looped_system(mechanism, analysis)
    q = system.move(np.array(analysis.configuration), generator.normal(0, 0.05, mechanism.nv))
    q = system.project_position(q).q
    v = system.project_velocity(q, generator.normal(size=mechanism.nv))
    return {"q": q, "v": v, "tau": generator.normal(size=mechanism.nv), **timed(mechanism)}


@pytest.mark.parametrize("name", LINKAGES)
def test_accelerations_and_multipliers_solve_the_equations(name: str) -> None:
    mechanism, analysis = prepared(name)
    at = state(mechanism, analysis)

    def value(function: str, *names: str) -> Array:
        program = (LOOP_FUNCTIONS[function](mechanism, analysis) if function in LOOP_FUNCTIONS
                   else TREE_FUNCTIONS[function](mechanism))  # fmt: skip
        wanted = [item.name for item in program.inputs]
        return next(iter(interpret(program, {key: at[key] for key in wanted}).values()))

    dynamics = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis)
    found = interpret(dynamics, at)
    jacobian = value("constraint_jacobian")
    left = value("mass_matrix") @ found["vdot"] + value("bias_force")
    size = np.max(np.abs(left)) + 1
    assert np.max(np.abs(left - at["tau"] - jacobian.T @ found["lambda"])) < 1e-12 * size
    gamma = value("constraint_bias")
    assert np.max(np.abs(jacobian @ found["vdot"] - gamma)) < 1e-11 * (1 + np.max(np.abs(gamma)))
    assert np.allclose(value("forward_dynamics"), found["vdot"], rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", [further(name)[0] if name == "stewart_platform" else name for name in LINKAGES])
def test_terms_give_the_same_dynamics(name: str) -> None:
    mechanism, analysis = prepared(name)
    at = state(mechanism, analysis)
    extra = tuple(at[key] for key in ("t", "u") if key in at)
    system = looped_system(mechanism, analysis)
    found = system.accelerate(at["q"], at["v"], at["tau"], extra)
    expected = interpret(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis), at)
    rank = system.functions["constrained_dynamics_report"](at["q"], at["v"], at["tau"], *extra)[2]
    assert rank == len(analysis.rows)
    assert np.allclose(found.vdot, expected["vdot"], rtol=1e-10, atol=1e-10)
    assert np.allclose(found.multipliers, expected["lambda"], rtol=1e-10, atol=1e-10)


def test_known_accelerations_and_multipliers_give_the_wrenches() -> None:
    mechanism, analysis = prepared("four_bar")
    at = state(mechanism, analysis)
    dynamics = interpret(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis), at)
    direct = interpret(LOOP_FUNCTIONS["joint_wrenches"](mechanism, analysis), at)["wrenches"]
    wrenches = interpret(
        LOOP_FUNCTIONS["constrained_wrenches"](mechanism, analysis),
        {"q": at["q"], "v": at["v"], "vdot": dynamics["vdot"], "lambda": dynamics["lambda"]},
    )["wrenches"]
    assert direct.shape == (4, 6)
    assert np.allclose(direct, wrenches, rtol=0, atol=1e-11)


def test_wrenches_of_a_planar_loop_have_no_needless_moments() -> None:
    """Reactions across the plane are not unique; those of least norm are zero where nothing pushes across it."""
    mechanism, analysis = prepared("four_bar")
    wrenches = interpret(LOOP_FUNCTIONS["joint_wrenches"](mechanism, analysis), state(mechanism, analysis))["wrenches"]
    across = wrenches[:, [0, 1, 5]]
    # Moments of the bars' weights do not act across the plane, all centres of mass lie in it.
    assert np.max(np.abs(across)) < 1e-12 * np.max(np.abs(wrenches))


def test_statics_of_a_structure() -> None:
    """A weight on a bar held at both ends: each bearing takes half of it."""
    from mbsym.model.body import Body, Placement
    from mbsym.model.joint import Joint
    from mbsym.model.system import Model

    model = Model(
        "beam",
        (Body("bar", 3, (0.5, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)),),
        (
            Joint("left", "revolute", "ground", "bar", axis=(0, 1, 0), cut="tree"),
            Joint(
                "right",
                "revolute",
                "ground",
                "bar",
                axis=(0, 1, 0),
                predecessor_placement=Placement((1, 0, 0)),
                successor_placement=Placement((1, 0, 0)),
                cut="cut",
            ),
        ),
        gravity=(0, 0, -10),
    )
    mechanism = mechanism_of(model)
    analysis = analyse_loops(mechanism)
    assert analysis.is_structure
    zero = np.zeros(1)
    found = interpret(LOOP_FUNCTIONS["joint_wrenches"](mechanism, analysis), {"q": zero, "v": zero, "tau": zero})
    forces = found["wrenches"][:, 3:]
    assert np.allclose(forces[:, 2], [15, 15], atol=1e-12)
    assert np.allclose(forces[:, :2], 0, atol=1e-12)


# ---- keeping loops closed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINKAGES)
def test_projection_closes_loops_with_least_motion(name: str) -> None:
    mechanism, analysis = prepared(name)
    system = looped_system(mechanism, analysis)
    generator = np.random.default_rng(4)
    q = system.move(np.array(analysis.configuration), generator.normal(0, 1e-3, mechanism.nv))
    done = system.project_position(q)
    assert done.converged
    assert done.gap < 1e-13
    assert done.iterations <= 4
    assert np.max(np.abs(system.functions["closure_gap"](done.q))) < 1e-12


@pytest.mark.parametrize("name", LINKAGES)
def test_projected_speeds_are_consistent_and_nearest(name: str) -> None:
    mechanism, analysis = prepared(name)
    system = looped_system(mechanism, analysis)
    q = np.array(analysis.configuration)
    v = np.random.default_rng(5).normal(size=mechanism.nv)
    closed = system.project_velocity(q, v)
    at = system.closure(q)
    assert np.max(np.abs(at.jacobian @ closed)) < 1e-12
    matrix = interpret(TREE_FUNCTIONS["mass_matrix"](mechanism), {"q": q})["M"]
    # What was taken away is M-orthogonal to every consistent motion.
    consistent = np.linalg.svd(at.jacobian)[2][system.rows :]
    assert np.max(np.abs(consistent @ matrix @ (v - closed))) < 1e-11


def test_projection_reports_what_it_cannot_do() -> None:
    mechanism, analysis = prepared("four_bar")
    system = looped_system(mechanism, analysis)
    done = system.project_position(np.array(analysis.configuration) + np.array([2.0, 1.0, 0.0]))
    assert not done.converged
    assert done.gap > 1e-6


def test_partitioning_switches_when_its_choice_turns_bad() -> None:
    """A crank that turns round carries the four-bar through places where another coordinate must lead."""
    mechanism, analysis = prepared("four_bar")
    system = looped_system(mechanism, analysis)
    keep = Partitioning()
    # Led by the rocker's angle at first, which swings to and fro while the crank goes round.
    keep._choose(system, [0, 1])
    q = np.array(analysis.configuration)
    for _ in range(120):
        v = np.linalg.svd(system.closure(q).jacobian)[2][-1]
        done = keep.after_step(system, system.move(q, 0.06 * v / v[0]), v)
        q = done.q
        assert done.gap < 1e-12
    assert q[0] - analysis.configuration[0] > 2 * np.pi
    assert keep.switches >= 1


def test_dependent_columns_are_the_best_conditioned() -> None:
    chosen, smallest = dependent_columns(np.array([[1e-6, 1.0, 0.5], [0.0, 0.5, 1.0]]))
    assert chosen == [1, 2]
    assert smallest > 0.4


def test_partitioning_refuses_a_wrong_number_of_independent_coordinates() -> None:
    mechanism, analysis = prepared("four_bar")
    system = looped_system(mechanism, analysis)
    with pytest.raises(SimulationError, match="2 independent coordinates chosen, 1 needed"):
        Partitioning([0, 1]).after_step(system, np.array(analysis.configuration), np.zeros(3))


@pytest.mark.parametrize("name", CORRECTIONS)
def test_every_way_of_keeping_loops_closed_leaves_consistent_states_alone(name: str) -> None:
    mechanism, analysis = prepared("four_bar")
    system = looped_system(mechanism, analysis)
    at = state(mechanism, analysis)
    keep = keeper(name, 1e-3)
    done = keep.after_step(system, at["q"], at["v"])
    assert np.allclose(done.q, at["q"], atol=1e-12)
    assert np.allclose(done.v, at["v"], atol=1e-12)
    plain = system.accelerate(at["q"], at["v"], at["tau"]).vdot
    assert np.allclose(keep.accelerate(system, at["q"], at["v"], at["tau"]).vdot, plain, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_where_nothing_is_closed_states_stay_as_they_are(name: str) -> None:
    """A free joint that is cut leaves no closure row."""
    pendulum = examples.load("double_pendulum")
    loose = Joint("loose", "free", "ground", pendulum.bodies[-1].name, cut="cut")
    mechanism = mechanism_of(replace(pendulum, joints=(*pendulum.joints, loose)))
    system = looped_system(mechanism)
    q, v = np.array([0.3, -0.4]), np.array([0.5, 0.6])
    done = keeper(name, 1e-3).after_step(system, q, v)
    assert system.rows == 0 and done.converged
    assert done.q.tolist() == q.tolist() and done.v.tolist() == v.tolist()


def test_an_unknown_correction_names_those_there_are() -> None:
    with pytest.raises(SimulationError, match="known are none, baumgarte"):
        keeper("magic", 1e-3)


# ---- actuators ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "actuated", "count"),
    [
        ("four_bar", ("A",), 1),
        ("four_bar", ("B",), 1),
        ("four_bar", ("A", "C"), 2),
        ("five_bar", (), 2),
        ("stewart_platform", (), 6),
        ("slider_crank", ("crank_bearing", "guide"), 2),
    ],
)
def test_actuator_forces_produce_the_motion(name: str, actuated: tuple[str, ...], count: int) -> None:
    mechanism, analysis = prepared(name)
    at = state(mechanism, analysis)
    dynamics = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis)
    wanted = interpret(dynamics, at)["vdot"]
    inverse = actuated_inverse_dynamics(mechanism, analysis, actuated)
    tau = interpret(inverse, {"q": at["q"], "v": at["v"], "vdot": wanted, **timed(mechanism)})["tau"]
    assert np.count_nonzero(tau) == count
    again = interpret(dynamics, {**at, "tau": tau})["vdot"]
    assert np.allclose(again, wanted, rtol=1e-9, atol=1e-9 * (1 + np.max(np.abs(wanted))))


def test_redundant_actuators_share_with_least_norm() -> None:
    mechanism, analysis = prepared("four_bar")
    at = state(mechanism, analysis)
    wanted = interpret(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis), at)["vdot"]
    given = {"q": at["q"], "v": at["v"], "vdot": wanted}

    def forces(*names: str) -> Array:
        return interpret(actuated_inverse_dynamics(mechanism, analysis, names), given)["tau"]

    both, first, third = forces("A", "C"), forces("A"), forces("C")
    # All solutions lie on the line through the two that use one motor; the shared one is its point nearest zero.
    line = third - first
    assert abs(both @ line) < 1e-9 * np.linalg.norm(both) * np.linalg.norm(line)
    assert np.linalg.norm(both) < min(np.linalg.norm(first), np.linalg.norm(third))


def test_fewer_actuators_than_freedoms_fit_what_they_can() -> None:
    mechanism, analysis = prepared("five_bar")
    at = state(mechanism, analysis)
    tau = np.zeros(4)
    column = next(b.v_range[0] for b in mechanism.bodies if b.joint.name == "left_motor")
    tau[column] = 1.7
    reachable = interpret(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis), {**at, "tau": tau})["vdot"]
    program = actuated_inverse_dynamics(mechanism, analysis, ("left_motor",))
    found = interpret(program, {"q": at["q"], "v": at["v"], "vdot": reachable, **timed(mechanism)})["tau"]
    assert np.allclose(found, tau, atol=1e-10)
    assert "fewer motors than freedoms" in program.description


def test_actuators_must_be_joints_of_the_tree() -> None:
    mechanism, analysis = prepared("four_bar")
    with pytest.raises(DerivationError, match="joint D is cut"):
        actuated_inverse_dynamics(mechanism, analysis, ("D",))
    with pytest.raises(DerivationError, match="no joint 'Z'"):
        actuated_inverse_dynamics(mechanism, analysis, ("Z",))
    model = examples.load("four_bar")
    passive = mechanism_of(replace(model, joints=tuple(replace(joint, actuated=False) for joint in model.joints)))
    with pytest.raises(DerivationError, match="no joint is actuated"):
        actuated_inverse_dynamics(passive, analyse_loops(passive))


def test_motors_that_move_the_same_freedom_are_refused() -> None:
    model = examples.load("four_bar")
    pendulum = replace(model.bodies[0], name="pendulum")
    hinge = replace(model.joints[0], name="P", successor="pendulum", predecessor="rocker", actuated=False)
    model = replace(model, bodies=(*model.bodies, pendulum), joints=(*model.joints, hinge))
    mechanism = mechanism_of(model)
    with pytest.raises(DerivationError, match="2 motors for 2 freedoms leave 1 of them undriven"):
        actuated_inverse_dynamics(mechanism, analyse_loops(mechanism), ("A", "C"))
    actuated_inverse_dynamics(mechanism, analyse_loops(mechanism), ("A", "P"))


# ---- two ways to factor the mass matrix -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINKAGES)
def test_articulated_inertias_and_sparse_factors_are_equal_exactly(name: str) -> None:
    mechanism, analysis = prepared(name)
    sparse, articulated = (LOOP_FUNCTIONS["constrained_terms"](mechanism, analysis, method) for method in METHODS)
    wanted = ("free", "response", "delassus", "right")
    first, second = (
        replace(program, outputs=tuple(item for item in program.outputs if item.name in wanted))
        for program in (sparse, articulated)
    )
    assert compare(first, second)


def test_the_way_with_fewer_operations_is_taken() -> None:
    mechanism, analysis = prepared("rhombus_spatial")
    counts: dict[Method | None, int] = {
        method: LOOP_FUNCTIONS["constrained_terms"](mechanism, analysis, method).operation_count().arithmetic
        for method in (None, *METHODS)
    }
    assert counts[None] == counts["articulated"] < counts["sparse"]
    mechanism, analysis = prepared("four_bar")
    counts = {
        method: LOOP_FUNCTIONS["constrained_terms"](mechanism, analysis, method).operation_count().arithmetic
        for method in (None, *METHODS)
    }
    assert counts[None] == counts["sparse"] < counts["articulated"]


def test_formulations_by_name_factor_in_their_own_way() -> None:
    mechanism, _ = prepared("rhombus_spatial")
    by_name = {
        name: available_functions(mechanism, name)
        .functions["constrained_dynamics"](mechanism)
        .operation_count()
        .arithmetic
        for name in ("auto", "newton-euler", "articulated-body")
    }
    assert by_name["auto"] == by_name["articulated-body"] < by_name["newton-euler"]


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "rhombus_regular", "stewart_platform"])
def test_the_equations_of_motion_hold_exactly(name: str) -> None:
    """M vdot + bias - tau - G^T lambda and G vdot - gamma are zero as rational functions of everything."""
    mechanism, analysis = prepared(name)

    def entries(program: Program, output: int = 0) -> list[Scalar]:
        return [Scalar(mechanism.graph, ref) for ref in program.outputs[output].values]

    dynamics = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis, "articulated")
    vdot, multipliers = entries(dynamics), entries(dynamics, 1)
    matrix = entries(TREE_FUNCTIONS["mass_matrix"](mechanism))
    bias = entries(TREE_FUNCTIONS["bias_force"](mechanism))
    rows = entries(LOOP_FUNCTIONS["constraint_jacobian"](mechanism, analysis))
    gamma = entries(LOOP_FUNCTIONS["constraint_bias"](mechanism, analysis))
    tau, n = mechanism.entries(mechanism.tau), mechanism.nv
    left = []
    for k in range(n):
        total = bias[k] - tau[k]
        for j in range(n):
            total = total + matrix[k * n + j] * vdot[j]
        for r, multiplier in enumerate(multipliers):
            total = total - rows[r * n + k] * multiplier
        left.append(total)
    for r, right in enumerate(gamma):
        total = -right
        for j in range(n):
            total = total + rows[r * n + j] * vdot[j]
        left.append(total)
    inputs = (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs)
    found, nothing = (
        make_program(mechanism, "left", inputs, [("left", (len(left),), values, "", "")], "")
        for values in (left, [Scalar(mechanism.graph, 0)] * len(left))
    )
    assert compare(found, nothing)
