"""The rule that completes an axis to a frame."""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.model.joint_frame import aligning_rotation
from mbsym.reference.rotations import rotation_vector


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (1, 0, 0), (0, -2, 0), (0.3, -0.4, 0.5), (1e-9, 2e-9, -1.0), (3, 1, -1e3), (0, 0, -5)]
)
def test_z_is_turned_to_the_axis(axis: tuple[float, float, float]) -> None:
    rotation = np.array(aligning_rotation(axis))
    assert rotation[:, 2] == pytest.approx(np.array(axis) / np.linalg.norm(axis), abs=1e-15)
    assert rotation.T @ rotation == pytest.approx(np.eye(3), abs=1e-15)
    assert np.linalg.det(rotation) == pytest.approx(1)


def test_the_rotation_is_the_smallest() -> None:
    axis = np.array([0.2, -0.5, 0.4]) / np.linalg.norm([0.2, -0.5, 0.4])
    turn = rotation_vector(np.array(aligning_rotation((0.2, -0.5, 0.4))))
    assert np.linalg.norm(turn) == pytest.approx(np.arccos(axis[2]))
    assert turn[2] == pytest.approx(0, abs=1e-15)


def test_the_opposite_direction_is_a_half_turn_about_x() -> None:
    assert aligning_rotation((0, 0, -2)) == ((1, 0, 0), (0, -1, 0), (0, 0, -1))


def test_a_zero_axis_has_no_frame() -> None:
    with pytest.raises(ValueError, match="no direction"):
        aligning_rotation((0, 0, 0))
