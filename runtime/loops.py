"""Closed loops: one solver for multipliers and projections.

Closure rows J meet the mass matrix M = L^T D L in A = J M^-1 J^T, which is factored without square roots, A = C E C^T.
Where a pivot is small at equal size of the rows, the configuration is singular or near to it. Then D^-1/2 L^-T J^T is
factored instead, by Householder's reflections with column pivoting, which does not square what is small; what dependent
rows leave open is settled by multipliers of least norm at equal size of the rows.

Source of the reflections and of least norms: G. H. Golub, C. F. Van Loan, Matrix Computations, sections 5.4 and 5.5.
"""

# ruff: noqa: B007, F821
from __future__ import annotations


class Rows:
    """Closure rows J on the mass matrix M = L^T D L; factoring overwrites delassus and weighted."""

    response: array[NV, NR]  # M^-1 J^T
    delassus: array[NR, NR]  # A = J M^-1 J^T; then its factors, or those of I + K^T K
    weighted: array[NV, NR]  # L^-T J^T; then R of D^-1/2 L^-T J^T, and K beside it
    inverses: array[NV]  # D^-1
    pivots: array[NR]  # E^-1
    scale: array[NR]  # brings the rows to equal size
    order: integers[NR]  # columns of R
    rank: int
    regular: bool


def factor(a: array[NR, NR], pivots: array[NR]) -> bool:
    """A = C E C^T, with C below the diagonal, E C^T above and E^-1 apart; whether A is regular at equal size."""
    regular = True
    for j in range(NR):
        pivot = a[j, j]
        pivot -= a[j, :j] @ a[:j, j]
        good = pivot > REGULAR * REGULAR * a[j, j] and pivot > 0.0
        regular = regular and good
        # Nobody divides by zero.
        inverse = 1.0 / (pivot if good else 1.0)
        pivots[j] = inverse
        a[j, j + 1 :] -= a[j, :j] @ a[:j, j + 1 :]
        a[j + 1 :, j] = inverse * a[j, j + 1 :]
    return regular


def substitute(a: vector[NR, NR], pivots: vector[NR], x: array[NR]):
    """x = A^-1 x, with the factors of A."""
    for i in range(1, NR):
        entry = x[i]
        entry -= a[i, :i] @ x[:i]
        x[i] = entry
    for i in range(NR - 1, -1, -1):
        entry = x[i] * pivots[i]
        entry -= a[i + 1 :, i] @ x[i + 1 :]
        x[i] = entry


@seldom
def triangularise(a: array[NV, NR], order: integers[NR]) -> int:
    """R of A P = Q R by Householder's reflections with column pivoting, in the upper part of A; its rank."""
    column: array[NV]
    first = 0.0
    for j in range(NR):
        order[j] = j
    for k in range(NR):
        chosen = k
        most = 0.0
        for j in range(k, NR):
            square = 0.0
            square += a[k:, j] @ a[k:, j]
            if square > most:
                most = square
                chosen = j
        norm = sqrt(most)
        if k == 0:
            first = norm
        if not norm > DEPENDENT * first:
            return k
        moved = order[k]
        order[k] = order[chosen]
        order[chosen] = moved
        column[:] = a[:, k]
        a[:, k] = a[:, chosen]
        a[:, chosen] = column
        if a[k, k] > 0.0:
            norm = -norm
        head = a[k, k] - norm
        for j in range(k + 1, NR):
            product = head * a[k, j]
            product += a[k + 1 :, k] @ a[k + 1 :, j]
            product /= -norm * head
            a[k, j] -= product * head
            a[k + 1 :, j] -= product * a[k + 1 :, k]
        a[k, k] = norm
    return NR


