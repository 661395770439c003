"""What each function of a module must return at a point of the field, by its name: one line of definition each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.exact.dynamics import ExactState
from mbsym.exact.elements import stored
from mbsym.exact.kinematics import Moving, cross, joint_rates, position_rate
from mbsym.exact.maximal import solve_tree
from mbsym.exact.residues import UndecidedError
from mbsym.reference.rotations import Array

Given: TypeAlias = Mapping[str, Array]
Results: TypeAlias = Sequence[Any]
"""The entries of each result, row-major; None for one that compares numbers."""


def _forward_dynamics(state: ExactState, given: Given) -> Results:
    return [solve_tree(state, given["tau"])[0]]


def _joint_wrenches(state: ExactState, given: Given) -> Results:
    return [solve_tree(state, given["tau"])[1].ravel()]


def _kinetic_energy(state: ExactState, given: Given) -> Results:
    total: Any = 0
    for label in range(1, state.mechanism.nb + 1):
        mass, arm, inertia = state.inertia(label)
        omega, velocity = state.moving.omega[label], state.moving.at(label, arm)[0]
        total = total + mass * (velocity @ velocity) + omega @ inertia @ omega
    for joint, rates in zip(state.mechanism.tree_joints, joint_rates(state.mechanism, state.v), strict=True):
        total = total + joint.armature * sum(rates * rates, 0)
    return [[total / 2]]


def _potential_energy(state: ExactState, given: Given) -> Results:
    total = stored(state.scene)
    for label in range(1, state.mechanism.nb + 1):
        mass, arm, _ = state.inertia(label)
        total = total - mass * (state.mechanism.gravity @ (state.moving.origins[label] + arm))
    return [[total]]


def _body_poses(state: ExactState, given: Given) -> Results:
    found: list[Any] = []
    for rotation, origin in zip(state.moving.rotations[1:], state.moving.origins[1:], strict=True):
        for row, shift in zip(rotation, origin, strict=True):
            found += [*row, shift]
        found += [0, 0, 0, 1]
    return [found]


def _in_body_axes(motion: Moving) -> Array:
    """[omega; velocity of the origin] of every body in its axes, (nb, 6)."""
    turned = np.transpose(motion.rotations[1:], (0, 2, 1))
    parts = [(turned @ each[1:, :, None])[:, :, 0] for each in (motion.omega, motion.velocity)]
    return np.concatenate(parts, axis=1)


def _body_jacobians(state: ExactState, given: Given) -> Results:
    turned = np.transpose(state.moving.rotations[1:], (0, 2, 1))
    parts = [turned @ state.columns[1:, part] for part in (slice(3), slice(3, 6))]
    return [np.concatenate(parts, axis=1).ravel()]


def _masses(state: ExactState) -> tuple[Any, Array]:
    """Total mass, and the centre of all masses."""
    total: Any = 0
    moment: Any = np.zeros(3, dtype=object)
    for label in range(1, state.mechanism.nb + 1):
        mass, arm, _ = state.inertia(label)
        total, moment = total + mass, moment + mass * (state.moving.origins[label] + arm)
    return total, moment / total


def momentum(state: ExactState, given: Given) -> Results:
    """[angular momentum about the centre of mass; linear momentum], base axes, (6,)."""
    _, center = _masses(state)
    spin, linear = np.zeros(3, dtype=object), np.zeros(3, dtype=object)
    for label in range(1, state.mechanism.nb + 1):
        mass, arm, inertia = state.inertia(label)
        own = mass * state.moving.at(label, arm)[0]
        linear = linear + own
        spin = spin + inertia @ state.moving.omega[label]
        spin = spin + cross(state.moving.origins[label] + arm - center, own)
    return [[*spin, *linear]]


def _named(state: ExactState, values: Sequence[Any]) -> Results:
    return [[state.words.of(value) for value in values]]


def _drive_rates(state: ExactState, given: Given) -> Results:
    drives = state.mechanism.model.drives
    if any(item.lower is not None or item.upper is not None for item in drives):
        raise UndecidedError("a state of a drive that stops at its limits")
    return _named(state, [item.rate for item in drives])


def _bias_force(state: ExactState, given: Given) -> Results:
    return [state.inverse_dynamics(np.zeros(state.mechanism.nv, dtype=object))]


OF_TREES: Final[Mapping[str, Callable[[ExactState, Given], Results]]] = {
    "forward_dynamics": _forward_dynamics,
    "inverse_dynamics": lambda state, given: [state.inverse_dynamics(given["vdot"])],
    "mass_matrix": lambda state, given: [state.mass_matrix.ravel()],
    "bias_force": _bias_force,
    "gravity_force": lambda state, given: [state.gravity_force()],
    "kinetic_energy": _kinetic_energy,
    "potential_energy": _potential_energy,
    "position_rate": lambda state, given: [position_rate(state.mechanism, state.q, state.v)],
    "body_poses": _body_poses,
    "body_velocities": lambda state, given: [_in_body_axes(state.moving).ravel()],
    "body_jacobians": _body_jacobians,
    "joint_wrenches": _joint_wrenches,
    "center_of_mass": lambda state, given: [_masses(state)[1]],
    "momentum": momentum,
    "outputs": lambda state, given: _named(state, [item.expression for item in state.mechanism.model.outputs]),
    "drive_rates": _drive_rates,
}
"""Of trees."""
