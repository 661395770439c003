"""How the virtual power of a motion changes when two joints are displaced or their speeds changed.

S = weights^T tau is the power of all inertial forces along the virtual twists xi that the weights are the speeds of.
Displacing joint k gives the bodies outboard of it, in their own components, the change ``Change(beta, w)`` of their
accelerations and, by the same rule, the change zeta of their virtual twists, so that

    dS/dq_k = zeta_k . F + beta_k . P + w_k . R,

with F the wrench on body k, P the momentum of the composite along the virtual motion, and R = integral of
2 xdot x xi(r) dm. A joint j inboard of k changes these in turn: F by I beta_j + 2 B w_j, P by I zeta_j, R by
2 B^T zeta_j and by the turning w_j through the flow of the virtual motion; and zeta_k, beta_k and w_k by

    zeta_j x h_k,    beta_j x h_k + 2 [w_j x eta_k],    w_j x h_k,

eta_k the change of the twists themselves. All of it is linear in zeta_j, beta_j and w_j: fifteen numbers of joint k are
carried inward to serve all joints on the way. Where the velocity of the origin would count it may be taken for
unchanged, since a uniform velocity of everything changes no force. Speeds are the same with less.

Source: S. Singh, R. P. Russell, P. M. Wensing, On second-order derivatives of rigid-body dynamics: theory and
implementation, 2023, for the derivatives; contracted here before they are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mbsym.derivatives.composites import Change, Composite, composites, flow_along
from mbsym.derivatives.tangent import along_own_speeds
from mbsym.derivatives.variations import (
    JointChanges,
    State,
    Table,
    cross_twist,
    cross_wrench,
    joint_changes,
    work,
)
from mbsym.joints.motion import Motion, combination, power, six, sum_of
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import Speeds, joint_speeds, velocities
from mbsym.spatial.vector import Vector3, add, cross, dot, is_zero, scale, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar, constant


@dataclass(frozen=True, slots=True)
class SecondVariations:
    """Second derivatives of S by freedom and freedom; what is left out is zero.

    The first freedom is differentiated by first, which matters within joints whose displacements do not commute.

    Attributes:
        displaced: by displacement and displacement.
        sped_displaced: by displacement and speed.
        sped: by speed and speed.
        pushed: by displacement and rate of speed.
    """

    displaced: Table
    sped_displaced: Table
    sped: Table
    pushed: Table


@dataclass(frozen=True, slots=True)
class _Freedom:
    """What one freedom of a joint does.

    Attributes:
        direction: h.
        virtual: zeta, of its displacement.
        twist: eta, of its displacement.
        displaced, sped: changes of accelerations.
    """

    direction: Motion
    virtual: Motion
    twist: Motion
    displaced: Change
    sped: Change


@dataclass(frozen=True, slots=True)
class _Carried:
    """What a freedom meets of the changes of joints inboard of it.

    Attributes:
        by_virtual, by_acceleration: wrenches, which zeta and beta meet.
        by_turning: which w meets.
    """

    by_virtual: Motion
    by_acceleration: Motion
    by_turning: Vector3

    def to_parent(self, body: TreeBody) -> _Carried:
        return _Carried(
            body.placement.wrench_to_parent(*self.by_virtual),
            body.placement.wrench_to_parent(*self.by_acceleration),
            body.rotation.to_parent(self.by_turning),
        )

    def of(self, other: _Freedom) -> Scalar:
        """When another freedom is displaced."""
        turned = dot(self.by_turning, other.displaced.turning)
        return power(other.virtual, self.by_virtual) + (
            power(other.displaced.acceleration, self.by_acceleration) + turned
        )

    def of_speed(self, other: _Freedom) -> Scalar:
        """When the speed of another freedom changes."""
        return power(other.sped.acceleration, self.by_acceleration) + dot(self.by_turning, other.sped.turning)


@dataclass(frozen=True, slots=True)
class _Outboard:
    """A body with all that hang on it, for the changes of the joints inboard of it.

    Attributes:
        whole: of the motion.
        flow: composite of the virtual motion.
        wrench: F.
        momentum, doubled: P and 2 P.
        meeting: R.
    """

    whole: Composite
    flow: Composite
    wrench: Motion
    momentum: Motion
    doubled: Motion
    meeting: Vector3

    def displaced(self, own: _Freedom) -> _Carried:
        """Of dS/dq."""
        h = own.direction
        by_virtual = sum_of(self.whole.wrench(own.displaced), cross_wrench(h, self.wrench))
        by_acceleration = sum_of(self.whole.inertia.times(*own.virtual), cross_wrench(h, self.momentum))
        turning = add(self.whole.row(own.virtual), cross(h[0], self.meeting))
        return _Carried(by_virtual, by_acceleration, add(turning, self._met(own.twist)))

    def sped(self, own: _Freedom) -> _Carried:
        """Of dS/dv."""
        zero = zero_vector(own.direction[0][0].graph)
        return _Carried(self.whole.wrench(own.sped), (zero, zero), self._met(own.direction))

    def _met(self, twist: Motion) -> Vector3:
        """2 (angular x P angular + linear x P linear) less what w makes of R."""
        pulled = add(cross(twist[0], self.doubled[0]), cross(twist[1], self.doubled[1]))
        return subtract(pulled, flow_along(self.flow, twist[0], transposed=True))


def second_variations(mechanism: Mechanism, state: State, weights: Speeds) -> SecondVariations:
    """Of the power of inertial and gravity forces, force elements left out.

    Args:
        mechanism: of any tree joints.
        state: the motion, whose rates do not change.
        weights: by joint.
    """
    twists = velocities(mechanism, joint_speeds(mechanism))
    virtual = velocities(mechanism, weights, ("xi_w", "xi_v"))
    changes = joint_changes(mechanism, state.rates, state.accelerations, twists)
    outboard = _outboard(mechanism, state, twists, virtual)
    with mechanism.graph.section("virtual changes by each freedom"):
        freedoms = [
            _freedoms(mechanism, body, weights[body.label - 1], changes[body.label - 1], twists, virtual)
            for body in mechanism.bodies
        ]
    found = SecondVariations({}, {}, {}, {})
    held = [rate for rates in (*state.rates, *weights) for rate in rates]
    with mechanism.graph.section("second derivatives, inward"):
        for body in reversed(mechanism.bodies):
            own = freedoms[body.label - 1]
            _within(body, own, changes[body.label - 1].direction, outboard[body.label - 1], held, found)
            _inward(mechanism, body, freedoms, outboard[body.label - 1], found)
    return found


def _outboard(
    mechanism: Mechanism, state: State, twists: Sequence[Motion], virtual: Sequence[Motion]
) -> list[_Outboard]:
    """By label - 1."""
    wholes, flows = composites(mechanism, twists), composites(mechanism, virtual)
    meetings: list[Vector3] = []
    found = []
    half = constant(mechanism.graph, Fraction(1, 2))
    with mechanism.graph.section("momenta of the virtual motion, inward"):
        for body in mechanism.bodies:
            meetings.append(Composite.of_body(body.inertia, *twists[body.label]).row(virtual[body.label]))
        for body in reversed(mechanism.bodies):
            if body.parent:
                before, own = meetings[body.parent - 1], body.rotation.to_parent(meetings[body.label - 1])
                meetings[body.parent - 1] = add(before, own)
        for body in mechanism.bodies:
            k = body.label - 1
            (_, xy, xz), (yx, _, yz), (zx, zy, _) = flows[k].flow
            doubled = (zy - yz, xz - zx, yx - xy), flows[k].momentum
            momentum = scale(doubled[0], half), scale(doubled[1], half)
            found.append(_Outboard(wholes[k], flows[k], state.wrenches[k + 1], momentum, doubled, meetings[k]))
    return found


def _freedoms(
    mechanism: Mechanism,
    body: TreeBody,
    weights: tuple[Scalar, ...],
    changes: JointChanges,
    twists: Sequence[Motion],
    virtual: Sequence[Motion],
) -> tuple[_Freedom, ...]:
    graph = mechanism.graph
    carried, weighed = (body.placement.twist_to_child(*motions[body.parent]) for motions in (twists, virtual))
    found = []
    for k, direction in enumerate(body.columns):
        zeta = sum_of(cross_twist(weighed, direction), combination(graph, changes.direction[k], weights))
        eta = sum_of(cross_twist(carried, direction), combination(graph, changes.direction[k], body.v))
        found.append(_Freedom(direction, zeta, eta, changes.displaced[k], changes.sped[k]))
    return tuple(found)


def _inward(
    mechanism: Mechanism,
    body: TreeBody,
    freedoms: Sequence[tuple[_Freedom, ...]],
    outboard: _Outboard,
    found: SecondVariations,
) -> None:
    """All pairs of a joint with one inboard of it."""
    own = freedoms[body.label - 1]
    displaced, sped = [outboard.displaced(x) for x in own], [outboard.sped(x) for x in own]
    momenta = [outboard.whole.inertia.times(*x.direction) for x in own]
    carrier = body
    while carrier.parent:
        displaced, sped = ([item.to_parent(carrier) for item in items] for items in (displaced, sped))
        momenta = [carrier.placement.wrench_to_parent(*f) for f in momenta]
        carrier = mechanism.body(carrier.parent)
        for k, (by_q, by_v, momentum) in enumerate(zip(displaced, sped, momenta, strict=True)):
            for m, other in enumerate(freedoms[carrier.label - 1]):
                outer, inner = (body.label, k), (carrier.label, m)
                found.displaced[outer, inner] = found.displaced[inner, outer] = by_q.of(other)
                found.sped_displaced[outer, inner] = by_q.of_speed(other)
                found.sped_displaced[inner, outer] = by_v.of(other)
                found.sped[outer, inner] = found.sped[inner, outer] = by_v.of_speed(other)
                found.pushed[outer, inner] = power(other.direction, by_q.by_acceleration)
                found.pushed[inner, outer] = power(other.virtual, momentum)


def _within(
    body: TreeBody,
    own: tuple[_Freedom, ...],
    turned: tuple[tuple[Motion, ...], ...],
    outboard: _Outboard,
    held: Sequence[Scalar],
    found: SecondVariations,
) -> None:
    """All pairs of freedoms of one joint."""
    steady = all(is_zero(part) for row in turned for motion in row for part in motion)
    local = None if steady else _local(body, own, held)
    for k, first in enumerate(own):
        for m, second in enumerate(own):
            place = (body.label, k), (body.label, m)
            momentum = outboard.whole.inertia.times(*second.direction)
            found.pushed[place] = power(first.virtual, momentum) + power(turned[k][m], outboard.momentum)
            bent = sum_of(sum_of(turned[k][m], turned[m][k]), cross_twist(second.direction, first.direction))
            spun = dot(first.direction[0], _rate(outboard, second.direction))
            found.sped[place] = power(bent, outboard.momentum) + spun
            if local is None:
                # A displaced joint carries what is inboard of it along as a joint inboard of it would.
                found.displaced[place] = outboard.displaced(first).of(second)
                found.sped_displaced[place] = outboard.sped(second).of(first)
            else:
                found.displaced[place] = local[m].of_displaced(k, outboard) + _outer(first, second, outboard)
                found.sped_displaced[place] = local[k].of_sped(m, outboard) + _outer_sped(second, first, outboard)


def _rate(outboard: _Outboard, twist: Motion) -> Vector3:
    """What R becomes more where all velocities change by a twist."""
    return add(cross(twist[1], outboard.flow.momentum), flow_along(outboard.flow, twist[0]))


def _outer(first: _Freedom, second: _Freedom, outboard: _Outboard) -> Scalar:
    """What F, P and R of dS/dq of the first become more by displacing the second."""
    met = work(outboard.whole.inertia.times(*second.virtual), outboard.whole.row(second.virtual), first.displaced)
    forced = power(first.virtual, outboard.whole.wrench(second.displaced))
    return forced + (met + dot(first.displaced.turning, _rate(outboard, second.twist)))


def _outer_sped(first: _Freedom, second: _Freedom, outboard: _Outboard) -> Scalar:
    """The same of dS/dv of the first."""
    met = work(outboard.whole.inertia.times(*second.virtual), outboard.whole.row(second.virtual), first.sped)
    return met + dot(first.sped.turning, _rate(outboard, second.twist))


@dataclass(frozen=True, slots=True)
class _Local:
    """How zeta, beta and w of all freedoms of a joint change when one of them is displaced, as flat rows of 24.

    Attributes:
        rows: of each freedom: zeta, beta and w by displacement, beta and w by speed.
    """

    rows: tuple[tuple[Scalar, ...], ...]

    def of_displaced(self, k: int, outboard: _Outboard) -> Scalar:
        """What dS/dq of freedom k becomes more, F, P and R unchanged."""
        met = (*six(outboard.wrench), *six(outboard.momentum), *outboard.meeting)
        return dot(self.rows[k][:15], met)

    def of_sped(self, k: int, outboard: _Outboard) -> Scalar:
        """The same of dS/dv."""
        return dot(self.rows[k][15:], (*six(outboard.momentum), *outboard.meeting))


def _local(body: TreeBody, own: tuple[_Freedom, ...], held: Sequence[Scalar]) -> list[_Local]:
    """By the freedom that is displaced, of joints whose directions turn; by differentiation."""
    values = [
        entry
        for x in own
        for entry in (
            *six(x.virtual),
            *six(x.displaced.acceleration),
            *x.displaced.turning,
            *six(x.sped.acceleration),
            *x.sped.turning,
        )
    ]
    found = along_own_speeds(body, values, held)
    return [_Local(tuple(tuple(row[24 * k : 24 * (k + 1)]) for k in range(len(own)))) for row in found]
