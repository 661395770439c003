"""Closure equations: exact derivatives on and off closed loops, no spurious roots, only the joints of the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbsym.constraints import (
    ConstraintElement,
    DistanceConstraint,
    GearConstraint,
    LinearCoupling,
    PointOnLineConstraint,
)
from mbsym.errors import DerivationError
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.initial_coordinates import initial_coordinates, normalised
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closing import gap_program
from mbsym.loops.constraints import closures
from mbsym.loops.functions import LOOP_FUNCTIONS, constraint_jacobian
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mechanisms.mechanism import mechanism_of

Array = np.ndarray[Any, Any]
CUT_TYPES = tuple(name for name, kind in JOINT_TYPES.items() if not kind.is_unbound)


def loop(kind: str, *, constraints: tuple[ConstraintElement, ...] = (), **options: Any) -> Model:
    """A chain of a spherical, a universal and a free joint beside a branch of its own, closed by a joint to ground."""
    bodies = tuple(Body(name, 1, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25, 0, 0, 0)) for name in ("a", "b", "c", "aside"))
    joints = (
        Joint("base", "revolute", "ground", "a", axis=(1, 2, 2)),
        Joint("middle", "spherical", "a", "b", predecessor_placement=Placement((0.4, 0.1, 0))),
        Joint("last", "free", "b", "c", predecessor_placement=Placement((0.1, 0.3, 0.2), (("x", 0.4),))),
        Joint("spur", "revolute", "a", "aside"),
        Joint(
            "closing",
            kind,
            "c",
            "a",
            axis=(2, -1, 2),
            predecessor_placement=Placement((0.2, 0.1, -0.1), (("z", 0.5),)),
            successor_placement=Placement((0.3, 0, 0.1), (("y", -0.7),)),
            cut="cut",
            **options,
        ),
    )
    return Model("loop", bodies, joints, constraints=constraints)


def moved(mechanism: Mechanism, q: Array, v: Array, step: float) -> Array:
    """q after a time ``step`` at constant v, by the exponential map of each joint's quaternion."""
    return Reference(mechanism.model, mechanism.labelling).integrate_position(q, v, step)


def random_configuration(mechanism: Mechanism, seed: int) -> Array:
    generator = np.random.default_rng(seed)
    return normalised(initial_coordinates(mechanism) + generator.normal(0, 0.4, mechanism.nq), mechanism.q.quaternions)


def everything(mechanism: Mechanism) -> LoopAnalysis:
    """All closure rows, as if they were independent."""
    found = closures(mechanism)
    return LoopAnalysis(found, tuple(row for item in found for row in item.rows), (), (), 0, ())


ELEMENTS: dict[str, ConstraintElement] = {
    "distance": DistanceConstraint("rod", "b", "c", 0.7, (0.1, 0, 0), (0, 0.2, 0.1)),
    "point on line": PointOnLineConstraint("slot", "c", "a", (0.1, 0, 0.2), (1, 2, 3), (0.3, 0.1, 0)),
    "gear": GearConstraint("gear", "base", "spur", 3, "0.1"),
    "linear coupling": LinearCoupling("tendon", ("base", "spur"), (3, "-0.7"), "0.1"),
}


