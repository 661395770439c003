"""The joint types once more, by directions that are fixed in one of a joint's two frames: one record each.

P is the joint frame on the predecessor, S the one on the successor, its head the origin of S. The relative twist is
[omega_S - omega_P; velocity of the head as seen from P], components in base axes; it equals H v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from mbsym.errors import ModelError
from mbsym.records import Registry
from mbsym.reference.mechanism import NumericJoint
from mbsym.reference.rotations import (
    Array,
    angle_about,
    quaternion_exponential,
    quaternion_product,
    quaternion_rotation,
    rotation_about,
    rotation_quaternion,
)

Direction: TypeAlias = tuple[Array, Array, bool]
"""Angular and linear part of a column of H in base axes, and whether it is fixed in S (True) or in P (False)."""

NONE: Final = np.zeros(3)
UNTURNED: Final = np.eye(3)


def _after(q: Array, step: Array) -> Array:
    moved: Array = q + step
    return moved


@dataclass(frozen=True, slots=True)
class ReferenceJoint:
    """What the reference knows of one type of joint.

    Attributes:
        name: of the type.
        placement: rotation and origin of S in P at coordinates q.
        directions: columns of H from the joint, P, S and q; P and S have their axes in base axes for columns.
        coordinates: q at which S comes nearest to a rotation and origin in P, angles in (-pi, pi].
        rate: qdot for q and v.
        moved: q after a step v h.
        change: (6, n), the rate of H in base axes that the change of q alone makes, the joint's frames at rest; from
            the joint, P, q and v.
    """

    name: str
    placement: Callable[[NumericJoint, Array], tuple[Array, Array]]
    directions: Callable[[NumericJoint, Array, Array, Array], Sequence[Direction]]
    coordinates: Callable[[NumericJoint, Array, Array], Array]
    rate: Callable[[Array, Array], Array] = lambda q, v: v
    moved: Callable[[Array, Array], Array] = _after
    change: Callable[[NumericJoint, Array, Array, Array], Array] = lambda joint, P, q, v: np.zeros((6, len(v)))


def joint_freedom(joint: NumericJoint, P: Array, S: Array, q: Array) -> tuple[Array, Array]:
    """Directions of the joint's freedoms in base axes.

    Args:
        joint: the joint.
        P, S: rotation matrices of its joint frames, columns in base axes.
        q: its coordinates.

    Returns:
        H, (6, n), and for each of its columns whether it is fixed in S (True) or in P (False).
    """
    columns = REFERENCE_JOINTS[joint.type].directions(joint, P, S, q)
    if not columns:
        return np.zeros((6, 0)), np.zeros(0, dtype=bool)
    freedom = np.array([np.concatenate([angular, linear]) for angular, linear, _ in columns]).T
    return freedom, np.array([in_successor for _, _, in_successor in columns])


# ---- types ----------------------------------------------------------------------------------------------------------


def _helical_coordinates(joint: NumericJoint, rotation: Array, origin: Array) -> Array:
    """Turns are counted by the translation, if the pitch is not zero."""
    (pitch,) = joint.numbers
    angle = angle_about(joint.axis, rotation)
    turns = round(float(joint.axis @ origin / pitch - angle) / (2 * np.pi)) if pitch else 0
    return np.array([angle + 2 * np.pi * turns])


def _universal_coordinates(joint: NumericJoint, rotation: Array, origin: Array) -> Array:
    axis, second = joint.axis, joint.second_axis
    turned = rotation @ second
    first = float(np.arctan2(axis @ np.cross(second, turned), second @ turned))
    return np.array([first, angle_about(second, rotation_about(axis, -first) @ rotation)])


def _planar_directions(joint: NumericJoint, P: Array, S: Array, q: Array) -> Sequence[Direction]:
    frame = P @ joint.frame
    return (NONE, frame[:, 0], False), (NONE, frame[:, 1], False), (P @ joint.axis, NONE, False)


def _turning(S: Array) -> list[Direction]:
    return [(S[:, k], NONE, True) for k in range(3)]


def _quaternion_rate(q: Array, omega: Array) -> Array:
    rate: Array = 0.5 * quaternion_product(q, np.concatenate([[0.0], omega]))
    return rate


def _turned(q: Array, step: Array) -> Array:
    return quaternion_product(q, quaternion_exponential(step))


REFERENCE_JOINTS: Final[Registry[ReferenceJoint]] = Registry(
    "joint type of the reference",
    (
        ReferenceJoint(
            "revolute",
            lambda joint, q: (rotation_about(joint.axis, q[0]), NONE),
            lambda joint, P, S, q: [(P @ joint.axis, NONE, False)],
            lambda joint, rotation, origin: np.array([angle_about(joint.axis, rotation)]),
        ),
        ReferenceJoint(
            "prismatic",
            lambda joint, q: (UNTURNED, joint.axis * q[0]),
            lambda joint, P, S, q: [(NONE, P @ joint.axis, False)],
            lambda joint, rotation, origin: np.array([joint.axis @ origin]),
        ),
        ReferenceJoint(
            "helical",
            lambda joint, q: (rotation_about(joint.axis, q[0]), joint.axis * (joint.numbers[0] * q[0])),
            lambda joint, P, S, q: [(P @ joint.axis, joint.numbers[0] * (P @ joint.axis), False)],
            _helical_coordinates,
        ),
        ReferenceJoint(
            "cylindrical",
            lambda joint, q: (rotation_about(joint.axis, q[1]), joint.axis * q[0]),
            lambda joint, P, S, q: [(NONE, P @ joint.axis, False), (P @ joint.axis, NONE, False)],
            lambda joint, rotation, origin: np.array([joint.axis @ origin, angle_about(joint.axis, rotation)]),
        ),
        ReferenceJoint(
            "universal",
            lambda joint, q: (rotation_about(joint.axis, q[0]) @ rotation_about(joint.second_axis, q[1]), NONE),
            lambda joint, P, S, q: [(P @ joint.axis, NONE, False), (S @ joint.second_axis, NONE, True)],
            _universal_coordinates,
        ),
        ReferenceJoint(
            "planar",
            lambda joint, q: (rotation_about(joint.axis, q[2]), joint.frame[:, 0] * q[0] + joint.frame[:, 1] * q[1]),
            _planar_directions,
            lambda joint, rotation, origin: np.array(
                [*(joint.frame[:, :2].T @ origin), angle_about(joint.axis, rotation)]
            ),
        ),
        ReferenceJoint(
            "spherical",
            lambda joint, q: (quaternion_rotation(q), NONE),
            lambda joint, P, S, q: _turning(S),
            lambda joint, rotation, origin: rotation_quaternion(rotation),
            _quaternion_rate,
            _turned,
        ),
        ReferenceJoint(
            "free",
            lambda joint, q: (quaternion_rotation(q[:4]), q[4:]),
            lambda joint, P, S, q: [*_turning(S), *((NONE, S[:, k], True) for k in range(3))],
            lambda joint, rotation, origin: np.concatenate([rotation_quaternion(rotation), origin]),
            lambda q, v: np.concatenate([_quaternion_rate(q[:4], v[:3]), quaternion_rotation(q[:4]) @ v[3:]]),
            lambda q, step: np.concatenate([_turned(q[:4], step[:3]), q[4:] + quaternion_rotation(q[:4]) @ step[3:]]),
        ),
        ReferenceJoint(
            "fixed",
            lambda joint, q: (UNTURNED, NONE),
            lambda joint, P, S, q: [],
            lambda joint, rotation, origin: np.zeros(0),
        ),
    ),
    ModelError,
)
