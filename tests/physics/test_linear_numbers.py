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
from mbsym.linear.equations import LinearEquations, State, prepare
from mbsym.model.system import Model
from mbsym.pipeline import derive, describe
from mechanisms.examples import some
from mechanisms.motions import with_motions
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_trees import random_tree

Array = NDArray[Any]

RELATIVE = 1e-9
"""Round-off of mass matrices whose inverse is up to some thousand times as large as they are."""


def printed(equations: LinearEquations, state: State) -> dict[str, Array]:
    """vdot and its derivatives by the functions of a module."""
    looped = equations.loops is not None
    names = ("constrained_dynamics", "constrained_dynamics_derivatives")
    if not looped:
        names = ("forward_dynamics", "forward_dynamics_derivatives")
    driven = bool(equations.mechanism.model.motions)
    asked = ("constrained_terms" if looped else "forward_dynamics") if driven else "inverse_dynamics"
    requests = (DerivativeRequest(asked, ("u",)),) if equations.inputs else ()
    options = replace(equations.options, functions=(*names, "mass_matrix"), derivatives=requests)
    derivation = derive(equations.mechanism, options)
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


def anywhere(equations: LinearEquations, seed: int) -> State:
    """A state near the initial one with everything at work; closed loops need not be closed."""
    mechanism, rng = equations.mechanism, np.random.default_rng(seed)
    q = initial_coordinates(mechanism) + rng.uniform(-0.4, 0.4, mechanism.nq)
    v, tau = rng.uniform(-1, 1, (2, mechanism.nv))
    return State(normalised(q, mechanism.q.quaternions), v, tau, rng.uniform(-1, 1, len(equations.inputs)), 0.3)


def assert_the_same(model: Model, seed: int) -> None:
    equations = prepare(model)
    state = anywhere(equations, seed)
    found = equations.slopes(state)
    for name, expected in printed(equations, state).items():
        size = np.abs(expected).max(initial=1e-2)
        np.testing.assert_allclose(getattr(found, name), expected, rtol=0, atol=RELATIVE * size, err_msg=name)


WITHOUT_MASS = ("driver_cab", "qi_closed_loops", "qi_small", "slides_tree", "stanford_arm")
NAMES = [name for name in examples.names() if name not in WITHOUT_MASS]


@pytest.mark.parametrize(
    "name", some(NAMES, ["bicycle", "five_bar", "floating_two_arm", "puma560", "rolling_disc", "slider_crank"])
)
def test_examples(name: str) -> None:
    assert_the_same(examples.load(name), 1)


@pytest.mark.parametrize("seed", some(range(40), range(8)))
def test_random_trees(seed: int) -> None:
    assert_the_same(random_tree(seed, bodies=(2, 8)), seed)


@pytest.mark.parametrize("seed", some(range(20), range(4)))
def test_random_loops(seed: int) -> None:
    assert_the_same(random_closed_loops(seed, bodies=(2, 4), loops=(1, 2))[0], seed)


@pytest.mark.parametrize("seed", some(range(20), range(4)))
def test_random_trees_with_motions(seed: int) -> None:
    model = random_tree(seed, bodies=(2, 8), couplings=False)
    assert_the_same(with_motions(model, np.random.default_rng(seed)), seed)


def test_nothing_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of trees, not of loops, not of what rolls."""

    def refused(*_: Any) -> None:
        raise AssertionError("something was printed")

    monkeypatch.setattr(load, "LoadedModule", refused)
    for name in ("puma560", "four_bar", "bicycle"):
        mbsym.linearise(name)
        mbsym.equilibrium(name, starts=1)
