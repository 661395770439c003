"""Identities that contracts name: what generated functions must agree with besides the reference's own functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import VerificationError
from mbsym.records import Registry
from mbsym.verification.derivative_identities import DERIVATIVE_IDENTITIES, slope
from mbsym.verification.evidence import DIFFERENCE_STEP, Evidence, Identity, Pairs
from mbsym.verification.loop_derivative_identities import LOOP_DERIVATIVE_IDENTITIES
from mbsym.verification.loop_identities import LOOP_IDENTITIES
from mbsym.verification.random_state import MADE_IDENTITIES
from mbsym.verification.regressor_identities import REGRESSOR_IDENTITIES

STILL: Final = 1e-9
"""Entries of a Jacobian [1, m] below which a row may be one in which nothing moves."""

WORST_CONDITION: Final = 1e3
"""Of what is inverted, at which it is compared without damping: rounding of 1e-13 stays a tenth of what is allowed."""


def _tau_of_forward_dynamics(evidence: Evidence) -> Pairs:
    """Forces of the motion that tau causes; with closed loops the two speak of different mechanisms."""
    if not evidence.is_closed:
        vdot, free = evidence.output("forward_dynamics"), evidence.free
        yield free * evidence.output(vdot=vdot), free * evidence.state["tau"]


def _energy_of_mass_matrix(evidence: Evidence) -> Pairs:
    v = evidence.state["v"]
    yield evidence.output(), 0.5 * v @ evidence.output("mass_matrix") @ v


def _difference_of_poses(evidence: Evidence) -> Pairs:
    v = evidence.state["v"]
    if len(v):
        twists = _twists(evidence.output("body_poses"), evidence.rate("body_poses", v))
        yield evidence.output() @ v, twists


def _power_of_potential(evidence: Evidence) -> Pairs:
    v = evidence.state["v"]
    springs = any(force.stores_energy for force in evidence.mechanism.model.forces)
    if len(v) and not springs:
        # Differences err by a part of the energy, which may be large where its rate is small.
        scale = max(1.0, float(np.abs(evidence.output("potential_energy"))))
        yield evidence.output() @ v / scale, evidence.rate("potential_energy", v) / scale


def _power_without_tau(evidence: Evidence) -> Pairs:
    yield evidence.output(), evidence.numbers.at(tau=np.zeros(evidence.reference.nv))["power"]


def _momenta_of_mass_matrix(evidence: Evidence) -> Pairs:
    yield evidence.output(), evidence.numbers["mass_matrix"] @ evidence.state["v"]


def _difference_of_lagrangian(evidence: Evidence) -> Pairs:
    """Along the motion of v, at constant v; external forces add their power."""
    numbers, v = evidence.numbers, evidence.state["v"]
    size = max(1.0, abs(float(numbers["kinetic_energy"])), abs(float(numbers["potential_energy"])))

    def lagrangian(h: float) -> float:
        moved = numbers.at(q=evidence.moved(v, h))
        return float(moved["kinetic_energy"] - moved["potential_energy"])

    rate = (lagrangian(DIFFERENCE_STEP) - lagrangian(-DIFFERENCE_STEP)) / (2 * DIFFERENCE_STEP)
    power = numbers.at(tau=np.zeros(len(v)))["power"]
    yield evidence.outputs()[1] @ v / size, (rate + power) / size


def _speeds_of_momenta(evidence: Evidence) -> Pairs:
    yield evidence.output(), np.linalg.solve(evidence.numbers["mass_matrix"], evidence.state["tau"])


def _twists(poses: Array, rates: Array) -> Array:
    """[omega; v] in body axes from homogeneous matrices and their rates."""
    rotation = poses[:, :3, :3]
    turning = np.einsum("bki,bkj->bij", rotation, rates[:, :3, :3])
    omega = np.stack(
        [turning[:, 2, 1] - turning[:, 1, 2], turning[:, 0, 2] - turning[:, 2, 0], turning[:, 1, 0] - turning[:, 0, 1]],
        axis=-1,
    )
    linear = np.einsum("bki,bk->bi", rotation, rates[:, :3, 3])
    return np.concatenate([omega / 2, linear], axis=-1)


def _wrenches_of_forces(evidence: Evidence) -> Pairs:
    """The wrenches that the reference finds under the forces that the motion needs, loops open."""
    numbers = evidence.numbers.at(tau=evidence.numbers["inverse_dynamics"], closed=False)
    yield evidence.output(), numbers["joint_wrenches"][: evidence.mechanism.nb]


def _momentum(evidence: Evidence) -> Pairs:
    yield evidence.output() @ evidence.state["v"], evidence.numbers["momentum"]


def _rate_of_momentum(evidence: Evidence) -> Pairs:
    v = evidence.state["v"]
    yield evidence.output(), slope(lambda h: evidence.numbers.at(q=evidence.moved(v, h))["momentum"])


def _jacobian(evidence: Evidence) -> Array:
    return evidence.numbers["frame_jacobians"].reshape(-1, evidence.reference.nv)


def _inertias(evidence: Evidence) -> Iterator[tuple[float, Array]]:
    """Dampings and Lambda: a damping that makes it regular; none, where that is regular.

    Lambda is zero where nothing moves and the module says so.
    """
    found, jacobian = evidence.output(), _jacobian(evidence)
    mobility = jacobian @ np.linalg.solve(evidence.numbers["mass_matrix"], jacobian.T)
    moving = (np.abs(jacobian).max(axis=1, initial=0.0) > STILL) | found.any(axis=1)
    among = np.ix_(moving, moving)
    for damping in (float(np.diag(mobility).max(initial=0.0)) / 10, 0.0):
        inverted = (mobility + damping * np.eye(len(mobility)))[among]
        if damping or not moving.any() or np.linalg.cond(inverted) < WORST_CONDITION:
            expected = np.zeros_like(mobility)
            expected[among] = np.linalg.inv(inverted)
            yield damping, expected


def _inertia(evidence: Evidence) -> Pairs:
    for damping, expected in _inertias(evidence):
        yield evidence.output(damping=damping), expected


def _operational_space(evidence: Evidence) -> Pairs:
    """All three; without damping J J_bar = 1 where the frames move."""
    jacobian, mass_matrix = _jacobian(evidence), evidence.numbers["mass_matrix"]
    causes = jacobian @ np.linalg.solve(mass_matrix, evidence.numbers["bias_force"])
    for damping, expected in _inertias(evidence):
        inertia, bias, inverse = evidence.outputs(damping=damping)
        yield inertia, expected
        yield bias, expected @ (causes - evidence.numbers["frame_jacobian_rates_v"].ravel())
        yield inverse, np.linalg.solve(mass_matrix, jacobian.T) @ expected
        if not damping:
            yield jacobian @ inverse, np.diag(inertia.any(axis=1).astype(float))


IDENTITIES: Final = Registry(
    "identity",
    (
        Identity("tau of forward_dynamics", "solution", _tau_of_forward_dynamics),
        Identity("v.M v / 2", "rounding", _energy_of_mass_matrix),
        Identity("difference of poses", "difference", _difference_of_poses),
        Identity("power of potential", "difference", _power_of_potential),
        Identity("power without tau", "rounding", _power_without_tau),
        Identity("momenta of the mass matrix", "rounding", _momenta_of_mass_matrix),
        Identity("difference of the Lagrangian", "difference", _difference_of_lagrangian),
        Identity("M v = momentum", "solution", _speeds_of_momenta),
        Identity("wrenches of the forces of the motion", "solution", _wrenches_of_forces),
        Identity("A v = momentum", "rounding", _momentum),
        Identity("difference of momentum", "slope", _rate_of_momentum),
        Identity("Lambda of the mass matrix", "solution", _inertia),
        Identity("Lambda, bias and inverse of the mass matrix", "solution", _operational_space),
        *DERIVATIVE_IDENTITIES,
        *REGRESSOR_IDENTITIES,
        *LOOP_IDENTITIES,
        *LOOP_DERIVATIVE_IDENTITIES,
        *MADE_IDENTITIES,
    ),
    VerificationError,
)
"""What contracts may name."""
