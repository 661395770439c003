"""Wrenches of tree joints and cut joints in closed loops, and those of least norm where they are not unique."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.formulations.applied_forces import AppliedForces, applied_forces
from mbsym.formulations.recursive.newton_euler import newton_euler, user_wrenches
from mbsym.formulations.recursive.sparse_factor import Vector, factorised, product
from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import Speeds, joint_speeds, joints_at_rest
from mbsym.loops.closure_row import ClosureRow, Row
from mbsym.loops.motion import sum_of
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.spatial.vector import add, cross, negate, scale, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar


def dense(mechanism: Mechanism, row: Row) -> Vector:
    """A row of G with its zeros."""
    zero = Scalar(mechanism.graph, 0)
    return [row.get(column, zero) for column in range(mechanism.nv)]


def closure_wrenches(
    mechanism: Mechanism, rows: Sequence[ClosureRow], multipliers: Sequence[Scalar]
) -> dict[int, Motion]:
    """[moment; force] of closure rows on the bodies, by label, at the internal frame's origin in its components."""
    totals: dict[int, Motion] = {}
    with mechanism.graph.section("wrenches of the closures"):
        for row, multiplier in zip(rows, multipliers, strict=True):
            for label, (moment, force) in row.loads.items():
                totals[label] = sum_of(totals.get(label), (scale(moment, multiplier), scale(force, multiplier)))
        for first, multiplied in _by_closure(rows, multipliers):
            if first.frame is None or first.point is None or first.target_frame is None:
                continue
            moment, force = _combined(mechanism, multiplied)
            total = add(moment, cross(first.point, force)), force
            if first.source:
                moment, force = first.frame.wrench_to_parent(*total)
                totals[first.source] = sum_of(totals.get(first.source), (negate(moment), negate(force)))
            if first.target:
                place = first.target_frame
                moment = place.rotation.to_child(subtract(total[0], cross(place.translation, total[1])))
                totals[first.target] = sum_of(totals.get(first.target), (moment, place.rotation.to_child(total[1])))
    return totals


def _by_closure(
    rows: Sequence[ClosureRow], multipliers: Sequence[Scalar]
) -> list[tuple[ClosureRow, list[tuple[ClosureRow, Scalar]]]]:
    grouped: dict[str, list[tuple[ClosureRow, Scalar]]] = {}
    for row, multiplier in zip(rows, multipliers, strict=True):
        grouped.setdefault(row.closure, []).append((row, multiplier))
    return [(items[0][0], items) for items in grouped.values()]


def _combined(mechanism: Mechanism, multiplied: Sequence[tuple[ClosureRow, Scalar]]) -> Motion:
    zero = zero_vector(mechanism.graph)
    total: Motion = (zero, zero)
    for row, multiplier in multiplied:
        if row.wrench is not None and multiplier:
            total = sum_of(total, (scale(row.wrench[0], multiplier), scale(row.wrench[1], multiplier)))
    return total


def _with_closures(
    mechanism: Mechanism,
    applied: AppliedForces | None,
    rows: Sequence[ClosureRow],
    multipliers: Sequence[Scalar],
) -> AppliedForces:
    """Force elements and the wrenches of the closures."""
    joints = applied.joints if applied is not None else joints_at_rest(mechanism)
    wrenches = dict(applied.wrenches) if applied is not None else {}
    for label, wrench in closure_wrenches(mechanism, rows, multipliers).items():
        wrenches[label] = sum_of(wrenches.get(label), wrench)
    return AppliedForces(joints, wrenches)


def _cut_wrenches(mechanism: Mechanism, rows: Sequence[ClosureRow], multipliers: Sequence[Scalar]) -> Vector:
    """Wrenches of the cut joints on their successors in the user's frames, six entries a joint in label order."""
    zero = zero_vector(mechanism.graph)
    grouped = {first.closure: items for first, items in _by_closure(rows, multipliers)}
    entries: Vector = []
    for cut in mechanism.cut_joints:
        total = _combined(mechanism, grouped[cut.joint.name]) if cut.joint.name in grouped else (zero, zero)
        turn = cut.wrench_frame.inverse().then(cut.successor_frame).rotation
        entries.extend((*turn.to_parent(negate(total[0])), *turn.to_parent(negate(total[1]))))
    return entries


