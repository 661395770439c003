"""What each joint type allows, by directions that are fixed in one of its two joint frames.

P is the joint frame on the predecessor, S the one on the successor, its head the origin of S. The relative twist is
[omega_S - omega_P; velocity of the head as seen from P], components in base axes; it equals H v.
"""

from __future__ import annotations

import numpy as np

from mbsym.reference.mechanism import NumericJoint
from mbsym.reference.rotations import (
    Array,
    angle_about,
    quaternion_rotation,
    rotation_about,
    rotation_quaternion,
)


def joint_placement(joint: NumericJoint, q: Array) -> tuple[Array, Array]:
    """Rotation and origin of S in P at the joint's coordinates."""
    none, unturned = np.zeros(3), np.eye(3)
    match joint.type:
        case "revolute":
            return rotation_about(joint.axis, q[0]), none
        case "prismatic":
            return unturned, joint.axis * q[0]
        case "helical":
            return rotation_about(joint.axis, q[0]), joint.axis * (joint.pitch * q[0])
        case "cylindrical":
            return rotation_about(joint.axis, q[1]), joint.axis * q[0]
        case "universal":
            return rotation_about(joint.axis, q[0]) @ rotation_about(joint.second_axis, q[1]), none
        case "planar":
            return rotation_about(joint.axis, q[2]), joint.frame[:, 0] * q[0] + joint.frame[:, 1] * q[1]
        case "spherical":
            return quaternion_rotation(q), none
        case "free":
            return quaternion_rotation(q[:4]), q[4:]
        case _:
            return unturned, none


def joint_freedom(joint: NumericJoint, P: Array, S: Array) -> tuple[Array, Array]:
    """Directions of the joint's freedoms in base axes.

    Args:
        joint: the joint.
        P, S: rotation matrices of its joint frames, columns in base axes.

    Returns:
        H, (6, n), and for each of its columns whether it is fixed in S (True) or in P (False).
    """
    none = np.zeros(3)
    axis = P @ joint.axis
    match joint.type:
        case "revolute":
            columns = [(axis, none, False)]
        case "prismatic":
            columns = [(none, axis, False)]
        case "helical":
            columns = [(axis, joint.pitch * axis, False)]
        case "cylindrical":
            columns = [(none, axis, False), (axis, none, False)]
        case "universal":
            columns = [(axis, none, False), (S @ joint.second_axis, none, True)]
        case "planar":
            frame = P @ joint.frame
            columns = [(none, frame[:, 0], False), (none, frame[:, 1], False), (axis, none, False)]
        case "spherical":
            columns = [(S[:, k], none, True) for k in range(3)]
        case "free":
            columns = [(S[:, k], none, True) for k in range(3)] + [(none, S[:, k], True) for k in range(3)]
        case _:
            columns = []
    if not columns:
        return np.zeros((6, 0)), np.zeros(0, dtype=bool)
    freedom = np.array([np.concatenate([angular, linear]) for angular, linear, _ in columns]).T
    return freedom, np.array([in_successor for _, _, in_successor in columns])


def joint_coordinates(joint: NumericJoint, rotation: Array, origin: Array) -> Array:
    """Coordinates at which S comes nearest to the given rotation and origin in P; angles in (-pi, pi].

    A helical joint's turns are counted by its translation, if its pitch is not zero.
    """
    axis = joint.axis
    match joint.type:
        case "revolute":
            return np.array([angle_about(axis, rotation)])
        case "prismatic":
            return np.array([axis @ origin])
        case "helical":
            angle = angle_about(axis, rotation)
            turns = round(float(axis @ origin / joint.pitch - angle) / (2 * np.pi)) if joint.pitch else 0
            return np.array([angle + 2 * np.pi * turns])
        case "cylindrical":
            return np.array([axis @ origin, angle_about(axis, rotation)])
        case "universal":
            second = joint.second_axis
            turned = rotation @ second
            first = float(np.arctan2(axis @ np.cross(second, turned), second @ turned))
            return np.array([first, angle_about(second, rotation_about(axis, -first) @ rotation)])
        case "planar":
            return np.array([*(joint.frame[:, :2].T @ origin), angle_about(axis, rotation)])
        case "spherical":
            return rotation_quaternion(rotation)
        case "free":
            return np.concatenate([rotation_quaternion(rotation), origin])
        case _:
            return np.zeros(0)
