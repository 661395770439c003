"""Dynamics with closed loops: multipliers of the independent closure equations on top of the tree's equations.

M vdot + h = tau + G^T lambda and G vdot = gamma. With M = L^T D L, which has no fill for a tree, x = L^-T (tau - h) and
Y = L^-T G^T:

    (Y^T D^-1 Y) lambda = gamma - Y^T D^-1 x,      L vdot = D^-1 (x + Y lambda)

Where closure equations follow from others, G, gamma and lambda hold the independent rows alone. Accelerations are the
same for any choice of them. Reactions are then not unique; joint wrenches are those of least norm, summed over the
squares of all joint wrenches, each at and in its joint frame, and of the forces of rods, points on lines and gears.

Sources: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 8; F. E. Udwadia, R. E. Kalaba, Analytical
Dynamics, 1996, for the forms that stay valid when rows depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mbsym.errors import DerivationError, SymbolicError
from mbsym.formulations.applied_forces import AppliedForces, applied_forces
from mbsym.formulations.catalogue import make_program
from mbsym.formulations.composite_body import mass_matrix
from mbsym.formulations.newton_euler import newton_euler, user_wrenches
from mbsym.formulations.redundancy import LoopAnalysis, analyse_loops
from mbsym.kinematics.joint_motion import Motion
from mbsym.kinematics.loop_constraints import ClosureRow, Row
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import Speeds
from mbsym.spatial.vector import add, cross, negate, scale, subtract, zero_vector
from mbsym.symbolic.program import Input, Program
from mbsym.symbolic.scalar import Scalar, symbol

Vector = list[Scalar]
LoopFunction = Callable[[Mechanism, "LoopAnalysis | None"], Program]


@dataclass(frozen=True, slots=True)
class SparseFactor:
    """M = L^T D L with unit lower triangular L.

    Attributes:
        lower: rows of L by column, the diagonal left out.
        inverses: of the entries of D.
    """

    lower: tuple[Row, ...]
    inverses: tuple[Scalar, ...]

    def inward(self, right: Sequence[Scalar]) -> Vector:
        """L^-T times a vector."""
        x = list(right)
        for k in range(len(x) - 1, -1, -1):
            if x[k].ref:
                for i, factor in self.lower[k].items():
                    x[i] = x[i] - factor * x[k]
        return x

    def outward(self, right: Sequence[Scalar]) -> Vector:
        """(D L)^-1 times a vector."""
        x = list(right)
        for k in range(len(x)):
            total = x[k] * self.inverses[k]
            for i, factor in self.lower[k].items():
                if x[i].ref:
                    total = total - factor * x[i]
            x[k] = total
        return x


def factorised(mechanism: Mechanism, matrix: Sequence[Sequence[Scalar]], what: str = "mass matrix") -> SparseFactor:
    """The factors of a symmetric positive definite matrix, last row first: no fill for the mass matrix of a tree.

    Raises:
        DerivationError: a pivot is zero whatever the coordinates.
    """
    n = len(matrix)
    a = [list(row) for row in matrix]
    inverses = [Scalar(mechanism.graph, 1)] * n
    with mechanism.graph.section(f"factorisation of the {what}"):
        for k in range(n - 1, -1, -1):
            try:
                inverses[k] = 1 / a[k][k]
            except SymbolicError:
                raise DerivationError(
                    f"the {what} is singular", where=f"row {k + 1}", remedy="give the bodies mass and inertia"
                ) from None
            for i in range(k - 1, -1, -1):
                if a[k][i].ref:
                    factor = a[k][i] * inverses[k]
                    for j in range(i + 1):
                        a[i][j] = a[i][j] - factor * a[k][j]
                    a[k][i] = factor
    lower = tuple({i: a[k][i] for i in range(k) if a[k][i].ref} for k in range(n))
    return SparseFactor(lower, tuple(inverses))


def _weighted(factor: SparseFactor, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a^T D^-1 b."""
    total: Scalar | None = None
    for x, inverse, y in zip(a, factor.inverses, b, strict=True):
        if x.ref and y.ref:
            term = x * inverse * y
            total = term if total is None else total + term
    return Scalar(factor.inverses[0].graph, 0) if total is None else total


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

    factor: SparseFactor
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


