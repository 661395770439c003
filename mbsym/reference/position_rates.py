"""Rates of the coordinates, and steps along given speeds on the manifold of the coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.rotations import Array


def position_rate(mechanism: NumericMechanism, q: Array, v: Array) -> Array:
    """qdot (nq,) for speeds v (nv,); quaternions by qdot = q (0, omega) / 2, omega in the moving axes."""
    rate = np.zeros(mechanism.nq)
    for joint in mechanism.tree_joints:
        if joint.coordinates is None or joint.speeds is None:
            continue
        rate[joint.coordinates] = REFERENCE_JOINTS[joint.type].rate(q[joint.coordinates], v[joint.speeds])
    return rate


def integrate_position(mechanism: NumericMechanism, q: Array, v: Array, h: Any) -> Array:
    """q after the speeds v have acted for the time h; quaternions stay of unit length.

    Its derivative by h at h = 0 is the position rate; a free joint's frame goes straight on, so that larger steps are
    of first order. An imaginary h makes a complex step.
    """
    moved = np.array(q, dtype=np.result_type(q, type(h), float))
    for joint in mechanism.tree_joints:
        if joint.coordinates is None or joint.speeds is None:
            continue
        moved[joint.coordinates] = REFERENCE_JOINTS[joint.type].moved(q[joint.coordinates], h * v[joint.speeds])
    return moved
