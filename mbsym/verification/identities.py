"""Identities that contracts name: what generated functions must agree with besides the reference's own functions."""

from __future__ import annotations

from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import VerificationError
from mbsym.records import Registry
from mbsym.verification.control_identities import CONTROL_IDENTITIES
from mbsym.verification.derivative_identities import DERIVATIVE_IDENTITIES
from mbsym.verification.evidence import DIFFERENCE_STEP, Evidence, Identity, Pairs
from mbsym.verification.loop_derivative_identities import LOOP_DERIVATIVE_IDENTITIES
from mbsym.verification.loop_identities import LOOP_IDENTITIES
from mbsym.verification.made_arguments import MADE_IDENTITIES
from mbsym.verification.regressor_identities import REGRESSOR_IDENTITIES


def _tau_of_forward_dynamics(evidence: Evidence) -> Pairs:
    """Forces of the motion that tau causes; with closed loops the two speak of different mechanisms."""
    if not evidence.is_closed:
        vdot = evidence.output("forward_dynamics")
        yield evidence.output(vdot=vdot), evidence.state["tau"]


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
    state = evidence.state
    nothing = np.zeros(evidence.reference.nv)
    yield evidence.output(), evidence.reference.power(state["q"], state["v"], nothing, state["t"], state["u"])


def _momenta_of_mass_matrix(evidence: Evidence) -> Pairs:
    yield evidence.output(), evidence.numbers["mass_matrix"] @ evidence.state["v"]


def _difference_of_lagrangian(evidence: Evidence) -> Pairs:
    """Along the motion of v, at constant v; external forces add their power."""
    reference, state = evidence.reference, evidence.state
    q, v = state["q"], state["v"]
    sizes = [1.0, *(abs(energy) for energy in (reference.kinetic_energy(q, v), reference.potential_energy(q)))]

    def lagrangian(h: float) -> float:
        moved = reference.integrate_position(q, v, h)
        return reference.kinetic_energy(moved, v) - reference.potential_energy(moved)

    slope = (lagrangian(DIFFERENCE_STEP) - lagrangian(-DIFFERENCE_STEP)) / (2 * DIFFERENCE_STEP)
    power = reference.power(q, v, np.zeros(len(v)), state["t"], state["u"])
    yield evidence.outputs()[1] @ v / max(sizes), (slope + power) / max(sizes)


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
        *CONTROL_IDENTITIES,
        *DERIVATIVE_IDENTITIES,
        *REGRESSOR_IDENTITIES,
        *LOOP_IDENTITIES,
        *LOOP_DERIVATIVE_IDENTITIES,
        *MADE_IDENTITIES,
    ),
    VerificationError,
)
"""What contracts may name."""
