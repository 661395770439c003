"""Checks of the kernels of bodies, hinges and ends: Newton and Euler, and derivatives of Rodrigues' formula.

Loads are written as functions of a small rotation phi and displacement dr of the input end, in space for planar bodies
too, and differentiated. Moments are those about the input end in axes that turn with the body, so that a load that
turns with it does not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

POINTS_ON_CIRCLE: Final = 32
RADIUS: Final = 0.25
"""Of the circle in the complex plane from which Taylor coefficients are read: of entire functions of numbers below 2,
whose coefficients beyond the 32nd add less than a rounding."""


def _inertia(evidence: StepEvidence) -> Pairs:
    """Newton's equation, and its moment; Euler's torque stands in the motion."""
    space, body, motion, C = InSpace(evidence.layout), evidence["body"], evidence["motion"], evidence["C"]
    d, n = evidence.layout.dimension, evidence.layout.load
    rho = space.rotation(motion) @ space.point(body[1 : 1 + d])
    a = space.point(evidence["a"])
    force, moment = space.point(evidence["force"][:d]), space.turn(evidence["force"][d:])
    torque = np.array([0, 0, body[3] * motion[4]]) if space.is_planar else motion[27:30]
    turning = np.diag([0, 0, body[3]]) * C if space.is_planar else motion[30:39].reshape(3, 3)

    def loads(change: Array, geometric: float) -> Array:
        phi, dr = space.split(change)
        Q = body[0] * (a + C * (dr + np.cross(phi, rho))) - force
        M = torque + turning @ phi - moment + np.cross(rho, exponential(-geometric * phi) @ Q)
        return space.load(M, Q)

    for geometric in (0.0, 1.0):
        found = evidence.results("transfer_inertia", geometric=geometric)
        yield found["W"], derivative(partial(loads, geometric=geometric), np.zeros(n))
        yield found["w"], loads(np.zeros(n), geometric)


def _moving(evidence: StepEvidence) -> Iterator[tuple[InSpace, Array, Array, float, dict[str, Array]]]:
    """A coordinate that turns and one that slides: axes before it, its axis in these, 1 for turns, what is changed."""
    space, d = InSpace(evidence.layout), evidence.layout.dimension
    for kind in (0.0, 1.0):
        slot = evidence["slot"].copy()
        slot[0] = kind
        if kind and space.is_planar:
            slot[1:3] = 0
        else:
            slot[1 : 1 + d] /= np.linalg.norm(slot[1 : 1 + d])
        e = space.turn(np.ones(1)) if kind and space.is_planar else space.point(slot[1 : 1 + d])
        yield space, space.rotation(evidence["frame"]), e, kind, {"slot": slot}


def _hinge_motion(evidence: StepEvidence) -> Pairs:
    """A displacement along the axis, and the derivative of it or of Rodrigues' formula."""
    q = float(evidence["q"])
    for space, R, e, turns, given in _moving(evidence):
        found = evidence.results("transfer_hinge_motion", **given)
        beyond = R @ exponential(turns * q * e)
        yield space.point(found["shift"]), (1 - turns) * q * (R @ e)
        turning = derivative(lambda x, R=R, e=e: (R @ exponential(x[0] * e)).ravel(), np.array([turns * q]))  # type: ignore[misc]
        rotation = _axial(turning[:, 0].reshape(3, 3) @ beyond.T)
        yield found["axis"], space.load(turns * rotation, (1 - turns) * (R @ e))


def _hinge_turn(evidence: StepEvidence) -> Pairs:
    """Rodrigues' formula about the axis, and the angle itself in the plane."""
    q = float(evidence["q"])
    for space, R, e, turns, given in _moving(evidence):
        found = evidence.results("transfer_hinge_turn", **given)["next_frame"]
        yield space.rotation(found), R @ exponential(turns * q * e)
        if space.is_planar:
            yield found[2], evidence["frame"][2] + turns * q