@seldom
def factor_open(rows: Rows):
    """What rows leave open that depend on others: columns without a pivot are those before them times K; I + K^T K."""
    for j in range(NR):
        if j >= rows.rank:
            for i in range(NR - 1, -1, -1):
                entry = rows.weighted[i, j]
                entry -= rows.weighted[i, i + 1 :] @ rows.weighted[i + 1 : NR, j]
                rows.weighted[i, j] = entry / rows.weighted[i, i] if i < rows.rank else 0.0
    for i in range(NR):
        for j in range(i + 1):
            entry = 1.0 if i == j else 0.0
            if j >= rows.rank:
                entry += rows.weighted[:NR, i] @ rows.weighted[:NR, j]
            rows.delassus[i, j] = entry
            rows.delassus[j, i] = entry
    factor(rows.delassus, rows.pivots)


@seldom
def remove_open(rows: Rows, x: array[NR]):
    """Takes from x, in the columns' order, what no motion of the rows answers to: its part along [-K; I]."""
    part: array[NR]
    for j in range(NR):
        entry = 0.0
        if j >= rows.rank:
            entry = x[j]
            entry -= rows.weighted[:NR, j] @ x
        part[j] = entry
    substitute(rows.delassus, rows.pivots, part)
    for j in range(NR):
        entry = -part[j]
        if j < rows.rank:
            entry += rows.weighted[j] @ part
        x[j] += entry


@seldom
def factor_dependent(rows: Rows):
    """Factors D^-1/2 L^-T J^T at equal size of the rows."""
    for j in range(NR):
        own = rows.delassus[j, j]
        rows.scale[j] = 1.0 / sqrt(own) if own > 0.0 else 0.0
        rows.weighted[:, j] *= rows.scale[j]
    for i in range(NV):
        rows.weighted[i] *= sqrt(abs(rows.inverses[i]))
    rows.rank = triangularise(rows.weighted, rows.order)
    if rows.rank < NR:
        factor_open(rows)


@seldom
def solve_dependent(rows: Rows, x: array[NR]):
    """x = A^+ x: the solution of least norm at equal size of the rows."""
    y: array[NR]
    for i in range(NR):
        y[i] = x[rows.order[i]] * rows.scale[rows.order[i]]
    if rows.rank < NR:
        remove_open(rows, y)
    for i in range(NR):
        entry = y[i]
        entry -= rows.weighted[:i, i] @ y[:i]
        y[i] = entry / rows.weighted[i, i] if i < rows.rank else 0.0
    for i in range(NR - 1, -1, -1):
        entry = y[i]
        entry -= rows.weighted[i, i + 1 :] @ y[i + 1 :]
        y[i] = entry / rows.weighted[i, i] if i < rows.rank else 0.0
    if rows.rank < NR:
        remove_open(rows, y)
    for i in range(NR):
        x[rows.order[i]] = y[i] * rows.scale[rows.order[i]]


def factor_rows(rows: Rows):
    """Factors A where it is regular, else what does not square it."""
    rows.rank = NR
    rows.regular = factor(rows.delassus, rows.pivots)
    if not rows.regular:
        factor_dependent(rows)


def solve(rows: Rows, x: array[NR]):
    """x = A^+ x."""
    if rows.regular:
        substitute(rows.delassus, rows.pivots, x)
    else:
        solve_dependent(rows, x)


@seldom
def dependent_pivot(rows: Rows) -> real:
    """The smallest diagonal entry of R as a part of the largest, 0 where rows depend on each other."""
    return abs(rows.weighted[NR - 1, NR - 1] / rows.weighted[0, 0]) if rows.rank == NR else 0.0


def smallest_pivot(rows: Rows) -> real:
    """How regular the rows are: the smallest pivot at equal size of them."""
    if not rows.regular:
        return dependent_pivot(rows)
    most = 1.0
    for i in range(NR):
        inverse = rows.delassus[i, i] * rows.pivots[i]
        if inverse > most:
            most = inverse
    return sqrt(1.0 / most)


def within(residual: vector[NR], size: vector[NR], rounding: vector[NR], part: real) -> bool:
    """Whether every residual is a number within that part of what it is measured by."""
    return all(abs(residual) <= part * size + min(part * rounding, COARSE * size))


