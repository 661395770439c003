"""Slopes of the motion in numbers against those of printed formulas: trees, loops, motions, drawn at random too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym import examples
from mbsym.codegen import load
from mbsym.codegen.interface import render
from mbsym.codegen.load import numpy_module
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.kinematics.initial_coordinates import initial_coordinates, normalised
from mbsym.linear import equations
from mbsym.linear.equations import LinearEquations, State, prepare
from mbsym.linear.motion import motion_program
from mbsym.model.system import Model
from mbsym.pipeline import derive, describe
from mbsym.symbolic.adjoints import Adjoints
from mechanisms.benchmark_chains import benchmark_chain
from mechanisms.examples import some
from mechanisms.mechanism import mechanism_of
from mechanisms.motions import free_to_drive, with_motions
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_trees import random_tree

Array = NDArray[Any]

RELATIVE = 1e-9
"""Round-off of mass matrices whose inverse is up to some thousand times as large as they are."""


def printed(prepared: LinearEquations, state: State) -> dict[str, Array]:
    """vdot and its derivatives by the functions of a module."""
    looped = prepared.loops is not None
    names = ("constrained_dynamics", "constrained_dynamics_derivatives")
    if not looped:
        names = ("forward_dynamics", "forward_dynamics_derivatives")
    driven = bool(prepared.mechanism.model.motions)
    asked = ("constrained_terms" if looped else "forward_dynamics") if driven else "inverse_dynamics"
    requests = (DerivativeRequest(asked, ("u",)),) if prepared.inputs else ()
    options = replace(prepared.options, functions=(*names, "mass_matrix"), derivatives=requests)
    derivation = derive(prepared.mechanism, options)
    module = numpy_module(*render(describe(derivation, options), ("numpy",)))

    def told(name: str) -> Any:
        function = module.functions[name]
        return function(*(state.by_argument.get(item.name, np.zeros(item.shape)) for item in function.inputs))

    vdot = told(names[0])
    by_q, by_v, by_tau, *_ = told(names[1])
    found = {"vdot": vdot[0] if looped else vdot, "by_q": by_q, "by_v": by_v, "by_tau": by_tau}
    found["mass"] = told("mass_matrix")
    if requests and not (looped and driven):
        by_u = told(requests[0].name)
        found["by_u"] = by_u if driven else -by_tau @ by_u
    return found


def anywhere(prepared: LinearEquations, seed: int) -> State:
    """A state near the initial one with everything at work; closed loops need not be closed."""
    mechanism, rng = prepared.mechanism, np.random.default_rng(seed)
    q = initial_coordinates(mechanism) + rng.uniform(-0.4, 0.4, mechanism.nq)
    v, tau = rng.uniform(-1, 1, (2, mechanism.nv))
    u, x = rng.uniform(-1, 1, len(prepared.inputs)), rng.uniform(-1, 1, len(prepared.drives))
    return State(normalised(q, mechanism.q.quaternions), v, tau, u, 0.3, x)


def assert_the_same(model: Model, seed: int) -> None:
    prepared = prepare(model)
    state = anywhere(prepared, seed)
    found = prepared.slopes(state)
    for name, expected in printed(prepared, state).items():
        size = np.abs(expected).max(initial=1e-2)
        np.testing.assert_allclose(getattr(found, name), expected, rtol=0, atol=RELATIVE * size, err_msg=name)


WITHOUT_MASS = ("driver_cab", "qi_closed_loops", "qi_small", "slides_tree", "stanford_arm")
NAMES = [
    name
    for name in examples.names()
    if name not in (*WITHOUT_MASS, "driver_cab_motion", "quadruped_on_ground", "cam_valve")
]
"""The driver's cab has six loops, whose derivatives take a minute to derive; random loops are like it, and legs and
contacts have tests of their own. Of the valve that its cam holds nothing is left of a million times as large forces."""


@pytest.mark.parametrize("name", some(NAMES, ["bicycle", "five_bar", "puma560", "slider_crank"]))
def test_examples(name: str) -> None:
    assert_the_same(examples.load(name), 1)


@pytest.mark.parametrize("seed", some(range(7), (1, 4)))
def test_random_trees(seed: int) -> None:
    assert_the_same(random_tree(seed, bodies=(2, 8)), seed)


@pytest.mark.parametrize("seed", some(range(8), range(2)))
def test_random_loops(seed: int) -> None:
    assert_the_same(random_closed_loops(seed, bodies=(2, 4), loops=(1, 2))[0], seed)


@pytest.mark.parametrize("seed", some(range(6), range(2)))
def test_random_trees_with_motions(seed: int) -> None:
    model = random_tree(seed, bodies=(2, 8), couplings=False)
    assert_the_same(with_motions(model, np.random.default_rng(seed)), seed)


@pytest.mark.parametrize("seed", some((0, 1, 2, 3, 5), range(2)))
def test_random_loops_with_motions(seed: int) -> None:
    """Of one speed, which the loops leave free: a position may be prescribed that they cannot follow, a rate not."""
    model, q = random_closed_loops(seed, bodies=(2, 4), loops=1, constraints=False)
    columns = free_to_drive(mechanism_of(model), q)[:1]
    rng = np.random.default_rng(seed)
    assert_the_same(with_motions(model, rng, 0.0, columns, ("speed", "acceleration")) if columns else model, seed)


def test_no_formula_is_derived_and_nothing_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of trees, not of loops, not of what rolls."""

    def refused(*_: Any) -> None:
        raise AssertionError("something was derived or printed")

    monkeypatch.setattr(equations, "derive", refused)
    monkeypatch.setattr(load, "LoadedModule", refused)
    for name in ("puma560", "four_bar", "bicycle"):
        mbsym.linearise(name)
        mbsym.equilibrium(name, starts=1)
        with pytest.raises(AssertionError, match="something was derived"):
            mbsym.linearise(name).equations.formula("mass_matrix")


def test_work_grows_with_the_bodies() -> None:
    """Operations of all derivatives of a chain, where a formula of each entry would make four times as many."""

    def operations(bodies: int) -> int:
        mechanism = prepare(benchmark_chain(bodies)).mechanism
        return len(Adjoints(motion_program(mechanism, None), ("q", "v", "vdot"))._tape)

    assert operations(40) - operations(20) == operations(60) - operations(40)
