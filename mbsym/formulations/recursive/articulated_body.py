"""Articulated-body algorithm: forward dynamics without a mass matrix.

Velocity, gravity and force element terms are taken off the applied forces first (M vdot = tau - bias), so that the
recursion runs on a mechanism at rest: that needs fewer operations than carrying them through the articulated inertias.
The freedoms of a joint are eliminated one after the other, which is the LDL^T factorisation of H^T I^A H.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbsym.errors import DerivationError, SymbolicError
from mbsym.formulations.recursive.free_base import base_acceleration, is_free_base
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.formulations.regular_mass import never_singular
from mbsym.joints.motion import Motion, motion_of, six
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import Speeds
from mbsym.spatial.inertia import INERTIA_ENTRIES, ArticulatedInertia
from mbsym.spatial.vector import dot, zero_vector
from mbsym.symbolic.scalar import Scalar

Row = list[Scalar]


@dataclass(frozen=True, slots=True)
class Pivot:
    """One eliminated freedom: its column h, gain k = I^A h / d, offset u / d, and 1 / d while that is known."""

    column: Row
    gain: Row
    offset: Scalar
    inverse: Scalar | None = None


def entries_of(pivots: Sequence[Pivot]) -> Row:
    """What is kept of pivots for ``pivots_of``; the columns are the body's."""
    return [entry for pivot in pivots for entry in (*pivot.gain, pivot.offset)]


def pivots_of(body: TreeBody, kept: Sequence[Scalar]) -> list[Pivot]:
    """The pivots of a body's joint with those entries."""
    rows = [kept[7 * k : 7 * k + 7] for k in range(len(body.columns))]
    return [Pivot(six(h), list(row[:6]), row[6]) for h, row in zip(body.columns, rows, strict=True)]