def solved(rows: Rows, arguments: bool, results: bool) -> int:
    """The status of a solution: arguments finite or not, factors of the mass matrix and results finite or not."""
    if not arguments:
        return NOT_FINITE
    if not finite(rows.inverses):
        return SINGULAR
    if not results:
        return NOT_FINITE
    return OK if rows.rank == NR else SINGULAR


def project_position_report(q: vector[NQ], q_closed: array[NQ], gap: array[1], steps: integers[1]) -> int:
    """Newton steps with the least kinetic energy."""
    size: array[NR]
    rounding: array[NR]
    residual: array[NR]
    there: array[NR]
    jacobian: array[NR, NV]
    motion: array[NV]
    moved: array[NQ]
    taken = 0
    steps[0] = 0
    q_closed[:] = q
    residual[:] = constraint_residual(q_closed)
    size[:], rounding[:] = closure_scale(q_closed)
    gap[0] = peak(residual)
    if not (finite(q) and finite(residual)):
        return NOT_FINITE
    while not within(residual, size, rounding, ENOUGH) and taken < ITERATIONS:
        rows = Rows()
        jacobian[:], rows.response[:], rows.delassus[:], rows.weighted[:], rows.inverses[:] = position_correction(
            q_closed
        )
        factor_rows(rows)
        there[:] = residual
        solve(rows, there)
        motion[:] = -(rows.response @ there)
        moved[:] = moved_position(q_closed, motion)
        there[:] = constraint_residual(moved)
        taken += 1
        # The round-off of one row may be more than what another one is open by.
        closer = peak(there) < gap[0] or (
            within(there, size, rounding, ACCEPTED) and not within(residual, size, rounding, ACCEPTED)
        )
        if not (finite(there) and closer):
            break
        q_closed[:] = moved
        residual[:] = there
        size[:], rounding[:] = closure_scale(q_closed)
        gap[0] = peak(residual)
    steps[0] = taken
    return OK if within(residual, size, rounding, ACCEPTED) else NOT_CLOSED


def project_position(q: vector[NQ], q_closed: array[NQ]) -> int:
    """The same without the report."""
    gap: array[1]
    steps: integers[1]
    return project_position_report(q, q_closed, gap, steps)


def assemble(q: vector[NQ], held: vector[NV], q_assembled: array[NQ]) -> int:
    """Newton steps that leave what is held as it is, shorter where they lead away."""
    size: array[NR]
    rounding: array[NR]
    residual: array[NR]
    there: array[NR]
    jacobian: array[NR, NV]
    inverses: array[NV]
    motion: array[NV]
    moved: array[NQ]
    taken = 0
    shortened = 0
    part = 1.0
    q_assembled[:] = q
    residual[:] = constraint_residual(q_assembled)
    size[:], rounding[:] = closure_scale(q_assembled)
    if not (finite(q) and finite(held) and finite(residual)):
        return NOT_FINITE
    while not within(residual, size, rounding, ENOUGH) and taken < 5 * ITERATIONS and shortened < 6:
        rows = Rows()
        jacobian[:], inverses[:] = assembly_terms(q_assembled)
        rows.inverses[:] = inverses
        for j in range(NR):
            for i in range(NV):
                entry = jacobian[j, i] if held[i] == 0.0 else 0.0
                rows.weighted[i, j] = entry
                rows.response[i, j] = inverses[i] * entry
        for j in range(NR):
            for k in range(NR):
                entry = 0.0
                for i in range(NV):
                    entry += rows.response[i, j] * rows.weighted[i, k]
                rows.delassus[j, k] = entry
        factor_rows(rows)
        there[:] = residual
        solve(rows, there)
        motion[:] = -(rows.response @ there)
        motion[:] *= part
        moved[:] = moved_position(q_assembled, motion)
        there[:] = constraint_residual(moved)
        taken += 1
        # The round-off of one row may be more than what another one is open by.
        closer = peak(there) < peak(residual) or (
            within(there, size, rounding, ACCEPTED) and not within(residual, size, rounding, ACCEPTED)
        )
        if finite(there) and closer:
            q_assembled[:] = moved
            residual[:] = there
            size[:], rounding[:] = closure_scale(q_assembled)
            part = 1.0
            shortened = 0
        else:
            part = part / 4.0
            shortened += 1
    return OK if within(residual, size, rounding, ACCEPTED) else NOT_CLOSED


