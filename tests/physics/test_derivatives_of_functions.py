"""Derivatives through the general door, of what filters and controllers differentiate: against the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest

from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Placement
from mbsym.model.frame import Frame, FrameAxes
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.verification.derivative_identities import slope
from mbsym.verification.evidence import Companions, Numbers
from mbsym.verification.random_state import random_state
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree

SEEDS = (2, 12, 20, 26, 28, 40, 41, 43, 59, 63, 67, 90, 101, 102, 111)
"""Random trees that together have every joint type both ways round and couplings."""

WANTED = {
    "gravity_force": ("q",),
    "bias_force": ("q", "v"),
    "momentum": ("q", "v"),
    "frame_pose": ("q",),
    "frame_velocity": ("q", "v"),
    "frame_acceleration": ("q", "v", "vdot"),
}


def framed(seed: int) -> Model:
    model = random_tree(seed, bodies=(1, 4))
    place = Placement((0.1, "1/5", -0.3), quaternion=(1, 2, 0, 1))
    return replace(model, frames=tuple(Frame(axes, model.bodies[-1].name, place, axes) for axes in get_args(FrameAxes)))


def test_the_trees_have_all_joint_types() -> None:
    found = {
        (body.joint.kind.name, body.flipped)
        for seed in SEEDS
        for body in mechanism_of(framed(seed)).bodies
        if body.parent
    }
    assert found == {(kind, flipped) for kind in JOINT_TYPES for flipped in (False, True)}


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_slopes_of_the_reference(seed: int) -> None:
    model = framed(seed)
    mechanism = mechanism_of(model)
    reference, rng = Reference(model, mechanism.labelling), np.random.default_rng(seed)
    q, v, tau = random_state(model, mechanism.labelling, rng)
    state: dict[str, Any] = {"q": q, "v": v, "tau": tau, "vdot": rng.normal(size=len(v)), "t": 0.3}
    state["u"] = rng.uniform(-1, 1, len(model.inputs))
    companions = Companions(mechanism, [DerivativeRequest(*item) for item in WANTED.items()])
    contracts = contracts_of(mechanism)
    for function, names in WANTED.items():
        matrices = companions.outputs(DerivativeRequest(function, names).name, state)
        for name, matrix in zip(names, matrices, strict=True):
            along = rng.uniform(-1, 1, len(v))

            def moved(
                h: float, name: str = name, along: Any = along, method: str = contracts[function].reference
            ) -> Any:
                step = reference.integrate_position(q, along, h) if name == "q" else state[name] + h * along
                return Numbers(reference, {**state, name: step})[method]

            expected = slope(moved)
            # Rounding of the reference, some 1e-13 of its results, over steps of 2e-4.
            allowed = 1e-8 * max(1.0, np.abs(expected).max(initial=0.0), np.abs(moved(0.0)).max(initial=0.0))
            assert np.abs(matrix @ along - expected).max(initial=0.0) <= allowed, (function, name)
