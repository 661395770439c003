"""Newton-Euler equations of every body in base axes, joined by multipliers: maximal coordinates.

Unknowns are the accelerations x = [alpha_b, a_b of every centre of mass; vdot of every joint] and one multiplier for
each row of C:

    Mx x = F + C^T lambda,        C x = c

Six rows of C for each joint say that the relative acceleration of its bodies at the head of the joint is
H vdot + sigma, so their multipliers are the joint's whole wrench, and the rows of Mx for vdot (armature) say
H^T wrench = force along the joint, less what its rotors ask.
Rods, points on lines and relations of coordinates add rows. Tree and cut joints are treated alike. Without loops the
system is regular and solved by elimination; with loops C may have dependent rows, and the minimum-norm multipliers come
from its singular values.

Source: Nikravesh: Computer-Aided Analysis of Mechanical Systems (1988), chapters 8 and 11 (augmented form);
joint speeds kept as unknowns as in descriptor form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbsym.errors import ModelError
from mbsym.reference.constraint_elements import REFERENCE_CONSTRAINTS, between_points, reach
from mbsym.reference.force_elements import element_forces
from mbsym.reference.held import held_rows
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.motions import Prescribed, prescribed_motions
from mbsym.reference.placements import Configuration, Motion, joint_bias, point_bias
from mbsym.reference.rotations import Array, cross, skew
from mbsym.reference.rotors import rotor_bias

DEPENDENT = 1e-9
"""Singular values of C below this part of the largest are those of dependent rows. C holds directions and lengths
alone, so they are dependent to about the closure error of the loops, 1e-12; a regular mechanism stays far above."""


@dataclass(frozen=True, slots=True)
class ConstraintRows:
    """C x = c.

    Attributes:
        matrix: C, (rows, 6 nb + rates); columns are [alpha_b, a_b] of each body, then vdot of every joint.
        right_side: c.
    """

    matrix: Array
    right_side: Array


@dataclass(frozen=True, slots=True)
class MaximalSolution:
    """Accelerations and multipliers.

    Attributes:
        vdot: (nv,).
        rate_changes: of the speeds of all joints.
        wrenches: (nj, 6), [moment; force] on the successor at and in its joint frame.
        multipliers: of the remaining rows: relations of coordinates, constraints between points, ``held_rows``.
        driving: generalised forces of the speeds that motions prescribe, zero for others (nv,).
    """

    vdot: Array
    rate_changes: Array
    wrenches: Array
    multipliers: Array
    driving: Array


def centroidal_inertias(mechanism: NumericMechanism, at: Configuration) -> Array:
    """(nb, 6, 6) blocks diag(J, m 1) of every body about its centre of mass, base axes."""
    blocks = np.zeros((mechanism.nb, 6, 6))
    for k, body in enumerate(mechanism.bodies):
        rotation = at.rotations[k + 1]
        blocks[k, :3, :3] = rotation @ body.inertia @ rotation.T
        blocks[k, 3:, 3:] = body.mass * np.eye(3)
    return blocks


def body_forces(mechanism: NumericMechanism, at: Configuration, moving: Motion, wrenches: Array) -> Array:
    """(nb, 6): wrenches of force elements, weight and gyroscopic moment -omega x J omega at each centre of mass."""
    forces: Array = wrenches[1:].copy()
    for k, body in enumerate(mechanism.bodies):
        omega, rotation = moving.angular[k + 1, :, 0], at.rotations[k + 1]
        forces[k, :3] -= cross(omega, rotation @ (body.inertia @ (rotation.T @ omega)))
        forces[k, 3:] += body.mass * mechanism.gravity
    return forces


def constraint_rows(
    mechanism: NumericMechanism, at: Configuration, moving: Motion, *, closed: bool = True
) -> ConstraintRows:
    """Rows of all joints, relations of coordinates and constraint elements.

    Args:
        mechanism: the mechanism.
        at: its placements.
        moving: its twists.
        closed: False opens the cut joints: each gets further columns at the end, the directions across its
            freedom; relations that close loops and constraint elements are left out.
    """
    offset = 6 * mechanism.nb
    columns = offset + len(moving.rates)
    opened = [] if closed else [_directions_across(frames.freedom) for frames in at.joints[mechanism.nb :]]
    width = columns + sum(across.shape[1] for across in opened)
    rows: list[Array] = []
    right: list[Array] = []

    def point_columns(row: Array, label: int, point: Array, direction: Array, sign: float) -> Any:
        """Adds sign * direction^T (acceleration of a body's point) to the row and returns its known part."""
        if label == 0:
            return 0.0
        arm = point - at.centers[label]
        column = 6 * (label - 1)
        row[:, column : column + 3] -= sign * direction.T @ skew(arm)
        row[:, column + 3 : column + 6] += sign * direction.T
        return sign * (direction.T @ point_bias(moving.angular[label, :, 0], arm))

    for joint, frames in zip(mechanism.joints, at.joints, strict=True):
        row = np.zeros((6, width))
        known = np.zeros(6)
        for label, sign in ((joint.successor, 1.0), (joint.predecessor, -1.0)):
            if label:
                row[:3, 6 * (label - 1) : 6 * (label - 1) + 3] += sign * np.eye(3)
            known[3:] += point_columns(row[3:], label, frames.head, np.eye(3), sign)
        row[:, offset + joint.rates.start : offset + joint.rates.stop] = -frames.freedom
        if joint.cut and not closed:
            across = opened[joint.label - mechanism.nb - 1]
            row[:, columns : columns + across.shape[1]] = -across
            columns += across.shape[1]
        rows.append(row)
        right.append(joint_bias(joint, frames, moving) - known)

    following = [gear.relation for gear in mechanism.followers.values()]
    for relation in (*following, *(mechanism.relations if closed else ())):
        row = np.zeros((1, width))
        for label, factor in relation.terms:
            row[0, offset + mechanism.joints[label - 1].rates.start] += factor
        rows.append(row)
        right.append(np.zeros(1))

    for constraint in between_points(mechanism) if closed else ():
        law = REFERENCE_CONSTRAINTS.named(constraint.type, constraint.name)
        found = reach(mechanism, at, moving, constraint)
        first, second = mechanism.body_labels[constraint.first_body], mechanism.body_labels[constraint.second_body]
        directions, bias = law.directions(found, constraint)
        row = np.zeros((directions.shape[1], width))
        known = point_columns(row, second, found.far, directions, 1.0)
        known = known + point_columns(row, first, found.near, directions, -1.0)
        if law.turning and first:
            # The directions turn with the first body: their rate times the relative velocity holds alpha of it.
            row[:, 6 * (first - 1) : 6 * (first - 1) + 3] += directions.T @ skew(found.between)
        rows.append(row)
        right.append(-bias - known)

    held, changes = _held(mechanism, at, moving, width, closed=closed)
    rows += held
    right += changes
    if not rows:
        return ConstraintRows(np.zeros((0, width)), np.zeros(0))
    return ConstraintRows(np.concatenate(rows), np.concatenate(right))


def _held(
    mechanism: NumericMechanism, at: Configuration, moving: Motion, width: int, *, closed: bool
) -> tuple[list[Array], list[Array]]:
    """Rows of ``held_rows`` where loops are closed, with zeros up to a width, and right sides."""
    found = [row.row(mechanism, at, moving) for row in held_rows(mechanism)] if closed else []
    return [np.pad(row, (0, width - len(row)))[None, :] for row, _ in found], [np.array([-x]) for _, x in found]


def _with_driven(rows: ConstraintRows, first: int, driven: Sequence[Prescribed]) -> ConstraintRows:
    """The rows, and behind them one for each speed that a motion prescribes, whose place is counted from the first."""
    if not driven:
        return rows
    own = np.zeros((len(driven), rows.matrix.shape[1]))
    own[range(len(driven)), [first + each.rate for each in driven]] = 1.0
    known = [each.values[-1] for each in driven]
    return ConstraintRows(np.concatenate([rows.matrix, own]), np.concatenate([rows.right_side, known]))


def _directions_across(freedom: Array) -> Array:
    """Orthonormal columns that span what is orthogonal to the columns of H, (6, 6 - n)."""
    across: Array = np.linalg.svd(freedom)[0][:, freedom.shape[1] :]
    return across


def solve(
    mechanism: NumericMechanism,
    at: Configuration,
    moving: Motion,
    tau: Array,
    t: float = 0.0,
    u: Sequence[float] = (),
    x: Sequence[float] = (),
    *,
    closed: bool = True,
) -> MaximalSolution:
    """Accelerations and multipliers of the whole mechanism.

    Args:
        mechanism: the mechanism.
        at: its placements.
        moving: its twists, one column.
        tau: generalised forces (nv,).
        t: time.
        u: control inputs.
        closed: False opens every cut joint and drops the other closure constraints; force elements at cut joints
            go on acting.

    Raises:
        ModelError: something massless may move freely, so that no acceleration is determined.
    """
    elements = element_forces(mechanism, at, moving, t, u, x)
    rows = constraint_rows(mechanism, at, moving, closed=closed)
    driven = prescribed_motions(mechanism, t, u)
    rows = _with_driven(rows, 6 * mechanism.nb, driven)
    offset, total = 6 * mechanism.nb, rows.matrix.shape[1]
    mass = np.zeros((total, total))
    for k, block in enumerate(centroidal_inertias(mechanism, at)):
        mass[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    force = np.zeros(total)
    force[:offset] = body_forces(mechanism, at, moving, elements.wrenches).ravel()
    turned = rotor_bias(mechanism, at.coordinates, moving.rates[:, 0])
    for joint in mechanism.joints:
        place = slice(offset + joint.rates.start, offset + joint.rates.stop)
        mass[place, place] = joint.armature * np.eye(joint.rates.stop - joint.rates.start)
        force[place] = elements.joint_forces[joint.rates] - turned[joint.rates]
        if joint.speeds is not None:
            force[place] += tau[joint.speeds]
    looped = closed and bool(mechanism.cut_joints or mechanism.relations or mechanism.model.constraints)
    rates, multipliers = (_by_singular_values if looped else _by_elimination)(mass, force, rows, mechanism.model.name)

    wrench_rows = multipliers[: 6 * mechanism.nj].reshape(-1, 6)
    wrenches = np.zeros((mechanism.nj, 6))
    for k, frames in enumerate(at.joints):
        wrenches[k] = np.concatenate([frames.S.T @ wrench_rows[k, :3], frames.S.T @ wrench_rows[k, 3:]])
    rate_changes = rates[offset : offset + len(moving.rates)]
    vdot = np.zeros(mechanism.nv)
    for joint in mechanism.tree_joints:
        if joint.speeds is not None:
            vdot[joint.speeds] = rate_changes[joint.rates]
    others = multipliers[6 * mechanism.nj :]
    driving = np.zeros(mechanism.nv)
    for each, force in zip(driven, others[len(others) - len(driven) :], strict=True):
        driving[each.speed] = force + tau[each.speed]
    return MaximalSolution(vdot, rate_changes, wrenches, others[: len(others) - len(driven)], driving)


def _by_elimination(mass: Array, force: Array, rows: ConstraintRows, where: str) -> tuple[Array, Array]:
    """Solves [Mx, -C^T; C, 0] [x; lambda] = [F; c] with independent rows."""
    total, count = len(force), len(rows.right_side)
    matrix = np.zeros((total + count, total + count))
    matrix[:total, :total] = mass
    matrix[:total, total:] = -rows.matrix.T
    matrix[total:, :total] = rows.matrix
    solution = _regular_solve(matrix, np.concatenate([force, rows.right_side]), where)
    return solution[:total], solution[total:]


def _by_singular_values(mass: Array, force: Array, rows: ConstraintRows, where: str) -> tuple[Array, Array]:
    """Solves the same with any rows: x moves in the null space of C, lambda has minimum norm."""
    U, sizes, Vt = np.linalg.svd(rows.matrix)
    rank = int(np.sum(sizes > DEPENDENT * sizes[0])) if len(sizes) else 0
    held, free = Vt[:rank].T, Vt[rank:].T
    x = held @ ((U[:, :rank].T @ rows.right_side) / sizes[:rank])
    if free.shape[1]:
        x = x + free @ _regular_solve(free.T @ mass @ free, free.T @ (force - mass @ x), where)
    multipliers: Array = U[:, :rank] @ ((held.T @ (mass @ x - force)) / sizes[:rank])
    return x, multipliers


def _regular_solve(matrix: Array, right_side: Array, where: str) -> Array:
    try:
        solution: Array = np.linalg.solve(matrix, right_side)
    except np.linalg.LinAlgError:
        solution = np.full(len(right_side), np.nan)
    if not np.all(np.isfinite(solution)):
        raise ModelError(
            "the accelerations are not determined", where=where, remedy="give mass to what may move freely"
        )
    return solution


def reaction_null_space(mechanism: NumericMechanism, at: Configuration, moving: Motion) -> Array:
    """Orthonormal columns (6 nj, k) of all joint wrenches that do no work in any motion; k = 0 if reactions are unique.

    Wrenches are at and in the joint frames on the successors, as ``MaximalSolution.wrenches`` in row order.
    """
    rows = constraint_rows(mechanism, at, moving)
    U, sizes, _ = np.linalg.svd(rows.matrix)
    rank = int(np.sum(sizes > DEPENDENT * sizes[0]))
    null = U[:, rank:].copy()
    for k in range(mechanism.nj):
        turn = np.kron(np.eye(2), at.joints[k].S.T)
        null[6 * k : 6 * k + 6] = turn @ null[6 * k : 6 * k + 6]
    return null[: 6 * mechanism.nj]
