"""Identities of what controllers make of the dynamics, all by numbers of the reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.verification.derivative_identities import slope
from mbsym.verification.evidence import Evidence, Identity, Pairs

STILL: Final = 1e-9
"""Entries of a Jacobian [1, m] below which a row may be one in which nothing moves."""

WORST_CONDITION: Final = 1e3
"""Of what is inverted, at which it is compared without damping: rounding of 1e-13 stays a tenth of what is allowed."""


def _wrenches_of_forces(evidence: Evidence) -> Pairs:
    """The wrenches that the reference finds under the forces that the motion needs, loops open."""
    reference, state = evidence.reference, evidence.state
    q, v, t, u = (state[name] for name in ("q", "v", "t", "u"))
    tau = reference.inverse_dynamics(q, v, state["vdot"], t, u)
    yield evidence.output(), reference.joint_wrenches(q, v, tau, t, u, closed=False)[: evidence.mechanism.nb]


def _momentum(evidence: Evidence) -> Pairs:
    yield evidence.output() @ evidence.state["v"], evidence.numbers["momentum"]


def _rate_of_momentum(evidence: Evidence) -> Pairs:
    reference, q, v = evidence.reference, evidence.state["q"], evidence.state["v"]
    yield evidence.output(), slope(lambda h: reference.momentum(reference.integrate_position(q, v, h), v))


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


CONTROL_IDENTITIES: Final = (
    Identity("wrenches of the forces of the motion", "solution", _wrenches_of_forces),
    Identity("A v = momentum", "rounding", _momentum),
    Identity("difference of momentum", "slope", _rate_of_momentum),
    Identity("Lambda of the mass matrix", "solution", _inertia),
    Identity("Lambda, bias and inverse of the mass matrix", "solution", _operational_space),
)
