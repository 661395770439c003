"""Quantities of frames that expressions name, from rotation matrices and origins in base axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.frame import Frame
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion, frame_pose
from mbsym.reference.rotations import Array, cross
from mbsym.values.frame_quantities import FrameQuantity


def frame_quantity(
    mechanism: NumericMechanism,
    home: Mapping[str, Frame],
    at: Configuration,
    moving: Motion,
    quantity: FrameQuantity,
) -> float:
    """Its value [SI].

    Args:
        mechanism: the mechanism.
        home: its frames by the names that expressions give them.
        at: its placements.
        moving: its twists.
        quantity: what is asked for.

    Raises:
        ModelError: a direction between two origins that coincide.
    """

    def pose(name: str) -> tuple[Array, Array]:
        return frame_pose(mechanism, home[name], at.rotations, at.origins)

    def spin(name: str) -> Array:
        spinning: Array = moving.angular[mechanism.body_labels[home[name].body], :, 0]
        return spinning

    def velocity(name: str) -> Array:
        label = mechanism.body_labels[home[name].body]
        moved: Array = moving.linear[label, :, 0] + cross(spin(name), pose(name)[1] - at.origins[label])
        return moved

    first, last = quantity.frames[0], quantity.frames[-1]
    way = pose(last)[1] - pose(first)[1]
    length = float(np.linalg.norm(way))
    if quantity.word in ("direction", "distance_rate") and length == 0:
        raise ModelError(f"{first} and {last} coincide", where=quantity.name, remedy="keep them apart")
    letters = "xyz"
    match quantity.word:
        case "position":
            vector = pose(first)[1]
        case "velocity":
            vector = velocity(first)
        case "angular_velocity":
            vector = spin(first)
        case "axis":
            vector = pose(first)[0][:, letters.index(quantity.letter)]
        case "direction":
            vector = way / length
        case "distance":
            return length
        case "distance_rate":
            return float((velocity(last) - velocity(first)) @ way) / length
        case "angle":
            return _angle(pose(first)[0], pose(last)[0], letters.index(quantity.letter))
    axes = pose(quantity.axes)[0] if quantity.axes else np.eye(3)
    return float(axes[:, letters.index(quantity.component)] @ vector)


def _angle(still: Array, turned: Array, about: int) -> float:
    """From an axis of one frame to that of another, both seen along a normal of the first."""
    normal, start = still[:, about], still[:, (about + 1) % 3]
    end = turned[:, (about + 1) % 3]
    end = end - (end @ normal) * normal
    return float(np.arctan2(normal @ np.cross(start, end), start @ end))
