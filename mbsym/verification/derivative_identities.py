"""Identities of derivatives and of the Coriolis matrix, by differences of the reference along a direction.

A matrix of derivatives is compared along one direction a state, whose entries are those of other arguments and so
random: an error in any entry shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from mbsym.reference import Reference
from mbsym.verification.evidence import Array, Evidence, Identity, Pairs

STEP: Final = 2e-4
"""Of sixth-order differences: laws of a hundredth of a radian's width are still followed, and the reference's rounding,
some 1e-13 of its results, becomes some 1e-9."""


def slope(function: Callable[[float], Any]) -> Array:
    """Derivative at zero, by central differences of sixth order."""
    total: Array = np.asarray(0.0)
    for multiple, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
        total = total + weight * (np.asarray(function(multiple * STEP)) - np.asarray(function(-multiple * STEP)))
    return total / STEP


def _direction(evidence: Evidence, name: str) -> Array:
    """An argument of another function, as long as one at most."""
    values = np.asarray(evidence.state[name], dtype=float)
    return values / max(1.0, float(np.abs(values).max(initial=0.0)))


def _inverse_dynamics_slope(evidence: Evidence, vdot: Array, along_q: Array, along_v: Array) -> Array:
    """d/dh of the reference's inverse dynamics at q + h along_q, v + h along_v."""
    reference, state = evidence.reference, evidence.state

    def tau(h: float) -> Array:
        q = reference.integrate_position(state["q"], along_q, h)
        return reference.inverse_dynamics(q, state["v"] + h * along_v, vdot, state["t"], state["u"])

    return slope(tau)


def _difference_of_inverse_dynamics(evidence: Evidence) -> Pairs:
    along_q, along_v = _direction(evidence, "tau"), _direction(evidence, "vdot")
    by_q, by_v = evidence.outputs()
    nothing, vdot = np.zeros(len(along_q)), evidence.state["vdot"]
    yield by_q @ along_q, _inverse_dynamics_slope(evidence, vdot, along_q, nothing)
    yield by_v @ along_v, _inverse_dynamics_slope(evidence, vdot, nothing, along_v)


def _difference_of_forward_dynamics(evidence: Evidence) -> Pairs:
    """tau = ID(q, v, FD(q, v, tau)) differentiated: M dvdot = -dID at the accelerations of the reference."""
    matrix = evidence.numbers["mass_matrix"]
    for found, slopes in _accelerations(evidence):
        yield matrix @ found, slopes


def _solved_difference(evidence: Evidence) -> Pairs:
    """The same in accelerations, where light bodies count as much as heavy ones."""
    matrix = evidence.numbers["mass_matrix"]
    for found, slopes in _accelerations(evidence):
        yield found, np.linalg.solve(matrix, slopes)


def _accelerations(evidence: Evidence) -> Pairs:
    """Changes of vdot, and the forces that they are to need."""
    along_q, along_v = _direction(evidence, "tau"), _direction(evidence, "vdot")
    by_q, by_v, by_tau = evidence.outputs()
    nothing, state = np.zeros(len(along_q)), evidence.state
    vdot = evidence.reference.forward_dynamics(state["q"], state["v"], state["tau"], state["t"], state["u"])
    yield by_q @ along_q, -_inverse_dynamics_slope(evidence, vdot, along_q, nothing)
    yield by_v @ along_v, -_inverse_dynamics_slope(evidence, vdot, nothing, along_v)
    yield by_tau, np.eye(len(along_q))


def _rate_of_position(evidence: Evidence) -> Pairs:
    yield evidence.output() @ evidence.state["v"], evidence.numbers["position_rate"]


def _inverse(evidence: Evidence) -> Pairs:
    matrix = evidence.numbers["mass_matrix"]
    yield matrix @ evidence.output(), np.eye(len(matrix))


def _velocity_terms(evidence: Evidence) -> Array:
    """Bias forces of the model without force elements, less gravity, by the reference."""
    alone = Reference(replace(evidence.mechanism.model, forces=()), evidence.mechanism.labelling)
    q, v = evidence.state["q"], evidence.state["v"]
    bias: Array = alone.bias_force(q, v, evidence.state["t"], evidence.state["u"]) - alone.gravity_force(q)
    return bias


def _rate_of_mass_matrix(evidence: Evidence) -> Pairs:
    reference, q, v = evidence.reference, evidence.state["q"], evidence.state["v"]
    matrix = evidence.output()
    yield matrix @ v, _velocity_terms(evidence)
    yield matrix + matrix.T, slope(lambda h: reference.mass_matrix(reference.integrate_position(q, v, h)))


def _slotine_li(evidence: Evidence) -> Pairs:
    """By the Coriolis matrix; and where the reference speeds are the speeds, by the reference alone."""
    state, numbers = evidence.state, evidence.numbers
    pushed = numbers["mass_matrix"] @ state["a_r"] + numbers["gravity_force"]
    yield evidence.output(), pushed + evidence.output("coriolis_matrix") @ state["v_r"]
    yield evidence.output(v_r=state["v"]), pushed + _velocity_terms(evidence)


DERIVATIVE_IDENTITIES: Final = (
    Identity("difference of inverse dynamics", "slope", _difference_of_inverse_dynamics),
    Identity("difference of forward dynamics", "slope", _difference_of_forward_dynamics),
    Identity("solved difference of inverse dynamics", "solved slope", _solved_difference),
    Identity("T v = position_rate", "rounding", _rate_of_position),
    Identity("Mdot = C + C^T and C v", "slope", _rate_of_mass_matrix),
    Identity("M M^-1 = 1", "solution", _inverse),
    Identity("M a_r + C v_r + g", "rounding", _slotine_li),
)
