"""Quantities of frames in expressions of forces: what they are, in trees and closed loops, and how they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mbsym.derivatives.functions import DERIVATIVE_FUNCTIONS
from mbsym.forces import AppliedWrench, JointForce
from mbsym.kinematics.frame_quantities import NamesInMotion
from mbsym.kinematics.recursion import joint_speeds, poses, velocities
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.body import Body
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import with_frames
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.registry import FORMULATIONS, available_functions
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.verification.random_state import random_state
from mechanisms.examples import some
from mechanisms.frame_expressions import PLACED, with_forces_of_frames
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops, random_tree

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Relative, times the condition of what is solved for."""

BASE = ("x", "y", "z")


def state_of(model: Model, rng: np.random.Generator) -> tuple[Reference, Array, Array]:
    reference = Reference(model)
    q, v, _ = random_state(model, reference.labelling, rng, reference=reference)
    return reference, q, v


def values(model: Model, names: list[str], q: Array, v: Array) -> Mapping[str, float]:
    """Quantities by their one spelling."""
    mechanism = mechanism_of(model)
    known = NamesInMotion(mechanism, poses(mechanism), velocities(mechanism, joint_speeds(mechanism)))
    refs = tuple(known[name].ref for name in names)
    program = Program("seen", mechanism.graph, (mechanism.q, mechanism.v), (Output("seen", (len(refs),), refs),))
    return dict(zip(names, interpret(program, {"q": q, "v": v})["seen"].tolist(), strict=True))


def vector(model: Model, word: str, rest: str, q: Array, v: Array) -> Array:
    names = [f"{word}({rest}).{component}" for component in BASE]
    return np.array([*values(model, names, q, v).values()])


def close(found: Array, expected: Array, factor: float = 1.0) -> bool:
    return bool(np.abs(found - expected).max(initial=0.0) < ROUNDING * factor * (1 + np.abs(expected).max(initial=0.0)))


def forces_of_frames_hold_in_a_tree(seed: int) -> None:
    """Every joint type, joints turned round, couplings, free roots."""
    rng = np.random.default_rng(seed)
    model = with_forces_of_frames(random_tree(seed), rng)
    reference, q, v = state_of(model, rng)
    mechanism = mechanism_of(model)
    found = interpret(
        available_functions(mechanism, "newton-euler").functions["bias_force"](mechanism), {"q": q, "v": v}
    )
    assert close(found["bias"], reference.bias_force(q, v))


@settings(max_examples=9)
@given(st.integers(0, 10**6))
def test_forces_of_frames_are_those_of_the_reference(seed: int) -> None:
    forces_of_frames_hold_in_a_tree(seed)


@pytest.mark.more
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_forces_of_frames_in_more_trees(seed: int) -> None:
    forces_of_frames_hold_in_a_tree(seed)


def forces_of_frames_hold_where_loops_close(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model, q = random_closed_loops(seed, forces=False)
    model = with_forces_of_frames(model, rng)
    reference = Reference(model)
    v = reference.consistent_velocity(q, rng.normal(size=reference.nv))
    tau = rng.normal(size=reference.nv)
    mechanism = mechanism_of(model)
    program = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analyse_loops(mechanism))
    jacobian = reference.closure_jacobian(q)
    ways = np.linalg.svd(jacobian)[1]
    condition = np.linalg.cond(reference.mass_matrix(q)) * ways.max() / ways[ways > 1e-7 * ways.max()].min()
    expected = reference.solve(q, v, tau).vdot
    assert close(interpret(program, {"q": q, "v": v, "tau": tau})["vdot"], expected, float(condition))


@settings(max_examples=4)
@given(st.integers(0, 10**6))
def test_so_they_are_where_loops_close(seed: int) -> None:
    forces_of_frames_hold_where_loops_close(seed)


@pytest.mark.more
@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_so_they_are_in_more_loops(seed: int) -> None:
    forces_of_frames_hold_where_loops_close(seed)


@pytest.mark.parametrize("seed", some(range(4), (1, 3)))
def test_words_mean_what_they_say(seed: int) -> None:
    """Rates are those of what they are rates of, directions are of length one, other axes change components alone."""
    rng = np.random.default_rng(seed)
    model = with_forces_of_frames(random_tree(seed, joint_types=("spherical", "universal", "helical", "free")), rng)
    model = replace(model, forces=(replace(model.forces[0], moment=tuple(f"position({_spelt(n)}).x" for n in PLACED)),))
    reference, q, v = state_of(model, rng)
    first, second, still = map(_spelt, PLACED)
    step = 1e-5

    def rate(word: str, rest: str) -> Array:
        ahead, behind = (reference.integrate_position(q, v, sign * step) for sign in (1, -1))
        return (vector(model, word, rest, ahead, v) - vector(model, word, rest, behind, v)) / (2 * step)

    coarse = 1e-7  # of differences: the square of the step, and rounding over the step
    assert np.abs(vector(model, "velocity", first, q, v) - rate("position", first)).max() < coarse * 10
    omega = vector(model, "angular_velocity", second, q, v)
    for letter in BASE:
        axis = vector(model, "axis", f"{second}, {letter}", q, v)
        assert np.abs(np.cross(omega, axis) - rate("axis", f"{second}, {letter}")).max() < coarse * 10
    both = f"{first}, {second}"
    way = vector(model, "position", second, q, v) - vector(model, "position", first, q, v)
    known = values(model, [f"distance({both})", f"distance_rate({both})"], q, v)
    assert known[f"distance({both})"] == pytest.approx(np.linalg.norm(way))
    assert close(vector(model, "direction", both, q, v) * np.linalg.norm(way), way)
    relative = vector(model, "velocity", second, q, v) - vector(model, "velocity", first, q, v)
    assert known[f"distance_rate({both})"] == pytest.approx(relative @ way / np.linalg.norm(way))
    turned = np.array([vector(model, "axis", f"{first}, {letter}", q, v) for letter in BASE])
    for word, rest in (("velocity", second), ("position", second), ("direction", both), ("axis", f"{still}, y")):
        assert close(vector(model, word, f"{rest}, in={first}", q, v), turned @ vector(model, word, rest, q, v))


