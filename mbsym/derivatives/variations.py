"""What a mechanism does when one joint is displaced or its speed changed: closed forms over composite bodies.

Displace joint j by a unit of its speed k. In their own components all bodies outboard of j then change their velocity
by one twist eta and, as spatial accelerations go, the composite of any body i outboard of j changes its wrench by

    I_i beta + 2 B_i eta,    2 B eta = v x* I eta - I (v x eta) + eta x* I v  summed over the bodies of the composite,

with beta and eta of joint j alone. 2 B eta is the wrench of the forces 2 w x xdot dm, w the angular part of eta, so
that 12 numbers hold B: p = integral of xdot dm and D = integral of xdot r^T dm. Speeds are the same with the joint's
own directions for eta. The wrenches I_i h_i and h_i^T 2 B_i then serve all joints inboard of i, for displacements and
speeds alike, and those that the displaced joint itself causes are projected on the joints inboard of it.

All is written at the internal frames' origins in their components. Of joints whose directions h depend on their
coordinates the derivatives of h come in.

Source: J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, 2018; S. Singh, R. P.
Russell, P. M. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra, 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mbsym.derivatives.composites import Change, Composite, composites, twice
from mbsym.derivatives.tangent import along_own_speeds
from mbsym.formulations.applied_forces import together
from mbsym.formulations.recursive.newton_euler import newton_euler, superposed
from mbsym.joints.motion import Motion, combination, motion_of, power, six, sum_of
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import BodyAcceleration, Speeds, accelerations, joint_speeds, turning_matrix, velocities
from mbsym.spatial.vector import (
    Matrix3,
    Vector3,
    add,
    add_matrices,
    cross,
    dot,
    is_zero,
    multiply,
    negate,
    zero_vector,
)
from mbsym.symbolic.scalar import Scalar


@dataclass(frozen=True, slots=True)
class State:
    """A motion and what causes it, force elements left out.

    Attributes:
        rates: vdot by joint.
        accelerations: of bodies, by label (entry 0 is the base).
        forces: generalised, by joint.
        wrenches: on each body by its parent, by label.
    """

    rates: Speeds
    accelerations: tuple[BodyAcceleration, ...]
    forces: Speeds
    wrenches: tuple[Motion, ...]

    def __add__(self, rest: State) -> State:
        """With the rates of a mechanism at rest besides."""
        moved = tuple(
            BodyAcceleration(
                a.omega, add(a.angular, b.angular), add(a.linear, b.linear), add_matrices(a.turning, b.turning)
            )
            for a, b in zip(self.accelerations, rest.accelerations, strict=True)
        )
        forces = together(self.forces, rest.forces)
        return State(together(self.rates, rest.rates), moved, forces, superposed(self.wrenches, rest.wrenches))


def state_of(mechanism: Mechanism, speeds: Speeds, rates: Speeds, gravity: Vector3) -> State:
    """By Newton's and Euler's equations."""
    zero = zero_vector(mechanism.graph)
    base = negate(gravity)
    moved = [BodyAcceleration(zero, zero, base, (zero, zero, zero))]
    moved += [acceleration for _, acceleration in accelerations(mechanism, speeds, rates, base)]
    found = newton_euler(mechanism, speeds, rates, gravity)
    return State(rates, tuple(moved), found.forces, found.wrenches)


@dataclass(frozen=True, slots=True)
class JointChanges:
    """What each freedom of a joint does.

    Attributes:
        displaced, sped: by freedom, displacement and speed.
        direction: derivatives of all directions by displacement, direction[k][m] of h_m by displacement k.
    """

    displaced: tuple[Change, ...]
    sped: tuple[Change, ...]
    direction: tuple[tuple[Motion, ...], ...]


@dataclass(frozen=True, slots=True)
class Carried:
    """How a joint's body would move if the joint were locked: of its parent's motion at its place."""

    twist: Motion
    linear: Vector3
    turning: Matrix3


def joint_changes(
    mechanism: Mechanism, rates: Speeds, moved: Sequence[BodyAcceleration], twists: Sequence[Motion]
) -> list[JointChanges]:
    """By label - 1.

    Args:
        mechanism: of any tree joints.
        rates: vdot by joint.
        moved: accelerations by label, of the base first.
        twists: by label.
    """
    with mechanism.graph.section("changes by each freedom"):
        return [
            _changes(mechanism, body, joint_rates, moved, twists)
            for body, joint_rates in zip(mechanism.bodies, rates, strict=True)
        ]


def _changes(
    mechanism: Mechanism,
    body: TreeBody,
    rates: tuple[Scalar, ...],
    moved: Sequence[BodyAcceleration],
    twists: Sequence[Motion],
) -> JointChanges:
    twist = twists[body.label]
    carried = _carried(body, moved, twists)
    turned = _turned_directions(body)
    graph, bias = mechanism.graph, body.motion.bias
    bias_changes = along_own_speeds(body, six(bias))
    displaced, sped = [], []
    for k, direction in enumerate(body.columns):
        along_v, along_vdot = (combination(graph, turned[k], factors) for factors in (body.v, rates))
        change = _displaced(carried, direction, _alike(body, direction), moved[body.label].turning)
        if any(not is_zero(part) for part in (*along_v, *along_vdot)):
            # beta gains K vdot + dbias + v x K v + v_c x K v, and eta K v.
            own = sum_of(along_vdot, motion_of(bias_changes[k]))
            own = sum_of(own, cross_twist(sum_of(twist, carried.twist), along_v))
            change = Change(sum_of(change.acceleration, own), add(change.turning, along_v[0]))
        displaced.append(change)
        own_rate = combination(graph, tuple(turned[m][k] for m in range(len(turned))), body.v)
        both = cross_twist(sum_of(twist, carried.twist), direction)
        sped.append(Change(sum_of(sum_of(both, own_rate), along_v), direction[0]))
    return JointChanges(tuple(displaced), tuple(sped), turned)


def direction_rates(body: TreeBody, twist: Motion) -> list[Motion]:
    """h-dot of each direction of a joint, as an observer at rest sees it, in the components of its body."""
    turned = _turned_directions(body)
    found = []
    for m, direction in enumerate(body.columns):
        own = combination(body.motion.graph, tuple(row[m] for row in turned), body.v)
        found.append(sum_of(cross_twist(twist, direction), own))
    return found


def _displaced(carried: Carried, direction: Motion, alike: bool, turning: Matrix3) -> Change:
    """beta = [U_c w; U_c h + a_c x w + 2 u_c x (omega_c x w)] for h = [w; h], from the parent's motion."""
    angular, linear = direction
    around = turning if alike else carried.turning
    omega, velocity = carried.twist
    w = cross(omega, angular)
    shift = add(cross(carried.linear, angular), cross(twice(velocity), w))
    return Change((multiply(around, angular), add(multiply(around, linear), shift)), w)


