"""Second derivatives of inverse and forward dynamics, contracted with weights: the Hessian of weights^T f.

Those of forward dynamics follow from ID(q, v, FD(q, v, tau)) = tau. With mu = M^-1 weights, H the second derivatives of
mu^T ID and N those by q and vdot,

    weights^T d2vdot/dq dq = -(H_qq + N a_q + (N a_q)^T),    ... dq dv: -(H_qv + N a_v),    ... dv dv: -H_vv,
    ... dq dtau: -N M^-1,

a_q = -M^-1 dID/dq and a_v alike the first derivatives of vdot; those by v and tau, and by tau twice, are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mbsym.derivatives.forward_dynamics import caused_motion
from mbsym.derivatives.inverse_dynamics import entries_of, generalised, inverse_dynamics_jacobians
from mbsym.derivatives.second_variations import second_variations
from mbsym.derivatives.tangent import Matrix, along, along_speeds, product_of
from mbsym.derivatives.variations import State, folded, state_of
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import Derived, Entries
from mbsym.formulations.fewest_operations import shortest_way
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.equivalents import for_forces
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar

Hessians: TypeAlias = tuple[Matrix, Matrix, Matrix, Matrix]
"""By q and q, q and v, v and v, q and vdot; rows are differentiated by first."""


def inverse_dynamics_second_derivatives(mechanism: Mechanism) -> Derived:
    """Of weights^T tau, (nv, nv) each, in the way that takes fewer operations."""
    ways: dict[str, Callable[[Mechanism], Hessians]] = {
        "composite bodies": in_closed_form,
        "differentiated recursive Newton-Euler": _differentiated,
    }
    found, how = shortest_way(mechanism, ways, entries_of)
    names = ("d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "d2tau_dqdvdot")
    entries: dict[str, Entries] = dict(zip(names, found, strict=True))
    return Derived(entries, how, inputs=(_weights(mechanism, "generalised forces"),))


def in_closed_form(mechanism: Mechanism) -> Hessians:
    mechanism = for_forces(mechanism)
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    state = state_of(mechanism, joint_speeds(mechanism), rates, mechanism.gravity)
    weights = mechanism.entries(_weights(mechanism))
    return _hessians(mechanism, state, weights, generalised(mechanism))


def _differentiated(mechanism: Mechanism) -> Hessians:
    refs = TREE_FUNCTIONS["inverse_dynamics"](mechanism).output_references
    forces = [Scalar(mechanism.graph, ref) for ref in refs]
    weights = mechanism.entries(_weights(mechanism))
    return _hessians_of(mechanism, product(weights, forces) if forces else Scalar(mechanism.graph, 0))


def forward_dynamics_second_derivatives(mechanism: Mechanism) -> Derived:
    """Of weights^T vdot, (nv, nv) each."""
    mechanism = for_forces(mechanism)
    motion, given = caused_motion(mechanism), _weights(mechanism, "rates of the speeds")
    factor = motion.factor
    weights = tuple(factor.outward(factor.inward(mechanism.entries(given))))
    of_qq, of_qv, of_vv, of_push = _hessians(mechanism, motion.state, weights, motion.applied)
    by_q, by_v = inverse_dynamics_jacobians(mechanism, motion.state, motion.applied)
    with mechanism.graph.section("second derivatives of vdot"):
        pushed = [factor.outward(factor.inward(row)) for row in of_push]
        through_q, through_v = product_of(pushed, by_q), product_of(pushed, by_v)
        size = range(mechanism.nv)
        entries: dict[str, Entries] = {
            "d2vdot_dqdq": [[through_q[i][j] + through_q[j][i] - of_qq[i][j] for j in size] for i in size],
            "d2vdot_dqdv": [[through_v[i][j] - of_qv[i][j] for j in size] for i in size],
            "d2vdot_dvdv": [[-entry for entry in row] for row in of_vv],
            "d2vdot_dqdtau": [[-entry for entry in row] for row in pushed],
        }
    return Derived(entries, "composite bodies, factored mass matrix", inputs=(given,))


def _weights(mechanism: Mechanism, of: str = "") -> Input:
    symbols = tuple(mechanism.graph.symbol(f"weights[{k}]") for k in range(mechanism.nv))
    return Input("weights", (mechanism.nv,), symbols, "", f"of the {of} in the sum that is differentiated")


def _hessians(
    mechanism: Mechanism, state: State, weights: Sequence[Scalar], applied: tuple[Scalar, ...] | None
) -> Hessians:
    """Of weights^T ID; weights and rates count as constant, whatever they depend on."""
    found = second_variations(mechanism, state, mechanism.of_joints(tuple(weights)))
    tables = (found.displaced, found.sped_displaced, found.sped, found.pushed)
    by_q, mixed, by_v, pushed = (folded(mechanism, table) for table in tables)
    if applied is None:
        return by_q, mixed, by_v, pushed
    graph = mechanism.graph
    symbols = _weights(mechanism)
    with graph.section("force elements"):
        of = _hessians_of(mechanism, product(mechanism.entries(symbols), applied), pushed=False)
        refs = [entry.ref for matrix in of for row in matrix for entry in row]
        mapping = {symbol: weight.ref for symbol, weight in zip(symbols.symbols, weights, strict=True)}
        entries = iter(Scalar(graph, ref) for ref in substitute(graph, refs, mapping))
        less = [[[x - next(entries) for x in row] for row in matrix] for matrix in (by_q, mixed, by_v)]
    return less[0], less[1], less[2], pushed


def _hessians_of(mechanism: Mechanism, value: Scalar, *, pushed: bool = True) -> Hessians:
    """By differentiating a value twice; by vdot only where it depends on it."""
    (by_q,) = along_speeds(mechanism, [value.ref])
    (by_v,) = along(mechanism, [value.ref], mechanism.v.symbols)
    first, second = [entry.ref for entry in by_q], [entry.ref for entry in by_v]
    return (
        along_speeds(mechanism, first),
        along(mechanism, first, mechanism.v.symbols),
        along(mechanism, second, mechanism.v.symbols),
        along(mechanism, first, mechanism.vdot.symbols) if pushed else [],
    )
