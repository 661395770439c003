"""Dynamics with closed loops: multipliers of the independent closure equations on top of the tree's equations.

M vdot + h = tau + G^T lambda and G vdot = gamma. With M = L^T D L, which has no fill for a tree, x = L^-T (tau - h) and
Y = L^-T G^T:

    (Y^T D^-1 Y) lambda = gamma - Y^T D^-1 x,      L vdot = D^-1 (x + Y lambda)

The factors are those of the sparse matrix, or come from articulated inertias: the constraint force algorithm with the
closure rows as further columns.

Where closure equations follow from others, G, gamma and lambda hold the independent rows alone. Accelerations are the
same for any choice of them. Reactions are then not unique; joint wrenches are those of least norm, summed over the
squares of all joint wrenches, each at and in its joint frame, and of the forces of rods, points on lines and gears.

Sources: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 8; F. E. Udwadia, R. E. Kalaba, Analytical
Dynamics, 1996, for the forms that stay valid when rows depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.catalogue import make_program
from mbsym.formulations.recursive.articulated_factor import articulated_factor
from mbsym.formulations.recursive.composite_body import mass_matrix
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.formulations.recursive.sparse_factor import Factor, Vector, factorised, product, weighted_product
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.kinematics.recursion import joint_speeds, joints_at_rest
from mbsym.loops.constraints import ClosureRow
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.loops.wrenches import all_wrenches, dense, least_wrenches
from mbsym.symbolic.program import Input, Program
from mbsym.symbolic.scalar import Scalar, sqrt, symbol

LoopFunction = Callable[[Mechanism, "LoopAnalysis | None"], Program]
Method: TypeAlias = Literal["", "sparse", "articulated"]
"""How the mass matrix is factored: as a sparse matrix, or by articulated inertias, which is the constraint force
algorithm with cut columns; "" takes what needs fewer operations."""

LONG_PATH: Final = 12
"""Speeds between a body and ground from which both ways are tried."""


@dataclass(frozen=True, slots=True)
class ConstrainedSystem:
    """The tree's equations brought to the closure rows.

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
                if entry.ref:
                    total[k] = total[k] + entry * multiplier
        return self.factor.outward(total)


def constrained_system(
    mechanism: Mechanism, rows: Sequence[ClosureRow], tau: Sequence[Scalar], method: Method = "sparse"
) -> ConstrainedSystem:
    """What remains to be solved for the multipliers of the given rows."""
    speeds = joint_speeds(mechanism)
    applied = applied_forces(mechanism, speeds)
    bias = newton_euler(mechanism, speeds, joints_at_rest(mechanism), mechanism.gravity, applied)
    force = [f - h for f, h in zip(tau, mechanism.gather(bias.forces), strict=True)]
    factor = mass_factor(mechanism, method)
    with mechanism.graph.section("closure rows brought to the mass matrix"):
        inward_force = factor.inward(force)
        inward_rows = tuple(factor.inward(dense(mechanism, row.jacobian)) for row in rows)
        delassus = delassus_matrix(factor, inward_rows)
        right = [
            row.bias - weighted_product(factor, inward, inward_force)
            for row, inward in zip(rows, inward_rows, strict=True)
        ]
    return ConstrainedSystem(factor, inward_force, inward_rows, delassus, right)


def delassus_matrix(factor: Factor, inward_rows: Sequence[Vector]) -> list[Vector]:
    """J M^-1 J^T of rows L^-T J^T."""
    count = range(len(inward_rows))
    return [[weighted_product(factor, inward_rows[max(r, s)], inward_rows[min(r, s)]) for s in count] for r in count]


def mass_factor(mechanism: Mechanism, method: Method) -> Factor:
    """The mass matrix factored as a sparse matrix, or by articulated inertias without being formed."""
    if method == "articulated" and not mechanism.is_coupled:
        return articulated_factor(mechanism)
    return factorised(mechanism, mass_matrix(mechanism))


def solve_multipliers(mechanism: Mechanism, system: ConstrainedSystem) -> Vector:
    """lambda by straight-line factors of G M^-1 G^T, which break down where G loses rank."""
    if not system.right:
        return []
    factor = factorised(mechanism, system.delassus, "matrix of the closure rows")
    with mechanism.graph.section("multipliers"):
        return [x.named(f"lambda{k + 1}") for k, x in enumerate(factor.outward(factor.inward(system.right)))]


