"""What functions of mechanisms with closed loops must return, wherever they are evaluated: loops need not be closed.

With M and h of the tree, G and gamma of the rows that a module has chosen as independent, multipliers solve

    M vdot + h = tau + G^T lambda,        G vdot = gamma,

by one elimination.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from mbsym.exact.closures import LoopState
from mbsym.exact.functions import Given, Results
from mbsym.exact.kinematics import cross, moving, position_rate
from mbsym.exact.linear import solved
from mbsym.exact.maximal import balanced
from mbsym.exact.mechanism import quaternions
from mbsym.exact.residues import UndecidedError
from mbsym.reference.rotations import Array

ROWS: Final = "closure rows"
"""Among what is given: numbers of the rows that a module holds, out of all."""


def _rows(state: LoopState, given: Given) -> list[int]:
    """Numbers of the rows that a module holds.

    Raises:
        UndecidedError: its residuals are none of those of the mechanism.
    """
    if not len(given[ROWS]) and len(state.closures.residual):
        raise UndecidedError("rows whose residuals are none that are known")
    return list(given[ROWS])


def _residual(state: LoopState, given: Given) -> list[Any]:
    return [state.closures.residual[row] for row in _rows(state, given)]


def _bias(state: LoopState, given: Given) -> list[Any]:
    return [state.closures.bias[row] for row in _rows(state, given)]


def _jacobian(state: LoopState, given: Given) -> Array:
    """G, (rows, nv)."""
    chosen: Array = state.closures.jacobian[_rows(state, given)]
    return chosen


def _solved(matrix: Array, right: Any) -> Array:
    rows = [dict(enumerate(row)) for row in matrix]
    found = np.empty(matrix.shape[1], dtype=object)
    found[:] = solved(rows, right, matrix.shape[1])
    return found


def _closed_motion(state: LoopState, given: Given) -> tuple[Array, Array, Array]:
    """That of closed loops, which is solved once."""
    key = "motion", id(given["tau"])
    if key not in state.known:
        state.known[key] = _motion(state, given, _bias(state, given)), given
    found: tuple[Array, Array, Array] = state.known[key][0]
    return found


def _motion(state: LoopState, given: Given, gamma: Sequence[Any]) -> tuple[Array, Array, Array]:
    """vdot, lambda, and along all speeds the forces of motions, which stand in place of tau there."""
    G, M, driven = _jacobian(state, given), state.mass_matrix, state.prescribed
    force = given["tau"] - state.inverse_dynamics(np.zeros(len(M), dtype=object))
    held = np.zeros((len(driven), len(M)), dtype=object)
    for row, each in zip(held, driven, strict=True):
        row[each.column] = 1
        force[each.column] = force[each.column] - given["tau"][each.column]
    rows = np.concatenate([G, held])
    whole = np.block([[M, -rows.T], [rows, np.zeros((len(rows), len(rows)), dtype=object)]])
    found = _solved(whole, [*force, *gamma, *(each.rates[-1] for each in driven)])
    multipliers = found[len(M) : len(M) + len(G)]
    return found[: len(M)], multipliers, held.T @ found[len(M) + len(G) :]


def _of_free_speeds(state: LoopState, G: Array) -> tuple[Array, Array]:
    """M and rows without what motions prescribe: ones stand on the diagonal of M there, zeros beside them."""
    M, rows = state.mass_matrix.copy(), G.copy()
    for each in state.prescribed:
        M[each.column, :] = M[:, each.column] = rows[:, each.column] = 0
        M[each.column, each.column] = 1
    return M, rows


def _constrained_dynamics(state: LoopState, given: Given) -> Results:
    return _closed_motion(state, given)[:2]


def _stabilised_dynamics(state: LoopState, given: Given) -> Results:
    alpha, beta = given["gains"]
    rates = _jacobian(state, given) @ state.v
    terms = zip(_bias(state, given), rates, _residual(state, given), strict=True)
    return _motion(state, given, [gamma - 2 * alpha * rate - beta * beta * gap for gamma, rate, gap in terms])[:2]


def _on_mass_matrix(state: LoopState, J: Array, *, reversed_joints: bool = False) -> list[Array]:
    """M^-1 J^T, J M^-1 J^T, L^-T J^T and D^-1 of M = L^T D L, L lower triangular in the order of the labels."""
    M, J = _of_free_speeds(state, J)
    response = np.array([_solved(M, row) for row in J], dtype=object).reshape(len(J), len(M)).T
    order = state.columns_by_label(reversed_joints=reversed_joints)
    # Eliminated from the last speed inward: L^-T acts on columns of J^T as it acts on those of M.
    A, Y, inverses = M[np.ix_(order, order)].copy(), J.T[order].copy(), np.empty(len(M), dtype=object)
    for k in range(len(M) - 1, -1, -1):
        inverses[k] = 1 / A[k, k]
        for i in range(k):
            factor = A[k, i] * inverses[k]
            A[i, :k] = A[i, :k] - factor * A[k, :k]
            Y[i] = Y[i] - factor * Y[k]
    back = np.argsort(order)
    return [response, J @ response, Y[back], inverses[back]]


def _constrained_terms(state: LoopState, given: Given, *, reversed_joints: bool = False) -> Results:
    G, known = _jacobian(state, given), np.zeros(state.mechanism.nv, dtype=object)
    for each in state.prescribed:
        known[each.column] = each.rates[-1]
    force = given["tau"] - state.inverse_dynamics(known)
    for each in state.prescribed:
        force[each.column] = each.rates[-1]
    free = _solved(_of_free_speeds(state, G)[0], force)
    right = np.array(_bias(state, given), dtype=object) - G @ free
    response, delassus, weighted, inverses = _on_mass_matrix(state, G, reversed_joints=reversed_joints)
    return [free, response.ravel(), delassus.ravel(), right, weighted.ravel(), inverses]


def _corrections(state: LoopState, J: Array, *, reversed_joints: bool = False) -> Results:
    response, delassus, weighted, inverses = _on_mass_matrix(state, J, reversed_joints=reversed_joints)
    return [J.ravel(), response.ravel(), delassus.ravel(), weighted.ravel(), inverses]


def _project_velocity(state: LoopState, given: Given) -> Results:
    response, delassus, *_ = _on_mass_matrix(state, _jacobian(state, given))
    return [state.v - response @ _solved(delassus, _jacobian(state, given) @ state.v)]


def _wrenches(state: LoopState, given: Given, vdot: Array, multipliers: Array) -> Array:
    """[moment; force] on each joint's successor at and in its frame there, (nj, 6): balances from the leaves inward.

    Where rows depend on each other states of self-stress are added, which make the sum of squares least.
    """
    motion = moving(state.mechanism, state.q, state.v, vdot)
    labels = range(1, state.mechanism.nb + 1)
    by_row = dict(zip(_rows(state, given), multipliers, strict=True))
    bodies = {b: state.needed(motion, b) - state.scene.wrenches[b] for b in labels}
    found = _carried(state, bodies, by_row)
    others = [row for row in range(len(state.closures.residual)) if row not in by_row]
    if not others:
        return found
    G, still = _jacobian(state, given), np.zeros(6, dtype=object)
    own = range(state.closures.of_joints, len(state.closures.residual))
    stresses = []
    for other in others:
        shares = _solved(G @ G.T, G @ state.closures.jacobian[other])
        stress = {**dict(zip(by_row, -shares, strict=True)), other: 1}
        wrenches = _carried(state, dict.fromkeys(labels, still), stress)
        stresses.append(np.array([*wrenches.ravel(), *(stress.get(row, 0) for row in own)], dtype=object))
    base = np.array([*found.ravel(), *(by_row.get(row, 0) for row in own)], dtype=object)
    S = np.stack(stresses)
    least: Array = base - S.T @ _solved(S @ S.T, S @ base)
    return least[: found.size].reshape(found.shape)


def _carried(state: LoopState, bodies: Mapping[int, Array], multipliers: Mapping[int, Any]) -> Array:
    """Wrenches of all joints, of what bodies need and what closure rows give them, (nj, 6)."""
    mechanism, motion = state.mechanism, state.moving
    loads, cut = state.closures.loads(multipliers), state.closures.wrenches(multipliers)
    acting = {b: wrench - loads[b] for b, wrench in bodies.items()}
    found = np.empty((mechanism.nj, 6), dtype=object)
    for joint, (moment, force, point) in zip(mechanism.cut_joints, cut, strict=True):
        for body, sign in ((joint.successor, -1), (joint.predecessor, 1)):
            if body:
                arm = point - motion.origins[body]
                acting[body] = acting[body] + sign * np.concatenate([moment + cross(arm, force), force])
        frame = state.freedom(joint, motion, np.zeros(7, dtype=object))
        # At the point at which rows are taken, which is the origin of S where the loop is closed.
        found[joint.label - 1] = np.concatenate([frame.S.T @ moment, frame.S.T @ force])
    found[: mechanism.nb] = balanced(state, motion, acting)
    return found


def _constrained_wrenches(state: LoopState, given: Given) -> Results:
    return [_wrenches(state, given, given["vdot"], given["lambda"]).ravel()]


def _joint_wrenches(state: LoopState, given: Given) -> Results:
    return [_wrenches(state, given, *_constrained_dynamics(state, given)).ravel()]


def _actuated_inverse_dynamics(state: LoopState, given: Given) -> Results:
    """tau at the motors alone, with which vdot is the motion of closed loops: M vdot + h - G^T lambda = tau."""
    mechanism = state.mechanism
    names = mechanism.model.motors
    motors = [column for joint in mechanism.tree_joints if joint.name in names for column in range(*_span(joint))]
    G = _jacobian(state, given)
    rows, nv = G.shape
    if len(motors) + rows != nv:
        raise UndecidedError("motors are more or fewer than freedoms")
    taken = np.zeros((nv, len(motors)), dtype=object)
    for k, column in enumerate(motors):
        taken[column, k] = 1
    found = _solved(np.concatenate([taken, G.T], axis=1), state.inverse_dynamics(given["vdot"]))
    tau = np.zeros(nv, dtype=object)
    tau[motors] = found[: len(motors)]
    return [tau]


def _span(joint: Any) -> tuple[int, int]:
    if joint.speeds is None:
        raise UndecidedError("a motor on a joint that follows another")
    return joint.speeds.start, joint.speeds.stop


def _asked(state: LoopState, given: Given) -> Results:
    """What motions ask for at known vdot and lambda: what these take less what closed loops give."""
    needed = state.inverse_dynamics(given["vdot"])
    if "lambda" in given:
        needed = needed - _jacobian(state, given).T @ given["lambda"]
    found = np.zeros(state.mechanism.nv, dtype=object)
    for each in state.prescribed:
        found[each.column] = needed[each.column]
    return [found]


def _driven_state(state: LoopState, given: Given) -> Results:
    q, v = state.q.copy(), state.v.copy()
    for each in state.prescribed:
        if each.coordinate is not None:
            q[each.coordinate] = each.rates[0]
        if len(each.rates) > 1:
            v[each.column] = each.rates[-2]
    return [q, v]


def _moved_position(state: LoopState, given: Given) -> Results:
    moved = state.q + position_rate(state.mechanism, state.q, given["motion"])
    for start in quaternions(state.mechanism):
        four = moved[start : start + 4]
        moved[start : start + 4] = four / np.sqrt(four @ four)
    return [moved]


def _position_correction(state: LoopState, given: Given, *, reversed_joints: bool = False) -> Results:
    return _corrections(state, state.closures.residual_jacobian[_rows(state, given)], reversed_joints=reversed_joints)


def _velocity_correction(state: LoopState, given: Given, *, reversed_joints: bool = False) -> Results:
    return _corrections(state, _jacobian(state, given), reversed_joints=reversed_joints)


OTHERWISE: Final = {
    law.__name__[1:]: partial(law, reversed_joints=True)
    for law in (_constrained_terms, _position_correction, _velocity_correction)
}
"""L^T D L leaves open in which order the freedoms of one joint are eliminated: these are the other way round."""

OF_LOOPS: Final[Mapping[str, Callable[[LoopState, Given], Results]]] = {
    "constraint_residual": lambda state, given: [_residual(state, given)],
    "closure_gap": lambda state, given: [state.closures.residual],
    "constraint_jacobian": lambda state, given: [_jacobian(state, given).ravel()],
    "constraint_bias": lambda state, given: [_bias(state, given)],
    "constrained_terms": _constrained_terms,
    "constrained_dynamics": _constrained_dynamics,
    "constrained_dynamics_report": lambda state, given: [*_constrained_dynamics(state, given), None, None],
    "stabilised_dynamics": _stabilised_dynamics,
    "forward_dynamics": lambda state, given: [_constrained_dynamics(state, given)[0]],
    "constrained_wrenches": _constrained_wrenches,
    "joint_wrenches": _joint_wrenches,
    "position_correction": _position_correction,
    "velocity_correction": _velocity_correction,
    "project_velocity": _project_velocity,
    "moved_position": _moved_position,
    "driving_forces": lambda state, given: [_closed_motion(state, given)[2]],
    "forces_of_motions": _asked,
    "driven_state": _driven_state,
    "actuated_inverse_dynamics": _actuated_inverse_dynamics,
}
"""In place of those of trees, and besides them."""
