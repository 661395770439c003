"""Articulated-body algorithm: forward dynamics without a mass matrix.

Velocity, gravity and force element terms are taken off the applied forces first (M vdot = tau - bias), so that the
recursion runs on a mechanism at rest: that needs fewer operations than carrying them through the articulated inertias.
The freedoms of a joint are eliminated one after the other, which is the LDL^T factorisation of H^T I^A H.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.errors import DerivationError, SymbolicError
from mbsym.kinematics.joint_motion import Motion
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import Speeds
from mbsym.spatial.inertia import ArticulatedInertia
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.scalar import Scalar

Row = list[Scalar]


@dataclass(frozen=True, slots=True)
class _Pivot:
    """One eliminated freedom: its column h, gain k = I^A h / d, and offset u / d."""

    column: Row
    gain: Row
    offset: Scalar


def articulated_body(mechanism: Mechanism, forces: Speeds) -> Speeds:
    """vdot by joint of the mechanism at rest, without gravity, under generalised forces by joint: M^-1 forces.

    Raises:
        DerivationError: a joint has no inertia to move (a massless body at its end).
    """
    graph = mechanism.graph
    zero = Scalar(graph, 0)
    inertias = [ArticulatedInertia.of_rigid(body.inertia) for body in mechanism.bodies]
    biases: list[Row] = [[zero] * 6 for _ in mechanism.bodies]
    pivots: list[list[_Pivot]] = [[] for _ in mechanism.bodies]
    with graph.section("articulated inertias and bias wrenches, inward"):
        for body in reversed(mechanism.bodies):
            own, parent = body.label - 1, body.parent - 1
            rows, bias = inertias[own].rows(), biases[own]
            for k, force in enumerate(forces[own]):
                is_last = not body.parent and k == len(body.columns) - 1
                rows, bias, pivot = _eliminate(body, k, rows, bias, force, is_last)
                pivots[own].append(pivot)
            if not body.parent:
                continue
            if len(body.columns) < 6:
                seen = ArticulatedInertia.of_rows(rows).to_parent(body.rotation, body.translation)
                inertias[parent] = inertias[parent] + seen
            n, f = body.placement.wrench_to_parent((bias[0], bias[1], bias[2]), (bias[3], bias[4], bias[5]))
            biases[parent] = [x + y for x, y in zip(biases[parent], (*n, *f), strict=True)]
    return _outward(mechanism, pivots)


def _eliminate(
    body: TreeBody, k: int, rows: list[Row], bias: Row, force: Scalar, is_last: bool
) -> tuple[list[Row], Row, _Pivot]:
    """I - U U^T / d and p + U u / d for the joint's freedom k."""
    angular, linear = body.columns[k]
    h = [*angular, *linear]
    used = [m for m in range(6) if h[m].ref]
    u_column = [_sum([row[m] * h[m] for m in used]) for row in rows]
    d = (_sum([h[m] * u_column[m] for m in used]) + body.armature[k]).named(f"d{body.label}_{k + 1}")
    remaining = (force - _sum([h[m] * bias[m] for m in used])).named(f"u{body.label}_{k + 1}")
    try:
        inverse = (1 / d).named(f"inv_d{body.label}_{k + 1}")
    except SymbolicError:
        raise DerivationError(
            "nothing resists this joint's motion: its mass or inertia is zero",
            where=f"joint {body.joint.name}",
            remedy=f"give body {body.name} or one outboard of it mass, or the joint armature",
        ) from None
    gain = [x * inverse for x in u_column]
    pivot = _Pivot(h, gain, remaining * inverse)
    if is_last:
        return rows, bias, pivot
    reduced = [row[:] for row in rows]
    for r in range(6):
        for c in range(r, 6):
            reduced[r][c] = reduced[c][r] = rows[r][c] - gain[r] * u_column[c]
    return reduced, [p + g * remaining for p, g in zip(bias, gain, strict=True)], pivot


def _sum(items: Row) -> Scalar:
    total = items[0]
    for item in items[1:]:
        total = total + item
    return total


def _outward(mechanism: Mechanism, pivots: list[list[_Pivot]]) -> Speeds:
    zero = zero_vector(mechanism.graph)
    accelerations: list[Motion] = [(zero, zero)]
    rates: list[tuple[Scalar, ...]] = []
    with mechanism.graph.section("accelerations, outward"):
        for body, eliminated in zip(mechanism.bodies, pivots, strict=True):
            angular, linear = body.placement.twist_to_child(*accelerations[body.parent])
            state = [*angular, *linear]
            found: list[Scalar] = []
            for k, pivot in reversed(list(enumerate(eliminated, start=1))):
                rate = pivot.offset
                # Entries of gain one come last, so that adding H vdot below cancels them.
                for m in sorted(range(6), key=lambda m: pivot.gain[m].ref == 1):
                    rate = rate - pivot.gain[m] * state[m]
                found.append(rate.named(f"vdot{body.label}_{k}"))
                state = [x + h * rate for x, h in zip(state, pivot.column, strict=True)]
            rates.append(tuple(reversed(found)))
            accelerations.append(((state[0], state[1], state[2]), (state[3], state[4], state[5])))
    return tuple(rates)