def _alike(body: TreeBody, direction: Motion) -> bool:
    """Whether the joint turns about the direction only, so that its own turning changes nothing of U along it."""
    return all(is_zero(cross(part, other)) for part in direction for other, _ in body.columns)


def _carried(body: TreeBody, moved: Sequence[BodyAcceleration], twists: Sequence[Motion]) -> Carried:
    parent = moved[body.parent]
    omega, velocity = body.placement.twist_to_child(*twists[body.parent])
    if all(is_zero(slide) for _, slide in body.columns):
        linear = moved[body.label].linear
    else:
        linear = body.rotation.to_child(add(parent.linear, multiply(parent.turning, body.translation)))
    turning = parent.turning
    if body.parent:
        turning = turning_matrix(omega, body.rotation.to_child(parent.angular))
    return Carried((omega, velocity), linear, turning)


def _turned_directions(body: TreeBody) -> tuple[tuple[Motion, ...], ...]:
    rows = along_own_speeds(body, [entry for column in body.columns for entry in six(column)])
    return tuple(tuple(motion_of(row[m : m + 6]) for m in range(0, len(row), 6)) for row in rows)


def cross_twist(v: Motion, m: Motion) -> Motion:
    """v x m of twists."""
    return cross(v[0], m[0]), add(cross(v[0], m[1]), cross(v[1], m[0]))


