"""Rotation matrices and quaternions in NumPy, written so that a complex step may pass through them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

UNIT_VECTORS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def skew(a: Array) -> Array:
    """a~, the 3x3 matrix with a~ b = a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Array, b: Array) -> Array:
    """a x b of two vectors of three entries."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation_about(axis: Array, angle: Any) -> Array:
    """Rodrigues' formula, 3x3, for an axis of unit length."""
    k = skew(axis)
    rotation: Array = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)
    return rotation


def quaternion_rotation(quaternion: Array) -> Array:
    """3x3 matrix of a unit quaternion (w, x, y, z); not normalised, so that it stays a polynomial."""
    w, vector = quaternion[0], quaternion[1:]
    k = skew(vector)
    rotation: Array = np.eye(3) + 2 * w * k + 2 * (k @ k)
    return rotation


def quaternion_product(a: Array, b: Array) -> Array:
    """Hamilton's product of two quaternions (w, x, y, z)."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + cross(a[1:], b[1:])])


def quaternion_exponential(rotation_vector: Array) -> Array:
    """Unit quaternion of the rotation by |r| about r."""
    square = rotation_vector @ rotation_vector
    if abs(square) < 1e-10:  # the next terms of both series are below 1e-22
        return np.concatenate([[1 - square / 8], rotation_vector * (0.5 - square / 48)])
    angle = np.sqrt(square)
    return np.concatenate([[np.cos(angle / 2)], rotation_vector * (np.sin(angle / 2) / angle)])


def rotation_quaternion(rotation: Array) -> Array:
    """Unit quaternion (w, x, y, z), w >= 0, of a rotation matrix: the eigenvector of Bar-Itzhack's 4x4 matrix."""
    r = rotation
    k = np.array(
        [
            [r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2]],
            [r[0, 2] - r[2, 0], r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2]],
            [r[1, 0] - r[0, 1], r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1]],
        ]
    )
    quaternion: Array = np.linalg.eigh(k)[1][:, -1]
    return -quaternion if quaternion[0] < 0 else quaternion


def rotation_vector(rotation: Array) -> Array:
    """Angle times axis of a rotation matrix, angle in [0, pi]."""
    quaternion = rotation_quaternion(rotation)
    sine = float(np.linalg.norm(quaternion[1:]))
    if sine < 1e-8:
        return 2 * quaternion[1:]
    vector: Array = quaternion[1:] * (2 * np.arctan2(sine, quaternion[0]) / sine)
    return vector


def angle_about(axis: Array, rotation: Array) -> float:
    """The angle, in (-pi, pi], of the rotation about the axis that comes nearest to ``rotation``."""
    sine = 0.5 * (axis @ np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0],
                                   rotation[1, 0] - rotation[0, 1]]))  # fmt: skip
    cosine = 0.5 * (np.trace(rotation) - axis @ rotation @ axis)
    return float(np.arctan2(sine, cosine))
