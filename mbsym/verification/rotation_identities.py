"""Checks of the kernels of a body's rotation: attitudes, their rates, histories, kinetic energy.

Rotations are made by Rodrigues' formula, angular velocities and what they cause by derivatives of those rotations.
"""

from __future__ import annotations

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
    inertia_matrix,
    quaternion,
    rotation_of,
)

POINTS_ON_CIRCLE: Final = 32
RADIUS: Final = 0.25
"""Of the circle in the complex plane from which Taylor coefficients are read, well within the logarithm's domain."""


def _turned(evidence: StepEvidence, z: Array) -> Array:
    """Rotation within the step, from the base or, for Cardan angles, from the base axes."""
    if evidence.layout.rotation != "cardan":
        return exponential(InSpace(evidence.layout).turn(z))
    a, b, c = np.eye(3)
    return exponential(a * z[0]) @ exponential(b * z[1]) @ exponential(c * z[2])


def _from(evidence: StepEvidence, base: Array) -> Array:
    """Rotation that the increments start from."""
    match evidence.layout.rotation:
        case "angle":
            return exponential(np.array([0, 0, base[0]]))
        case "cardan":
            return np.eye(3)
    return rotation_of(base)


def _tangent(evidence: StepEvidence, z: Array) -> Array:
    """Angular velocity in body axes per rate of z: R^T dR by z."""
    R = _turned(evidence, z)
    slope = derivative(lambda at: _turned(evidence, at).ravel(), z).reshape(3, 3, len(z))
    return np.stack([_axial(R.T @ slope[..., k]) for k in range(len(z))], axis=-1)


def _axial(m: Array) -> Array:
    """a of a~."""
    return np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]) / 2


def _cardan_motion(angles: Array, rates: Array, rates2: Array) -> tuple[Array, Array]:
    """Angular velocity and acceleration in body axes: each axis turns with the angles that come after it."""
    b, c = exponential(angles[1] * np.eye(3)[1]), exponential(angles[2] * np.eye(3)[2])
    axes = (c.T @ b.T)[:, 0], c.T[:, 1], np.array([0, 0, 1])
    after = rates[1] * axes[1] + rates[2] * axes[2], rates[2] * axes[2], np.zeros(3)
    omega: Array = sum(rate * axis for rate, axis in zip(rates, axes, strict=True))
    alpha: Array = sum(
        second * axis + rate * np.cross(axis, turning)
        for second, rate, axis, turning in zip(rates2, rates, axes, after, strict=True)
    )
    return omega, alpha


def _torque(J: Array, omega: Array, alpha: Array) -> Array:
    """Euler's equation."""
    return J @ alpha + np.cross(omega, J @ omega)


def _attitude(evidence: StepEvidence) -> Pairs:
    """The scheme's rates at the iterate, and how the inertia torque changes with it."""
    z, A, C, B, D = (evidence[name] for name in ("z", "A", "C", "B", "D"))
    R = _from(evidence, evidence["base"]) @ _turned(evidence, z)
    motion = evidence.results("transfer_attitude")["motion"]
    if evidence.layout.rotation == "angle":
        angle = evidence["base"][0] + z[0]
        yield motion, np.array([R[0, 0], R[1, 0], angle, 1, C * z[0] + D[0], A * z[0] + B[0]])
        return

    def moving(at: Array) -> tuple[Array, Array]:
        if evidence.layout.rotation == "cardan":
            return _cardan_motion(at, A * at + B, C * at + D)
        omega = A * at + B - np.cross(at, evidence["B_past"]) / 2
        return omega, C * at + D - np.cross(at, evidence["D_past"]) / 2

    J = inertia_matrix(evidence["body"])
    by_z = derivative(lambda at: _torque(J, *moving(at)), z)
    omega, alpha = moving(z)
    to_z = np.linalg.inv(R @ _tangent(evidence, z))
    parts = (R, to_z, R, R @ _torque(J, omega, alpha), R @ by_z @ to_z, R @ omega)
    yield motion, np.concatenate([part.ravel() for part in parts])


def _attitude_rate(evidence: StepEvidence) -> Pairs:
    """Levers turn with omega x (omega x b); what multiplies the angular acceleration is the inertia."""
    omega = evidence["omega"]
    R = _from(evidence, evidence["base"]) @ _turned(evidence, evidence["z"])
    motion = evidence.results("transfer_attitude_rate")["motion"]
    turn = InSpace(evidence.layout).turn(omega)
    levers = np.stack([R @ np.cross(turn, np.cross(turn, b)) for b in np.eye(3)], axis=-1)
    if evidence.layout.rotation == "angle":
        angle = evidence["base"][0] + evidence["z"][0]
        yield motion, np.array([R[0, 0], R[1, 0], angle, levers[:, 0] @ R[:, 0], 0, omega[0]])
        return
    J = inertia_matrix(evidence["body"])
    torque = R @ _torque(J, omega, np.zeros(3))
    parts = (R, R.T, levers, torque, R @ J @ R.T, R @ omega)
    yield motion, np.concatenate([part.ravel() for part in parts])


