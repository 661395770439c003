"""Frames on bodies by the reference: positions and twists of points in base axes, then expressed as the frame asks."""

from __future__ import annotations

import numpy as np

from mbsym.model.frame import Frame
from mbsym.reference.mechanism import NumericMechanism, placement_numbers
from mbsym.reference.placements import Configuration, Motion
from mbsym.reference.rotations import Array, cross


def frame_pose(mechanism: NumericMechanism, frame: Frame, rotations: Array, origins: Array) -> tuple[Array, Array]:
    """Axes (columns) and origin of a frame in base axes, of bodies that stand so."""
    label = mechanism.body_labels[frame.body]
    rotation, translation = placement_numbers(frame.placement, mechanism.names)
    return rotations[label] @ rotation, origins[label] + rotations[label] @ translation


def frame_twists(mechanism: NumericMechanism, frame: Frame, at: Configuration, moving: Motion) -> Array:
    """[omega; v] for every column of speeds, (6, k)."""
    label = mechanism.body_labels[frame.body]
    axes, origin = frame_pose(mechanism, frame, at.rotations, at.origins)
    point = np.zeros(3) if frame.axes == "base" else origin
    arm = point - at.origins[label]
    omega = moving.angular[label]
    twist = np.concatenate([omega, moving.linear[label] + np.cross(omega, arm[:, None], axis=0)])
    seen: Array = _turned(frame, axes) @ twist
    return seen


def frame_acceleration(
    mechanism: NumericMechanism, frame: Frame, at: Configuration, moving: Motion, alpha: Array, linear: Array
) -> Array:
    """[alpha; a], (6,), of a body whose frame accelerates so, base axes."""
    label = mechanism.body_labels[frame.body]
    axes, origin = frame_pose(mechanism, frame, at.rotations, at.origins)
    omega = moving.angular[label, :, 0]
    if frame.axes == "base":
        # The velocity field at the base's origin, as time goes on: different points of the body pass there.
        arm, velocity = -at.origins[label], moving.linear[label, :, 0]
        here = linear[label] + cross(alpha[label], arm) - cross(omega, velocity)
    else:
        arm = origin - at.origins[label]
        here = linear[label] + cross(alpha[label], arm) + cross(omega, cross(omega, arm))
    seen: Array = _turned(frame, axes) @ np.concatenate([alpha[label], here])
    return seen


def _turned(frame: Frame, axes: Array) -> Array:
    """Takes [angular; linear] in base axes to the frame's, (6, 6)."""
    turn = axes.T if frame.axes == "local" else np.eye(3)
    return np.kron(np.eye(2), turn)