def constrained_system(mechanism: Mechanism, rows: Sequence[ClosureRow], tau: Sequence[Scalar]) -> ConstrainedSystem:
    """What remains to be solved for the multipliers of the given rows."""
    speeds = _speeds(mechanism)
    bias = newton_euler(mechanism, speeds, _still(mechanism), mechanism.gravity, applied_forces(mechanism, speeds))
    force = [f - h for f, h in zip(tau, mechanism.gather(bias.forces), strict=True)]
    factor = factorised(mechanism, mass_matrix(mechanism))
    with mechanism.graph.section("closure rows brought to the mass matrix"):
        inward_force = factor.inward(force)
        inward_rows = tuple(factor.inward(dense(mechanism, row.jacobian)) for row in rows)
        delassus = [[_weighted(factor, inward_rows[max(r, s)], inward_rows[min(r, s)]) for s in range(len(rows))]
                    for r in range(len(rows))]  # fmt: skip
        right = [
            row.bias - _weighted(factor, inward, inward_force) for row, inward in zip(rows, inward_rows, strict=True)
        ]
    return ConstrainedSystem(factor, inward_force, inward_rows, delassus, right)


def solve_multipliers(mechanism: Mechanism, system: ConstrainedSystem) -> Vector:
    """lambda by straight-line factors of G M^-1 G^T, which break down where G loses rank."""
    if not system.right:
        return []
    factor = factorised(mechanism, system.delassus, "matrix of the closure rows")
    with mechanism.graph.section("multipliers"):
        return [x.named(f"lambda{k + 1}") for k, x in enumerate(factor.outward(factor.inward(system.right)))]


def dense(mechanism: Mechanism, row: Row) -> Vector:
    """A row of G with its zeros."""
    zero = Scalar(mechanism.graph, 0)
    return [row.get(column, zero) for column in range(mechanism.nv)]


def _speeds(mechanism: Mechanism) -> Speeds:
    return tuple(body.v for body in mechanism.bodies)


def _still(mechanism: Mechanism) -> Speeds:
    zero = Scalar(mechanism.graph, 0)
    return tuple((zero,) * len(body.v) for body in mechanism.bodies)


# ---- wrenches -------------------------------------------------------------------------------------------------------


def closure_wrenches(
    mechanism: Mechanism, rows: Sequence[ClosureRow], multipliers: Sequence[Scalar]
) -> dict[int, Motion]:
    """[moment; force] of closure rows on the bodies, by label, at the internal frame's origin in its components."""
    totals: dict[int, Motion] = {}
    with mechanism.graph.section("wrenches of the closures"):
        for first, multiplied in _by_closure(rows, multipliers):
            if first.frame is None or first.point is None or first.target_frame is None:
                continue
            moment, force = _combined(mechanism, multiplied)
            total = add(moment, cross(first.point, force)), force
            if first.source:
                moment, force = first.frame.wrench_to_parent(*total)
                totals[first.source] = _sum(totals.get(first.source), (negate(moment), negate(force)))
            if first.target:
                place = first.target_frame
                moment = place.rotation.to_child(subtract(total[0], cross(place.translation, total[1])))
                totals[first.target] = _sum(totals.get(first.target), (moment, place.rotation.to_child(total[1])))
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
        if row.wrench is not None and multiplier.ref:
            total = _sum(total, (scale(row.wrench[0], multiplier), scale(row.wrench[1], multiplier)))
    return total


def _sum(first: Motion | None, second: Motion) -> Motion:
    return second if first is None else (add(first[0], second[0]), add(first[1], second[1]))


def _with_closures(
    mechanism: Mechanism,
    applied: AppliedForces | None,
    rows: Sequence[ClosureRow],
    multipliers: Sequence[Scalar],
) -> AppliedForces:
    """Force elements and the wrenches of the closures."""
    joints = applied.joints if applied is not None else _still(mechanism)
    wrenches = dict(applied.wrenches) if applied is not None else {}
    for label, wrench in closure_wrenches(mechanism, rows, multipliers).items():
        wrenches[label] = _sum(wrenches.get(label), wrench)
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