def project_velocity(q: vector[NQ], v: vector[NV], v_consistent: array[NV]) -> int:
    """Takes from v, in the metric of the mass matrix, what would open the loops."""
    rows = Rows()
    jacobian: array[NR, NV]
    rate: array[NR]
    arguments = finite(q) and finite(v)
    v_consistent[:] = v
    jacobian[:], rows.response[:], rows.delassus[:], rows.weighted[:], rows.inverses[:] = velocity_correction(q)
    factor_rows(rows)
    # The second time removes what round-off left.
    for time in range(2):
        rate[:] = jacobian @ v_consistent
        solve(rows, rate)
        v_consistent[:] -= rows.response @ rate
    return solved(rows, arguments, finite(v_consistent))


def closed_motion(rows: Rows, arguments: bool, vdot: array[NV], multipliers: array[NR]) -> int:
    """From the free vdot and what it leaves in the rows to those of closed loops; the status."""
    factor_rows(rows)
    solve(rows, multipliers)
    vdot[:] += rows.response @ multipliers
    return solved(rows, arguments, finite(vdot) and finite(multipliers))


def loop_dynamics(
    q: vector[NQ],
    v: vector[NV],
    tau: vector[NV],
    *extra,
    vdot: array[NV],
    multipliers: array[NR],
    rows: Rows,
) -> int:
    """vdot and multipliers with closed loops, and the factors that they were found with; the status."""
    vdot[:], rows.response[:], rows.delassus[:], multipliers[:], rows.weighted[:], rows.inverses[:] = constrained_terms(
        q, v, tau, *extra
    )
    return closed_motion(rows, finite(q) and finite(v) and finite(tau), vdot, multipliers)


def constrained_dynamics(
    q: vector[NQ],
    v: vector[NV],
    tau: vector[NV],
    *extra,
    vdot: array[NV],
    multipliers: array[NR],
) -> int:
    """vdot and multipliers."""
    rows = Rows()
    return loop_dynamics(q, v, tau, *extra, vdot, multipliers, rows)


def constrained_dynamics_report(
    q: vector[NQ],
    v: vector[NV],
    tau: vector[NV],
    *extra,
    vdot: array[NV],
    multipliers: array[NR],
    rank: integers[1],
    pivot: array[1],
) -> int:
    """The same with how regular the rows are."""
    rows = Rows()
    status = loop_dynamics(q, v, tau, *extra, vdot, multipliers, rows)
    rank[0] = rows.rank
    pivot[0] = smallest_pivot(rows)
    return status


def stabilised_dynamics(
    q: vector[NQ],
    v: vector[NV],
    tau: vector[NV],
    *extra,
    gains: vector[2],
    vdot: array[NV],
    multipliers: array[NR],
) -> int:
    """The same with accelerations of the rows that bring gaps and their rates to zero."""
    rows = Rows()
    residual: array[NR]
    rate: array[NR]
    jacobian: array[NR, NV]
    vdot[:], rows.response[:], rows.delassus[:], multipliers[:], rows.weighted[:], rows.inverses[:] = constrained_terms(
        q, v, tau, *extra
    )
    residual[:] = constraint_residual(q)
    jacobian[:] = constraint_jacobian(q)
    rate[:] = jacobian @ v
    multipliers[:] -= 2.0 * gains[0] * rate + gains[1] * gains[1] * residual
    return closed_motion(rows, finite(q) and finite(v) and finite(tau), vdot, multipliers)