@pytest.mark.parametrize("kind", CUT_TYPES)
def test_residual_jacobian_is_the_derivative_of_the_residual_anywhere(kind: str) -> None:
    mechanism = mechanism_of(loop(kind, numbers={number.name: 0.05 for number in JOINT_TYPES[kind].numbers}))
    program = gap_program(mechanism, closures(mechanism))
    assert program.output("residual").shape == (6 - JOINT_TYPES[kind].shape.nv,)
    generator = np.random.default_rng(1)
    for seed in range(3):
        q, v = random_configuration(mechanism, seed), generator.normal(size=mechanism.nv)
        there, back = (interpret(program, {"q": moved(mechanism, q, v, step)})["residual"] for step in (1e-6, -1e-6))
        exact = interpret(program, {"q": q})["residual_jacobian"] @ v
        # Central differences of step 1e-6 leave 1e-10 of round-off, more where the half angle's tangent is steep.
        assert np.allclose((there - back) / 2e-6, exact, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", CUT_TYPES)
def test_bias_is_minus_the_rate_of_the_jacobian_anywhere(kind: str) -> None:
    mechanism = mechanism_of(loop(kind, numbers={number.name: 0.05 for number in JOINT_TYPES[kind].numbers}))
    _check_bias(mechanism)


@pytest.mark.parametrize("kind", sorted(ELEMENTS))
def test_constraint_elements_have_exact_jacobians_and_biases(kind: str) -> None:
    mechanism = mechanism_of(loop("spherical", constraints=(ELEMENTS[kind],)))
    found = closures(mechanism)
    assert found[-1].kind == kind
    assert len(found[-1].rows) == {"distance": 1, "point on line": 2, "gear": 1, "linear coupling": 1}[kind]
    for row in found[-1].rows:
        assert dict(row.jacobian) == dict(row.residual_jacobian)
    program = gap_program(mechanism, found)
    q, v = random_configuration(mechanism, 5), np.random.default_rng(2).normal(size=mechanism.nv)
    there, back = (interpret(program, {"q": moved(mechanism, q, v, step)})["residual"] for step in (1e-6, -1e-6))
    assert np.allclose((there - back) / 2e-6, interpret(program, {"q": q})["residual_jacobian"] @ v, atol=1e-8)
    _check_bias(mechanism)


def _check_bias(mechanism: Mechanism) -> None:
    analysis = everything(mechanism)
    jacobian, bias = constraint_jacobian(mechanism, analysis), LOOP_FUNCTIONS["constraint_bias"](mechanism, analysis)
    generator = np.random.default_rng(3)
    for seed in range(2):
        q, v = random_configuration(mechanism, seed), generator.normal(size=mechanism.nv)
        there, back = (interpret(jacobian, {"q": moved(mechanism, q, v, step)})["G"] for step in (1e-6, -1e-6))
        gamma = interpret(bias, {"q": q, "v": v})["gamma"]
        assert np.allclose(-((there - back) / 2e-6) @ v, gamma, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["revolute", "fixed", "universal", "spherical", "prismatic", "cylindrical", "planar"])
def test_jacobian_is_that_of_the_residual_where_the_loop_is_closed(kind: str) -> None:
    mechanism = mechanism_of(loop(kind))
    analysis = analyse_loops(mechanism)
    values = interpret(gap_program(mechanism, analysis.closures), {"q": np.array(analysis.configuration)})
    every = constraint_jacobian(mechanism, everything(mechanism))
    closed = interpret(every, {"q": np.array(analysis.configuration)})["G"]
    assert np.max(np.abs(values["residual"])) < 1e-12
    assert np.allclose(values["residual_jacobian"], closed, atol=1e-11)


def test_only_joints_of_the_loop_appear() -> None:
    mechanism = mechanism_of(loop("revolute"))
    (closure,) = closures(mechanism)
    names = [mechanism.body(label).joint.name for label in closure.joints]
    assert sorted(names) == ["last", "middle"]
    outside = {body.joint.name: body.v_range[0] for body in mechanism.bodies}
    for row in closure.rows:
        assert outside["base"] not in row.jacobian
        assert outside["spur"] not in row.jacobian


def pair(kind: str, **options: Any) -> Model:
    """A free body joined to ground by a joint."""
    return Model(
        "pair",
        (Body("a", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)),),
        (
            Joint("float", "free", "ground", "a", cut="tree"),
            Joint("closing", kind, "ground", "a", cut="cut", **options),
        ),
    )


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "fixed", "prismatic"])
def test_opposite_frames_are_no_root(kind: str) -> None:
    mechanism = mechanism_of(pair(kind))
    program = gap_program(mechanism, closures(mechanism))
    for angle in (2.0, 3.0, 3.14):
        q = np.array([np.cos(angle / 2), np.sin(angle / 2), 0, 0, 0, 0, 0])
        residual = interpret(program, {"q": q})["residual"]
        assert np.isclose(np.max(np.abs(residual)), 2 * np.tan(angle / 2), rtol=1e-6)


def test_residuals_of_small_errors_are_the_errors_themselves() -> None:
    mechanism = mechanism_of(pair("fixed"))
    program = gap_program(mechanism, closures(mechanism))
    q = normalised(np.array([1, 1e-4, -2e-4, 3e-4, 1e-3, 2e-3, 3e-3]), (0,))
    residual = interpret(program, {"q": q})["residual"]
    # The successor is the body itself, so the residual is its pose: rotation vector 2 (x, y, z), then place.
    assert np.allclose(residual[:3], [2e-4, -4e-4, 6e-4], atol=1e-9)
    assert np.allclose(np.linalg.norm(residual[3:]), np.linalg.norm([1e-3, 2e-3, 3e-3]), atol=1e-9)


