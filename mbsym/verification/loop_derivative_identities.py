"""Identities of derivatives with closed loops, by differences along a direction.

The closure rows are the generator's own choice and are differentiated as its Programs have them, since the reference
has none of them; forces are the reference's, and along motions that keep the loops closed so are accelerations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mbsym.verification.derivative_identities import random_direction, slope
from mbsym.verification.evidence import Array, Evidence, Identity, Pairs


def _slopes(evidence: Evidence, vdot: Array, multipliers: Array) -> Iterator[tuple[str, Array, Array, Array]]:
    """Argument, direction, and slopes of ID - G^T lambda and G vdot - gamma along it, vdot and lambda held."""
    reference, state = evidence.reference, evidence.state
    nothing = np.zeros(reference.nv)

    def balance(q: Array, v: Array) -> Array:
        force = reference.inverse_dynamics(q, v, vdot, state["t"], state["u"])
        # Not the module's, whose rounding a difference magnifies where it is in single precision.
        (rows,) = evidence.companions.outputs("constraint_jacobian", {**state, "q": q})
        (bias,) = evidence.companions.outputs("constraint_bias", {**state, "q": q, "v": v})
        return np.concatenate([force - rows.T @ multipliers, rows @ vdot - bias])

    for name, along_q, along_v in (
        ("q", random_direction(evidence, "tau"), nothing),
        ("v", nothing, random_direction(evidence, "vdot")),
    ):

        def moved(h: float, along_q: Array = along_q, along_v: Array = along_v) -> Array:
            return balance(reference.integrate_position(state["q"], along_q, h), state["v"] + h * along_v)

        changes = slope(moved)
        yield name, along_q + along_v, changes[: reference.nv], changes[reference.nv :]


def _difference_of_balance(evidence: Evidence) -> Pairs:
    mass, rows = evidence.numbers["mass_matrix"], evidence.output("constraint_jacobian")
    found = evidence.by_name()
    for name, along, force, excess in _slopes(evidence, evidence.state["vdot"], evidence.state["lambda"]):
        free = found[f"free_d{name}"] @ along
        yield mass @ free, -force
        yield found[f"right_d{name}"] @ along + rows @ free, -excess
    yield mass @ found["M_inverse"], np.eye(len(mass))


def _difference_of_constrained(evidence: Evidence) -> Pairs:
    """M dvdot - G^T dlambda = dtau - d(ID - G^T lambda), G dvdot = d(gamma - G vdot) with the generator's rows."""
    mass, rows = evidence.numbers["mass_matrix"], evidence.output("constraint_jacobian")
    for motion, multipliers, force, excess in _changes(evidence):
        yield mass @ motion - rows.T @ multipliers, force
        yield rows @ motion, excess


def _solved_changes(evidence: Evidence) -> Pairs:
    """The same in accelerations, where light bodies count as much as heavy ones."""
    mass, rows = evidence.numbers["mass_matrix"], evidence.output("constraint_jacobian")
    response = np.linalg.solve(mass, rows.T)
    for motion, multipliers, force, excess in _changes(evidence):
        free = np.linalg.solve(mass, force)
        pull = np.linalg.lstsq(rows @ response, excess - rows @ free, rcond=None)[0]
        yield multipliers, pull
        yield motion, free + response @ pull


def _changes(evidence: Evidence) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Changes of vdot and lambda as found, and of forces and of rows that they must answer."""
    vdot, multipliers = evidence.outputs("constrained_dynamics")
    found = evidence.by_name()
    for name, along, force, excess in _slopes(evidence, vdot, multipliers):
        yield found[f"dvdot_d{name}"] @ along, found[f"dlambda_d{name}"] @ along, -force, -excess
    size = len(vdot)
    yield found["dvdot_dtau"], found["dlambda_dtau"], np.eye(size), np.zeros((len(multipliers), size))


def _difference_of_closed_motions(evidence: Evidence) -> Pairs:
    """By the reference alone, along motions that keep the loops closed: positions and speeds change together."""
    reference, state, numbers = evidence.reference, evidence.state, evidence.numbers
    along_q = reference.consistent_velocity(state["q"], random_direction(evidence, "tau"))
    along_v = random_direction(evidence, "vdot")
    tau, along_tau = state["tau"], random_direction(evidence, "tau")

    def there(h: float) -> tuple[Array, Array]:
        q = reference.closed_position(reference.integrate_position(state["q"], along_q, h))
        return q, reference.consistent_velocity(q, state["v"] + h * along_v)

    def vdot(h: float) -> Array:
        return np.asarray(reference.solve(*there(h), tau, state["t"], state["u"]).vdot)

    found = evidence.by_name()
    changes = found["dvdot_dq"] @ along_q + found["dvdot_dv"] @ slope(lambda h: there(h)[1])
    yield changes, slope(vdot)
    still = numbers["solve.vdot"]
    pushed = reference.solve(state["q"], state["v"], tau + along_tau, state["t"], state["u"]).vdot
    yield found["dvdot_dtau"] @ along_tau, pushed - still


LOOP_DERIVATIVE_IDENTITIES: Final = (
    Identity("difference of the balance of forces", "slope", _difference_of_balance),
    Identity("difference of constrained dynamics", "slope", _difference_of_constrained),
    Identity("solved difference of constrained dynamics", "solved slope", _solved_changes),
    Identity("difference of closed motions", "solved slope", _difference_of_closed_motions),
)