# ---- functions ------------------------------------------------------------------------------------------------------


def constraint_residual(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """Residuals of the independent closure rows."""
    rows = _rows(mechanism, analysis)
    return make_program(
        mechanism,
        "constraint_residual",
        (mechanism.q,),
        [("residual", (len(rows),), [row.residual for row in rows], "", "closure residuals [m, rad]")],
        "residuals of the independent closure rows, zero where the loops are closed",
    )


def closure_gap(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """Residuals of all closure rows."""
    found = analyse_loops(mechanism) if analysis is None else analysis
    rows = [row for closure in found.closures for row in closure.rows]
    return make_program(
        mechanism,
        "closure_gap",
        (mechanism.q,),
        [("gap", (len(rows),), [row.residual for row in rows], "", "closure residuals [m, rad]")],
        "residuals of all closure rows, those that follow from others included",
    )


def constraint_jacobian(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """G of the independent closure rows."""
    rows = _rows(mechanism, analysis)
    entries = [entry for row in rows for entry in dense(mechanism, row.jacobian)]
    return make_program(
        mechanism,
        "constraint_jacobian",
        (mechanism.q,),
        [("G", (len(rows), mechanism.nv), entries, "", "closure rows: G v = 0, and G^T lambda is their force")],
        "Jacobian of the independent closure rows",
    )


def constraint_bias(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """gamma of the independent closure rows."""
    rows = _rows(mechanism, analysis)
    return make_program(
        mechanism,
        "constraint_bias",
        (mechanism.q, mechanism.v),
        [("gamma", (len(rows),), [row.bias for row in rows], "", "G vdot = gamma")],
        "right side of the closure rows at acceleration level",
    )


def position_correction(mechanism: Mechanism, analysis: LoopAnalysis | None = None, method: Method = "") -> Program:
    """What a Newton step towards closed loops with the least kinetic energy needs."""
    if not method:
        return _fewest_operations(mechanism, partial(position_correction, mechanism, analysis))
    rows = [dense(mechanism, row.residual_jacobian) for row in _rows(mechanism, analysis)]
    return make_program(
        mechanism,
        "position_correction",
        (mechanism.q,),
        _correction(mechanism, method, rows, "residual_jacobian", "derivatives J of the residuals by the motion of v"),
        "what moves residuals of the independent closure rows with least kinetic energy, J their exact derivatives",
    )


def velocity_correction(mechanism: Mechanism, analysis: LoopAnalysis | None = None, method: Method = "") -> Program:
    """What making speeds consistent with the least kinetic energy needs."""
    if not method:
        return _fewest_operations(mechanism, partial(velocity_correction, mechanism, analysis))
    rows = [dense(mechanism, row.jacobian) for row in _rows(mechanism, analysis)]
    return make_program(
        mechanism,
        "velocity_correction",
        (mechanism.q,),
        _correction(mechanism, method, rows, "G", "closure rows J = G"),
        "what changes the rates of the independent closure rows with least kinetic energy",
    )


def _correction(
    mechanism: Mechanism, method: Method, rows: Sequence[Vector], name: str, description: str
) -> list[tuple[str, tuple[int, ...], Sequence[Scalar], str, str]]:
    """Rows J on the mass matrix M = L^T D L: what a solver that copes with dependent ones needs."""
    factor = mass_factor(mechanism, method)
    m, n = len(rows), mechanism.nv
    with mechanism.graph.section("closure rows brought to the mass matrix"):
        inward_rows = [factor.inward(row) for row in rows]
        delassus = delassus_matrix(factor, inward_rows)
    with mechanism.graph.section("motion per multiplier"):
        response = [factor.outward(row) for row in inward_rows]
    return [
        (name, (m, n), [x for row in rows for x in row], "", description),
        ("response", (n, m), [response[r][k] for k in range(n) for r in range(m)], "", "M^-1 J^T"),
        ("delassus", (m, m), [x for row in delassus for x in row], "", "J M^-1 J^T"),
        ("weighted", (n, m), [inward_rows[r][k] for k in range(n) for r in range(m)], "", "Y = L^-T J^T"),
        ("inverses", (n,), factor.inverses, "", "D^-1 in M = L^T D L"),
    ]


def moved_position(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """q after a small motion of v, with unit quaternions."""
    rates = position_rate(mechanism)
    moved = [x + rate for x, rate in zip(mechanism.entries(mechanism.q), rates, strict=True)]
    for first in mechanism.q.quaternions:
        part = moved[first : first + 4]
        scale_back = 1 / sqrt(product(part, part))
        moved[first : first + 4] = [x * scale_back for x in part]
    motion = Input("motion", mechanism.v.shape, mechanism.v.symbols, "", "small motion of v")
    return make_program(
        mechanism,
        "moved_position",
        (mechanism.q, motion),
        [("q_moved", (mechanism.nq,), moved, "", "coordinates after the motion")],
        "coordinates after a small motion of v, quaternions of unit length",
    )


def constrained_dynamics(mechanism: Mechanism, analysis: LoopAnalysis | None = None, method: Method = "") -> Program:
    """vdot and lambda under tau, in straight-line code."""
    if not method:
        return _fewest_operations(mechanism, partial(constrained_dynamics, mechanism, analysis))
    rows = _rows(mechanism, analysis)
    system = constrained_system(mechanism, rows, mechanism.entries(mechanism.tau), method)
    multipliers = solve_multipliers(mechanism, system)
    with mechanism.graph.section("accelerations"):
        vdot = [x.named(f"vdot{k + 1}") for k, x in enumerate(system.accelerations(multipliers))]
    return make_program(
        mechanism,
        "constrained_dynamics",
        (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs),
        [
            ("vdot", (mechanism.nv,), vdot, "", "rates of the speeds"),
            ("lambda", (len(rows),), multipliers, "", "multipliers of the independent closure rows"),
        ],
        "rates of the speeds with closed loops, and multipliers: M vdot + bias = tau + G^T lambda",
    )


def constrained_terms(mechanism: Mechanism, analysis: LoopAnalysis | None = None, method: Method = "") -> Program:
    """What a solver that copes with dependent rows needs of ``constrained_dynamics``."""
    if not method:
        return _fewest_operations(mechanism, partial(constrained_terms, mechanism, analysis))
    rows = _rows(mechanism, analysis)
    system = constrained_system(mechanism, rows, mechanism.entries(mechanism.tau), method)
    m, n = len(rows), mechanism.nv
    with mechanism.graph.section("accelerations of the open tree and per multiplier"):
        free = system.factor.outward(system.inward_force)
        response = [system.factor.outward(row) for row in system.inward_rows]
    return make_program(
        mechanism,
        "constrained_terms",
        (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs),
        [
            ("free", (n,), free, "", "vdot with open loops"),
            ("response", (n, m), [response[r][k] for k in range(n) for r in range(m)], "", "M^-1 G^T"),
            ("delassus", (m, m), [x for row in system.delassus for x in row], "", "G M^-1 G^T"),
            ("right", (m,), system.right, "", "gamma - G vdot with open loops"),
            ("weighted", (n, m), [system.inward_rows[r][k] for k in range(n) for r in range(m)], "", "Y = L^-T G^T"),
            ("inverses", (n,), system.factor.inverses, "", "D^-1 in M = L^T D L"),
        ],
        "terms of the constrained dynamics: lambda solves delassus lambda = right, vdot = free + response lambda",
    )


def joint_wrenches(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """Wrenches of tree joints and cut joints under tau, in straight-line code."""
    found = analyse_loops(mechanism) if analysis is None else analysis
    system = constrained_system(mechanism, found.rows, mechanism.entries(mechanism.tau))
    multipliers = solve_multipliers(mechanism, system)
    vdot = system.accelerations(multipliers)
    inputs = (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs)
    return _wrench_program(mechanism, "joint_wrenches", found, inputs, vdot, multipliers)


def constrained_wrenches(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """Wrenches of tree joints and cut joints for known vdot and lambda."""
    found = analyse_loops(mechanism) if analysis is None else analysis
    multipliers = [symbol(mechanism.graph, f"lambda[{k}]") for k in range(len(found.rows))]
    given = Input(
        "lambda", (len(multipliers),), tuple(x.ref for x in multipliers), "", "multipliers of the independent rows"
    )
    inputs = (mechanism.q, mechanism.v, mechanism.vdot, given, *mechanism.extra_inputs)
    vdot = mechanism.entries(mechanism.vdot)
    return _wrench_program(mechanism, "constrained_wrenches", found, inputs, vdot, multipliers)


def _wrench_program(
    mechanism: Mechanism,
    name: str,
    analysis: LoopAnalysis,
    inputs: Sequence[Input],
    vdot: Sequence[Scalar],
    multipliers: Sequence[Scalar],
) -> Program:
    wrenches = all_wrenches(mechanism, mechanism.of_joints(tuple(vdot)), analysis.rows, multipliers)
    if analysis.dependent:
        wrenches = least_wrenches(mechanism, analysis, multipliers, wrenches)
    count = mechanism.nb + len(mechanism.cut_joints)
    return make_program(
        mechanism,
        name,
        inputs,
        [("wrenches", (count, 6), wrenches, "", "joint wrenches, tree joints and then cut joints")],
        "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the successor"
        + ("; of least norm, because reactions are not unique" if analysis.dependent else ""),
    )


def forward_dynamics(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """vdot under tau with closed loops."""
    program = constrained_dynamics(mechanism, analysis)
    return Program(
        "forward_dynamics",
        program.graph,
        program.inputs,
        program.outputs[:1],
        program.parameters,
        "rates of the speeds under the generalised forces tau, with closed loops",
    )


def _fewest_operations(mechanism: Mechanism, derive: Callable[[Method], Program]) -> Program:
    """By sparse factors of the mass matrix or by articulated inertias, whichever takes fewer operations.

    On short paths to ground sparse factors do; on long ones their number grows with the square of the length.
    """
    if mechanism.is_coupled or max((_depth(mechanism, body.label) for body in mechanism.bodies), default=0) < LONG_PATH:
        return derive("sparse")
    return min((derive("sparse"), derive("articulated")), key=lambda program: program.operation_count().arithmetic)


def _depth(mechanism: Mechanism, label: int) -> int:
    """Speeds of the joints between a body and ground."""
    count = 0
    while label:
        body = mechanism.body(label)
        count += len(body.v)
        label = body.parent
    return count


def _rows(mechanism: Mechanism, analysis: LoopAnalysis | None) -> tuple[ClosureRow, ...]:
    return (analyse_loops(mechanism) if analysis is None else analysis).rows


LOOP_FUNCTIONS: Final[dict[str, LoopFunction]] = {
    "constraint_residual": constraint_residual,
    "constraint_jacobian": constraint_jacobian,
    "constraint_bias": constraint_bias,
    "closure_gap": closure_gap,
    "constrained_dynamics": constrained_dynamics,
    "forward_dynamics": forward_dynamics,
    "joint_wrenches": joint_wrenches,
    "constrained_terms": constrained_terms,
    "constrained_wrenches": constrained_wrenches,
    "position_correction": position_correction,
    "velocity_correction": velocity_correction,
    "moved_position": moved_position,
}
"""Functions that closed loops add, or replace, each of a mechanism and, to save time, its analysed loops."""

_BOTH_WAYS: Final[dict[str, Callable[[Mechanism, LoopAnalysis | None, Method], Program]]] = {
    "constrained_dynamics": constrained_dynamics,
    "constrained_terms": constrained_terms,
    "position_correction": position_correction,
    "velocity_correction": velocity_correction,
}


def loop_functions(method: Method = "") -> dict[str, LoopFunction]:
    """``LOOP_FUNCTIONS`` with the mass matrix factored by the given method where there is a choice."""
    functions = dict(LOOP_FUNCTIONS)
    for name, derive in _BOTH_WAYS.items() if method else ():
        functions[name] = partial(_by_method, derive, method)
    return functions


def _by_method(
    derive: Callable[[Mechanism, LoopAnalysis | None, Method], Program],
    method: Method,
    mechanism: Mechanism,
    analysis: LoopAnalysis | None = None,
) -> Program:
    return derive(mechanism, analysis, method)
