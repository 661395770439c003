"""Forces that rotors of armature a ask at constant speeds, from their energy a v.v / 2 by Poincare's equations.

With X_j the motion of the coordinates per unit of speed j, [X_i, X_j] = sum_k c_ijk X_k and p = dT/dv = a v,

    dp_j/dt - sum_ik c_ijk v_i p_k = force along speed j,

since T does not depend on q. The c are taken from the coordinates' rates as they are, by a complex step and least
squares, so that nothing is known here of rotations, of axes, or of which joints have such terms.

Source: H. Poincare, Sur une forme nouvelle des equations de la mecanique, 1901.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.rotations import Array

STEP: Final = 1e-30
"""Of the complex step, whose error is of its square."""


def rotor_bias(mechanism: NumericMechanism, coordinates: Sequence[Array], rates: Array) -> Array:
    """Over the speeds of all joints, cut joints included.

    Args:
        mechanism: the mechanism.
        coordinates: of every joint by label.
        rates: speeds of all joints.
    """
    bias = np.zeros(len(rates))
    for joint, q in zip(mechanism.joints, coordinates, strict=True):
        if joint.armature:
            v = rates[joint.rates]
            bias[joint.rates] = joint.armature * speed_change(joint.type, q, v)
    return bias


def speed_change(kind: str, q: Array, v: Array) -> Array:
    """-sum_ik c_ijk v_i v_k by j, for one joint."""
    rate = REFERENCE_JOINTS[kind].rate
    motions = np.array([rate(q, unit) for unit in np.eye(len(v))]).T
    along = motions @ v
    commutators = [
        (rate(q + 1j * STEP * along, unit) - rate(q + 1j * STEP * motions[:, j], v)).imag / STEP
        for j, unit in enumerate(np.eye(len(v)))
    ]
    change: Array = -np.linalg.lstsq(motions, np.array(commutators).T, rcond=None)[0].T @ v
    return change
