"""Functions of the user's frames agree: velocities with Jacobians, accelerations with and without gravity."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.body import Placement
from mbsym.model.frame import Frame
from mbsym.symbolic.scalar import Scalar
from mechanisms.exact import same
from mechanisms.matrices import results, rows, times
from mechanisms.mechanism import mechanism_of
from mechanisms.trees import tree_model


@pytest.fixture
def own() -> Mechanism:
    """A tool on the second body and one on ground's first child, under gravity."""
    model = tree_model((0, 1, 1), ("universal", "cylindrical", "revolute"))
    tool = Frame("tool", "B2", Placement((0.1, "1/5", -0.3), (("x", 0.4),)))
    frames = (tool, Frame("eye", "B1"))
    return mechanism_of(replace(model, frames=frames, gravity=(1, 2, -10)))


def entries(own: Mechanism, function: str) -> list[Scalar]:
    (found,) = results(FRAME_FUNCTIONS[function](own)).values()
    return found


def test_velocities_are_the_jacobian_times_speeds(own: Mechanism) -> None:
    jacobian = rows(entries(own, "frame_jacobian"), own.nv)
    assert len(jacobian) == 12
    assert same(own, entries(own, "frame_velocity"), times(jacobian, own.entries(own.v)))


def test_accelerations_are_those_of_rates_and_of_speeds(own: Mechanism) -> None:
    jacobian = rows(entries(own, "frame_jacobian"), own.nv)
    moved = times(jacobian, own.entries(own.vdot))
    both = [a + b for a, b in zip(moved, entries(own, "frame_jacobian_rate_v"), strict=True)]
    assert same(own, entries(own, "frame_acceleration"), both)


def test_sensors_feel_less_gravity_in_their_axes(own: Mechanism) -> None:
    found, felt = entries(own, "frame_acceleration"), entries(own, "frame_proper_acceleration")
    pose = entries(own, "frame_pose")
    for k in range(2):
        R = [pose[16 * k + 4 * row : 16 * k + 4 * row + 3] for row in range(3)]
        g = [sum((R[row][column] * own.gravity[row] for row in range(3)), Scalar(own.graph, 0)) for column in range(3)]
        plain, proper = found[6 * k : 6 * k + 6], felt[6 * k : 6 * k + 6]
        assert same(own, proper, [*plain[:3], *(a - b for a, b in zip(plain[3:], g, strict=True))])
