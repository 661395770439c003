"""Derivatives of motion with closed loops in independent coordinates: along motions that keep the loops closed.

dq = N dq_i and dv = N dv_i + N' dq_i with G N = 0 and N' = d(N v_i)/dq_i. With the accelerations and multipliers that
solve M vdot + h = tau + G^T lambda and G vdot = gamma, the change of the first along N has no multipliers left:

    N^T M N dvdot_i = N^T (dtau - d(ID - G^T lambda) - M c),      dvdot = N dvdot_i + c,      G c = d(gamma - G vdot)

with d on the right at constant vdot and lambda; c moves the dependent speeds alone, from which dlambda follows as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbsym.derivatives.forward_dynamics import inverse, steady_motion
from mbsym.derivatives.inverse_dynamics import inverse_dynamics_jacobians
from mbsym.derivatives.tangent import Matrix, along, along_speeds, difference, product_of, transposed
from mbsym.derivatives.variations import State
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import Entries
from mbsym.formulations.recursive.sparse_factor import SparseFactor, Vector, factorised, product
from mbsym.formulations.regular_mass import never_singular
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.independent import Elimination
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.scalar import Scalar, symbol


@dataclass(frozen=True, slots=True)
class _Reduced:
    """The motion that tau causes, and what it changes by.

    Attributes:
        free: columns of N.
        mass: M.
        factor: of N^T M N.
        vdot: accelerations.
        multipliers: lambda.
        state: the motion.
        applied: generalised forces of the force elements, if there are any.
    """

    free: list[Vector]
    mass: Matrix
    factor: SparseFactor
    vdot: Vector
    multipliers: Vector
    state: State
    applied: tuple[Scalar, ...] | None


def independent_dynamics_derivatives(
    mechanism: Mechanism, closed: Elimination, biases: Sequence[Scalar]
) -> dict[str, Entries]:
    """vdot and lambda, N, N', and the derivatives of vdot and lambda by independent coordinates and speeds, and tau.

    Args:
        mechanism: with its loops open.
        closed: its closure rows.
        biases: gamma.
    """
    graph = mechanism.graph
    found = _reduced(mechanism, closed, biases)
    with graph.section("speeds that change with the independent coordinates"):
        v = mechanism.entries(mechanism.v)
        rates = along_speeds(mechanism, [product(row, v).ref for row in closed.rows])
        turned = [closed.motion([-x for x in _times(rates, column)]) for column in found.free]
    by_q, by_v = inverse_dynamics_jacobians(mechanism, found.state, found.applied)
    with graph.section("closure rows along the motion"):
        pull, excess_by_q, excess_by_v = _closure_changes(mechanism, closed.rows, biases, found)
    held = difference(by_q, pull)
    entries: dict[str, Entries] = {"vdot": found.vdot, "lambda": found.multipliers}
    entries |= {"N": transposed(found.free), "dv_dq": transposed(turned)}
    zero = Scalar(graph, 0)
    with graph.section("derivatives along the motion of the loops"):
        moved, pulls = [], []
        for own, other in zip(found.free, turned, strict=True):
            force = [-(a + b) for a, b in zip(_times(held, own), _times(by_v, other), strict=True)]
            excess = [-(a + b) for a, b in zip(_times(excess_by_q, own), _times(excess_by_v, other), strict=True)]
            moved.append(_answer(found, force, closed.motion(excess)))
            pulls.append(_pull(closed, found, force, moved[-1]))
        sped, sped_pulls = [], []
        for own in found.free:
            force = [-x for x in _times(by_v, own)]
            sped.append(_answer(found, force, closed.motion([-x for x in _times(excess_by_v, own)])))
            sped_pulls.append(_pull(closed, found, force, sped[-1]))
    with graph.section("derivatives by forces"):
        reduced = inverse(mechanism, found.factor, "mass matrix of the independent speeds")
        pushed = product_of(transposed(found.free), product_of(reduced, found.free))
        units = [[zero + (1 if i == k else 0) for i in range(mechanism.nv)] for k in range(mechanism.nv)]
        push_pulls = [
            _pull(closed, found, unit, column) for unit, column in zip(units, transposed(pushed), strict=True)
        ]
    entries |= {"dvdot_dq": transposed(moved), "dvdot_dv": transposed(sped), "dvdot_dtau": pushed}
    entries |= {
        "dlambda_dq": transposed(pulls),
        "dlambda_dv": transposed(sped_pulls),
        "dlambda_dtau": transposed(push_pulls),
    }
    return entries


def _reduced(mechanism: Mechanism, closed: Elimination, biases: Sequence[Scalar]) -> _Reduced:
    graph = mechanism.graph
    with graph.section("motions that the loops leave"):
        free = closed.free_motions()
        driven = closed.motion(biases)
    refs = TREE_FUNCTIONS["mass_matrix"](mechanism).output_references
    mass = [[Scalar(graph, ref) for ref in refs[k : k + mechanism.nv]] for k in range(0, len(refs), mechanism.nv)]
    steady = steady_motion(mechanism)
    with graph.section("mass matrix of the independent speeds"):
        heavy = [_times(mass, column) for column in free]
        matrix = [[product(column, other) for other in heavy] for column in free]
    what = "mass matrix of the independent speeds"
    factor = factorised(mechanism, matrix, what, regular=never_singular(mechanism))
    with graph.section("accelerations and multipliers"):
        left = [a - b for a, b in zip(steady.left, _times(mass, driven), strict=True)]
        own = factor.outward(factor.inward([product(column, left) for column in free]))
        vdot = _sum_of(free, own, driven)
        multipliers = closed.multipliers([a - b for a, b in zip(_times(mass, vdot), steady.left, strict=True)])
    return _Reduced(free, mass, factor, vdot, multipliers, steady.moved(mechanism, tuple(vdot)), steady.applied)


def _closure_changes(
    mechanism: Mechanism, rows: Sequence[Vector], biases: Sequence[Scalar], found: _Reduced
) -> tuple[Matrix, Matrix, Matrix]:
    """d(G^T lambda)/dq, d(G vdot - gamma)/dq and by v, at constant vdot and lambda."""
    graph, nv = mechanism.graph, mechanism.nv
    multipliers = [symbol(graph, f"lambda[{k}]") for k in range(len(rows))]
    rates = mechanism.entries(mechanism.vdot)
    pull = [product(column, multipliers) for column in zip(*rows, strict=True)]
    excess = [(product(row, rates) - bias).ref for row, bias in zip(rows, biases, strict=True)]
    matrices = (
        along_speeds(mechanism, [force.ref for force in pull]),
        along_speeds(mechanism, excess),
        along(mechanism, excess, mechanism.v.symbols),
    )
    values = {item.ref: value.ref for item, value in zip(multipliers, found.multipliers, strict=True)}
    values |= {ref: value.ref for ref, value in zip(mechanism.vdot.symbols, found.vdot, strict=True)}
    flat = iter(substitute(graph, [x.ref for matrix in matrices for row in matrix for x in row], values))
    by_pull, by_q, by_v = ([[Scalar(graph, next(flat)) for _ in range(nv)] for _ in matrix] for matrix in matrices)
    return by_pull, by_q, by_v


def _answer(found: _Reduced, force: Vector, carried: Vector) -> Vector:
    """dvdot under a change of the forces, with what the dependent speeds do anyway."""
    left = [a - b for a, b in zip(force, _times(found.mass, carried), strict=True)]
    own = found.factor.outward(found.factor.inward([product(column, left) for column in found.free]))
    return _sum_of(found.free, own, carried)


def _pull(closed: Elimination, found: _Reduced, force: Vector, change: Vector) -> Vector:
    """dlambda: G^T dlambda = M dvdot - force."""
    return closed.multipliers([a - b for a, b in zip(_times(found.mass, change), force, strict=True)])


def _times(matrix: Matrix, vector: Sequence[Scalar]) -> Vector:
    return [product(row, vector) for row in matrix]


def _sum_of(columns: Sequence[Vector], factors: Sequence[Scalar], start: Vector) -> Vector:
    found = list(start)
    for column, factor in zip(columns, factors, strict=True):
        found = [
            total + entry * factor if entry and factor else total for total, entry in zip(found, column, strict=True)
        ]
    return found
