"""Identities of derivatives with closed loops, by differences along a direction.

The closure rows are the generator's own choice and are differentiated as its Programs have them, since the reference
has none of them; forces are the reference's, and along motions that keep the loops closed so are accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.loops.contracts import INDEPENDENT_DYNAMICS_DERIVATIVES
from mbsym.verification.derivative_identities import random_direction, slope
from mbsym.verification.evidence import Evidence, Identity, Numbers, Pairs


def _slopes(evidence: Evidence, vdot: Array, multipliers: Array) -> Iterator[tuple[str, Array, Array, Array]]:
    """Argument, direction, and slopes of ID - G^T lambda and G vdot - gamma along it, vdot and lambda held."""
    nv = evidence.reference.nv
    nothing = np.zeros(nv)

    def balance(q: Array, v: Array) -> Array:
        there = evidence.numbers.at(q=q, v=v, vdot=vdot)
        # Not the module's, whose rounding a difference magnifies where it is in single precision.
        (rows,) = evidence.companions.outputs("constraint_jacobian", there.state)
        (bias,) = evidence.companions.outputs("constraint_bias", there.state)
        return np.concatenate([there["inverse_dynamics"] - rows.T @ multipliers, rows @ vdot - bias])

    for name, along_q, along_v in (
        ("q", random_direction(evidence, "tau"), nothing),
        ("v", nothing, random_direction(evidence, "vdot")),
    ):

        def moved(h: float, along_q: Array = along_q, along_v: Array = along_v) -> Array:
            return balance(evidence.moved(along_q, h), evidence.state["v"] + h * along_v)

        changes = slope(moved)
        yield name, along_q + along_v, changes[:nv], changes[nv:]


def _difference_of_balance(evidence: Evidence) -> Pairs:
    mass, free = evidence.mass_matrix, evidence.free
    found, rows = evidence.by_name(), evidence.output("constraint_jacobian")
    for name, along, force, excess in _slopes(evidence, evidence.state["vdot"], evidence.state["lambda"]):
        change = found[f"free_d{name}"] @ along
        yield mass @ change, -free * force
        yield found[f"right_d{name}"] @ along + rows @ change, -excess
    yield mass @ found["M_inverse"], np.diag(free)


def _difference_of_constrained(evidence: Evidence) -> Pairs:
    """M dvdot - G^T dlambda = dtau - d(ID - G^T lambda), G dvdot = d(gamma - G vdot) with the generator's rows."""
    mass, rows = evidence.mass_matrix, evidence.free * evidence.output("constraint_jacobian")
    for motion, multipliers, force, excess in _changes(evidence):
        yield mass @ motion - rows.T @ multipliers, force
        yield rows @ motion, excess


def _solved_changes(evidence: Evidence) -> Pairs:
    """The same in accelerations, where light bodies count as much as heavy ones."""
    mass, rows = evidence.mass_matrix, evidence.free * evidence.output("constraint_jacobian")
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
        yield found[f"dvdot_d{name}"] @ along, found[f"dlambda_d{name}"] @ along, -evidence.free * force, -excess
    nothing = np.zeros((len(multipliers), len(vdot)))
    yield found["dvdot_dtau"], found["dlambda_dtau"], np.diag(evidence.free), nothing


def _difference_of_closed_motions(evidence: Evidence) -> Pairs:
    """By the reference alone, along motions that keep the loops closed: positions and speeds change together."""
    reference, state = evidence.reference, evidence.state
    along_q = reference.consistent_velocity(state["q"], random_direction(evidence, "tau"))
    along_v = random_direction(evidence, "vdot")

    def there(h: float) -> Numbers:
        q = reference.closed_position(evidence.moved(along_q, h))
        return evidence.numbers.at(q=q, v=reference.consistent_velocity(q, state["v"] + h * along_v))

    found = evidence.by_name()
    changes = found["dvdot_dq"] @ along_q + found["dvdot_dv"] @ slope(lambda h: there(h).state["v"])
    yield changes, slope(lambda h: there(h)["solve.vdot"])
    yield from _pushed(evidence, found["dvdot_dtau"])