def _all_wrenches(
    mechanism: Mechanism,
    rates: Speeds | None,
    rows: Sequence[ClosureRow],
    multipliers: Sequence[Scalar],
) -> Vector:
    """Wrenches of all joints; with no rates, those that the multipliers alone cause in the mechanism at rest."""
    if rates is None:
        still = _still(mechanism)
        applied = _with_closures(mechanism, None, rows, multipliers)
        found = newton_euler(mechanism, still, still, zero_vector(mechanism.graph), applied)
    else:
        speeds = _speeds(mechanism)
        applied = _with_closures(mechanism, applied_forces(mechanism, speeds), rows, multipliers)
        found = newton_euler(mechanism, speeds, rates, mechanism.gravity, applied)
    return [*user_wrenches(mechanism, found.wrenches), *_cut_wrenches(mechanism, rows, multipliers)]


def _least_wrenches(
    mechanism: Mechanism,
    analysis: LoopAnalysis,
    system: ConstrainedSystem,
    multipliers: Sequence[Scalar],
    wrenches: Sequence[Scalar],
) -> Vector:
    """The wrenches plus those of the states of self-stress that make the sum of squares least.

    A dependent row is a combination of the independent ones, g = C^T G; a multiplier 1 on it and -C on those moves
    nothing.
    """
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    elements = [k for k, row in enumerate(analysis.rows) if not _is_joint(mechanism, row)]
    base = [*wrenches, *(multipliers[k] for k in elements)]
    closure_factor = factorised(mechanism, system.delassus, "matrix of the closure rows") if analysis.rows else None
    stresses: list[Vector] = []
    for dependent in analysis.dependent:
        with mechanism.graph.section(f"self-stress of {dependent.closure}, row {dependent.number}"):
            inward = system.factor.inward(dense(mechanism, dependent.jacobian))
            right = [-_weighted(system.factor, row, inward) for row in system.inward_rows]
            share = closure_factor.outward(closure_factor.inward(right)) if closure_factor is not None else []
            rows, factors = (*analysis.rows, dependent), [*share, one]
            stress = _all_wrenches(mechanism, None, rows, factors)
            own = [share[k] for k in elements]
            if not _is_joint(mechanism, dependent):
                # Its multiplier is an entry of its own, zero before.
                base = [*base, zero]
                stresses = [[*item, zero] for item in stresses]
                own = [*own, *[zero] * (len(base) - len(wrenches) - len(own) - 1), one]
            else:
                own = [*own, *[zero] * (len(base) - len(wrenches) - len(own))]
            stresses.append([*stress, *own])
    with mechanism.graph.section("least joint wrenches"):
        gram = [[_product(a, b) for b in stresses] for a in stresses]
        factor = factorised(mechanism, gram, "matrix of the states of self-stress")
        amounts = factor.outward(factor.inward([-_product(stress, base) for stress in stresses]))
        total = list(wrenches)
        for stress, amount in zip(stresses, amounts, strict=True):
            total = [x + y * amount if y.ref else x for x, y in zip(total, stress[: len(total)], strict=True)]
    return total


def _product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total = Scalar(a[0].graph, 0)
    for x, y in zip(a, b, strict=True):
        if x.ref and y.ref:
            total = total + x * y
    return total


def _is_joint(mechanism: Mechanism, row: ClosureRow) -> bool:
    return any(cut.joint.name == row.closure for cut in mechanism.cut_joints)


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


