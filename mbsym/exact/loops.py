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
from mbsym.exact.kinematics import cross, moving
from mbsym.exact.linear import solved
from mbsym.exact.maximal import balanced
from mbsym.exact.residues import UndecidedError
from mbsym.reference.rotations import Array

ROWS: Final = "closure rows"
"""Among what is given: numbers of the rows that a module holds, out of all."""


def _rows(given: Given) -> list[int]:
    """Numbers of the rows that a module holds.

    Raises:
        UndecidedError: its residuals are none of those of cut joints.
    """
    if not len(given[ROWS]):
        raise UndecidedError("rows whose residuals are not those of cut joints")
    return list(given[ROWS])


def _chosen(of_all: Sequence[Any], given: Given) -> list[Any]:
    return [of_all[row] for row in _rows(given)]


def _jacobian(state: LoopState, given: Given) -> Array:
    """G, (rows, nv)."""
    chosen: Array = state.closures.jacobian[_rows(given)]
    return chosen


def _constraint_residual(state: LoopState, given: Given) -> Results:
    return [_chosen(state.closures.residual, given)]


def _solved(matrix: Array, right: Any) -> Array:
    rows = [dict(enumerate(row)) for row in matrix]
    found = np.empty(matrix.shape[1], dtype=object)
    found[:] = solved(rows, right, matrix.shape[1])
    return found


def _motion(state: LoopState, given: Given, gamma: Sequence[Any]) -> tuple[Array, Array]:
    """vdot and lambda."""
    G, M = _jacobian(state, given), state.mass_matrix()
    force = given["tau"] - state.inverse_dynamics(np.zeros(len(M), dtype=object))
    rows, nv = G.shape
    whole = np.block([[M, -G.T], [G, np.zeros((rows, rows), dtype=object)]])
    found = _solved(whole, [*force, *gamma])
    return found[:nv], found[nv:]


def _constrained_dynamics(state: LoopState, given: Given) -> Results:
    return _motion(state, given, _chosen(state.closures.bias, given))


def _stabilised_dynamics(state: LoopState, given: Given) -> Results:
    alpha, beta = given["gains"]
    rates = _jacobian(state, given) @ state.v
    terms = zip(_chosen(state.closures.bias, given), rates, _chosen(state.closures.residual, given), strict=True)
    return _motion(state, given, [gamma - 2 * alpha * rate - beta * beta * gap for gamma, rate, gap in terms])


def _on_mass_matrix(state: LoopState, J: Array, *, reversed_joints: bool = False) -> list[Array]:
    """M^-1 J^T, J M^-1 J^T, L^-T J^T and D^-1 of M = L^T D L, L lower triangular in the order of the labels."""
    M = state.mass_matrix()
    response = np.stack([_solved(M, row) for row in J], axis=1)
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
    G = _jacobian(state, given)
    nv = state.mechanism.nv
    free = _solved(state.mass_matrix(), given["tau"] - state.inverse_dynamics(np.zeros(nv, dtype=object)))
    right = np.array(_chosen(state.closures.bias, given), dtype=object) - G @ free
    response, delassus, weighted, inverses = _on_mass_matrix(state, G, reversed_joints=reversed_joints)
    return [free, response.ravel(), delassus.ravel(), right, weighted.ravel(), inverses]


def _corrections(state: LoopState, J: Array, *, reversed_joints: bool = False) -> Results:
    response, delassus, weighted, inverses = _on_mass_matrix(state, J, reversed_joints=reversed_joints)
    return [J.ravel(), response.ravel(), delassus.ravel(), weighted.ravel(), inverses]


def _project_velocity(state: LoopState, given: Given) -> Results:
    response, delassus, *_ = _on_mass_matrix(state, _jacobian(state, given))
    return [state.v - response @ _solved(delassus, _jacobian(state, given) @ state.v)]


def _wrenches(state: LoopState, given: Given, vdot: Array, multipliers: Array) -> Array:
    """[moment; force] on each joint's successor at and in its frame there, (nj, 6): balances from the leaves inward."""
    mechanism = state.mechanism
    motion = moving(mechanism, state.q, state.v, vdot)
    acting = {b: state.needed(motion, b) - state.scene.wrenches[b] for b in range(1, mechanism.nb + 1)}
    cut = state.closures.wrenches(dict(zip(_rows(given), multipliers, strict=True)))
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


def _moved_position(state: LoopState, given: Given) -> Results:
    if state.mechanism.nq != state.mechanism.nv:
        raise UndecidedError("quaternions are moved by sines of what is no angle of a joint")
    return [state.q + given["motion"]]


def _position_correction(state: LoopState, given: Given, *, reversed_joints: bool = False) -> Results:
    return _corrections(state, state.closures.residual_jacobian[_rows(given)], reversed_joints=reversed_joints)


def _velocity_correction(state: LoopState, given: Given, *, reversed_joints: bool = False) -> Results:
    return _corrections(state, _jacobian(state, given), reversed_joints=reversed_joints)


OTHERWISE: Final = {
    law.__name__[1:]: partial(law, reversed_joints=True)
    for law in (_constrained_terms, _position_correction, _velocity_correction)
}
"""L^T D L leaves open in which order the freedoms of one joint are eliminated: these are the other way round."""

OF_LOOPS: Final[Mapping[str, Callable[[LoopState, Given], Results]]] = {
    "constraint_residual": _constraint_residual,
    "closure_gap": lambda state, given: [state.closures.residual],
    "constraint_jacobian": lambda state, given: [_jacobian(state, given).ravel()],
    "constraint_bias": lambda state, given: [_chosen(state.closures.bias, given)],
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
    "actuated_inverse_dynamics": _actuated_inverse_dynamics,
}
"""In place of those of trees, and besides them."""