def test_a_thread_closes_modulo_its_turns() -> None:
    pitch = 0.02
    mechanism = mechanism_of(pair("helical", pitch=pitch))
    program = gap_program(mechanism, closures(mechanism))
    for angle in (0.3, 3.0, 40.0, -25.0):
        q = np.array([np.cos(angle / 2), 0, 0, np.sin(angle / 2), 0, 0, pitch * angle])
        assert np.max(np.abs(interpret(program, {"q": q})["residual"])) < 1e-14
        half_a_turn = q + np.array([0, 0, 0, 0, 0, 0, np.pi * pitch * 0.9])
        residual = interpret(program, {"q": half_a_turn})["residual"]
        assert np.isclose(np.max(np.abs(residual)), np.pi * pitch * 0.9, rtol=1e-9)


def test_multipliers_are_wrench_components_in_the_frame_on_the_successor() -> None:
    """A body held by a fixed joint against gravity: its multipliers are the holding wrench in that joint's frame."""
    turn: tuple[tuple[Any, float], ...] = (("x", 0.3), ("y", -0.4))
    model = Model(
        "held",
        (Body("a", 2, (0.5, 0, 0), (1, 1, 1, 0, 0, 0)),),
        (
            Joint("float", "free", "ground", "a", cut="tree"),
            Joint(
                "hold",
                "fixed",
                "ground",
                "a",
                predecessor_placement=Placement((0, 0, 0), turn),
                successor_placement=Placement((0, 0, 0), turn),
                cut="cut",
            ),
        ),
        gravity=(0, 0, -10),
    )
    mechanism = mechanism_of(model)
    analysis = analyse_loops(mechanism)
    assert analysis.is_structure
    assert "structure" in analysis.sentences[-1]
    zero = np.zeros(6)
    found = interpret(
        LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis),
        {"q": np.array([1.0, 0, 0, 0, 0, 0, 0]), "v": zero, "tau": zero},
    )
    assert np.max(np.abs(found["vdot"])) < 1e-13
    c, s, d, e = np.cos(0.3), np.sin(0.3), np.cos(0.4), np.sin(-0.4)
    rotation = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[d, 0, e], [0, 1, 0], [-e, 0, d]])
    moment, force = np.array([0, -10.0, 0]), np.array([0, 0, 20.0])
    assert np.allclose(found["lambda"], [*(rotation.T @ moment), *(rotation.T @ force)], atol=1e-12)


def test_a_rotor_at_a_cut_joint_is_refused() -> None:
    mechanism = mechanism_of(loop("revolute", armature=0.1))
    with pytest.raises(DerivationError, match="cut and has a rotor"):
        closures(mechanism)


def test_a_rod_of_no_length_is_refused() -> None:
    rod = DistanceConstraint("rod", "b", "c", 0)
    with pytest.raises(DerivationError, match="rod of length zero"):
        closures(mechanism_of(loop("spherical", constraints=(rod,))))


def test_a_gear_needs_joints_of_one_coordinate_in_the_tree() -> None:
    with pytest.raises(DerivationError, match="has 4 coordinates"):
        closures(mechanism_of(loop("spherical", constraints=(GearConstraint("g", "base", "middle"),))))
    with pytest.raises(DerivationError, match="is cut"):
        closures(mechanism_of(loop("revolute", constraints=(GearConstraint("g", "base", "closing"),))))


def test_frames_that_always_face_opposite_ways_are_refused() -> None:
    opposite = Placement((0, 0, 0), (("x", "pi"),))
    model = Model(
        "flat",
        (Body("a", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)),),
        (
            Joint("slide", "prismatic", "ground", "a", axis=(1, 0, 0), cut="tree"),
            Joint("turn", "revolute", "ground", "a", predecessor_placement=opposite, cut="cut"),
        ),
    )
    with pytest.raises(DerivationError, match="opposite ways"):
        closures(mechanism_of(model))


def test_residual_rows_are_those_of_the_jacobian() -> None:
    mechanism = mechanism_of(loop("universal"))
    analysis = everything(mechanism)
    assert LOOP_FUNCTIONS["constraint_residual"](mechanism, analysis).outputs[0].shape == (4,)
    assert constraint_jacobian(mechanism, analysis).outputs[0].shape == (4, mechanism.nv)
