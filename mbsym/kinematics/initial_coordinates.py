"""Where a model starts."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.kinematics.mechanism import Mechanism
from mbsym.values.numbers import evaluate, parameter_values


def initial_coordinates(mechanism: Mechanism) -> Array:
    """q from which the model starts: what its joints say, else where their frames coincide (nq,)."""
    numbers = parameter_values(mechanism.model)
    q = np.zeros(mechanism.nq)
    for body in mechanism.bodies:
        start, stop = body.q_range
        if stop > start:
            given = body.joint.initial or body.joint.shape.neutral
            q[start:stop] = [evaluate(value, numbers) for value in given]
    return normalised(q, mechanism.q.quaternions)


def normalised(q: Array, quaternions: Sequence[int]) -> Array:
    """Gives quaternions unit length, those of length zero the identity's values, in place, and returns q.

    Args:
        q: coordinates, perhaps followed by others (..., at least nq).
        quaternions: indices of their first components.
    """
    for start in quaternions:
        part = q[..., start : start + 4]
        length = np.sqrt(np.sum(part * part, axis=-1, keepdims=True))
        part[...] = np.where(length == 0.0, (1.0, 0.0, 0.0, 0.0), part / np.where(length == 0.0, 1.0, length))
    return q
