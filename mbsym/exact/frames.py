"""Functions of frames: they ride on bodies, and are seen in their own axes, in those of the base, or at its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from mbsym.exact.dynamics import ExactState
from mbsym.exact.functions import Given, Results
from mbsym.exact.kinematics import cross, moving, swept
from mbsym.exact.mechanism import placed
from mbsym.model.frame import Frame
from mbsym.reference.rotations import Array


def _frames(state: ExactState) -> tuple[Frame, ...]:
    return state.mechanism.model.frames_of_functions


def _pose(state: ExactState, frame: Frame) -> tuple[int, Array, Array]:
    """The body, the axes of the frame, and the arm from the body's origin to the frame's, in base axes."""
    label = state.mechanism.body_labels[frame.body]
    turn, shift = placed(frame.placement, state.numbers)
    carried = state.moving.rotations[label]
    return label, carried @ turn, carried @ shift


def _seen(frame: Frame, axes: Array, angular: Array, linear: Array) -> list[Any]:
    turn = axes.T if frame.axes == "local" else np.eye(3, dtype=int).astype(object)
    return [*(turn @ angular), *(turn @ linear)]


def _velocities(state: ExactState, omega: Array, velocity: Array) -> list[Any]:
    """[omega; v] of every frame, of columns (nb+1, 3, n) of what bodies do; of ``base`` it is the body's velocity field
    at the origin of the base."""
    found: list[Any] = []
    for frame in _frames(state):
        label, axes, arm = _pose(state, frame)
        arm = -state.moving.origins[label] if frame.axes == "base" else arm
        found += _seen(frame, axes, omega[label], velocity[label] + swept(omega[label], arm))
    return found


def _accelerations(state: ExactState, vdot: Array, less: Array) -> list[Any]:
    """[alpha; a less something] of every frame."""
    motion, found = moving(state.mechanism, state.q, state.v, vdot), []
    for frame in _frames(state):
        label, axes, arm = _pose(state, frame)
        if frame.axes == "base":
            # The rate of the field v - omega x o at a place that stays.
            swept = cross(motion.alpha[label], motion.origins[label])
            swept = swept + cross(motion.omega[label], motion.velocity[label])
            linear = motion.acceleration[label] - swept
        else:
            linear = motion.at(label, arm)[1]
        found += _seen(frame, axes, motion.alpha[label], linear - less)
    return found


def _poses(state: ExactState, given: Given) -> Results:
    found: list[Any] = []
    for frame in _frames(state):
        label, axes, arm = _pose(state, frame)
        for row, shift in zip(axes, state.moving.origins[label] + arm, strict=True):
            found += [*row, shift]
        found += [0, 0, 0, 1]
    return [found]


def _jacobians(state: ExactState, given: Given) -> Results:
    rows = _velocities(state, state.columns[:, :3], state.columns[:, 3:])
    return [[entry for row in rows for entry in row]]


def _still(state: ExactState) -> Array:
    return np.zeros(state.mechanism.nv, dtype=object)


_NONE: Final = np.zeros(3, dtype=object)

OF_FRAMES: Final[Mapping[str, Callable[[ExactState, Given], Results]]] = {
    "frame_pose": _poses,
    "frame_velocity": lambda state, given: [_velocities(state, state.moving.omega, state.moving.velocity)],
    "frame_jacobian": _jacobians,
    "frame_acceleration": lambda state, given: [_accelerations(state, given["vdot"], _NONE)],
    "frame_proper_acceleration": lambda state, given: [_accelerations(state, given["vdot"], state.mechanism.gravity)],
    "frame_jacobian_rate_v": lambda state, given: [_accelerations(state, _still(state), _NONE)],
}
"""By the names of functions."""