@dataclass(frozen=True, slots=True)
class RatesAndWrenches:
    """What generalised forces do.

    Attributes:
        rates: vdot by joint.
        wrenches: on each body by its parent, at its internal frame's origin, by label (entry 0 is zero).
    """

    rates: Speeds
    wrenches: tuple[Motion, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a joint's parent sees of it: f = I^a A' + p^a, A' the acceleration that the joint's own rates leave out."""

    rows: list[Row]
    bias: Row


def articulated_body(mechanism: Mechanism, forces: Speeds) -> RatesAndWrenches:
    """M^-1 forces: motion of the mechanism at rest, without gravity, under generalised forces by joint.

    Raises:
        DerivationError: a joint has no inertia to move (a massless body at its end).
    """
    graph = mechanism.graph
    zero = Scalar(graph, 0)
    inertias = [ArticulatedInertia.of_rigid(body.inertia) for body in mechanism.bodies]
    biases: list[Row] = [[zero] * 6 for _ in mechanism.bodies]
    pivots: list[list[Pivot]] = [[] for _ in mechanism.bodies]
    seen: list[Seen] = [Seen([], [])] * mechanism.nb
    regular = never_singular(mechanism)
    with graph.section("articulated inertias and bias wrenches, inward"):
        for body in reversed(mechanism.bodies):
            own, parent = body.label - 1, body.parent - 1
            # Written out, six pivots take fewer operations, and other work fills the waiting for each of them.
            if mechanism.limbs is not None and regular and is_free_base(body):
                pivots[own], seen[own] = _solved(body, inertias[own], biases[own], forces[own])
                continue
            pivots[own], seen[own] = eliminated(body, inertias[own], biases[own], forces[own], regular)
            if not body.parent:
                continue
            carried, push = handed_on(body, seen[own])
            if carried is not None:
                summed = ArticulatedInertia.of_entries(mechanism.handed(body, carried.entries()))
                inertias[parent] = inertias[parent] + summed
            biases[parent] = [x + y for x, y in zip(biases[parent], mechanism.handed(body, push), strict=True)]
    return _outward(mechanism, pivots, seen)


def eliminated(
    body: TreeBody, inertia: ArticulatedInertia, bias: Row, forces: tuple[Scalar, ...], regular: bool
) -> tuple[list[Pivot], Seen]:
    """The freedoms of a body's joint, and what is left for its parent.

    Args:
        body: with its joint.
        inertia, bias: of it and all outboard of it.
        forces: of the joint.
        regular: no state makes a pivot vanish.
    """
    rows, pivots = inertia.rows(), list[Pivot]()
    for k, force in enumerate(forces):
        rows, bias, pivot = _eliminate(body, k, rows, bias, force, regular)
        pivots.append(pivot)
    if body.leaves_parent:
        rows = [[Scalar(body.motion.graph, 0)] * 6 for _ in range(6)]
    return pivots, Seen(rows, bias)


def _solved(
    body: TreeBody, inertia: ArticulatedInertia, bias: Row, forces: tuple[Scalar, ...]
) -> tuple[list[Pivot], Seen]:
    """What ``eliminated`` gives for a free base, whose acceleration depends on nothing inboard of it."""
    zeros = [Scalar(body.motion.graph, 0)] * 6
    rates = base_acceleration(inertia, [force - p for force, p in zip(forces, bias, strict=True)])
    pivots = [Pivot(six(column), zeros, rate) for column, rate in zip(body.columns, rates, strict=True)]
    return pivots, Seen([zeros] * 6, list(forces))


def handed_on(body: TreeBody, seen: Seen) -> tuple[ArticulatedInertia | None, Row]:
    """Inertia and bias wrench that a body adds to its parent's, at and in the parent's frame; no inertia behind a free
    joint without rotors."""
    carried = None
    if not body.leaves_parent:
        carried = ArticulatedInertia.of_rows(seen.rows).to_parent(body.rotation, body.translation)
    return carried, six(body.placement.wrench_to_parent(*motion_of(seen.bias)))


def entries_handed_on(body: TreeBody, seen: Seen) -> Row:
    """The entries of both, of the inertia zeros where there is none."""
    carried, push = handed_on(body, seen)
    entries = [Scalar(body.motion.graph, 0)] * INERTIA_ENTRIES if carried is None else carried.entries()
    return [*entries, *push]


def carried_motion(body: TreeBody, motion: Sequence[Scalar]) -> Row:
    """An acceleration of the carrier as it is at the body, in its components."""
    return six(body.placement.twist_to_child(*motion_of(motion)))


def _eliminate(
    body: TreeBody, k: int, rows: list[Row], bias: Row, force: Scalar, regular: bool
) -> tuple[list[Row], Row, Pivot]:
    """I - U U^T / d and p + U u / d for the joint's freedom k."""
    h = six(body.columns[k])
    u_column = [product(h, row) for row in rows]
    d = (product(h, u_column) + body.armature[k]).named(f"d{body.label}_{k + 1}")
    remaining = (force - product(h, bias)).named(f"u{body.label}_{k + 1}")
    inverse = inverse_pivot(body, d, regular).named(f"inv_d{body.label}_{k + 1}")
    gain = [x * inverse for x in u_column]
    pivot = Pivot(h, gain, remaining * inverse, inverse)
    return reduced(rows, gain, u_column), [p + g * remaining for p, g in zip(bias, gain, strict=True)], pivot


def inverse_pivot(body: TreeBody, d: Scalar, regular: bool) -> Scalar:
    """1 / d of a freedom of a body's joint.

    Raises:
        DerivationError: d is zero in every state.
    """
    try:
        return 1 / (d.never_zero() if regular else d)
    except SymbolicError:
        raise DerivationError(
            "nothing resists this joint's motion: its mass or inertia is zero",
            where=f"joint {body.joint.name}",
            remedy=f"give body {body.name} or one outboard of it mass, or the joint armature",
        ) from None


def reduced(rows: list[Row], gain: Row, pushed: Row) -> list[Row]:
    """I - k U^T, which is symmetric."""
    found = [row[:] for row in rows]
    for r in range(6):
        for c in range(r, 6):
            found[r][c] = found[c][r] = rows[r][c] - gain[r] * pushed[c]
    return found


def _outward(mechanism: Mechanism, pivots: list[list[Pivot]], seen: list[Seen]) -> RatesAndWrenches:
    zero = zero_vector(mechanism.graph)
    accelerations: list[Row] = [six((zero, zero))]
    wrenches: list[Motion] = [(zero, zero)]
    rates: list[tuple[Scalar, ...]] = []
    with mechanism.graph.section("accelerations, outward"):
        for body in mechanism.bodies:
            state = carried_motion(body, accelerations[body.parent])
            own = seen[body.label - 1]
            f = [p + dot(row, state) for row, p in zip(own.rows, own.bias, strict=True)]
            wrenches.append(motion_of(f))
            found, state = joint_rates(body, pivots[body.label - 1], state)
            rates.append(found)
            accelerations.append(state)
    return RatesAndWrenches(tuple(rates), tuple(wrenches))


def joint_rates(body: TreeBody, pivots: list[Pivot], state: Row) -> tuple[tuple[Scalar, ...], Row]:
    """vdot of a body's joint and the body's acceleration, from the acceleration that the joint's rates leave out."""
    found: list[Scalar] = []
    for k, pivot in reversed(list(enumerate(pivots, start=1))):
        rate = pivot.offset
        # Entries of gain one come last, so that adding H vdot below cancels them.
        for m in sorted(range(6), key=lambda m: pivot.gain[m].ref == 1):
            rate = rate - pivot.gain[m] * state[m]
        found.append(rate.named(f"vdot{body.label}_{k}"))
        state = [x + h * rate for x, h in zip(state, pivot.column, strict=True)]
    return tuple(reversed(found)), state
