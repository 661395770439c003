"""Random mechanisms are valid, varied, and the same for one seed."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.reference import Reference
from mbsym.verification.random_state import random_state
from mechanisms.random_mechanisms import random_closed_loops, random_tree

Array = NDArray[Any]


@cache
def trees() -> list[Model]:
    return [random_tree(seed) for seed in range(60)]


@cache
def closed_loops() -> list[tuple[Model, Array]]:
    return [random_closed_loops(seed) for seed in range(24)]


def joints_of(models: list[Model]) -> list[Joint]:
    return [joint for model in models for joint in model.joints]


def test_trees_are_valid_and_the_same_for_one_seed() -> None:
    for seed, tree in enumerate(trees()):
        assert [finding for finding in validate(tree) if finding.severity == "error"] == []
        assert 1 <= len(tree.bodies) <= 30
        assert not tree.label().cut_joints
        if seed < 10:
            assert random_tree(seed) == tree


def test_trees_are_varied() -> None:
    assert {joint.type for joint in joints_of(trees())} == set(JOINT_TYPES)
    flipped = [len(tree.label().flipped) / len(tree.joints) for tree in trees() if len(tree.joints) > 4]
    assert min(flipped) < 0.3 < max(flipped)
    assert any(parameter.symbolic for tree in trees() for parameter in tree.parameters)
    assert any(tree.couplings for tree in trees())
    assert any(tree.free_roots for tree in trees())
    assert any(joint.armature for joint in joints_of(trees()))
    assert len({type(force) for tree in trees() for force in tree.forces}) == 10
    assert any(tree.gravity == (0, 0, 0) for tree in trees())
    # User order is not label order.
    assert any([str(body.name) for body in tree.bodies] != list(tree.label().body_names[1:]) for tree in trees())


def test_options_restrict() -> None:
    tree = random_tree(3, bodies=7, joint_types=("revolute",), forces=False, couplings=False, parameters=False)
    assert len(tree.bodies) == 7
    assert {joint.type for joint in tree.joints} == {"revolute"}
    assert not tree.forces
    assert not tree.parameters


def test_states_have_unit_quaternions() -> None:
    for tree in trees()[:20]:
        reference = Reference(tree)
        q, v, tau = random_state(tree, tree.label(), np.random.default_rng(0), reference=reference)
        assert (len(q), len(v), len(tau)) == (reference.nq, reference.nv, reference.nv)
        for joint in reference.mechanism.tree_joints:
            if joint.type in ("spherical", "free"):
                assert abs(np.linalg.norm(q[joint.coordinates][:4]) - 1) < 1e-14
        again = random_state(tree, tree.label(), np.random.default_rng(0))
        assert np.array_equal(np.concatenate(again), np.concatenate([q, v, tau]))


def test_loops_are_valid_and_close() -> None:
    for model, q in closed_loops():
        assert [finding for finding in validate(model) if finding.severity == "error"] == []
        reference = Reference(model)
        assert np.abs(reference.closure_gap(q)).max() < 1e-13
        # Something still moves.
        assert np.linalg.matrix_rank(reference.closure_jacobian(q), tol=1e-7) < reference.nv


def test_loops_are_varied() -> None:
    models = [model for model, _ in closed_loops()]
    assert {joint.type for joint in joints_of(models) if joint.name.startswith("loop")} == set(JOINT_TYPES) - {"free"}
    cut = [model.joint(str(name)).name for model in models for name in model.label().cut_joints]
    assert any(not name.startswith("loop") for name in cut)
    assert any(model.constraints for model in models)
    loops = [len(model.label().cut_joints) for model in models]
    assert (min(loops), max(loops)) == (1, 4)


def test_planar_loops_have_dependent_closures() -> None:
    model, q = random_closed_loops(1, planar=True, loops=1)
    assert Reference(model).reaction_null_space(q).shape[1] >= 3
