"""Contacts and tyres in fifty random trees and fifty random mechanisms with loops, against the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbsym.derivatives.functions import DERIVATIVE_FUNCTIONS
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mechanisms.elements import with_element
from mechanisms.examples import further, some
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_trees import random_tree

Array = np.ndarray[Any, Any]

KINDS = ("contact", "tyre")

ROUNDING = 1e-9
"""Of the largest entry, times the condition of what is solved. A slip counts as a millionth longer than in the
reference, at right angles: a force differs by 1e-10 where its curve is steep."""

DIFFERENCES = 2e-6
"""Of the largest entry: central differences over 1e-5 leave 1e-10 h^2 and 1e-16/h, times some hundred a slip's curve
bends more than the rest."""

STEP = 1e-5

PLAIN = ("revolute", "prismatic", "universal", "cylindrical", "planar")
"""Joints whose speeds are the rates of coordinates, so that differences are by these."""


def tree_of(kind: str, seed: int) -> Model:
    return with_element(random_tree(seed, bodies=(2, 4), joint_types=PLAIN, forces=False, free_roots=False), kind, seed)


def state_of(reference: Reference, seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng([seed, 1])
    q, v, vdot = rng.uniform(-1, 1, (3, reference.nv))
    return q, v, vdot


def size(values: Array) -> float:
    return max(1.0, float(np.abs(values).max(initial=0.0)))


@pytest.mark.parametrize("seed", [*range(15), *further(*range(15, 50))])
@pytest.mark.parametrize("kind", KINDS)
def test_forces_in_trees(kind: str, seed: int) -> None:
    model = tree_of(kind, seed)
    reference, mechanism = Reference(model, model.label()), mechanism_of(model)
    q, v, vdot = state_of(reference, seed)
    (found,) = interpret(TREE_FUNCTIONS["inverse_dynamics"](mechanism), {"q": q, "v": v, "vdot": vdot}).values()
    expected = reference.inverse_dynamics(q, v, vdot)
    assert np.abs(found - expected).max() <= ROUNDING * size(expected)


@pytest.mark.parametrize("seed", some(range(30), (0, 5, 8, 11)))
@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_in_trees(kind: str, seed: int) -> None:
    model = tree_of(kind, seed)
    reference, mechanism = Reference(model, model.label()), mechanism_of(model)
    q, v, vdot = state_of(reference, seed)
    program = DERIVATIVE_FUNCTIONS["inverse_dynamics_derivatives"](mechanism)
    by_q, by_v = interpret(program, {"q": q, "v": v, "vdot": vdot}).values()

    def differences(force: Callable[[Array], Array]) -> Array:
        steps = STEP * np.eye(reference.nv)
        return np.array([(force(step) - force(-step)) / (2 * STEP) for step in steps]).T

    for found, force in (
        (by_q, lambda step: reference.inverse_dynamics(q + step, v, vdot)),
        (by_v, lambda step: reference.inverse_dynamics(q, v + step, vdot)),
    ):
        expected = differences(force)
        assert np.abs(found - expected).max() <= DIFFERENCES * size(expected)


@pytest.mark.parametrize("seed", [*range(8), *further(*range(8, 50))])
@pytest.mark.parametrize("kind", KINDS)
def test_forces_in_loops(kind: str, seed: int) -> None:
    model, q = random_closed_loops(seed, forces=False, bodies=(3, 4), loops=(1, 2))
    model = with_element(model, kind, seed)
    reference, mechanism = Reference(model), mechanism_of(model)
    rng = np.random.default_rng(seed)
    v = reference.consistent_velocity(q, rng.normal(size=reference.nv))
    tau = rng.normal(size=reference.nv)
    program = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analyse_loops(mechanism))
    found = interpret(program, {"q": q, "v": v, "tau": tau})["vdot"]
    expected = reference.solve(q, v, tau).vdot
    bound = ROUNDING * np.linalg.cond(reference.mass_matrix(q))
    assert np.abs(found - expected).max(initial=0.0) <= bound * size(expected)


def test_half_of_them_press() -> None:
    """A mechanism none of whose elements touch would agree whatever they do."""
    for kind in KINDS:
        pressed = 0
        for seed in range(50):
            model = tree_of(kind, seed)
            whole, bare = (Reference(each, each.label()) for each in (model, replace(model, forces=())))
            state = state_of(whole, seed)
            pressed += np.abs(whole.inverse_dynamics(*state) - bare.inverse_dynamics(*state)).max() > 1e-3
        assert pressed >= 25, (kind, pressed)