def _hinge_bias(evidence: StepEvidence) -> Pairs:
    """Second derivatives by time of what moves so, the axes before it turning as they do."""
    q, rate = float(evidence["q"]), float(evidence["speed"])
    for space, R, e, turns, given in _moving(evidence):
        omega = space.turn(evidence["omega"])
        spin, before = space.split(evidence["bias"])

        def axis(t: complex, R: Array = R, e: Array = e, omega: Array = omega, spin: Array = spin) -> Array:
            found: Array = exponential(omega * t + spin * t * t / 2) @ R @ e
            return found

        turning = turns * rate * _rates(axis)[1]
        moving = (1 - turns) * _rates(lambda t, axis=axis: axis(t) * (q + rate * t))[2]  # type: ignore[misc]
        found = evidence.results("transfer_hinge_bias", **given)
        yield found["next_bias"], space.load(spin + turning, before + moving)
        yield space.turn(found["next_omega"]), omega + turns * rate * (R @ e)


def _rates(function: Callable[[complex], Array]) -> Array:
    """Value, first and second derivative by time at zero: Taylor coefficients from a circle in the complex plane."""
    circle = RADIUS * np.exp(2j * np.pi * np.arange(POINTS_ON_CIRCLE) / POINTS_ON_CIRCLE)
    found = np.fft.fft([function(t) for t in circle], axis=0) / POINTS_ON_CIRCLE
    return np.real(np.array([found[0], found[1] / RADIUS, 2 * found[2] / RADIUS**2]))


def _axial(m: Array) -> Array:
    """a of a~, the skew part."""
    return np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]) / 2


def _hinge_gap(evidence: StepEvidence) -> Pairs:
    """Cayley's transform of the rotation between them in space, the angle itself in the plane."""
    q = float(evidence["q"])
    for space, R, e, turns, given in _moving(evidence):
        found = evidence.results("transfer_hinge_gap", **given)["gap"]
        if space.is_planar:
            yield found[0], evidence["frame"][2] + turns * q + evidence["turned"][0] - evidence["motion"][2]
        else:
            there = R @ exponential(turns * q * e) @ evidence["turned"].reshape(3, 3)
            turn = there @ space.rotation(evidence["motion"]).T
            yield found, _axial(2 * np.linalg.solve(np.eye(3) + turn, turn - np.eye(3)))


def _carried(evidence: StepEvidence) -> Pairs:
    """Derivative of where a point at the end of the displacement is."""
    space = InSpace(evidence.layout)
    turn, slide = space.split(evidence["axis"])
    moved = evidence.results("transfer_carried")["moved"]
    yield moved, space.load(turn, slide + _turning(turn, space.point(evidence["shift"])))


def _hinge_coordinate(evidence: StepEvidence) -> Pairs:
    """Loads of the body and the force along the coordinate together as one system, for each change and column alone.

    Where the coordinate is driven its change is known, and the last row of the system says so.
    """
    space, W, w, h = InSpace(evidence.layout), evidence["W"], evidence["w"], evidence["axis"]
    giving, pulling, n = float(evidence["giving"]), float(evidence["pulling"]), evidence.layout.load
    turn, slide = space.split(h)
    moment, force = space.split(evidence["wrench"])
    for geometric, driven in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)):
        # As axes see it that the coordinate turns; the work along an axis that turns.
        seen = geometric * space.load(_turning(turn, moment), np.zeros(3))
        turned = derivative(
            lambda phi: np.array([exponential(space.turn(phi)) @ slide @ force]), np.zeros(space.angles)
        )
        along = np.append(geometric * turned[0], np.zeros(n - space.angles))
        found = evidence.results("transfer_hinge_coordinate", geometric=geometric, driven=driven)
        kept = {"elimination": found["elimination"], "driven": driven}
        column = evidence.results("transfer_hinge_column", **kept)
        row = (1 - driven) * (h @ W + along)
        corner = np.array([[row @ h + giving if not driven else 1.0]])
        left = np.block([[np.eye(n), -(W @ h + seen)[:, None]], [np.zeros((1, n)), corner]])
        for x, part in (*((x, 0.0) for x in np.eye(n)), (np.zeros(n), 1.0)):
            missing = part * (pulling - (1 - driven) * h @ w) - row @ x
            *load, dq = np.linalg.solve(left, np.append(W @ x + part * w, missing))
            yield found["W_left"] @ x + part * column["w_left"], np.array(load)
            moved = evidence.results("transfer_hinge_change", **kept, side=part * column["side"], change=x)
            yield moved["own_change"], np.array([dq])
            yield moved["beyond"], x + h * dq


def _load(evidence: StepEvidence) -> Pairs:
    """A product of a matrix and a vector, and a vector."""
    yield evidence.results("transfer_load")["load"], evidence["w"] + evidence["W"] @ evidence["change"]