def _spelt(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


@pytest.mark.parametrize(("letter", "axis"), [("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))])
@pytest.mark.parametrize("turn", [-2.9, -0.4, 1.7])
def test_an_angle_about_an_axis_is_that_of_a_hinge_there(letter: str, axis: tuple[int, int, int], turn: float) -> None:
    body, hinge = Body("b", 1, (0.1, 0, 0), (1, 1, 1, 0, 0, 0)), Joint("j", "revolute", "ground", "b", axis=axis)
    name = f"angle(ground, b, about={letter})"
    model = Model("m", (body,), (hinge,), (JointForce("f", "j", name),))
    assert values(model, [name], np.array([turn]), np.zeros(1))[name] == pytest.approx(turn)


@pytest.mark.parametrize("formulation", [name for name in FORMULATIONS if name != "transfer-matrix"])
def test_every_formulation_takes_them(formulation: str) -> None:
    rng = np.random.default_rng(5)
    model = with_forces_of_frames(random_tree(5, bodies=3, joint_types=("revolute", "prismatic", "spherical")), rng)
    reference, q, v = state_of(model, rng)
    tau = rng.normal(size=reference.nv)
    mechanism = mechanism_of(model)
    program = available_functions(mechanism, formulation).functions["forward_dynamics"](mechanism)
    expected = reference.forward_dynamics(q, v, tau)
    found = interpret(program, {"q": q, "v": v, "tau": tau})["vdot"]
    assert close(found, expected, float(np.linalg.cond(reference.mass_matrix(q))))


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_know_how_they_change(seed: int) -> None:
    """Against differences of the reference, along each speed; spherical joints have quaternions."""
    rng = np.random.default_rng(seed)
    model = with_forces_of_frames(random_tree(seed, bodies=3, joint_types=("revolute", "spherical", "prismatic")), rng)
    reference, q, v = state_of(model, rng)
    vdot = rng.normal(size=reference.nv)
    mechanism = mechanism_of(model)
    program = DERIVATIVE_FUNCTIONS["inverse_dynamics_derivatives"](mechanism)
    found = interpret(program, {"q": q, "v": v, "vdot": vdot})
    step = 1e-5
    for k, way in enumerate(np.eye(reference.nv)):
        ahead, behind = (reference.integrate_position(q, way, sign * step) for sign in (1, -1))
        by_q = (reference.inverse_dynamics(ahead, v, vdot) - reference.inverse_dynamics(behind, v, vdot)) / (2 * step)
        by_v = reference.inverse_dynamics(q, v + step * way, vdot) - reference.inverse_dynamics(q, v - step * way, vdot)
        for own, expected in ((found["dtau_dq"], by_q), (found["dtau_dv"], by_v / (2 * step))):
            assert np.abs(own[:, k] - expected).max() < 1e-6 * (1 + np.abs(expected).max())


def test_frames_that_functions_leave_out_are_known_to_expressions() -> None:
    """With no frame asked for, and with one that is named too."""
    body, hinge = Body("b", 1, (0.1, 0, 0), (1, 1, 1, 0, 0, 0)), Joint("j", "revolute", "ground", "b", axis=(0, 1, 0))
    mark = Frame("mark", "b", in_functions=False)
    force = AppliedWrench("f", "b", ("-3*position(mark).x", 0, "position(tip).z + axis(j2, x).z"))
    model = Model(
        "m", (body,), (hinge,), (force,), frames=(Frame("tip", "b"), mark, Frame("j2", "b"), Frame("other", "b"))
    )
    plain, asked = with_frames(model, ()), with_frames(model, ("tip",))
    assert {frame.name for frame in plain.frames} == {"mark", "tip", "j2"} and not plain.frames_of_functions
    assert [frame.name for frame in asked.frames_of_functions] == ["tip"]
    assert [frame.name for frame in with_frames(model, ("all",)).frames_of_functions] == ["tip", "j2", "other"]
    assert with_frames(plain, ("all",)) == plain
