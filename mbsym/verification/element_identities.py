"""Checks of the kernels of bodies, hinges and ends: Newton and Euler, and elimination by dense systems of equations.

Loads are written as functions of a small rotation phi and displacement dr of the input end, in space for planar bodies
too, and differentiated. Moments are those about the input end in axes that turn with the body, so that a load that
turns with it does not change.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.verification.evidence import Pairs
from mbsym.verification.stepping_evidence import (
    InSpace,
    StepEvidence,
    StepIdentity,
    derivative,
    exponential,
)


def _inertia(evidence: StepEvidence) -> Pairs:
    """Newton's equation, and its moment; Euler's torque stands in the motion."""
    space, body, motion, C = InSpace(evidence.layout), evidence["body"], evidence["motion"], evidence["C"]
    d, n = evidence.layout.dimension, evidence.layout.load
    rho = space.rotation(motion) @ space.point(body[1 : 1 + d])
    a = space.point(evidence["a"])
    force, moment = space.point(evidence["force"][:d]), space.turn(evidence["force"][d:])
    torque = np.array([0, 0, body[3] * motion[3]]) if space.is_planar else motion[27:30]
    # In space what the torque changes by is in the motion, too.
    turning = np.diag([0, 0, body[3]]) * C if space.is_planar else np.zeros((3, 3))

    def loads(change: Array, geometric: float) -> Array:
        phi, dr = space.split(change)
        Q = body[0] * (a + C * (dr + np.cross(phi, rho))) - force
        M = torque + turning @ phi - moment + np.cross(rho, exponential(-geometric * phi) @ Q)
        return space.load(M, Q)

    for geometric in (0.0, 1.0):
        found = evidence.results("transfer_inertia", geometric=geometric)
        yield found["W"], derivative(partial(loads, geometric=geometric), np.zeros(n))
        yield found["w"], loads(np.zeros(n), geometric)


def _hinge_law(evidence: StepEvidence) -> Pairs:
    """Moment of spring, damper and rotor, and how it changes with the body's angle; none in a ball hinge."""
    if evidence.layout.dimension == 3:
        yield evidence.results("transfer_hinge_law")["law"], np.zeros(2)
        return
    stiffness, damping, rotor, free = evidence["joint"][2:6]
    turn = float(evidence["angle"][0] - evidence["parent_angle"][0] - free)
    outer, inner = evidence["motion"], evidence["parent_motion"]
    for spring in (0.0, 1.0):

        def torque(delta: float, spring: float = spring) -> float:
            rate = outer[4] + evidence["A"] * delta - inner[4]
            rate2 = outer[3] + evidence["C"] * delta - inner[3]
            return -float(stiffness * (turn + spring * delta) + damping * rate + rotor * rate2)

        expected = np.array([torque(0) - torque(1), torque(0)])
        yield evidence.results("transfer_hinge_law", spring=spring)["law"], expected


def _hinge(evidence: StepEvidence) -> Pairs:
    """Loads of the body and of the hinge together as one system of equations, for each interface and column alone.

    Unknown are the body's rotation and the loads at the parent's end; what the kernels keep of the elimination is used
    by them and must lead to the same.
    """
    space, W, w = InSpace(evidence.layout), evidence["W"], evidence["w"]
    n, d = evidence.layout.angles, evidence.layout.dimension
    found = evidence.results("transfer_hinge")
    column = evidence.results("transfer_hinge_column", elimination=found["elimination"])
    S, s = found["S"], column["s"]
    if space.is_planar:
        stiffness = evidence["law"][0]
        into, turning, held = np.eye(1), np.zeros((1, 1)), stiffness * np.eye(1)
    else:
        into, turning = (evidence["motion"][k : k + 9].reshape(3, 3) for k in (9, 30))
        held = np.zeros((3, 3))
    of_rotation = W[:, :n] @ into
    of_rotation[:n] += turning
    left = np.block([[of_rotation[:n] + held, np.zeros((n, d))], [of_rotation[n:], -np.eye(d)]])
    for parent, dr, part in (*((*_split(x, n), 0.0) for x in np.eye(n + d)), (np.zeros(n), np.zeros(d), 1.0)):
        right = held @ parent
        given = W[:, n:] @ dr + part * w
        solved = np.linalg.solve(left, np.concatenate([right - given[:n], -given[n:]]))
        delta, force = solved[:n], solved[n:]
        interface = np.concatenate([parent, dr]) if space.is_planar else dr
        at_parent = np.concatenate([held @ (parent - delta), force]) if space.is_planar else force
        yield S @ interface + part * s, at_parent
        if part:
            yield column["delta"], delta
        turn = evidence.results(
            "transfer_rotation",
            elimination=found["elimination"],
            parent_delta=parent,
            dr=dr,
            rest=part * column["delta"],
        )
        yield turn["delta"], delta


def _split(x: Array, n: int) -> tuple[Array, Array]:
    return x[:n], x[n:]


