"""Increments of q along the speeds: what they are called, and how they move with a motion of their own."""

from __future__ import annotations

from mbsym.doors import Array
from mbsym.joints.coordinate_groups import momentum_bracket
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.names import expression_names
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar


def increment_names(mechanism: Mechanism) -> tuple[str, ...]:
    """A name for each increment (nv,): that of the coordinate, or "d_SPEED" where speeds are no rates."""
    table = expression_names(mechanism.model)
    found: list[str] = []
    for body in mechanism.bodies_by_coordinates:
        joint = body.joint
        rates = joint.kind.speeds_are_rates
        found += table.coordinates[joint.name] if rates else (f"d_{name}" for name in table.speeds[joint.name])
    return tuple(found)


def increment_units(mechanism: Mechanism) -> tuple[str, ...]:
    """Units of the increments (nv,): rad or m."""
    return tuple(
        unit.removesuffix("/s") for body in mechanism.bodies_by_coordinates for unit in body.joint.shape.speed_units
    )


def turning(mechanism: Mechanism) -> list[list[Scalar]]:
    """K(v) in d(dq)/dt = K dq + dv for increments dq from a motion with the speeds v (nv, nv).

    Zero where speeds are rates. Increments of a rotation are components along axes that turn with the body, so that
    K = -ad(v) (Sola, Deray, Atchuthan: A micro Lie theory for state estimation in robotics, 2018).
    """
    graph, n = mechanism.graph, mechanism.nv
    zero, one = Scalar(graph, 0), Scalar(graph, 0) + 1
    matrix = [[zero] * n for _ in range(n)]
    for body in mechanism.bodies_by_coordinates:
        first, stop = body.v_range
        size = range(stop - first)
        for i in size:
            unit = [one if i == k else zero for k in size]
            # The bracket of momenta is -ad^T.
            for k, entry in enumerate(momentum_bracket(body.joint.kind.group, body.v, unit)):
                matrix[first + i][first + k] = entry
    return matrix


def turning_at(mechanism: Mechanism, v: Array) -> Array:
    """``turning`` in numbers."""
    output = Output("K", (mechanism.nv, mechanism.nv), tuple(x.ref for row in turning(mechanism) for x in row))
    program = Program("turning", mechanism.graph, (mechanism.v,), (output,), mechanism.parameters)
    return Evaluator(program)(v)["K"]