def forward_dynamics(q: vector[NQ], v: vector[NV], tau: vector[NV], *extra, vdot: array[NV]) -> int:
    """vdot alone."""
    rows = Rows()
    multipliers: array[NR]
    return loop_dynamics(q, v, tau, *extra, vdot, multipliers, rows)


def joint_wrenches(q: vector[NQ], v: vector[NV], tau: vector[NV], *extra, wrenches: array[NJ, 6]) -> int:
    """What joints transmit in that motion."""
    rows = Rows()
    vdot: array[NV]
    multipliers: array[NR]
    status = loop_dynamics(q, v, tau, *extra, vdot, multipliers, rows)
    wrenches[:] = constrained_wrenches(q, v, vdot, multipliers, *extra)
    if status == OK and not finite(wrenches):
        return NOT_FINITE
    return status


def driving_forces(q: vector[NQ], v: vector[NV], tau: vector[NV], *extra, forces: array[NV]) -> int:
    """What motions take."""
    rows = Rows()
    vdot: array[NV]
    multipliers: array[NR]
    status = loop_dynamics(q, v, tau, *extra, vdot, multipliers, rows)
    forces[:] = forces_of_motions(q, v, vdot, multipliers, *extra)
    if status == OK and not finite(forces):
        return NOT_FINITE
    return status


# ---- derivatives -----------------------------------------------------------------------------------------------------


@seldom
def solve_columns_dependent(rows: Rows, x: array[NR, NV]):
    """x = A^+ x, column by column."""
    one: array[NR]
    for column in range(NV):
        one[:] = x[:, column]
        solve_dependent(rows, one)
        x[:, column] = one


def solve_columns(rows: Rows, x: array[NR, NV]):
    """x = A^+ x for each column of x."""
    if rows.regular:
        for i in range(1, NR):
            x[i] -= rows.delassus[i, :i] @ x[:i]
        for i in range(NR - 1, -1, -1):
            x[i] *= rows.pivots[i]
            x[i] -= rows.delassus[i + 1 :, i] @ x[i + 1 :]
    else:
        solve_columns_dependent(rows, x)


def hold_closed(rows: Rows, vdot: array[NV, NV], multipliers: array[NR, NV]):
    """From free changes of vdot and what they leave in the rows to changes of vdot and multipliers, a column each."""
    solve_columns(rows, multipliers)
    vdot[:] += rows.response @ multipliers


def constrained_dynamics_derivatives(
    q: vector[NQ],
    v: vector[NV],
    tau: vector[NV],
    *extra,
    dvdot_dq: array[NV, NV],
    dvdot_dv: array[NV, NV],
    dvdot_dtau: array[NV, NV],
    dlambda_dq: array[NR, NV],
    dlambda_dv: array[NR, NV],
    dlambda_dtau: array[NR, NV],
) -> int:
    """Derivatives of that motion, with its factors."""
    rows = Rows()
    vdot: array[NV]
    multipliers: array[NR]
    status = loop_dynamics(q, v, tau, *extra, vdot, multipliers, rows)
    dvdot_dq[:], dlambda_dq[:], dvdot_dv[:], dlambda_dv[:], dvdot_dtau[:] = constrained_derivative_terms(
        q, v, vdot, multipliers, *extra
    )
    for i in range(NR):
        dlambda_dtau[i] = -rows.response[:, i]
    hold_closed(rows, dvdot_dq, dlambda_dq)
    hold_closed(rows, dvdot_dv, dlambda_dv)
    hold_closed(rows, dvdot_dtau, dlambda_dtau)
    motion = finite(dvdot_dq) and finite(dvdot_dv) and finite(dvdot_dtau)
    pull = finite(dlambda_dq) and finite(dlambda_dv) and finite(dlambda_dtau)
    if status == OK and not (motion and pull):
        return NOT_FINITE
    return status
