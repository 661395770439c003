"""Random mechanisms with closed loops against maximal coordinates, and against themselves with other joints cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbsym.loops.functions import LOOP_FUNCTIONS, constraint_jacobian
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops

Array = np.ndarray[Any, Any]

ROUNDING = 1e-9
"""Relative, times the condition of what is solved: random loops close to 1e-15 and their rows are well apart."""


def solved(model: Model, q: Array, v: Array, tau: Array, extra: dict[str, Any], order: str = "weight") -> Any:
    """vdot, joint wrenches by joint name, and G."""
    mechanism = mechanism_of(model, order=order)
    analysis = analyse_loops(mechanism)
    state = {"q": q, "v": v, "tau": tau, **(extra if mechanism.controls is not None else {})}
    dynamics = interpret(LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analysis), state)
    wrenches = interpret(LOOP_FUNCTIONS["joint_wrenches"](mechanism, analysis), state)["wrenches"]
    names = mechanism.labelling.joint_names
    jacobian = interpret(constraint_jacobian(mechanism, analysis), {"q": q})["G"]
    return dynamics["vdot"], dict(zip(names, wrenches, strict=True)), jacobian


def scale_of(values: Array) -> float:
    return 1.0 + float(np.max(np.abs(values), initial=0.0))


def condition(*matrices: Array) -> float:
    return float(np.prod([np.linalg.cond(matrix) if matrix.size else 1.0 for matrix in matrices]))


@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_accelerations_and_all_reactions_agree_with_maximal_coordinates(seed: int) -> None:
    agrees(seed)


@pytest.mark.more
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_they_agree_in_more_loops(seed: int) -> None:
    agrees(seed)


@pytest.mark.more
@settings(max_examples=100)
@given(st.integers(0, 10**6))
def test_so_do_those_of_many_more(seed: int) -> None:
    agrees(seed)


def agrees(seed: int) -> None:
    """One random mechanism against the reference."""
    model, q = random_closed_loops(seed)
    reference = Reference(model)
    generator = np.random.default_rng(seed)
    v = reference.consistent_velocity(q, generator.normal(size=reference.nv))
    tau = generator.normal(size=reference.nv)
    u = generator.normal(size=len(model.inputs))
    vdot, wrenches, jacobian = solved(model, q, v, tau, {"t": 0.3, "u": u})
    expected = reference.solve(q, v, tau, 0.3, list(u))
    rows = np.array(list(wrenches.values()))
    bound = ROUNDING * condition(reference.mass_matrix(q), jacobian)
    assert np.max(np.abs(vdot - expected.vdot), initial=0.0) < bound * scale_of(expected.vdot)
    assert np.max(np.abs(rows - expected.wrenches)) < bound * scale_of(expected.wrenches)


def seen_by(target: Reference, coordinates: dict[str, Array], speeds: dict[str, Array]) -> tuple[Array, Array]:
    """q and v of another labelling of the same mechanism."""
    q, v = np.zeros(target.nq), np.zeros(target.nv)
    for joint in target.mechanism.tree_joints:
        q[joint.coordinates] = coordinates[joint.name]
        v[joint.speeds] = speeds[joint.name]
    return q, v


def does_not_depend_on_the_cut(seed: int) -> None:
    drawn, q = random_closed_loops(seed, constraints=False, forces=False)
    source = Reference(drawn)
    # Without demands the weights cut other joints than the order of input does.
    model = replace(drawn, joints=tuple(replace(joint, cut="auto", armature=0) for joint in drawn.joints))
    speeds = source.consistent_velocity(q, np.random.default_rng(seed).normal(size=source.nv))
    coordinates, rates = source.joint_coordinates(q), source.joint_speeds(q, speeds)
    found = {}
    bound = 0.0
    for order in ("weight", "input"):
        reference = Reference(model, model.label(order=order))
        q, v = seen_by(reference, coordinates, rates)
        if np.max(np.abs(reference.closure_gap(q))) > 1e-9:
            # A thread that is cut forgets its turns.
            return
        vdot, wrenches, jacobian = solved(model, q, v, np.zeros(reference.nv), {}, order)
        by_name = {joint.name: vdot[joint.speeds] for joint in reference.mechanism.tree_joints}
        found[order] = by_name, wrenches
        bound = max(bound, ROUNDING * condition(reference.mass_matrix(q), jacobian))
    (first, first_wrenches), (second, second_wrenches) = found["weight"], found["input"]
    size = scale_of(np.array(list(first_wrenches.values())))
    for name, wrench in first_wrenches.items():
        assert np.max(np.abs(wrench - second_wrenches[name])) < bound * size, name
    size = max(scale_of(entry) for entry in first.values())
    for name in set(first) & set(second):
        assert np.max(np.abs(first[name] - second[name]), initial=0.0) < bound * size, name


@settings(max_examples=3)
@given(st.integers(0, 10**6))
def test_the_result_does_not_depend_on_which_joints_are_cut(seed: int) -> None:
    does_not_depend_on_the_cut(seed)


@pytest.mark.more
@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_it_depends_on_no_cut_in_more_loops(seed: int) -> None:
    does_not_depend_on_the_cut(seed)