def all_wrenches(
    mechanism: Mechanism,
    rates: Speeds | None,
    rows: Sequence[ClosureRow],
    multipliers: Sequence[Scalar],
) -> Vector:
    """Wrenches of all joints; with no rates, those that the multipliers alone cause in the mechanism at rest."""
    if rates is None:
        still = joints_at_rest(mechanism)
        applied = _with_closures(mechanism, None, rows, multipliers)
        found = newton_euler(mechanism, still, still, zero_vector(mechanism.graph), applied)
    else:
        speeds = joint_speeds(mechanism)
        applied = _with_closures(mechanism, applied_forces(mechanism, speeds), rows, multipliers)
        found = newton_euler(mechanism, speeds, rates, mechanism.gravity, applied)
    return [*user_wrenches(mechanism, found.wrenches), *_cut_wrenches(mechanism, rows, multipliers)]


def least_wrenches(
    mechanism: Mechanism,
    analysis: LoopAnalysis,
    multipliers: Sequence[Scalar],
    wrenches: Sequence[Scalar],
) -> Vector:
    """The wrenches plus those of the states of self-stress that make the sum of squares least.

    A dependent row is a combination of the independent ones, g = C^T G; a multiplier 1 on it and -C on those moves
    nothing.
    """
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    shares = _shares(mechanism, analysis)
    elements = [k for k, row in enumerate(analysis.rows) if not _is_joint(mechanism, row)]
    own = [row for row in analysis.dependent if not _is_joint(mechanism, row)]
    base = [*wrenches, *(multipliers[k] for k in elements), *(zero for _ in own)]
    stresses: list[Vector] = []
    for dependent, share in zip(analysis.dependent, shares, strict=True):
        with mechanism.graph.section(f"self-stress of {dependent.closure}, row {dependent.number}"):
            factors = [-x for x in share]
            stress = all_wrenches(mechanism, None, (*analysis.rows, dependent), [*factors, one])
            stress += [factors[k] for k in elements] + [one if row is dependent else zero for row in own]
            stresses.append(stress)
    with mechanism.graph.section("least joint wrenches"):
        gram = [[product(a, b) for b in stresses] for a in stresses]
        # Each state has a unit of its own row where the others have none, so that they are independent.
        factor = factorised(mechanism, gram, "matrix of the states of self-stress", regular=True)
        amounts = factor.outward(factor.inward([-product(stress, base) for stress in stresses]))
        total = list(wrenches)
        for stress, amount in zip(stresses, amounts, strict=True):
            total = [x + y * amount if y else x for x, y in zip(total, stress[: len(total)], strict=True)]
    return total


def _shares(mechanism: Mechanism, analysis: LoopAnalysis) -> list[Vector]:
    """C of each dependent row, by the least squares G G^T C = G g; zero for rows that are zero in every motion."""
    zero = Scalar(mechanism.graph, 0)
    if all(not row.jacobian for row in analysis.dependent):
        return [[zero] * len(analysis.rows) for _ in analysis.dependent]
    with mechanism.graph.section("dependent closure rows by independent ones"):
        rows = [dense(mechanism, row.jacobian) for row in analysis.rows]
        gram = [[product(a, b) for b in rows] for a in rows]
        factor = factorised(mechanism, gram, "matrix of the closure rows")
        return [
            factor.outward(factor.inward([product(row, dense(mechanism, dependent.jacobian)) for row in rows]))
            for dependent in analysis.dependent
        ]


def _is_joint(mechanism: Mechanism, row: ClosureRow) -> bool:
    return any(cut.joint.name == row.closure for cut in mechanism.cut_joints)
