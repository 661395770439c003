"""Newton's and Euler's equations of every body in base axes, joined by the wrenches of all joints.

Unknowns are [alpha; a] of each body, a of the origin of its frame, the wrench of each tree joint at its head, and vdot:

    N_b [alpha; a] + bias = sum of the wrenches on the body,     [alpha; a] across a joint = H vdot + sigma,
    H^T wrench + element forces + tau = armature vdot

H are the directions of a joint's freedoms, sigma is what the relative acceleration is where vdot is zero. They are
solved at once, by elimination.

Source: Nikravesh: Computer-Aided Analysis of Mechanical Systems (1988), chapter 11.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbsym.exact.dynamics import ExactState
from mbsym.exact.kinematics import Moving, cross, moving
from mbsym.exact.linear import Row, solved
from mbsym.reference.rotations import Array, skew

_ONE = np.eye(3, dtype=int).astype(object)
_NONE = np.zeros((3, 3), dtype=object)


@dataclass(slots=True)
class _Equations:
    """Rows as they are collected."""

    rows: list[Row] = field(default_factory=list)
    right: list[Any] = field(default_factory=list)

    def begin(self, right: Array) -> int:
        """As many rows as there are right sides; the number of the first."""
        first = len(self.rows)
        self.rows += [{} for _ in right]
        self.right += list(right)
        return first

    def add(self, first: int, place: int, block: Array) -> None:
        """Adds a block of factors from a row and an unknown on."""
        for i, factors in enumerate(block):
            row = self.rows[first + i]
            for k, factor in enumerate(factors, place):
                row[k] = row[k] + factor if k in row else factor


def solve_tree(state: ExactState, tau: Array) -> tuple[Array, Array]:
    """vdot (nv,), and [moment; force] on each tree joint's successor at and in its frame there, (nb, 6); solved once.

    Raises:
        UndecidedError: something massless moves freely.
    """
    key = "tree", id(tau)
    if key not in state.known:
        state.known[key] = _solved_tree(state, tau), tau
    found: tuple[Array, Array] = state.known[key][0]
    return found


def _solved_tree(state: ExactState, tau: Array) -> tuple[Array, Array]:
    mechanism, at = state.mechanism, state.moving
    nb, nv = mechanism.nb, mechanism.nv
    of_joint, of_speed = 6 * nb, 12 * nb
    equations = _Equations()
    begins = []
    for label in range(1, nb + 1):
        mass, arm, inertia = state.inertia(label)
        omega = at.omega[label]
        force = mass * (cross(omega, cross(omega, arm)) - mechanism.gravity)
        bias = np.concatenate([cross(omega, inertia @ omega) + cross(arm, force), force])
        begins.append(equations.begin(state.scene.wrenches[label] - bias))
        equations.add(begins[-1], 6 * (label - 1), state.spatial_inertia(label))
    for number, (joint, frames) in enumerate(zip(mechanism.tree_joints, state.freedoms, strict=True)):
        moved = [(body, sign) for body, sign in ((joint.successor, 1), (joint.predecessor, -1)) if body]
        levers = {body: skew(frames.head - at.origins[body]) for body, _ in moved}
        carried = {body: np.block([[_ONE, _NONE], [-lever, _ONE]]) for body, lever in levers.items()}
        known = sum(
            sign * (carried[body] @ np.concatenate([at.alpha[body], at.acceleration[body]])) for body, sign in moved
        )
        first = equations.begin(known)
        for body, sign in moved:
            equations.add(first, 6 * (body - 1), sign * carried[body])
            # On the successor acts the wrench, on the predecessor its opposite.
            equations.add(begins[body - 1], of_joint + 6 * number, -sign * carried[body].T)
        speeds, ratio = state.driver(joint)
        equations.add(first, of_speed + speeds.start, -(frames.directions * ratio))
    powers = equations.begin(tau)
    for number, (joint, frames) in enumerate(zip(mechanism.tree_joints, state.freedoms, strict=True)):
        speeds, ratio = state.driver(joint)
        first = powers + speeds.start
        equations.add(first, of_joint + 6 * number, frames.directions.T * ratio)
        for k, force in enumerate(state.scene.along[number]):
            equations.right[first + k] = equations.right[first + k] + force * ratio
            equations.add(first + k, of_speed + speeds.start + k, np.array([[state.rotor(joint) * ratio * ratio]]))
    found = solved(equations.rows, equations.right, of_speed + nv)
    vdot, wrenches = np.empty(nv, dtype=object), np.empty((nb, 6), dtype=object)
    vdot[:] = found[of_speed:]
    for number, frames in enumerate(state.freedoms):
        wrench = np.array(found[of_joint + 6 * number : of_joint + 6 * number + 6], dtype=object)
        wrenches[number] = np.concatenate([frames.S.T @ wrench[:3], frames.S.T @ wrench[3:]])
    return vdot, wrenches


def balanced(state: ExactState, motion: Moving, acting: dict[int, Array]) -> Array:
    """[moment; force] on each tree joint's successor at and in its frame there, (nb, 6), from the leaves inward.

    Args:
        state: where the mechanism is.
        motion: how it moves.
        acting: by body, the wrench about its origin that its joints must give it, base axes.
    """
    mechanism = state.mechanism
    needed = dict(acting)
    found = np.empty((mechanism.nb, 6), dtype=object)
    for number in range(mechanism.nb, 0, -1):
        joint, frame = mechanism.joints[number - 1], state.freedoms[number - 1]
        inner, outer, sign = joint.walked
        moment, force = needed[outer][:3], needed[outer][3:]
        if inner:
            arm = motion.origins[outer] - motion.origins[inner]
            needed[inner] = needed[inner] + np.concatenate([moment + cross(arm, force), force])
        at_head = moment + cross(motion.origins[outer] - frame.head, force)
        found[number - 1] = np.concatenate([frame.S.T @ (sign * at_head), frame.S.T @ (sign * force)])
    return found


def wrenches_of_motion(state: ExactState, vdot: Array) -> Array:
    """The wrenches of tree joints that produce the rates vdot, (nb, 6)."""
    motion = moving(state.mechanism, state.q, state.v, vdot)
    labels = range(1, state.mechanism.nb + 1)
    return balanced(state, motion, {b: state.needed(motion, b) - state.scene.wrenches[b] for b in labels})
