"""Rotors reflected to the speeds of joints: their energy is a v.v / 2 for a joint of armature a and speeds v.

Lagrange's equations of that energy ask the forces a (vdot + b(v, v)) of the joint. Where speeds are the rates of
coordinates b is zero. Of a rotation b(v, v) = omega x omega is zero too; of a pose it is [0; omega x v_O]: a v_O is a
momentum that keeps its direction in P, written in axes that turn with S. Which way the tree walks the joint does not
matter, since speeds are the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mbsym.joints.coordinate_groups import CoordinateGroup, connection, momentum_bracket
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import Speeds
from mbsym.symbolic.scalar import Scalar

_Terms: TypeAlias = Callable[[CoordinateGroup, Sequence[Scalar], Sequence[Scalar]], tuple[Scalar, ...]]


def turning_of_speeds(body: TreeBody, speeds: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """b(v, v) of a body's joint: what turning axes add to vdot of its rotors; zeros without rotors."""
    return _of(momentum_bracket, body, speeds, speeds)


def coriolis_of_speeds(body: TreeBody, speeds: tuple[Scalar, ...], others: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """C(v) w of a body's joint for an armature of one: skew in w, and b(v, v) for w = v."""
    return _of(connection, body, speeds, others)


def rotor_forces(mechanism: Mechanism, speeds: Speeds) -> Speeds | None:
    """a b(v, v) by joint: what rotors ask at constant speeds; None where that is nothing."""
    found = tuple(
        tuple(armature * term for armature, term in zip(body.armature, turning_of_speeds(body, rates), strict=True))
        for body, rates in zip(mechanism.bodies, speeds, strict=True)
    )
    return found if any(any(own) for own in found) else None


def _of(terms: _Terms, body: TreeBody, v: tuple[Scalar, ...], w: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    found = terms(body.joint.kind.group, v, w) if any(body.armature) else ()
    return found or (Scalar(body.motion.graph, 0),) * len(v)