def _start(evidence: StepEvidence) -> Pairs:
    """What the history says of attitude and rates is what was given."""
    given, omega, alpha = evidence["attitude"], evidence["omega"], evidence["alpha"]
    if evidence.layout.rotation == "cardan":
        angles = evidence["z"]
        whole = np.array([1.0, 0, 0, 0])
        for angle, axis in zip(angles, np.eye(3), strict=True):
            whole = _composed(whole, quaternion(angle * axis))
        found = evidence.results("transfer_start_rotation", attitude=1.5 * whole)
        yield found["base"], whole
        yield found["x"], angles
        yield np.concatenate(_cardan_motion(angles, found["v"], found["a"])), np.concatenate([omega, alpha])
        return
    longer = 1.5 if evidence.layout.rotation == "incremental" else 1.0
    found = evidence.results("transfer_start_rotation", attitude=longer * given)
    yield from zip(found.values(), (given, np.zeros(len(omega)), omega, alpha), strict=True)


def _composed(p: Array, q: Array) -> Array:
    """Quaternion of one rotation after another: products of scalars and vectors."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def _seen_from(x: Array, past: Array) -> Array:
    """log(exp(-x) exp(past)) to second order in both: coefficients of its Taylor series along the ray."""
    circle = RADIUS * np.exp(2j * np.pi * np.arange(POINTS_ON_CIRCLE) / POINTS_ON_CIRCLE)
    values = [_logarithm(exponential(-e * x) @ exponential(e * past)) for e in circle]
    coefficients = np.fft.fft(values, axis=0) / POINTS_ON_CIRCLE
    found: Array = np.real(coefficients[1] / RADIUS + coefficients[2] / RADIUS**2)
    return found


def _logarithm(R: Array) -> Array:
    """Rotation vector of a rotation of less than a right angle, complex ones too."""
    axis = _axial(R)
    sine = np.emath.sqrt(axis @ axis)
    found: Array = axis * np.emath.arcsin(sine) / sine
    return found


def _rebase(evidence: StepEvidence) -> Pairs:
    """The same attitudes, counted from the new base."""
    base, x, past = evidence["base"], evidence["x"], (evidence["x2"], evidence["x3"])
    match evidence.layout.rotation:
        case "angle":
            expected = base + x, 0 * x, past[0] - x, past[1] - x
        case "cardan":
            expected = base, x, *past
        case "incremental":
            new = _composed(base, quaternion(x))
            expected = new, 0 * x, _seen_from(x, past[0]), _seen_from(x, past[1])
    yield from zip(evidence.results("transfer_rebase").values(), expected, strict=True)


def _past(evidence: StepEvidence) -> Pairs:
    """Where increments do not add up, a past one is what it will be after the step, plus the step."""
    z, past = evidence["z"], evidence["past"]
    expected = _seen_from(z, past) + z if evidence.layout.rotation == "incremental" else past
    yield evidence.results("transfer_past")["bent"], expected


def _observe(evidence: StepEvidence) -> Pairs:
    """The attitude of the iterate, and Koenig's theorem."""
    z, base, rate, body = (evidence[name] for name in ("z", "base", "rate", "body"))
    found = evidence.results("transfer_observe")
    space = InSpace(evidence.layout)
    R = _from(evidence, base) @ _turned(evidence, z)
    if evidence.layout.rotation == "angle":
        yield found["attitude"], base + z
    else:
        yield rotation_of(found["attitude"]), R
    omega = space.turn(rate)
    if evidence.layout.rotation == "cardan":
        omega = _tangent(evidence, z) @ rate
    yield space.turn(found["omega"]), omega
    v = evidence["velocity"]
    yield found["energy"], (body[0] * (v @ v) + omega @ inertia_matrix(body) @ omega) / 2


ROTATION_IDENTITIES: Final = (
    StepIdentity("transfer_attitude", "Rodrigues, Euler", _attitude),
    StepIdentity("transfer_attitude_rate", "Rodrigues, Euler", _attitude_rate),
    StepIdentity("transfer_start_rotation", "given motion", _start),
    StepIdentity("transfer_rebase", "composed rotations", _rebase),
    StepIdentity("transfer_past", "composed rotations", _past),
    StepIdentity("transfer_observe", "Rodrigues, Koenig", _observe),
)
"""Checks of the kernels that differ between rotation variables."""
