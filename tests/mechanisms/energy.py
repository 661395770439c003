"""The balance of energy: what the numbers of a reference must satisfy whatever they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbsym.reference import Reference, central_difference

# Sixth-order central differences of a function of the step.
WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
STEP = 1e-3


@dataclass(frozen=True)
class Balance:
    """Rate of the energy and power of all that is not conservative, with the size of what they are made of."""

    rate: float
    power: float
    scale: float


def energy_balance(
    reference: Reference, q: np.ndarray, v: np.ndarray, tau: np.ndarray, time: float, u: np.ndarray
) -> Balance:
    """The rate is that of the motion under tau, by differences of the energies at times next to this one."""
    vdot = reference.forward_dynamics(q, v, tau, time, u)

    def kinetic(h: float) -> float:
        return reference.kinetic_energy(reference.integrate_position(q, v, h), v + h * vdot)

    kinetic_rate = sum(weight * (kinetic(k * STEP) - kinetic(-k * STEP)) for k, weight in WEIGHTS) / STEP
    potential_rate = central_difference(reference.mechanism, reference.potential_energy, q, v)
    power = reference.power(q, v, tau, time, u)
    scale = max(1.0, abs(power), abs(potential_rate), reference.kinetic_energy(q, v))
    return Balance(kinetic_rate + potential_rate, power, scale)