def _rotation(evidence: StepEvidence) -> Pairs:
    """By the matrix that stands in the motion."""
    space = InSpace(evidence.layout)
    to_delta = np.eye(1) if space.is_planar else evidence["motion"][9:18].reshape(3, 3)
    yield evidence.results("transfer_rotation")["delta"], to_delta @ evidence["phi"]


def _end(evidence: StepEvidence) -> Pairs:
    """Loads at a point of the body that moves with it, taken to the input end."""
    space, S = InSpace(evidence.layout), evidence["S"]
    beta, force = space.point(evidence["lever"]), space.point(evidence["Q"])

    def loads(change: Array) -> Array:
        phi, dr = space.split(change)
        M, Q = space.split(S @ space.load(phi, dr + np.cross(phi, beta)))
        return space.load(M + np.cross(beta, exponential(-phi) @ (force + Q)), force + Q)

    yield evidence.results("transfer_end")["W"], derivative(loads, np.zeros(evidence.layout.load))


def _end_column(evidence: StepEvidence) -> Pairs:
    """A force at a point of the body and a moment."""
    space = InSpace(evidence.layout)
    M, Q = space.split(evidence["s"])
    moment = M + np.cross(space.point(evidence["lever"]), Q)
    yield evidence.results("transfer_end_column")["w"], space.load(moment, Q)


def _point(evidence: StepEvidence) -> Pairs:
    """From the input end along the lever, which in the calculation of accelerations is no longer a rotation."""
    space, motion = InSpace(evidence.layout), evidence["motion"]
    levers = motion[3] * space.rotation(motion) if space.is_planar else motion[18:27].reshape(3, 3)
    found = evidence.results("transfer_point")["point"]
    yield space.point(found), space.point(evidence["r"]) + levers @ space.point(evidence["b"])


def _point_change(evidence: StepEvidence) -> Pairs:
    """Derivative of where a point of a turning body is."""
    space = InSpace(evidence.layout)
    phi, dr = space.split(evidence["change"])
    changed = evidence.results("transfer_point_change")["changed"]
    yield changed, space.load(phi, dr + _turning(phi, space.point(evidence["lever"])))


def _point_velocity(evidence: StepEvidence) -> Pairs:
    """Derivative of where a point of a turning body is, from its centre of mass."""
    space, motion, d = InSpace(evidence.layout), evidence["motion"], evidence.layout.dimension
    omega = space.turn(motion[5:6]) if space.is_planar else motion[39:42]
    lever = space.point(evidence["lever"]) - space.rotation(motion) @ space.point(evidence["body"][1 : 1 + d])
    expected = space.point(evidence["velocity"]) + _turning(omega, lever)
    yield space.point(evidence.results("transfer_point_velocity")["point_velocity"]), expected


def _turning(omega: Array, lever: Array) -> Array:
    """Velocity of the end of a lever."""
    return derivative(lambda time: exponential(time[0] * omega) @ lever, np.zeros(1))[:, 0]


ELEMENT_IDENTITIES: Final = (
    StepIdentity("transfer_inertia", "Newton, Euler", _inertia),
    StepIdentity("transfer_hinge_motion", "Rodrigues", _hinge_motion),
    StepIdentity("transfer_hinge_turn", "Rodrigues", _hinge_turn),
    StepIdentity("transfer_hinge_bias", "derivatives of Rodrigues' formula", _hinge_bias),
    StepIdentity("transfer_hinge_gap", "axial vector", _hinge_gap),
    StepIdentity("transfer_carried", "motion of a rigid body", _carried),
    StepIdentity("transfer_hinge_coordinate", "dense solution", _hinge_coordinate),
    StepIdentity("transfer_hinge_column", "dense solution", _hinge_coordinate),
    StepIdentity("transfer_hinge_change", "dense solution", _hinge_coordinate),
    StepIdentity("transfer_load", "dense product", _load),
    StepIdentity("transfer_rotation", "tangent of the rotation", _rotation),
    StepIdentity("transfer_end", "loads of a rigid body", _end),
    StepIdentity("transfer_end_column", "loads of a rigid body", _end_column),
    StepIdentity("transfer_point", "motion of a rigid body", _point),
    StepIdentity("transfer_point_change", "motion of a rigid body", _point_change),
    StepIdentity("transfer_point_velocity", "motion of a rigid body", _point_velocity),
)
"""Checks of the kernels of bodies, hinges and ends."""
