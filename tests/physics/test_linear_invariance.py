"""Small motions are the same on another ground, in another order, with joints turned round or another joint cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes
from mbsym.model.body import Placement
from mbsym.model.system import Model
from mechanisms.alike import cut_at, on_another_ground, other_cuts, resting, with_joints_turned_round
from mechanisms.in_units import CART, SLIDER, Units, in_units
from mechanisms.random_mechanisms import random_closed_loops

Array = NDArray[Any]

STAND = Placement((1, -2, 0.5), (("x", 0.4), ("y", -1.1), ("z", 2.0)))


def turned(model: Model) -> Model:
    """On a ground that is turned in space; gravity is the same as the mechanism feels it."""
    (cx, cy, cz), (sx, sy, sz) = np.cos([0.4, -1.1, 2.0]), np.sin([0.4, -1.1, 2.0])
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    x, y, z = (about_x @ about_y @ about_z @ [float(entry) for entry in model.gravity]).tolist()
    return on_another_ground(model, STAND, (x, y, z))


def apart(found: Array, other: Array) -> float:
    """Largest distance of a value of one set from the nearest of the other, as a part of the largest."""
    assert found.shape == other.shape
    distances = np.abs(found[:, None] - other[None, :])
    return float(max(distances.min(axis=0).max(), distances.min(axis=1).max()) / np.abs(found).max())


def by_equations(model: Model, order: str = "weight") -> tuple[Array, Array]:
    """Poles about the first equilibrium, and what A and B answer to forces along A."""
    names = {"inputs": ["v_A"], "outputs": ["q_A", "v_A", "vdot_A"]}
    found = mbsym.linearise(model, "equilibrium", order=order, **names)
    A, B, C, D = found
    return found.poles, np.array([C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D for s in (0.3j, 2j)])


@pytest.mark.parametrize("text", [CART, SLIDER], ids=["cart", "slider"])
def test_poles_and_responses_of_equations(text: str) -> None:
    """To 1e-8: equilibria are found to 1e-10 of the forces at work."""
    model = in_units(text, Units())
    poles, response = by_equations(model)
    # The order given would cut the rail, along which a spring acts.
    others = [(turned(model), "weight"), (with_joints_turned_round(model), "weight" if text is SLIDER else "input")]
    loops = [(cut_at(model, {"B": "cut"}), "weight")] if text is SLIDER else []
    for other, order in (*others, *loops):
        found, answer = by_equations(other, order)
        assert apart(found, poles) < 1e-8
        assert np.abs(answer - response).max() < 1e-8 * np.abs(response).max()
    if loops:
        assert model.label().cut_joints != loops[0][0].label().cut_joints


def eigenvalues(model: Model, order: str = "weight") -> Array:
    """Of all modes by transfer matrices, both of each pair."""
    found = np.array([mode.eigenvalue for mode in transfer_matrix_modes(model, at=None, count=99, order=order)])
    return np.concatenate([found, found.conj()])


@pytest.mark.parametrize("seed", [0, 2])
def test_modes_of_random_loops_by_transfer_matrices(seed: int) -> None:
    """Springs that do not pull and dampers between all bodies; positions close to round-off.

    To 1e-10: what depends on the way is round-off of some tens of operations at each of a few elements.
    """
    model, q = random_closed_loops(seed, forces=False, constraints=False, loops=(1, 2), bodies=(3, 5))
    model = resting(model, q, seed)
    plain = eigenvalues(model)
    cuts = other_cuts(model)
    assert len({other.label().cut_joints for other in (model, *cuts)}) > 2
    for other in (turned(model), with_joints_turned_round(model), *cuts):
        assert apart(eigenvalues(other), plain) < 1e-10
    assert apart(eigenvalues(model, "input"), plain) < 1e-10


def test_the_start_of_a_cut_joint_changes_nothing() -> None:
    """Whole turns of a joint without springs are one place."""
    model, q = random_closed_loops(2, forces=False, constraints=False, loops=(1, 2), bodies=(3, 5))
    model = resting(model, q, 2)
    cut = model.label().cut_joints
    joints = tuple(replace(joint, initial=()) if joint.name in cut else joint for joint in model.joints)
    assert apart(eigenvalues(replace(model, joints=joints)), eigenvalues(model)) < 1e-10


def test_bodies_that_hang_on_springs_alone() -> None:
    """Cut so that a free joint carries all: eleven springs on three freedoms, of which only three are independent."""
    model, q = random_closed_loops(5, forces=False, constraints=False, loops=(1, 2), bodies=(3, 5))
    model = resting(model, q, 5)
    other = cut_at(model, {"loop 1": "cut", "v_3": "cut", "v_6": "tree", "loop 2": "tree"})
    assert other.label().cut_joints == ("loop 1", "v_3")
    assert apart(eigenvalues(other), eigenvalues(model)) < 1e-10
