"""Overconstrained mechanisms keep the rows that they need and move as maximal coordinates do, from any start.

A sample; ``tests/benchmarks/overconstrained.py`` does rows of 1 to 40 windows and 200 mechanisms.
"""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mechanisms.examples import further, some
from mechanisms.generic_motion import compared
from mechanisms.overconstrained import windows
from mechanisms.random_overconstrained import KINDS, random_overconstrained


@pytest.mark.parametrize("count", [1, 2, 4, 7, *further(10)])
def test_flat_windows_move_with_one_freedom(count: int) -> None:
    found = compared(windows(count), 1, moves=count < 5)
    assert (found.rows, found.rank, found.freedoms) == (2 * count, 2 * count, 1)
    assert found.error < 1e-8


@pytest.mark.parametrize("seed", some(range(3 * len(KINDS)), range(len(KINDS))))
def test_random_mechanisms_keep_the_rank_and_the_motion(seed: int) -> None:
    drawn = random_overconstrained(seed)
    found = compared(drawn.model, drawn.mobility)
    assert found.freedoms == drawn.mobility
    assert found.rows == found.rank
    assert found.error < 1e-7


def test_every_kind_is_drawn_and_singular_starts_are() -> None:
    drawn = [random_overconstrained(seed) for seed in range(3 * len(KINDS))]
    assert len({item.kind for item in drawn}) == len(KINDS)
    assert {item.kind for item in drawn if item.singular} == {"parallel cranks", "spherical", "windows"}


@pytest.mark.parametrize("length", [1.0, 1e-4])
def test_hinges_on_one_axis_of_decimals_do_not_hold_the_door(length: float) -> None:
    """The second hinge lies on the axis of the first up to round-off, of which a closure row was made."""
    axis = np.array([0.3, -0.5, 0.7]) / np.sqrt(0.83)
    at = length * np.array([0.1, 0.7, -0.3])
    joints = tuple(
        Joint(
            f"hinge_{k}", "revolute", "ground", "door", axis=tuple(axis.tolist()),
            predecessor_placement=Placement(tuple((at + k * length * axis / 3).tolist())),
            successor_placement=Placement(tuple((k * length * axis / 3).tolist())),
        )
        for k in range(2)
    )  # fmt: skip
    model = Model("door", (Body("door", 1, (0, 0, 0), (1, 1, 1, 0, 0, 0)),), joints)
    found = analyse_loops(build_mechanism(model, model.label()))
    assert (found.rows, found.mobility) == ((), 1)
