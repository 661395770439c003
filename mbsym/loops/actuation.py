"""Inverse dynamics with closed loops for a chosen set of actuated joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbsym.doors import numpy as np
from mbsym.errors import DerivationError
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.contracts import Derived
from mbsym.formulations.recursive.composite_body import factored_mass_matrix
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.formulations.recursive.sparse_factor import Vector, factorised, sparsest_order, weighted_product
from mbsym.kinematics.equivalents import for_forces
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.loops.contracts import ACTUATED_INVERSE_DYNAMICS
from mbsym.loops.functions import constraint_jacobian
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.loops.tolerances import FOLLOWS
from mbsym.loops.wrenches import dense
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar


def actuated_inverse_dynamics(mechanism: Mechanism, loops: LoopAnalysis, actuated: Sequence[str] = ()) -> Program:
    """Forces of the actuated joints that produce vdot with closed loops.

    B tau + G^T lambda = f with f = M vdot + bias. With as many independent actuators as freedoms and no row too many,
    lambda balances what f has where there is no motor, and tau the rest. With more, those of least norm: tau = B^T mu,
    G mu = 0 and (B B^T + G^T G) mu + G^T lambda = f. With fewer, those that leave the least constrained acceleration
    error, |B tau + G^T lambda - f| in the norm of M^-1.

    Args:
        mechanism: with tree joints that bear the motors.
        loops: its loops, analysed.
        actuated: names of joints; default those that the model marks or drives.

    Raises:
        DerivationError: no joint is actuated, a named one does not exist or is cut, or motors do not move independently
            of each other.
    """
    columns = actuated_columns(mechanism, actuated)
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    speeds = joint_speeds(mechanism)
    same = for_forces(mechanism)
    needed = newton_euler(same, speeds, rates, mechanism.gravity, applied_forces(same, speeds))
    force = list(mechanism.gather(needed.forces))
    rows = [dense(mechanism, row.jacobian) for row in loops.rows]
    enough = len(columns) >= loops.mobility
    driven = _driven(mechanism, loops, columns)
    if driven < min(len(columns), loops.mobility):
        undriven = f"leave {loops.mobility - driven} of them undriven" if enough else f"drive {driven} of them"
        raise DerivationError(
            f"{len(columns)} motors for {loops.mobility} freedoms {undriven}",
            where=mechanism.model.name,
            remedy="actuate joints that move independently of each other",
        )
    zero = Scalar(mechanism.graph, 0)
    if len(columns) == loops.mobility:
        kind = "as many motors as freedoms"
    else:
        kind = "least norm, more motors than freedoms" if enough else "fewer motors than freedoms: best fit"
    if enough:
        solved = _only_forces if len(rows) + len(columns) == mechanism.nv else _least_forces
        found = [solved(mechanism, rows, columns, force, given) for given in _orders(mechanism)]
    else:
        found = [_best_forces(mechanism, rows, columns, force)]
    programs = [
        ACTUATED_INVERSE_DYNAMICS.program(mechanism, Derived([forces.get(k, zero) for k in range(mechanism.nv)], kind))
        for forces in found
    ]
    return min(programs, key=lambda program: program.operation_count().arithmetic)


def _orders(mechanism: Mechanism) -> tuple[tuple[int, ...], ...]:
    """Columns of v by label, and as the file has the joints: they decide between rows alike, counting between them."""
    columns = {body.joint.name: range(*body.v_range) for body in mechanism.bodies}
    in_file = (columns.get(joint.name, range(0)) for joint in mechanism.model.joints)
    return tuple(dict.fromkeys((mechanism.columns_by_label, tuple(column for own in in_file for column in own))))


def _driven(mechanism: Mechanism, analysis: LoopAnalysis, columns: Sequence[int]) -> int:
    """Freedoms along which motors move, at the configuration of the analysis."""
    program = constraint_jacobian(mechanism, analysis)
    rows = Evaluator(program)(np.array(analysis.configuration))["G"]
    motors = np.eye(mechanism.nv)[list(columns)]
    sizes = np.linalg.svd(np.concatenate([rows, motors]), compute_uv=False)
    held = mechanism.nv - analysis.mobility
    return int(np.sum(sizes > FOLLOWS * sizes[0])) - held


def has_motors(mechanism: Mechanism, analysis: LoopAnalysis) -> bool:
    """True where the model marks or drives joints of the tree, and these are not at odds with its freedoms."""
    motors = mechanism.model.motors
    if not motors or not set(motors) <= {body.joint.name for body in mechanism.bodies}:
        return False
    columns = actuated_columns(mechanism)
    return _driven(mechanism, analysis, columns) == min(len(columns), analysis.mobility)


def actuated_columns(mechanism: Mechanism, actuated: Sequence[str] = ()) -> list[int]:
    """Speeds of the actuated joints.

    Raises:
        DerivationError: see ``actuated_inverse_dynamics``.
    """
    model = mechanism.model
    names = actuated or model.motors
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


def _only_forces(
    mechanism: Mechanism, rows: Sequence[Vector], columns: Sequence[int], force: Vector, given: Sequence[int]
) -> Mapping[int, Scalar]:
    zero = Scalar(mechanism.graph, 0)
    passive = [column for column in given if column not in columns]
    with mechanism.graph.section("forces of motors"):
        matrix = [[sum((row[i] * row[j] for row in rows), zero) for j in passive] for i in passive]
        order = sparsest_order(matrix, range(len(passive)))
        factor = factorised(mechanism, matrix, "matrix of closure rows without motors", order)
        found = factor.outward(factor.inward([force[column] for column in passive]))
        pulls = [sum((row[k] * x for k, x in zip(passive, found, strict=True)), zero) for row in rows]
    return {
        column: force[column] - sum((row[column] * pull for row, pull in zip(rows, pulls, strict=True)), zero)
        for column in columns
    }


def _least_forces(
    mechanism: Mechanism, rows: Sequence[Vector], columns: Sequence[int], force: Vector, given: Sequence[int]
) -> Mapping[int, Scalar]:
    n = mechanism.nv
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    order = mechanism.columns_by_label
    with mechanism.graph.section("least actuator forces"):
        matrix = [[zero] * n for _ in range(n)]
        for row in rows:
            for i in order:
                for j in order:
                    if row[i] and row[j]:
                        matrix[i][j] = matrix[i][j] + row[i] * row[j]
        for column in columns:
            matrix[column][column] = matrix[column][column] + one
        factor = factorised(mechanism, matrix, "matrix of motors and closure rows", sparsest_order(matrix, given))
        inward = [factor.inward(row) for row in rows]
        x = factor.inward(force)
        gram = [[weighted_product(factor, a, b) for b in inward] for a in inward]
        small = factorised(mechanism, gram, "matrix of motors and closure rows")
        multipliers = small.outward(small.inward([weighted_product(factor, a, x) for a in inward]))
        for row, multiplier in zip(inward, multipliers, strict=True):
            x = [total - entry * multiplier if entry else total for total, entry in zip(x, row, strict=True)]
        solution = factor.outward(x)
    return {column: solution[column] for column in columns}


def _best_forces(
    mechanism: Mechanism, rows: Sequence[Vector], columns: Sequence[int], force: Vector
) -> Mapping[int, Scalar]:
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    factor = factored_mass_matrix(mechanism)
    with mechanism.graph.section("best actuator forces"):
        motors = [[one if k == column else zero for k in range(mechanism.nv)] for column in columns]
        every = [factor.inward(row) for row in (*rows, *motors)]
        x = factor.inward(force)
        gram = [[weighted_product(factor, a, b) for b in every] for a in every]
        small = factorised(mechanism, gram, "matrix of motors and closure rows")
        solution = small.outward(small.inward([weighted_product(factor, a, x) for a in every]))
    return dict(zip(columns, solution[len(rows) :], strict=True))
