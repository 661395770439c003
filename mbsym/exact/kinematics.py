"""Motion of all bodies from their poses alone: twists and accelerations are coefficients of poses as series of time.

Nothing is known here of twists of joints: q goes on as its rate says, the poses at q(t) are multiplied out, and
omega~ = Rdot R^T, alpha~ = Rddot R^T + Rdot Rdot^T, v = odot, a = oddot, all in base axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mbsym.exact.residues import Series, term
from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import body_placements
from mbsym.reference.rotations import Array

TIME: Final = 9
"""The level of series of time, above those of derivatives."""


@dataclass(frozen=True, slots=True)
class Moving:
    """All bodies by label, the base first, in base axes.

    Attributes:
        rotations: (nb+1, 3, 3).
        origins: (nb+1, 3), of the body frames.
        omega, alpha: angular velocities and accelerations (nb+1, 3).
        velocity, acceleration: of the origins (nb+1, 3).
    """

    rotations: Array
    origins: Array
    omega: Array
    alpha: Array
    velocity: Array
    acceleration: Array

    def at(self, label: int, arm: Array) -> tuple[Array, Array]:
        """Velocity and acceleration of a body's point, ``arm`` away from its origin."""
        omega, alpha = self.omega[label], self.alpha[label]
        swept = cross(omega, arm)
        return self.velocity[label] + swept, self.acceleration[label] + cross(alpha, arm) + cross(omega, swept)


def cross(a: Array, b: Array) -> Array:
    """a x b."""
    found = np.empty(3, dtype=object)
    found[:] = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return found


def swept(omega: Array, arm: Array) -> Array:
    """omega x arm for columns of omega (3, n)."""
    (x, y, z), (a, b, c) = omega, arm
    return np.stack([y * c - z * b, z * a - x * c, x * b - y * a])


def position_rate(mechanism: NumericMechanism, q: Array, v: Array) -> Array:
    """qdot, (nq,)."""
    found = np.zeros(mechanism.nq, dtype=object)
    for joint in mechanism.tree_joints:
        if joint.coordinates is not None and joint.speeds is not None:
            found[joint.coordinates] = REFERENCE_JOINTS[joint.type].rate(q[joint.coordinates], v[joint.speeds])
    return found


def coefficients(values: Array, order: int) -> Array:
    """Of series of time, entry by entry."""
    found: Array = np.frompyfunc(lambda value: term(value, order, TIME), 1, 1)(values)
    return found


def moved(*terms: Array) -> Array:
    """Series of time, entry by entry."""
    found = np.empty(len(terms[0]), dtype=object)
    found[:] = [Series(entry, TIME) for entry in zip(*terms, strict=True)]
    return found


def going_on(mechanism: NumericMechanism, q: Array, v: Array, vdot: Array | None = None) -> Array:
    """The coordinates (nq,) as series of time."""
    vdot = np.zeros(len(v), dtype=object) if vdot is None else vdot
    first = position_rate(mechanism, q, v)
    second = coefficients(position_rate(mechanism, moved(q, first), moved(v, vdot)), 1) / 2 if len(q) else first
    return moved(q, first, second)


def moving(mechanism: NumericMechanism, q: Array, v: Array, vdot: Array | None = None) -> Moving:
    """The mechanism at q with speeds v and their rates vdot (default: zero)."""
    rotations, origins = body_placements(mechanism, going_on(mechanism, q, v, vdot))
    R, R1, R2 = (coefficients(rotations, order) for order in range(3))
    turned = np.transpose(R, (0, 2, 1))
    spin = R1 @ turned
    change = 2 * (R2 @ turned) + R1 @ np.transpose(R1, (0, 2, 1))
    o, o1, o2 = (coefficients(origins, order) for order in range(3))
    return Moving(R, o, axial(spin), axial(change), o1, 2 * o2)


def axial(matrices: Array) -> Array:
    """The vectors a of matrices (..., 3, 3) with the skew part a~."""
    return np.stack([matrices[..., 2, 1], matrices[..., 0, 2], matrices[..., 1, 0]], axis=-1)


def joint_rates(mechanism: NumericMechanism, v: Array) -> list[Any]:
    """Speeds of every tree joint, those that follow another included, by label."""
    found = []
    for joint in mechanism.tree_joints:
        gear = mechanism.followers.get(joint.label)
        leader = joint if gear is None else mechanism.joints[gear.leader - 1]
        rates = v[leader.speeds]
        found.append(rates if gear is None else gear.ratio * rates)
    return found
