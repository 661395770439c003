"""Articulated-body algorithm: forward dynamics without a mass matrix.

The freedoms of a joint are eliminated one after the other, which is the LDL^T factorisation of H^T I^A H; accelerations
are those of points, so velocity terms need angular velocities only.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.errors import DerivationError, SymbolicError
from mbsym.formulations.applied_forces import AppliedForces
from mbsym.formulations.newton_euler import inertial_wrench
from mbsym.kinematics.joint_motion import Motion
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import Speeds, VelocityTerms, carried_acceleration, turning_matrix, velocity_terms
from mbsym.spatial.inertia import ArticulatedInertia
from mbsym.spatial.vector import Vector3, add, cross, is_zero, name_components, negate, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar

Row = list[Scalar]


@dataclass(frozen=True, slots=True)
class ForwardDynamics:
    """Rates of the speeds by joint, and each body's accelerations [alpha; a_O] in its components (entry 0: base)."""

    rates: Speeds
    accelerations: tuple[Motion, ...]


@dataclass(frozen=True, slots=True)
class _Pivot:
    """One eliminated freedom: its column h, gain k = I^A h / d, and offset u / d."""

    column: Row
    gain: Row
    offset: Scalar


def articulated_body(
    mechanism: Mechanism,
    speeds: Speeds,
    forces: Speeds,
    gravity: Vector3,
    applied: AppliedForces | None = None,
    terms: VelocityTerms | None = None,
) -> ForwardDynamics:
    """Rates of the speeds under the given generalised forces.

    Raises:
        DerivationError: a joint has no inertia to move (a massless body at its end).
    """
    graph = mechanism.graph
    zero = zero_vector(graph)
    terms = velocity_terms(mechanism, speeds) if terms is None else terms
    inertias: list[ArticulatedInertia | None] = [None]
    biases: list[Row] = [[Scalar(graph, 0)] * 6]
    with graph.section("velocity-dependent wrenches"):
        for body in mechanism.bodies:
            omega = terms.angular[body.label]
            turning = turning_matrix(omega, zero)
            moment, force = inertial_wrench(body.inertia, omega, zero, turning, zero)
            if applied is not None and body.label in applied.wrenches:
                n, f = applied.wrenches[body.label]
                moment, force = subtract(moment, n), subtract(force, f)
            inertias.append(ArticulatedInertia.of_rigid(body.inertia))
            biases.append([*moment, *force])
    pivots: list[list[_Pivot]] = [[] for _ in range(mechanism.nb + 1)]
    with graph.section("articulated inertias and bias wrenches, inward"):
        for body in reversed(mechanism.bodies):
            i = body.label
            inertia = inertias[i]
            assert inertia is not None
            own = applied.joints[i - 1] if applied is not None else ()
            acting = tuple(f + own[k] if own else f for k, f in enumerate(forces[i - 1]))
            rows, bias = inertia.rows(), biases[i]
            for k in range(len(body.columns)):
                rows, bias, pivot = _eliminate(body, k, rows, bias, acting[k], last=not body.parent)
                pivots[i].append(pivot)
            if not body.parent:
                continue
            if len(body.columns) < 6:
                reduced = ArticulatedInertia.of_rows(rows)
                step_angular, step_linear = _velocity_step(body, terms)
                n, f = reduced.times(step_angular, step_linear)
                bias = [x + y for x, y in zip(bias, (*n, *f), strict=True)]
                parent = inertias[body.parent]
                assert parent is not None
                inertias[body.parent] = parent + reduced.to_parent(body.rotation, body.translation)
            n, f = body.placement.wrench_to_parent((bias[0], bias[1], bias[2]), (bias[3], bias[4], bias[5]))
            biases[body.parent] = [x + y for x, y in zip(biases[body.parent], (*n, *f), strict=True)]
    return _outward(mechanism, terms, pivots, gravity)


def _velocity_step(body: TreeBody, terms: VelocityTerms) -> Motion:
    """The body's acceleration where its parent and its joint have none: what speeds alone cause."""
    zero = zero_vector(body.inertia.mass.graph)
    turning = turning_matrix(terms.angular[body.parent], zero)
    carried = carried_acceleration(body, turning, zero)
    return terms.angular_bias[body.label], add(carried, terms.linear_bias[body.label])


def _eliminate(
    body: TreeBody, k: int, rows: list[Row], bias: Row, force: Scalar, last: bool
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
    offset = remaining * inverse
    pivot = _Pivot(h, gain, offset)
    if last and k == len(body.columns) - 1:
        return rows, bias, pivot
    reduced = [[rows[r][c] for c in range(6)] for r in range(6)]
    for r in range(6):
        for c in range(r, 6):
            reduced[r][c] = reduced[c][r] = rows[r][c] - gain[r] * u_column[c]
    raised = [p + g * remaining for p, g in zip(bias, gain, strict=True)]
    return reduced, raised, pivot


def _sum(items: Row) -> Scalar:
    total = items[0]
    for item in items[1:]:
        total = total + item
    return total


def _outward(
    mechanism: Mechanism, terms: VelocityTerms, pivots: list[list[_Pivot]], gravity: Vector3
) -> ForwardDynamics:
    graph = mechanism.graph
    zero = zero_vector(graph)
    accelerations: list[Motion] = [(zero, negate(gravity))]
    rates: list[tuple[Scalar, ...]] = []
    with graph.section("accelerations, outward"):
        for body in mechanism.bodies:
            i, c = body.label, body.parent
            alpha_c, a_c = accelerations[c]
            turning = turning_matrix(terms.angular[c], alpha_c)
            alpha = add(body.rotation.to_child(alpha_c), terms.angular_bias[i])
            a = add(carried_acceleration(body, turning, a_c), terms.linear_bias[i])
            state = [*alpha, *a]
            found: list[Scalar] = []
            for k in range(len(body.columns) - 1, -1, -1):
                pivot = pivots[i][k]
                rate = pivot.offset
                # Entries of gain one come last, so that adding H vdot below cancels them.
                for m in sorted(range(6), key=lambda m: pivot.gain[m].ref == 1):
                    rate = rate - pivot.gain[m] * state[m]
                found.append(rate.named(f"vdot{i}_{k + 1}"))
                state = [x + h * rate for x, h in zip(state, pivot.column, strict=True)]
            rates.append(tuple(reversed(found)))
            alpha, a = (state[0], state[1], state[2]), (state[3], state[4], state[5])
            accelerations.append((name_components(alpha, f"alpha{i}"), name_components(a, f"a{i}")))
    return ForwardDynamics(tuple(rates), tuple(accelerations))