def cross_wrench(v: Motion, f: Motion) -> Motion:
    """v x* f of a twist and a wrench."""
    return add(cross(v[0], f[0]), cross(v[1], f[1])), cross(v[0], f[1])


Key: TypeAlias = tuple[int, int]
"""Body label and freedom of its joint."""

Table: TypeAlias = dict[tuple[Key, Key], Scalar]
"""Generalised force of the first freedom by the second; what is left out is zero."""


@dataclass(frozen=True, slots=True)
class Variations:
    """Derivatives of the generalised forces of joints, by freedom and freedom; what is left out is zero.

    Attributes:
        displaced, sped: by displacement and by speed.
    """

    displaced: Table
    sped: Table


def variations(mechanism: Mechanism, state: State) -> Variations:
    """How the forces that produce a motion change with q and v, force elements left out."""
    twists = velocities(mechanism, joint_speeds(mechanism))
    changes = joint_changes(mechanism, state.rates, state.accelerations, twists)
    wholes = composites(mechanism, twists)
    found = Variations({}, {})
    with mechanism.graph.section("derivatives, inward"):
        for body in reversed(mechanism.bodies):
            _of_joint(mechanism, body, changes, wholes[body.label - 1], state.wrenches[body.label], found)
    return found


def _of_joint(
    mechanism: Mechanism,
    body: TreeBody,
    changes: Sequence[JointChanges],
    whole: Composite,
    wrench: Motion,
    found: Variations,
) -> None:
    own = changes[body.label - 1]
    displaced = [whole.wrench(change) for change in own.displaced]
    sped = [whole.wrench(change) for change in own.sped]
    rows = [(whole.inertia.times(*direction), whole.row(direction)) for direction in body.columns]
    for k in range(len(body.columns)):
        for m, direction in enumerate(body.columns):
            place = (body.label, m), (body.label, k)
            found.displaced[place] = power(direction, displaced[k]) + power(own.direction[k][m], wrench)
            found.sped[place] = power(direction, sped[k])
    displaced = [sum_of(f, cross_wrench(h, wrench)) for f, h in zip(displaced, body.columns, strict=True)]
    carrier = body
    while carrier.parent:
        displaced = [carrier.placement.wrench_to_parent(*f) for f in displaced]
        sped = [carrier.placement.wrench_to_parent(*f) for f in sped]
        rows = [(carrier.placement.wrench_to_parent(*f), carrier.rotation.to_parent(b)) for f, b in rows]
        carrier = mechanism.body(carrier.parent)
        other = changes[carrier.label - 1]
        for k, (momentum, row) in enumerate(rows):
            for m, direction in enumerate(carrier.columns):
                inner, outer = (carrier.label, m), (body.label, k)
                found.displaced[inner, outer] = power(direction, displaced[k])
                found.sped[inner, outer] = power(direction, sped[k])
                found.displaced[outer, inner] = work(momentum, row, other.displaced[m])
                found.sped[outer, inner] = work(momentum, row, other.sped[m])


def work(momentum: Motion, row: Vector3, change: Change) -> Scalar:
    """h^T (I beta + 2 B w) from I h and h^T 2 B."""
    return dot((*six(change.acceleration), *change.turning), (*six(momentum), *row))


def folded(mechanism: Mechanism, table: Table) -> list[list[Scalar]]:
    """The table as a matrix over v; coupled joints are folded in by N^T . N."""
    matrix = [[Scalar(mechanism.graph, 0)] * mechanism.nv for _ in range(mechanism.nv)]
    for ((i, m), (j, k)), entry in table.items():
        row, left = mechanism.speed_of[i - 1][m]
        column, right = mechanism.speed_of[j - 1][k]
        matrix[row][column] = matrix[row][column] + left * right * entry
    return matrix
