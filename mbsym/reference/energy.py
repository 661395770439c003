"""Energy, momentum, centre of mass, and the power that must balance the rate of energy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbsym.errors import ModelError
from mbsym.reference.force_elements import element_forces, stored_energy
from mbsym.reference.maximal import centroidal_inertias
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion
from mbsym.reference.rotations import Array, cross, skew


def centroidal_twists(at: Configuration, moving: Motion) -> Array:
    """(nb, 6, k): [angular velocity; velocity of the centre of mass] of every body, base axes."""
    arms = at.centers - at.origins
    linear = [
        velocity - skew(arm) @ omega
        for velocity, omega, arm in zip(moving.linear[1:], moving.angular[1:], arms[1:], strict=True)
    ]
    return np.concatenate([moving.angular[1:], np.array(linear).reshape(moving.linear[1:].shape)], axis=1)


def armatures(mechanism: NumericMechanism) -> Array:
    """Reflected inertia of the speeds of all joints, cut joints included."""
    return np.concatenate(
        [np.zeros(0), *(np.full(joint.rates.stop - joint.rates.start, joint.armature) for joint in mechanism.joints)]
    )


def kinetic_energy(mechanism: NumericMechanism, at: Configuration, moving: Motion) -> float:
    """Of the bodies and of the reflected rotors [J]."""
    twists = centroidal_twists(at, moving)[:, :, 0]
    bodies = np.einsum("bi,bij,bj->", twists, centroidal_inertias(mechanism, at), twists)
    return 0.5 * float(bodies + armatures(mechanism) @ moving.rates[:, 0] ** 2)


def potential_energy(mechanism: NumericMechanism, at: Configuration) -> float:
    """Of gravity, zero at the base's origin, and of joint springs and point springs [J]."""
    masses = np.array([body.mass for body in mechanism.bodies])
    return float(-masses @ at.centers[1:] @ mechanism.gravity) + stored_energy(mechanism, at)


def power(
    mechanism: NumericMechanism,
    at: Configuration,
    moving: Motion,
    v: Array,
    tau: Array,
    t: float = 0.0,
    u: Sequence[float] = (),
) -> float:
    """Power of tau and of all force elements but springs [W]: the rate of kinetic plus potential energy."""
    forces = element_forces(mechanism, at, moving, t, u, elastic=False)
    on_bodies = np.sum(centroidal_twists(at, moving)[:, :, 0] * forces.wrenches[1:])
    return float(tau @ v + on_bodies + forces.joint_forces @ moving.rates[:, 0])


def center_of_mass(mechanism: NumericMechanism, at: Configuration) -> Array:
    """Of all bodies, base axes, (3,)."""
    masses = np.array([body.mass for body in mechanism.bodies])
    total = float(masses.sum())
    if not total > 0:
        raise ModelError("nothing has mass", where=mechanism.model.name, remedy="give a body mass")
    center: Array = masses @ at.centers[1:] / total
    return center


def momentum(mechanism: NumericMechanism, at: Configuration, moving: Motion) -> Array:
    """[angular momentum about the centre of mass; linear momentum] of all bodies, base axes, (6,)."""
    center = center_of_mass(mechanism, at)
    total = np.zeros(6)
    blocks = centroidal_inertias(mechanism, at)
    for k, twist in enumerate(centroidal_twists(at, moving)[:, :, 0]):
        own = blocks[k] @ twist
        total[:3] += own[:3] + cross(at.centers[k + 1] - center, own[3:])
        total[3:] += own[3:]
    return total
