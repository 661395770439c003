"""Dynamics with closed loops: multipliers of the independent closure equations on top of the tree's equations.

M vdot + h = tau + G^T lambda and G vdot = gamma. With M = L^T D L, which has no fill for a tree, x = L^-T (tau - h) and
Y = L^-T G^T:

    (Y^T D^-1 Y) lambda = gamma - Y^T D^-1 x,      L vdot = D^-1 (x + Y lambda)

The factors are those of the sparse matrix, or come from articulated inertias: the constraint force algorithm with the
closure rows as further columns.

Where closure equations follow from others, G, gamma and lambda hold the independent rows alone. Accelerations are the
same for any choice of them. Reactions are then not unique; joint wrenches are those of least norm, summed over the
squares of all joint wrenches, each at and in its joint frame, and of the forces of constraint elements.

Sources: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 8; F. E. Udwadia, R. E. Kalaba, Analytical
Dynamics, 1996, for the forms that stay valid when rows depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from mbsym.errors import DerivationError
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.contracts import Contract, Derived, Entries
from mbsym.formulations.fewest_operations import Method, fewest_operations
from mbsym.formulations.massless_motion import require_inertia
from mbsym.formulations.recursive.articulated_factor import articulated_factor
from mbsym.formulations.recursive.composite_body import factored_mass_matrix, mass_matrix
from mbsym.formulations.recursive.newton_euler import dynamics_at, newton_euler
from mbsym.formulations.recursive.sparse_factor import Factor, Vector, factorised, product, weighted_product
from mbsym.kinematics.driven import (
    driven_columns,
    driven_speeds,
    prescribed_entries,
    prescribed_rates,
    with_entries,
    without_columns,
)
from mbsym.kinematics.equivalents import for_forces
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.kinematics.recursion import joint_speeds
from mbsym.loops import contracts
from mbsym.loops.closure_row import ClosureRow
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.wrenches import all_wrenches, dense, least_wrenches
from mbsym.records import Registry
from mbsym.symbolic.program import Input, Program
from mbsym.symbolic.scalar import Scalar, sqrt, symbol

Derivation: TypeAlias = Callable[[Mechanism, LoopAnalysis, Method], "Entries | Derived"]


@dataclass(frozen=True, slots=True)
class LoopFunction:
    """A function of closed loops: its contract, and a derivation from the analysed loops.

    Attributes:
        contract: what it is to others.
        derive: its entries, the mass matrix factored by the given method.
        factors: whether it factors the mass matrix, so that the method matters.
    """

    contract: Contract
    derive: Derivation
    factors: bool = False

    @property
    def name(self) -> str:
        """Of the contract."""
        return self.contract.name

    def __call__(self, mechanism: Mechanism, loops: LoopAnalysis, method: Method | None = None) -> Program:
        """The Program for a mechanism.

        Args:
            mechanism: with closed loops.
            loops: analysed.
            method: default is the one with fewer operations.
        """
        if method is not None or not self.factors:
            return self._program(mechanism, loops, method or "sparse")
        return fewest_operations(
            mechanism,
            {
                "sparse": lambda: self._program(mechanism, loops, "sparse"),
                "articulated": lambda: self._program(mechanism, loops, "articulated"),
            },
        )

    def _program(self, mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Program:
        found = self.derive(mechanism, loops, method)
        derived = found if isinstance(found, Derived) else Derived(found)
        sizes = {"rows": len(loops.rows), "gaps": sum(len(closure.rows) for closure in loops.closures)}
        sizes["independent"] = loops.mobility
        return self.contract.program(mechanism, replace(derived, sizes=sizes))


@dataclass(frozen=True, slots=True)
class ConstrainedSystem:
    """The tree's equations brought to the closure rows, what motions prescribe taken out (``kinematics.driven``).

    Attributes:
        factor: of the mass matrix.
        inward_force: L^-T (tau - h).
        inward_rows: L^-T times each row of G.
        delassus: G M^-1 G^T.
        right: gamma - G M^-1 (tau - h).
    """

    factor: Factor
    inward_force: Vector
    inward_rows: tuple[Vector, ...]
    delassus: list[Vector]
    right: Vector

    def accelerations(self, multipliers: Sequence[Scalar]) -> Vector:
        """vdot under the given multipliers."""
        total = list(self.inward_force)
        for row, multiplier in zip(self.inward_rows, multipliers, strict=True):
            for k, entry in enumerate(row):
                if entry:
                    total[k] = total[k] + entry * multiplier
        return self.factor.outward(total)


def constrained_system(
    mechanism: Mechanism, rows: Sequence[ClosureRow], tau: Sequence[Scalar], method: Method = "sparse"
) -> ConstrainedSystem:
    """What remains to be solved for the multipliers of the given rows."""
    speeds, same = joint_speeds(mechanism), for_forces(mechanism)
    applied = applied_forces(same, speeds)
    bias = newton_euler(same, speeds, prescribed_rates(mechanism), mechanism.gravity, applied)
    driven, known = driven_columns(mechanism), prescribed_entries(mechanism)
    force = with_entries([f - h for f, h in zip(tau, mechanism.gather(bias.forces), strict=True)], known, driven)
    factor = mass_factor(mechanism, method)
    with mechanism.graph.section("closure rows brought to the mass matrix"):
        inward_force = factor.inward(force)
        inward_rows = tuple(factor.inward(without_columns(dense(mechanism, row.jacobian), driven)) for row in rows)
        delassus = delassus_matrix(factor, inward_rows)
        right = [
            row.bias - product(dense(mechanism, row.jacobian), known) - weighted_product(factor, inward, inward_force)
            for row, inward in zip(rows, inward_rows, strict=True)
        ]
    return ConstrainedSystem(factor, inward_force, inward_rows, delassus, right)


def delassus_matrix(factor: Factor, inward_rows: Sequence[Vector]) -> list[Vector]:
    """J M^-1 J^T of rows L^-T J^T."""
    count = range(len(inward_rows))
    return [[weighted_product(factor, inward_rows[max(r, s)], inward_rows[min(r, s)]) for s in count] for r in count]


def mass_factor(mechanism: Mechanism, method: Method) -> Factor:
    """The mass matrix factored as a sparse matrix, or by articulated inertias without being formed; what motions
    prescribe stands by itself in it.

    Raises:
        DerivationError: it is singular in every configuration; joints and bodies are named.
    """
    driven = driven_columns(mechanism)
    try:
        if method == "articulated" and not mechanism.is_coupled:
            return articulated_factor(mechanism, driven)
        return factored_mass_matrix(mechanism, driven)
    except DerivationError:
        require_inertia(mechanism)
        raise


def solve_multipliers(mechanism: Mechanism, system: ConstrainedSystem) -> Vector:
    """lambda by straight-line factors of G M^-1 G^T, which break down where G loses rank."""
    if not system.right:
        return []
    factor = factorised(mechanism, system.delassus, "matrix of the closure rows")
    with mechanism.graph.section("multipliers"):
        return [x.named(f"lambda{k + 1}") for k, x in enumerate(factor.outward(factor.inward(system.right)))]


# ---- functions ------------------------------------------------------------------------------------------------------


def _of_rows(entry: Callable[[ClosureRow], Scalar]) -> Derivation:
    return lambda mechanism, loops, method: [entry(row) for row in loops.rows]


def _closure_scale(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    scales = [row.scale for row in loops.rows]
    return Derived({"size": [scale.size for scale in scales], "rounding": [scale.rounding for scale in scales]})


def _closure_gap(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Entries:
    return [row.residual for closure in loops.closures for row in closure.rows]


def _constraint_jacobian(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Entries:
    return [dense(mechanism, row.jacobian) for row in loops.rows]


def _position_correction(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    # What holds speeds has no gap, but lets the mechanism be moved in its own ways alone.
    rows = [dense(mechanism, row.jacobian if row.of_speeds else row.residual_jacobian) for row in loops.rows]
    return _on_mass_matrix(mechanism, method, rows, "residual_jacobian")


def _velocity_correction(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    return _on_mass_matrix(mechanism, method, [dense(mechanism, row.jacobian) for row in loops.rows], "G")


def _assembly_terms(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    rows = [dense(mechanism, row.jacobian if row.of_speeds else row.residual_jacobian) for row in loops.rows]
    matrix = mass_matrix(mechanism)
    # What has no inertia moves as if it had one.
    inverses = [1 / matrix[k][k] if matrix[k][k] else matrix[k][k] + 1 for k in range(mechanism.nv)]
    found = without_columns(inverses, driven_columns(mechanism))
    return Derived({"residual_jacobian": rows, "inverse_inertias": found})


def _on_mass_matrix(mechanism: Mechanism, method: Method, rows: Sequence[Vector], name: str) -> Derived:
    """Rows J on the mass matrix M = L^T D L: what a solver that copes with dependent ones needs."""
    factor = mass_factor(mechanism, method)
    with mechanism.graph.section("closure rows brought to the mass matrix"):
        driven = driven_columns(mechanism)
        inward_rows = [factor.inward(without_columns(row, driven)) for row in rows]
        delassus = delassus_matrix(factor, inward_rows)
    with mechanism.graph.section("motion per multiplier"):
        response = [factor.outward(row) for row in inward_rows]
    return Derived(
        {
            name: rows,
            "response": _transposed(mechanism, response),
            "delassus": delassus,
            "weighted": _transposed(mechanism, inward_rows),
            "inverses": factor.inverses,
        }
    )


def _transposed(mechanism: Mechanism, rows: Sequence[Vector]) -> list[Vector]:
    return [[row[k] for row in rows] for k in range(mechanism.nv)]


def _moved_position(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    rates = position_rate(mechanism)
    moved = [x + rate for x, rate in zip(mechanism.entries(mechanism.q), rates, strict=True)]
    for first in mechanism.q.quaternions:
        part = moved[first : first + 4]
        # A unit quaternion and a rate across it: the sum is at least as long.
        scale_back = 1 / sqrt(product(part, part)).never_zero()
        moved[first : first + 4] = [x * scale_back for x in part]
    return Derived(moved, inputs=(Input("motion", mechanism.v.shape, mechanism.v.symbols, "", "small motion of v"),))


def _motion(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> tuple[Vector, Vector]:
    """vdot and lambda under tau, in straight-line code."""
    system = constrained_system(mechanism, loops.rows, mechanism.entries(mechanism.tau), method)
    multipliers = solve_multipliers(mechanism, system)
    with mechanism.graph.section("accelerations"):
        return [x.named(f"vdot{k + 1}") for k, x in enumerate(system.accelerations(multipliers))], multipliers


def _constrained_dynamics(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    vdot, multipliers = _motion(mechanism, loops, method)
    return Derived({"vdot": vdot, "lambda": multipliers})


def _forward_dynamics(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Entries:
    return _motion(mechanism, loops, method)[0]


def _constrained_terms(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    """What a solver that copes with dependent rows needs of ``constrained_dynamics``."""
    system = constrained_system(mechanism, loops.rows, mechanism.entries(mechanism.tau), method)
    with mechanism.graph.section("accelerations of the open tree and per multiplier"):
        free = system.factor.outward(system.inward_force)
        response = [system.factor.outward(row) for row in system.inward_rows]
    return Derived(
        {
            "free": free,
            "response": _transposed(mechanism, response),
            "delassus": system.delassus,
            "right": system.right,
            "weighted": _transposed(mechanism, system.inward_rows),
            "inverses": system.factor.inverses,
        }
    )


def _joint_wrenches(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    """Of tree joints and cut joints under tau, in straight-line code."""
    system = constrained_system(mechanism, loops.rows, mechanism.entries(mechanism.tau), method)
    multipliers = solve_multipliers(mechanism, system)
    return _wrenches(mechanism, loops, system.accelerations(multipliers), multipliers)


def _constrained_wrenches(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    """Of tree joints and cut joints for known vdot and lambda."""
    given = _given_multipliers(mechanism, loops)
    multipliers = [Scalar(mechanism.graph, ref) for ref in given.symbols]
    found = _wrenches(mechanism, loops, mechanism.entries(mechanism.vdot), multipliers)
    return replace(found, inputs=(given,))


def _given_multipliers(mechanism: Mechanism, loops: LoopAnalysis) -> Input:
    refs = tuple(symbol(mechanism.graph, f"lambda[{k}]").ref for k in range(len(loops.rows)))
    return Input("lambda", (len(refs),), refs, "", "multipliers of the independent rows")


def _wrenches(
    mechanism: Mechanism, loops: LoopAnalysis, vdot: Sequence[Scalar], multipliers: Sequence[Scalar]
) -> Derived:
    wrenches = all_wrenches(mechanism, mechanism.of_joints(tuple(vdot)), loops.rows, multipliers)
    if not loops.dependent:
        return Derived(wrenches)
    least = least_wrenches(mechanism, loops, multipliers, wrenches)
    return Derived(least, description=contracts.JOINT_WRENCHES.description + contracts.OF_LEAST_NORM)


def _forces_of_motions(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    """What motions ask for at known vdot and lambda."""
    given = _given_multipliers(mechanism, loops)
    multipliers = [Scalar(mechanism.graph, ref) for ref in given.symbols]
    return Derived(_asked(mechanism, loops, mechanism.entries(mechanism.vdot), multipliers), inputs=(given,))


def _driving_forces(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Entries:
    """What motions ask for under tau, in straight-line code."""
    return _asked(mechanism, loops, *_motion(mechanism, loops, method))


def _asked(mechanism: Mechanism, loops: LoopAnalysis, vdot: Sequence[Scalar], multipliers: Sequence[Scalar]) -> Entries:
    """Generalised forces of the driven speeds (nv,): what the motion takes less what closed loops give."""
    needed = mechanism.gather(dynamics_at(for_forces(mechanism), mechanism.of_joints(tuple(vdot))).forces)
    found = [Scalar(mechanism.graph, 0)] * mechanism.nv
    for column in sorted(driven_columns(mechanism)):
        entries = (row.jacobian.get(column) for row in loops.rows)
        pulls = (x * y for x, y in zip(entries, multipliers, strict=True) if x is not None)
        found[column] = sum(pulls, Scalar(mechanism.graph, 0)) * -1 + needed[column]
    return found


def _driven_state(mechanism: Mechanism, loops: LoopAnalysis, method: Method) -> Derived:
    q, v = list(mechanism.entries(mechanism.q)), list(mechanism.entries(mechanism.v))
    for driven in driven_speeds(mechanism):
        if driven.coordinate is not None and driven.position is not None:
            q[driven.coordinate] = driven.position
        if driven.speed is not None:
            v[driven.column] = driven.speed
    return Derived({"q_prescribed": q, "v_prescribed": v})


LOOP_FUNCTIONS: Final = Registry(
    "function of closed loops",
    (
        LoopFunction(contracts.CONSTRAINT_RESIDUAL, _of_rows(lambda row: row.residual)),
        LoopFunction(contracts.CONSTRAINT_JACOBIAN, _constraint_jacobian),
        LoopFunction(contracts.CONSTRAINT_BIAS, _of_rows(lambda row: row.bias)),
        LoopFunction(contracts.CLOSURE_SCALE, _closure_scale),
        LoopFunction(contracts.CLOSURE_GAP, _closure_gap),
        LoopFunction(contracts.CONSTRAINED_DYNAMICS, _constrained_dynamics, factors=True),
        LoopFunction(contracts.FORWARD_DYNAMICS, _forward_dynamics, factors=True),
        LoopFunction(contracts.JOINT_WRENCHES, _joint_wrenches),
        LoopFunction(contracts.CONSTRAINED_TERMS, _constrained_terms, factors=True),
        LoopFunction(contracts.CONSTRAINED_WRENCHES, _constrained_wrenches),
        LoopFunction(contracts.POSITION_CORRECTION, _position_correction, factors=True),
        LoopFunction(contracts.VELOCITY_CORRECTION, _velocity_correction, factors=True),
        LoopFunction(contracts.MOVED_POSITION, _moved_position),
    ),
    DerivationError,
)
"""Functions that closed loops add, or that take the place of the tree's."""

MOTION_FUNCTIONS: Final = Registry(
    "function of motions",
    (
        LoopFunction(contracts.DRIVING_FORCES, _driving_forces, factors=True),
        LoopFunction(contracts.FORCES_OF_MOTIONS, _forces_of_motions),
        LoopFunction(contracts.DRIVEN_STATE, _driven_state),
    ),
    DerivationError,
)
"""Functions that motions add."""


def functions_beside_tree(mechanism: Mechanism) -> Mapping[str, LoopFunction]:
    """Functions that closed loops and motions of a mechanism add, or that take the place of the tree's."""
    every = {**LOOP_FUNCTIONS, **(MOTION_FUNCTIONS if mechanism.model.motions else {})}
    if mechanism.cut_joints or mechanism.model.constraints:
        return every
    return {contract.name: replace(every[contract.name], contract=contract) for contract in contracts.OF_DRIVEN_TREES}


ASSEMBLY_TERMS: Final = LoopFunction(contracts.ASSEMBLY_TERMS, _assembly_terms)
"""What assembly asks, in modules that ask for it."""

constraint_jacobian: Final = LOOP_FUNCTIONS[contracts.CONSTRAINT_JACOBIAN.name]