def _elastic_hinge(evidence: StepEvidence) -> Pairs:
    """The spring's force on the outboard end and the loads there as one system, for each interface and column alone."""
    S, k, q, s = evidence["S"], evidence["stiffness"], evidence["q"], evidence["s"]
    d = evidence.layout.dimension
    head = 3 - d
    found = evidence.results("transfer_elastic_hinge")
    column = evidence.results("transfer_elastic_hinge_column", elastic=found["elastic"])
    _, *rest = np.eye(4)
    left = S[head:, head:] + k * np.eye(d)
    yield found["turn"], np.append(np.linalg.solve(left, S[head:, 0]), 0) if head else np.zeros(3)
    for x, part in (*((x[1:], 0.0) for x in rest), (np.zeros(3), 1.0)):
        turn, dr = x[:head], x[head:]
        force = part * q + k * dr
        point = np.linalg.solve(left, force - S[head:, :head] @ turn - part * s[head:])
        outboard = S[:head] @ np.concatenate([turn, point]) + part * s[:head]
        yield found["S_through"] @ x + part * column["s_through"], np.concatenate([outboard, force - k * point])
        if part:
            yield column["rest"], point
        changed = evidence.results(
            "transfer_elastic_point",
            elastic=found["elastic"],
            turn=found["turn"],
            parent_delta=turn if head else np.zeros(3),
            dr=dr,
            rest=part * column["rest"],
        )
        yield changed["point"], point


def _end(evidence: StepEvidence) -> Pairs:
    """Loads at a point of the body that moves with it, taken to the input end."""
    space, S = InSpace(evidence.layout), evidence["S"]
    beta = space.rotation(evidence["motion"]) @ space.point(evidence["b"])
    force = space.point(evidence["Q"])

    def loads(change: Array) -> Array:
        phi, dr = space.split(change)
        M, Q = _at_end(space, S, phi, dr + np.cross(phi, beta))
        return space.load(M + np.cross(beta, exponential(-phi) @ (force + Q)), force + Q)

    yield evidence.results("transfer_end")["W"], derivative(loads, np.zeros(evidence.layout.load))


def _at_end(space: InSpace, S: Array, phi: Array, change: Array) -> tuple[Array, Array]:
    """Moment and force of an interface; in space a ball hinge takes no moment."""
    if space.is_planar:
        return space.split(S @ np.array([phi[2], change[0], change[1]]))
    return np.zeros(3), S @ change


def _end_column(evidence: StepEvidence) -> Pairs:
    """A force at a point of the body and a moment."""
    space, s = InSpace(evidence.layout), evidence["s"]
    beta = space.rotation(evidence["motion"]) @ space.point(evidence["b"])
    M, Q = space.split(s) if space.is_planar else (np.zeros(3), s)
    yield evidence.results("transfer_end_column")["w"], space.load(M + np.cross(beta, Q), Q)


def _point(evidence: StepEvidence) -> Pairs:
    """From the input end along the lever, which in the calculation of accelerations is no longer a rotation."""
    space, motion = InSpace(evidence.layout), evidence["motion"]
    levers = motion[2] * space.rotation(motion) if space.is_planar else motion[18:27].reshape(3, 3)
    found = evidence.results("transfer_point")["point"]
    yield space.point(found), space.point(evidence["r"]) + levers @ space.point(evidence["b"])


def _point_change(evidence: StepEvidence) -> Pairs:
    """Derivative of where a point of a turning body is."""
    space, motion = InSpace(evidence.layout), evidence["motion"]
    G = np.eye(3) if space.is_planar else motion[9:18].reshape(3, 3)
    phi = G @ space.turn(evidence["delta"])
    lever = space.rotation(motion) @ space.point(evidence["b"])
    expected = space.point(evidence["dr"]) + _turning(phi, lever)
    yield space.point(evidence.results("transfer_point_change")["change"]), expected


def _point_velocity(evidence: StepEvidence) -> Pairs:
    """Derivative of where a point of a turning body is, from its centre of mass."""
    space, motion, d = InSpace(evidence.layout), evidence["motion"], evidence.layout.dimension
    omega = space.turn(motion[4:5]) if space.is_planar else motion[39:42]
    lever = space.rotation(motion) @ space.point(evidence["b"] - evidence["body"][1 : 1 + d])
    expected = space.point(evidence["velocity"]) + _turning(omega, lever)
    yield space.point(evidence.results("transfer_point_velocity")["point_velocity"]), expected


def _turning(omega: Array, lever: Array) -> Array:
    """Velocity of the end of a lever."""
    return derivative(lambda time: exponential(time[0] * omega) @ lever, np.zeros(1))[:, 0]


ELEMENT_IDENTITIES: Final = (
    StepIdentity("transfer_inertia", "Newton, Euler", _inertia),
    StepIdentity("transfer_hinge_law", "moment of the hinge", _hinge_law),
    StepIdentity("transfer_hinge", "dense solution", _hinge),
    StepIdentity("transfer_hinge_column", "dense solution", _hinge),
    StepIdentity("transfer_rotation", "dense solution", _hinge),
    StepIdentity("transfer_elastic_hinge", "dense solution", _elastic_hinge),
    StepIdentity("transfer_elastic_hinge_column", "dense solution", _elastic_hinge),
    StepIdentity("transfer_elastic_point", "dense solution", _elastic_hinge),
    StepIdentity("transfer_end", "loads of a rigid body", _end),
    StepIdentity("transfer_end_column", "loads of a rigid body", _end_column),
    StepIdentity("transfer_point", "motion of a rigid body", _point),
    StepIdentity("transfer_point_change", "motion of a rigid body", _point_change),
    StepIdentity("transfer_point_velocity", "motion of a rigid body", _point_velocity),
)
"""Checks of the kernels of bodies, hinges and ends."""