def _pushed(evidence: Evidence, by_tau: Array) -> Pairs:
    """Accelerations are linear in forces."""
    along, numbers = random_direction(evidence, "tau"), evidence.numbers
    pushed = numbers.at(tau=evidence.state["tau"] + along)["solve.vdot"]
    yield by_tau @ along, pushed - numbers["solve.vdot"]


def _motions_of_independent_speeds(evidence: Evidence) -> Pairs:
    """N v_i keeps the loops closed by the reference, and has the independent speeds that were put in."""
    free = evidence.by_name()["N"]
    own = list(evidence.companions.independent)
    yield free[own], np.eye(len(own))
    for column in free.T:
        yield column, evidence.reference.consistent_velocity(evidence.state["q"], column)


@dataclass(frozen=True, slots=True)
class _Along:
    """A motion that keeps the loops closed.

    Attributes:
        by_q, by_v: changes of the independent coordinates and speeds.
        there: coordinates and speeds after a time, the speeds those of the independent ones.
    """

    by_q: Array
    by_v: Array
    there: Callable[[float], Numbers]


def _along_independent(evidence: Evidence) -> _Along:
    state = evidence.state
    own, name = list(evidence.companions.independent), INDEPENDENT_DYNAMICS_DERIVATIVES.name
    by_q, by_v = random_direction(evidence, "tau")[own], random_direction(evidence, "vdot")[own]

    def free(q: Array) -> Array:
        return evidence.companions.outputs(name, {**state, "q": q})[1]

    start = free(state["q"]) @ by_q

    def there(h: float) -> Numbers:
        q = evidence.reference.closed_position(evidence.moved(start, h))
        return evidence.numbers.at(q=q, v=free(q) @ (state["v"][own] + h * by_v))

    return _Along(by_q, by_v, there)


def _difference_along_independent(evidence: Evidence) -> Pairs:
    """By the reference's accelerations; that N is right is another identity."""
    found, motion = evidence.by_name(), _along_independent(evidence)
    yield found["dv_dq"] @ motion.by_q + found["N"] @ motion.by_v, slope(lambda h: motion.there(h).state["v"])
    changes = found["dvdot_dq"] @ motion.by_q + found["dvdot_dv"] @ motion.by_v
    yield changes, slope(lambda h: motion.there(h)["solve.vdot"])
    yield from _pushed(evidence, found["dvdot_dtau"])


def _difference_of_multipliers(evidence: Evidence) -> Pairs:
    """By the Program of constrained_dynamics, whose rows the multipliers are of."""
    numbers, found, motion = evidence.numbers, evidence.by_name(), _along_independent(evidence)

    def multipliers(there: Numbers) -> Array:
        return evidence.companions.outputs("constrained_dynamics", there.state)[1]

    still = multipliers(numbers)
    yield found["lambda"], still
    changes = found["dlambda_dq"] @ motion.by_q + found["dlambda_dv"] @ motion.by_v
    yield changes, slope(lambda h: multipliers(motion.there(h)))
    along = random_direction(evidence, "tau")
    yield found["dlambda_dtau"] @ along, multipliers(numbers.at(tau=evidence.state["tau"] + along)) - still


LOOP_DERIVATIVE_IDENTITIES: Final = (
    Identity("difference of the balance of forces", "slope", _difference_of_balance),
    Identity("difference of constrained dynamics", "slope", _difference_of_constrained),
    Identity("solved difference of constrained dynamics", "solved slope", _solved_changes),
    Identity("difference of closed motions", "solved slope", _difference_of_closed_motions),
    Identity("motions of independent speeds", "solution", _motions_of_independent_speeds),
    Identity("difference along independent motions", "solved slope", _difference_along_independent),
    Identity("difference of multipliers along independent motions", "solved slope", _difference_of_multipliers),
)