def constraint_correction(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """What a Newton step towards closed loops needs: residuals, their exact derivatives, and M^-1 times G^T."""
    rows = _rows(mechanism, analysis)
    factor = factorised(mechanism, mass_matrix(mechanism))
    derivatives = [entry for row in rows for entry in dense(mechanism, row.residual_jacobian)]
    m, n = len(rows), mechanism.nv
    moved = [factor.outward(factor.inward(dense(mechanism, row.jacobian))) for row in rows]
    return make_program(
        mechanism,
        "constraint_correction",
        (mechanism.q,),
        [
            ("residual", (m,), [row.residual for row in rows], "", "closure residuals [m, rad]"),
            ("residual_jacobian", (m, n), derivatives, "", "their derivatives by the motion of v"),
            ("G", (m, n), [x for row in rows for x in dense(mechanism, row.jacobian)], "", "closure rows"),
            ("response", (n, m), [moved[r][k] for k in range(n) for r in range(m)], "", "M^-1 G^T"),
        ],
        "residuals of the independent closure rows, their derivatives, and what moves them with least kinetic energy",
    )


def constrained_dynamics(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """vdot and lambda under tau, in straight-line code."""
    rows = _rows(mechanism, analysis)
    system = constrained_system(mechanism, rows, mechanism.entries(mechanism.tau))
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


def stabilised_dynamics(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """``constrained_dynamics`` whose closure rows pull back to closed loops.

    Source: J. Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems, 1972.
    """
    rows = _rows(mechanism, analysis)
    graph = mechanism.graph
    alpha, beta = symbol(graph, "gains[0]"), symbol(graph, "gains[1]")
    gains = Input("gains", (2,), (alpha.ref, beta.ref), "1/s", "alpha and beta of the restoring terms")
    speeds = [x for body in mechanism.bodies if body.v_range[1] > body.v_range[0] for x in body.v]
    with graph.section("restoring terms"):
        pulled = []
        for row in rows:
            rate = Scalar(graph, 0)
            for column, entry in row.jacobian.items():
                rate = rate + entry * speeds[column]
            bias = row.bias - (2 * alpha * rate + beta * beta * row.residual)
            pulled.append(replace(row, bias=bias))
    system = constrained_system(mechanism, pulled, mechanism.entries(mechanism.tau))
    multipliers = solve_multipliers(mechanism, system)
    return make_program(
        mechanism,
        "stabilised_dynamics",
        (mechanism.q, mechanism.v, mechanism.tau, gains, *mechanism.extra_inputs),
        [
            ("vdot", (mechanism.nv,), system.accelerations(multipliers), "", "rates of the speeds"),
            ("lambda", (len(rows),), multipliers, "", "multipliers of the independent closure rows"),
        ],
        "constrained_dynamics with G vdot = gamma - 2 alpha G v - beta^2 residual",
    )


def constrained_terms(mechanism: Mechanism, analysis: LoopAnalysis | None = None) -> Program:
    """What a solver that copes with dependent rows needs of ``constrained_dynamics``."""
    rows = _rows(mechanism, analysis)
    system = constrained_system(mechanism, rows, mechanism.entries(mechanism.tau))
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
    """Wrenches of tree joints and cut joints under tau."""
    found = analyse_loops(mechanism) if analysis is None else analysis
    system = constrained_system(mechanism, found.rows, mechanism.entries(mechanism.tau))
    multipliers = solve_multipliers(mechanism, system)
    rates = mechanism.of_joints(tuple(system.accelerations(multipliers)))
    wrenches = _all_wrenches(mechanism, rates, found.rows, multipliers)
    if found.dependent:
        wrenches = _least_wrenches(mechanism, found, system, multipliers, wrenches)
    count = mechanism.nb + len(mechanism.cut_joints)
    return make_program(
        mechanism,
        "joint_wrenches",
        (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs),
        [("wrenches", (count, 6), wrenches, "", "joint wrenches, tree joints and then cut joints")],
        "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the successor"
        + ("; of least norm, because reactions are not unique" if found.dependent else ""),
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


def actuated_inverse_dynamics(
    mechanism: Mechanism, analysis: LoopAnalysis | None = None, actuated: Sequence[str] = ()
) -> Program:
    """Forces of the actuated joints that produce vdot with closed loops.

    With at least as many independent actuators as freedoms, those of least norm: tau = B^T mu, G mu = 0 and
    (B B^T + G^T G) mu + G^T lambda = f with f = M vdot + bias. With fewer, those that leave the least constrained
    acceleration error, |B tau + G^T lambda - f| in the norm of M^-1.

    Args:
        mechanism: with tree joints that bear the motors.
        analysis: its loops, if they are at hand.
        actuated: names of joints; default those that the model marks or drives.

    Raises:
        DerivationError: no joint is actuated, or a named one does not exist or is cut.
    """
    found = analyse_loops(mechanism) if analysis is None else analysis
    columns = actuated_columns(mechanism, actuated)
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    speeds = _speeds(mechanism)
    needed = newton_euler(mechanism, speeds, rates, mechanism.gravity, applied_forces(mechanism, speeds))
    force = list(mechanism.gather(needed.forces))
    rows = [dense(mechanism, row.jacobian) for row in found.rows]
    enough = len(columns) >= found.mobility
    solve = _least_forces if enough else _best_forces
    driven = solve(mechanism, rows, columns, force)
    zero = Scalar(mechanism.graph, 0)
    tau = [driven.get(k, zero) for k in range(mechanism.nv)]
    if len(columns) == found.mobility:
        kind = "as many motors as freedoms"
    else:
        kind = "least norm, more motors than freedoms" if enough else "fewer motors than freedoms: best fit"
    return make_program(
        mechanism,
        "actuated_inverse_dynamics",
        (mechanism.q, mechanism.v, mechanism.vdot, *mechanism.extra_inputs),
        [("tau", (mechanism.nv,), tau, "", "generalised forces, zero where there is no motor")],
        f"forces of the actuated joints that produce vdot with closed loops ({kind})",
    )


def actuated_columns(mechanism: Mechanism, actuated: Sequence[str] = ()) -> list[int]:
    """Speeds of the actuated joints.

    Raises:
        DerivationError: see ``actuated_inverse_dynamics``.
    """
    from mbsym.model.force import Actuator

    model = mechanism.model
    driven = {force.joint for force in model.forces if isinstance(force, Actuator)}
    names = list(actuated) or [joint.name for joint in model.joints if joint.actuated or joint.name in driven]
    ranges = {body.joint.name: body for body in mechanism.bodies}
    columns: set[int] = set()
    for name in names:
        if name not in ranges:
            cut = any(item.joint.name == name for item in mechanism.cut_joints)
            raise DerivationError(
                f"joint {name} is cut, so it has no generalised force" if cut else f"there is no joint {name!r}",
                where=model.name,
                remedy=f"mark joint {name} as actuated in the model" if cut else f"known: {', '.join(ranges)}",
            )
        columns.update(column for column, _ in mechanism.speed_of[ranges[name].label - 1])
    if not columns:
        raise DerivationError(
            "no joint is actuated", where=model.name, remedy="mark joints as actuated or give them actuators"
        )
    return sorted(columns)


def _least_forces(
    mechanism: Mechanism, rows: Sequence[Vector], columns: Sequence[int], force: Vector
) -> Mapping[int, Scalar]:
    n = mechanism.nv
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    with mechanism.graph.section("least actuator forces"):
        matrix = [[zero] * n for _ in range(n)]
        for row in rows:
            for i in range(n):
                for j in range(n):
                    if row[i].ref and row[j].ref:
                        matrix[i][j] = matrix[i][j] + row[i] * row[j]
        for column in columns:
            matrix[column][column] = matrix[column][column] + one
        factor = factorised(mechanism, matrix, "matrix of motors and closure rows")
        inward = [factor.inward(row) for row in rows]
        x = factor.inward(force)
        if rows:
            gram = [[_weighted(factor, a, b) for b in inward] for a in inward]
            small = factorised(mechanism, gram, "matrix of motors and closure rows")
            multipliers = small.outward(small.inward([_weighted(factor, a, x) for a in inward]))
            for row, multiplier in zip(inward, multipliers, strict=True):
                x = [total - entry * multiplier if entry.ref else total for total, entry in zip(x, row, strict=True)]
        solution = factor.outward(x)
    return {column: solution[column] for column in columns}


def _best_forces(
    mechanism: Mechanism, rows: Sequence[Vector], columns: Sequence[int], force: Vector
) -> Mapping[int, Scalar]:
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    factor = factorised(mechanism, mass_matrix(mechanism))
    with mechanism.graph.section("best actuator forces"):
        motors = [[one if k == column else zero for k in range(mechanism.nv)] for column in columns]
        every = [factor.inward(row) for row in (*rows, *motors)]
        x = factor.inward(force)
        gram = [[_weighted(factor, a, b) for b in every] for a in every]
        small = factorised(mechanism, gram, "matrix of motors and closure rows")
        solution = small.outward(small.inward([_weighted(factor, a, x) for a in every]))
    return dict(zip(columns, solution[len(rows) :], strict=True))


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
    "stabilised_dynamics": stabilised_dynamics,
    "constrained_terms": constrained_terms,
    "constraint_correction": constraint_correction,
}
"""Functions that closed loops add, or replace, each of a mechanism and, to save time, its analysed loops."""
