"""Rates of the coordinates, and steps along given speeds on the manifold of the coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.rotations import Array, quaternion_exponential, quaternion_product, quaternion_rotation


def position_rate(mechanism: NumericMechanism, q: Array, v: Array) -> Array:
    """qdot (nq,) for speeds v (nv,); quaternions by qdot = q (0, omega) / 2, omega in the moving axes."""
    rate = np.zeros(mechanism.nq)
    for joint in mechanism.tree_joints:
        if joint.coordinates is None or joint.speeds is None:
            continue
        entries, speeds = q[joint.coordinates], v[joint.speeds]
        if joint.type in ("spherical", "free"):
            turning = 0.5 * quaternion_product(entries[:4], np.concatenate([[0.0], speeds[:3]]))
            shifting = quaternion_rotation(entries[:4]) @ speeds[3:] if joint.type == "free" else np.zeros(0)
            rate[joint.coordinates] = np.concatenate([turning, shifting])
        else:
            rate[joint.coordinates] = speeds
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
        entries, step = q[joint.coordinates], h * v[joint.speeds]
        if joint.type in ("spherical", "free"):
            turned = quaternion_product(entries[:4], quaternion_exponential(step[:3]))
            shifted = entries[4:] + quaternion_rotation(entries[:4]) @ step[3:] if joint.type == "free" else np.zeros(0)
            moved[joint.coordinates] = np.concatenate([turned, shifted])
        else:
            moved[joint.coordinates] = entries + step
    return moved
