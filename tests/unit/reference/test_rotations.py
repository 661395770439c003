"""Rotation matrices and quaternions of the reference."""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.reference.rotations import (
    angle_about,
    cross,
    quaternion_exponential,
    quaternion_product,
    quaternion_rotation,
    rotation_about,
    rotation_quaternion,
    rotation_vector,
    skew,
)

RNG = np.random.default_rng(5)
VECTORS = RNG.normal(size=(6, 3))


def test_skew_and_cross_agree_with_numpy() -> None:
    a, b = VECTORS[0], VECTORS[1]
    assert cross(a, b) == pytest.approx(np.cross(a, b))
    assert skew(a) @ b == pytest.approx(np.cross(a, b))


@pytest.mark.parametrize("vector", [*VECTORS, np.zeros(3), np.array([1e-7, 0, 0]), np.array([0, np.pi - 1e-6, 0])])
def test_exponential_logarithm_and_axis_angle_agree(vector: np.ndarray) -> None:
    vector = vector if np.linalg.norm(vector) <= np.pi else vector / np.linalg.norm(vector)
    quaternion = quaternion_exponential(vector)
    assert np.linalg.norm(quaternion) == pytest.approx(1, abs=1e-15)
    rotation = quaternion_rotation(quaternion)
    angle = np.linalg.norm(vector)
    axis = vector / angle if angle else np.array([1.0, 0, 0])
    assert rotation == pytest.approx(rotation_about(axis, angle), abs=1e-15)
    # Near a half turn the angle is known to about the square root of rounding only in its own direction.
    assert rotation_vector(rotation) == pytest.approx(vector, abs=1e-9)
    assert angle_about(axis, rotation) == pytest.approx(angle, abs=1e-9)


def test_quaternion_product_is_the_product_of_rotations() -> None:
    a, b = (quaternion_exponential(vector) for vector in VECTORS[2:4])
    product = quaternion_rotation(a) @ quaternion_rotation(b)
    assert quaternion_rotation(quaternion_product(a, b)) == pytest.approx(product, abs=1e-15)
    assert quaternion_rotation(rotation_quaternion(product)) == pytest.approx(product, abs=1e-15)


def test_a_complex_step_gives_the_spin() -> None:
    omega = VECTORS[4]
    turned = quaternion_rotation(quaternion_exponential(1e-30j * omega))
    assert turned.imag / 1e-30 == pytest.approx(skew(omega))
