"""Constraint forces and accelerations together, so that no inertia is inverted: massless and rank-deficient bodies.

    [ I          -P W ] [ A   ]   [ P H-bar tau - b ]
    [ W^T P^T     0   ] [ F_S ] = [ W^T gamma       ]

With A_i = H a_i + W-bar c_i, W-bar = W (W^T W)^-1, and the rows of body i multiplied by [H W-bar]^T, most pivots are
one: outermost joint first, c_i is eliminated by the joint's rows, F_i by the body's rows along W-bar, and what remains
is H^T I^A H, positive definite wherever the motion is unique. A freedom with rotor inertia a is held by its rotor, as
in ``constraint_force``: 1/a stands on the diagonal of its row, and its acceleration is eliminated like c_i.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 2,
before I is inverted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mbsym.errors import DerivationError, SymbolicError
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.constraint_force.leaf_to_root import (
    HeldJoint,
    held_joints,
    motion_functions,
    with_applied,
)
from mbsym.formulations.recursive.articulated_body import RatesAndWrenches
from mbsym.formulations.recursive.newton_euler import inertial_wrench
from mbsym.formulations.regular_mass import never_singular
from mbsym.joints.motion import Motion, combination, motion_of, six
from mbsym.joints.subspaces import Column
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import (
    Speeds,
    VelocityTerms,
    carried_acceleration,
    joint_speeds,
    turning_matrix,
    velocity_terms,
)
from mbsym.spatial.vector import add, dot, name_components, negate, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar

Row: TypeAlias = dict[int, Scalar]


@dataclass(frozen=True, slots=True)
class KktSystem:
    """The equations row by row, and the order in which they are solved.

    Rows and unknowns are numbered alike: six of each body (a_i, then c_i), then the unknown forces of each joint.

    Attributes:
        rows: entries by unknown; zeros are left out.
        right: right side by row.
        pivots: row, unknown and joint label in the order of elimination.
        places: of the bodies, in label order.
    """

    rows: tuple[Row, ...]
    right: tuple[Scalar, ...]
    pivots: tuple[tuple[int, int, int], ...]
    places: tuple[_Place, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A body with its joint's directions, and where its rows and unknowns stand.

    Attributes:
        basis: [H W-bar].
        partners: for each unknown force the direction of the basis that it drives alone.
    """

    body: TreeBody
    held: HeldJoint
    basis: tuple[Column, ...]
    partners: tuple[int, ...]
    first: int
    start: int


def kkt_system(mechanism: Mechanism, tau: Speeds) -> KktSystem:
    """The equations under the generalised forces ``tau`` by joint.

    Raises:
        DerivationError: a coupling joins two joints.
    """
    graph = mechanism.graph
    zero = zero_vector(graph)
    speeds = joint_speeds(mechanism)
    applied = applied_forces(mechanism, speeds)
    outer = dict(applied.wrenches) if applied is not None else {}
    terms = velocity_terms(mechanism, speeds)
    places = _places(mechanism)
    size = 6 * mechanism.nb + sum(len(place.partners) for place in places)
    rows: list[Row] = [{} for _ in range(size)]
    right = [Scalar(graph, 0)] * size
    with graph.section("equations of the bodies and of the joints"):
        for place, driving in zip(places, with_applied(tau, applied), strict=True):
            body, joint = place.body, place.held
            _enter_body(place, terms, outer.get(body.label, (zero, zero)), rows, right)
            gamma = _bias(mechanism, terms, body)
            for number, (column, partner) in enumerate(zip(joint.columns, place.partners, strict=True)):
                row = place.start + number
                _add(rows[place.first + partner], row, Scalar(graph, -1))
                _add(rows[row], place.first + partner, Scalar(graph, 1))
                right[row] = dot(column, gamma)
                if body.parent:
                    _react(body, column, places[body.parent - 1], row, rows)
            for k, (rotor, force) in enumerate(zip(joint.rotors, driving, strict=True)):
                if rotor is not None:
                    _add(rows[place.start + rotor], place.start + rotor, 1 / body.armature[k])
                    right[place.start + rotor] = right[place.start + rotor] + force / body.armature[k]
                    continue
                right[place.first + k] = right[place.first + k] + force
                if body.parent and force:
                    inner = places[body.parent - 1]
                    moved = _moved(body, joint.subspaces.forces[k])
                    for r, direction in enumerate(inner.basis):
                        right[inner.first + r] = right[inner.first + r] - dot(direction, moved) * force
    return KktSystem(tuple(rows), tuple(right), tuple(_pivots(places)), places)


