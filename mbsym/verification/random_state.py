"""States drawn at random."""

from __future__ import annotations

import numpy as np

from mbsym.doors import Array
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.topology import Labelling


def random_state(
    model: Model, labelling: Labelling, rng: np.random.Generator, *, reference: Reference | None = None
) -> tuple[Array, Array, Array]:
    """q (nq,) with unit quaternions, v (nv,) and tau (nv,) of a tree, or of a mechanism with its loops opened.

    Args:
        model: the mechanism.
        labelling: its labels, which order the entries.
        rng: generator.
        reference: the model's reference, if there is one already.
    """
    mechanism = (reference or Reference(model, labelling)).mechanism
    q = np.zeros(mechanism.nq)
    for joint in mechanism.tree_joints:
        if joint.coordinates is None:
            continue
        entries = []
        kind = JOINT_TYPES[joint.type]
        for unit in kind.shape.coordinate_units:
            entries.append({"1": rng.normal(), "rad": rng.uniform(-3, 3), "m": rng.uniform(-0.5, 0.5)}[unit])
        values = np.array(entries)
        if kind.quaternion is not None:
            quaternion = values[kind.quaternion : kind.quaternion + 4]
            quaternion /= np.linalg.norm(quaternion)
        q[joint.coordinates] = values
    return q, rng.uniform(-1, 1, mechanism.nv), rng.uniform(-2, 2, mechanism.nv)
