"""The own units in which a mechanism is verified: its length, its inertia, and the time in which its forces move it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.drive import DriveState
from mbsym.model.own_units import Units, own_length, power_of_thousand
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import ControlInput
from mbsym.verification.random_state import random_state

SAMPLES: Final = 3
"""Positions at which inertias and forces are looked at."""


def motion_units(reference: Reference, units: Units) -> tuple[Array, Array]:
    """Units of the entries of q (nq,), and of the motions along the entries of v (nv,) [m]."""
    mechanism, length = reference.mechanism, float(units.length)
    q, v = np.ones(mechanism.nq), np.ones(mechanism.nv)
    for joint in mechanism.tree_joints:
        shape = JOINT_TYPES[joint.type].shape
        if joint.coordinates is not None:
            q[joint.coordinates] = [length if unit == "m" else 1.0 for unit in shape.coordinate_units]
        if joint.speeds is not None:
            v[joint.speeds] = [length if unit == "m/s" else 1.0 for unit in shape.speed_units]
    return q, v


def units_of(reference: Reference) -> Units:
    """Units near the size of a mechanism, the largest of its inertias, and the time in which its forces move it."""
    model = reference.mechanism.model
    length = Fraction(1) if _mixes_units(model) else power_of_thousand(own_length(model))
    units = Units(length)
    coordinates, motions = motion_units(reference, units)
    rng, nothing = np.random.default_rng(0), np.zeros(reference.nv)
    inertia, fastest = 0.0, 0.0
    for _ in range(SAMPLES):
        q = coordinates * random_state(model, reference.labelling, rng, reference=reference)[0]
        inertias = np.diagonal(reference.mass_matrix(q)) * motions**2
        forces = np.abs(reference.bias_force(q, nothing, u=[0.0] * len(model.inputs))) * motions
        moving = inertias > 0
        inertia = max(inertia, float(inertias.max(initial=0.0)))
        fastest = max(fastest, float((forces[moving] / inertias[moving]).max(initial=0.0)))
    mass, time = inertia / float(length) ** 2, 1 / sqrt(fastest) if fastest > 0 else 1.0
    return Units(length, power_of_thousand(mass), power_of_thousand(time))


def input_sizes(reference: Reference) -> tuple[Array, Array]:
    """Sizes of control inputs and of states of drives whose forces are of the size of one unit; 1 of those without.

    Args:
        reference: of a mechanism in units of its own size.
    """
    model, nothing = reference.mechanism.model, np.zeros(reference.nv)
    count = len(model.inputs) + len(model.drives)
    q = random_state(model, reference.labelling, np.random.default_rng(0), reference=reference)[0]

    def force(given: Array) -> Array:
        u, x = np.split(given, [len(model.inputs)])
        return reference.bias_force(q, nothing, u=list(u), x=list(x))

    still = force(np.zeros(count))
    forces = [np.abs(force(one) - still).max(initial=0.0) for one in np.eye(count)]
    sizes = np.array([float(1 / power_of_thousand(float(size))) for size in forces])
    return sizes[: len(model.inputs)], sizes[len(model.inputs) :]


def spread(model: Model, limited: Sequence[ControlInput | DriveState], sizes: Array, drawn: Array) -> Array:
    """Returns control inputs or states of drives of these sizes times what is drawn between -1 and 1; of those that
    limits hold within and beyond these alike."""
    found, numbers = sizes * drawn, parameter_values(model)
    for k, item in enumerate(limited):
        bounded = item.lower is not None or item.upper is not None
        if bounded and getattr(item, "saturates", True):
            given = [evaluate(each, numbers) for each in (item.lower, item.upper) if each is not None]
            low = given[0] - 2 * sizes[k] * (item.lower is None)
            high = given[-1] + 2 * sizes[k] * (item.upper is None)
            found[k] = low + (high - low) * (0.5 + drawn[k])
    return found


def _mixes_units(model: Model) -> bool:
    """True where one rotor inertia stands for turning and sliding, which no change of units leaves as it is."""
    numbers = parameter_values(model)
    mixed = (joint for joint in model.joints if len(set(joint.shape.speed_units)) > 1)
    return any(evaluate(joint.armature, numbers) for joint in mixed)