def bias_wrenches(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """b of P F = I a + b, six entries a body in label order: what speeds and outer wrenches contribute."""
    speeds = joint_speeds(mechanism)
    applied, terms = applied_forces(mechanism, speeds), velocity_terms(mechanism, speeds)
    zero = zero_vector(mechanism.graph)
    outer = dict(applied.wrenches) if applied is not None else {}
    with mechanism.graph.section("bias wrenches of the bodies"):
        return tuple(
            -entry
            for body in mechanism.bodies
            for entry in _outer_less_own(body, terms, outer.get(body.label, (zero, zero)))
        )


def bias_accelerations(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """gamma of P^T a = H vdot + gamma, six entries a joint in label order."""
    terms = velocity_terms(mechanism, joint_speeds(mechanism))
    with mechanism.graph.section("bias accelerations of the joints"):
        return tuple(entry for body in mechanism.bodies for entry in _bias(mechanism, terms, body))


def _places(mechanism: Mechanism) -> tuple[_Place, ...]:
    places, start = [], 6 * mechanism.nb
    for body, joint in zip(mechanism.bodies, held_joints(mechanism), strict=True):
        spaces = joint.subspaces
        n = len(spaces.freedoms)
        dual = []
        # Columns of W are perpendicular, which records are held to as they are listed.
        for column in spaces.constraints:
            factor = 1 / dot(column, column)
            dual.append(tuple(x * factor for x in column))
        partners = tuple(joint.driven.get(number, n + number) for number in range(len(joint.columns)))
        places.append(_Place(body, joint, (*spaces.freedoms, *dual), partners, 6 * (body.label - 1), start))
        start += len(partners)
    return tuple(places)


def _enter_body(place: _Place, terms: VelocityTerms, outer: Motion, rows: list[Row], right: list[Scalar]) -> None:
    """[H W-bar]^T (I A = -b + ...)."""
    body = place.body
    known = _outer_less_own(body, terms, outer)
    columns = [six(body.inertia.times(*motion_of(column))) for column in place.basis]
    for r, direction in enumerate(place.basis):
        for c in range(r, 6):
            entry = dot(direction, columns[c])
            _add(rows[place.first + r], place.first + c, entry)
            if c != r:
                _add(rows[place.first + c], place.first + r, entry)
        right[place.first + r] = right[place.first + r] + dot(direction, known)


def _outer_less_own(body: TreeBody, terms: VelocityTerms, outer: Motion) -> list[Scalar]:
    """-b: outer wrenches less what the speeds alone need, at the frame's origin."""
    zero = zero_vector(body.inertia.mass.graph)
    omega = terms.angular[body.label]
    moment, force = inertial_wrench(body.inertia, omega, zero, turning_matrix(omega, zero), zero)
    return [*subtract(outer[0], moment), *subtract(outer[1], force)]


def _bias(mechanism: Mechanism, terms: VelocityTerms, body: TreeBody) -> Column:
    """gamma: what the speeds, and gravity at the root, do to the acceleration of a joint's outboard frame."""
    zero = zero_vector(mechanism.graph)
    start = zero if body.parent else negate(mechanism.gravity)
    turning = turning_matrix(terms.angular[body.parent], zero)
    linear = add(carried_acceleration(body, turning, start), terms.linear_bias[body.label])
    return (*terms.angular_bias[body.label], *linear)


def _react(body: TreeBody, column: Column, inner: _Place, row: int, rows: list[Row]) -> None:
    """X W in the rows of the inboard body, and its transpose in the joint's row."""
    moved = _moved(body, column)
    for r, direction in enumerate(inner.basis):
        entry = dot(direction, moved)
        _add(rows[inner.first + r], row, entry)
        _add(rows[row], inner.first + r, -entry)


def _moved(body: TreeBody, column: Column) -> list[Scalar]:
    return six(body.placement.wrench_to_parent(*motion_of(column)))


def _add(row: Row, unknown: int, entry: Scalar) -> None:
    total = row[unknown] + entry if unknown in row else entry
    if total:
        row[unknown] = total
    else:
        row.pop(unknown, None)


def _pivots(places: Sequence[_Place]) -> list[tuple[int, int, int]]:
    pivots: list[tuple[int, int, int]] = []
    for place in reversed(places):
        label = place.body.label
        pairs = [(place.start + number, place.first + partner) for number, partner in enumerate(place.partners)]
        pivots += [(row, unknown, label) for row, unknown in pairs]
        pivots += [(unknown, row, label) for row, unknown in pairs]
        free = [k for k, rotor in enumerate(place.held.rotors) if rotor is None]
        pivots += [(place.first + k, place.first + k, label) for k in reversed(free)]
    return pivots


def solve_kkt(mechanism: Mechanism, system: KktSystem) -> list[Scalar]:
    """The unknowns by Gaussian elimination.

    Raises:
        DerivationError: a pivot is the constant zero.
    """
    rows, right = [dict(row) for row in system.rows], list(system.right)
    users: list[dict[int, None]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        for unknown in row:
            users[unknown][number] = None
    solved: list[tuple[int, int, Scalar]] = []
    done: set[int] = set()
    regular = never_singular(mechanism)
    with mechanism.graph.section("accelerations and constraint forces, elimination"):
        for pivot, unknown, label in system.pivots:
            own = rows[pivot]
            try:
                divisor = own.pop(unknown)
                # Behind the constraints of what it carries a freedom's pivot is that of the mass matrix.
                inverse = 1 / (divisor.never_zero() if regular and pivot == unknown else divisor)
            except (KeyError, SymbolicError):
                body = mechanism.body(label)
                raise DerivationError(
                    "nothing resists the motion of this joint",
                    where=f"joint {body.joint.name}",
                    remedy=f"give body {body.name}, or what it carries, mass and inertia",
                ) from None
            done.add(pivot)
            for number in sorted(users[unknown]):
                if number in done or unknown not in rows[number]:
                    continue
                factor = rows[number].pop(unknown) * inverse
                for other, entry in own.items():
                    _add(rows[number], other, -(factor * entry))
                    users[other][number] = None
                right[number] = right[number] - factor * right[pivot]
            solved.append((pivot, unknown, inverse))
    values = [Scalar(mechanism.graph, 0)] * len(rows)
    with mechanism.graph.section("accelerations and constraint forces, substitution"):
        for pivot, unknown, inverse in reversed(solved):
            total = right[pivot]
            for other, entry in rows[pivot].items():
                total = total - entry * values[other]
            values[unknown] = total * inverse
    return values


def kkt_form(mechanism: Mechanism, tau: Speeds) -> RatesAndWrenches:
    """Motion and constraint forces from I, P and W alone.

    Raises:
        DerivationError: a joint has no inertia to move, or a coupling joins two joints.
    """
    graph = mechanism.graph
    system = kkt_system(mechanism, tau)
    values = solve_kkt(mechanism, system)
    speeds = joint_speeds(mechanism)
    applied, terms = applied_forces(mechanism, speeds), velocity_terms(mechanism, speeds)
    zero = zero_vector(graph)
    accelerations: list[Motion] = [(zero, zero)]
    wrenches: list[Motion] = [(zero, zero)]
    rates = []
    with graph.section("wrenches and rates of the speeds"):
        for place, driving in zip(system.places, with_applied(tau, applied), strict=True):
            body, joint = place.body, place.held
            forces = tuple(values[place.start : place.start + len(place.partners)])
            known = joint.known(driving)
            columns = (*map(motion_of, joint.columns), *(column for column, _ in known))
            moment, force = combination(graph, columns, (*forces, *(value for _, value in known)))
            wrenches.append((name_components(moment, f"n{body.label}"), name_components(force, f"f{body.label}")))
            own = combination(graph, tuple(map(motion_of, place.basis)), tuple(values[place.first : place.first + 6]))
            accelerations.append(own)
            inner = accelerations[body.parent]
            turned = body.rotation.to_child(inner[0])
            carried = carried_acceleration(body, turning_matrix(zero, inner[0]), inner[1])
            gamma = _bias(mechanism, terms, body)
            gap = [x - y - z for x, y, z in zip(six(own), (*turned, *carried), gamma, strict=True)]
            rates.append(joint.rates(body.label, driving, forces, gap))
    return RatesAndWrenches(tuple(rates), tuple(wrenches))


def _solution(mechanism: Mechanism) -> tuple[RatesAndWrenches, str]:
    tau = mechanism.of_joints(mechanism.entries(mechanism.tau))
    return kkt_form(mechanism, tau), "constraint force algorithm, KKT form"


CFA_KKT_FUNCTIONS: Final = motion_functions(_solution)
"""Functions of the catalogue that the constraint force algorithm derives, in KKT form."""
