"""Where a model starts."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate, parameter_values


def initial_coordinates(mechanism: Mechanism) -> Array:
    """q from which the model starts: what motions prescribe, else what its joints say, else where their frames
    coincide (nq,)."""
    numbers = parameter_values(mechanism.model)
    q = np.zeros(mechanism.nq)
    for body in mechanism.bodies:
        start, stop = body.q_range
        if stop > start:
            given = body.joint.initial or body.joint.shape.neutral
            q[start:stop] = [evaluate(value, numbers) for value in given]
    for driven in driven_speeds(mechanism):
        if driven.coordinate is not None and driven.position is not None:
            q[driven.coordinate] = _at_start(mechanism, driven.position)
    return normalised(q, mechanism.q.quaternions)


def initial_speeds(mechanism: Mechanism) -> Array:
    """v with which the model starts: what motions prescribe, else zeros (nv,)."""
    v = np.zeros(mechanism.nv)
    for driven in driven_speeds(mechanism):
        if driven.speed is not None:
            v[driven.column] = _at_start(mechanism, driven.speed)
    return v


def initial_drives(mechanism: Mechanism) -> Array:
    """States of drives with which the model starts (nx,)."""
    numbers = parameter_values(mechanism.model)
    return np.array([evaluate(item.initial, numbers) for item in mechanism.model.drives], dtype=float)


def _at_start(mechanism: Mechanism, law: Scalar) -> float:
    """A law of time at its beginning."""
    inputs = tuple(item for item in mechanism.extra_inputs if item is mechanism.time)
    program = Program("start", mechanism.graph, inputs, (Output("value", (), (law.ref,)),), mechanism.parameters)
    return float(Evaluator(program)(*([0.0] for _ in inputs))["value"])


def normalised(q: Array, quaternions: Sequence[int]) -> Array:
    """Gives quaternions unit length, those of length zero the identity's values, in place, and returns q.

    Args:
        q: coordinates, perhaps followed by others (..., at least nq).
        quaternions: indices of their first components.
    """
    if len(quaternions):
        places = np.add.outer(np.asarray(quaternions, dtype=int), np.arange(4))
        parts = q[..., places]
        length = np.sqrt(np.sum(parts * parts, axis=-1, keepdims=True))
        none = length == 0.0
        q[..., places] = np.where(none, (1.0, 0.0, 0.0, 0.0), parts / np.where(none, 1.0, length))
    return q
