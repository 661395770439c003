/* Closed loops: one solver for multipliers and projections; names, sizes and tolerances take the place of the prefix. */
/* mbsym: copied from here */
enum { MODEL_WRENCHES = 6 * MODEL_NJ };

/* Closure rows J (NR x NV) on the mass matrix M = L^T D L; factoring overwrites delassus and weighted. */
typedef struct MODEL_rows {
    MODEL_real response[MODEL_NV * MODEL_NR]; /* M^-1 J^T */
    MODEL_real delassus[MODEL_NR * MODEL_NR]; /* J M^-1 J^T; then its factor C, or that of I + K^T K */
    MODEL_real weighted[MODEL_NV * MODEL_NR]; /* Y = L^-T J^T; then R of D^-1/2 Y, and K beside it */
    MODEL_real inverses[MODEL_NV];            /* D^-1 */
    MODEL_real scale[MODEL_NR];               /* brings the rows to equal size */
    MODEL_real pivot;                         /* smallest one at equal size: how regular the rows are */
    int order[MODEL_NR];
    int rank;
    bool regular;
} MODEL_rows;

/* Cholesky's factor of a symmetric matrix, in its lower half with inverse pivots; the smallest below 1, or 0. */
static MODEL_real MODEL_cholesky(MODEL_real *a, int size)
{
    const int m = MODEL_NR;
    MODEL_real smallest = (MODEL_real)1;
    for (int j = 0; j < size; ++j) {
        MODEL_real square = a[j * m + j];
        for (int k = 0; k < j; ++k) {
            square -= a[j * m + k] * a[j * m + k];
        }
        if (!(square > (MODEL_real)0)) {
            return (MODEL_real)0;
        }
        const MODEL_real pivot = MODEL_SQRT(square);
        const MODEL_real inverse = (MODEL_real)1 / pivot;
        if (pivot < smallest) {
            smallest = pivot;
        }
        a[j * m + j] = inverse;
        for (int i = j + 1; i < size; ++i) {
            MODEL_real entry = a[i * m + j];
            for (int k = 0; k < j; ++k) {
                entry -= a[i * m + k] * a[j * m + k];
            }
            a[i * m + j] = entry * inverse;
        }
    }
    return smallest;
}

/* x = C^-T C^-1 x. */
static void MODEL_cholesky_solve(const MODEL_real *a, int size, MODEL_real *x)
{
    const int m = MODEL_NR;
    const int n = size < m ? size : m; /* Compilers cannot know that m bounds the size. */
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= a[i * m + k] * x[k];
        }
        x[i] *= a[i * m + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= a[k * m + i] * x[k];
        }
        x[i] *= a[i * m + i];
    }
}

/* R of A P = Q R by Householder's reflections with column pivoting, in the upper part of a (NV x NR); the rank. */
static int MODEL_triangularise(MODEL_real *a, int *order)
{
    const int n = MODEL_NV;
    const int m = MODEL_NR;
    MODEL_real first = (MODEL_real)0;
    for (int j = 0; j < m; ++j) {
        order[j] = j;
    }
    for (int k = 0; k < m; ++k) {
        int chosen = k;
        MODEL_real largest = (MODEL_real)0;
        for (int j = k; j < m; ++j) {
            MODEL_real square = (MODEL_real)0;
            for (int i = k; i < n; ++i) {
                square += a[i * m + j] * a[i * m + j];
            }
            if (square > largest) {
                largest = square;
                chosen = j;
            }
        }
        MODEL_real norm = MODEL_SQRT(largest);
        if (k == 0) {
            first = norm;
        }
        if (!(norm > MODEL_DEPENDENT * first)) {
            return k;
        }
        const int moved = order[k];
        order[k] = order[chosen];
        order[chosen] = moved;
        for (int i = 0; i < n; ++i) {
            const MODEL_real entry = a[i * m + k];
            a[i * m + k] = a[i * m + chosen];
            a[i * m + chosen] = entry;
        }
        if (a[k * m + k] > (MODEL_real)0) {
            norm = -norm;
        }
        const MODEL_real head = a[k * m + k] - norm;
        for (int j = k + 1; j < m; ++j) {
            MODEL_real product = head * a[k * m + j];
            for (int i = k + 1; i < n; ++i) {
                product += a[i * m + k] * a[i * m + j];
            }
            product /= -norm * head;
            a[k * m + j] -= product * head;
            for (int i = k + 1; i < n; ++i) {
                a[i * m + j] -= product * a[i * m + k];
            }
        }
        a[k * m + k] = norm;
    }
    return m;
}

/* x = R^-1 x in steps of the given stride. */
static void MODEL_back_substitute(const MODEL_real *a, int rank, MODEL_real *x, int stride)
{
    const int m = MODEL_NR;
    for (int i = rank - 1; i >= 0; --i) {
        for (int k = i + 1; k < rank; ++k) {
            x[i * stride] -= a[i * m + k] * x[k * stride];
        }
        x[i * stride] /= a[i * m + i];
    }
}

/* Factors the rows: J M^-1 J^T where it is regular, else D^-1/2 Y, which does not square what is small. */
static void MODEL_factor(MODEL_rows *rows)
{
    const int n = MODEL_NV;
    const int m = MODEL_NR;
    MODEL_real *a = rows->delassus;
    MODEL_real *r = rows->weighted;
    for (int i = 0; i < m; ++i) {
        rows->scale[i] = a[i * m + i] > (MODEL_real)0 ? (MODEL_real)1 / MODEL_SQRT(a[i * m + i]) : (MODEL_real)0;
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < i; ++j) {
            a[i * m + j] *= rows->scale[i] * rows->scale[j];
        }
        a[i * m + i] = rows->scale[i] > (MODEL_real)0 ? (MODEL_real)1 : (MODEL_real)0;
    }
    rows->rank = m;
    rows->pivot = MODEL_cholesky(a, m);
    rows->regular = rows->pivot > MODEL_REGULAR;
    if (rows->regular) {
        return;
    }
    for (int i = 0; i < n; ++i) {
        const MODEL_real root = MODEL_SQRT(MODEL_ABS(rows->inverses[i]));
        for (int j = 0; j < m; ++j) {
            r[i * m + j] *= root * rows->scale[j];
        }
    }
    rows->rank = MODEL_triangularise(r, rows->order);
    rows->pivot = rows->rank == m ? MODEL_ABS(r[m * m - 1] / r[0]) : (MODEL_real)0;
    /* Columns without a pivot are those before them times K. */
    const int rank = rows->rank;
    const int left = m - rank;
    for (int j = rank; j < m; ++j) {
        MODEL_back_substitute(r, rank, &r[j], m);
    }
    for (int i = 0; i < left; ++i) {
        for (int j = 0; j <= i; ++j) {
            a[i * m + j] = i == j ? (MODEL_real)1 : (MODEL_real)0;
            for (int k = 0; k < rank; ++k) {
                a[i * m + j] += r[k * m + rank + i] * r[k * m + rank + j];
            }
        }
    }
    (void)MODEL_cholesky(a, left);
}

/* Takes from x (in the columns' order) what no motion of the rows answers to: its part along [-K; I]. */
static void MODEL_remove_unanswered(const MODEL_rows *rows, MODEL_real *x)
{
    const int m = MODEL_NR;
    const int rank = rows->rank;
    const int left = m - rank;
    const MODEL_real *r = rows->weighted;
    MODEL_real part[MODEL_NR];
    for (int j = 0; j < left; ++j) {
        part[j] = x[rank + j];
        for (int k = 0; k < rank; ++k) {
            part[j] -= r[k * m + rank + j] * x[k];
        }
    }
    MODEL_cholesky_solve(rows->delassus, left, part);
    for (int j = 0; j < left; ++j) {
        x[rank + j] -= part[j];
        for (int k = 0; k < rank; ++k) {
            x[k] += r[k * m + rank + j] * part[j];
        }
    }
}

/* x = (J M^-1 J^T)^+ x: the solution of least norm at equal size of the rows. */
static void MODEL_solve(const MODEL_rows *rows, MODEL_real *x)
{
    const int m = MODEL_NR;
    const int rank = rows->rank;
    const MODEL_real *r = rows->weighted;
    for (int i = 0; i < m; ++i) {
        x[i] *= rows->scale[i];
    }
    if (rows->regular) {
        MODEL_cholesky_solve(rows->delassus, m, x);
    } else {
        MODEL_real y[MODEL_NR];
        for (int i = 0; i < m; ++i) {
            y[i] = x[rows->order[i]];
        }
        MODEL_remove_unanswered(rows, y);
        /* Compilers cannot know that m bounds the rank. */
        for (int i = 0; i < m && i < rank; ++i) {
            for (int k = 0; k < i; ++k) {
                y[i] -= r[k * m + i] * y[k];
            }
            y[i] /= r[i * m + i];
        }
        MODEL_back_substitute(r, rank, y, 1);
        for (int i = rank; i < m; ++i) {
            y[i] = (MODEL_real)0;
        }
        MODEL_remove_unanswered(rows, y);
        for (int i = 0; i < m; ++i) {
            x[rows->order[i]] = y[i];
        }
    }
    for (int i = 0; i < m; ++i) {
        x[i] *= rows->scale[i];
    }
}

static MODEL_real MODEL_largest(const MODEL_real *x)
{
    MODEL_real largest = (MODEL_real)0;
    for (int i = 0; i < MODEL_NR; ++i) {
        const MODEL_real size = MODEL_ABS(x[i]);
        if (size > largest) {
            largest = size;
        }
    }
    return largest;
}

/* Whether every residual is a number within that part of what it is measured by. */
static bool MODEL_within(
    const MODEL_real *residual, const MODEL_real *size, const MODEL_real *rounding, MODEL_real part)
{
    for (int i = 0; i < MODEL_NR; ++i) {
        const MODEL_real rounded = part * rounding[i];
        const MODEL_real most = MODEL_COARSE * size[i];
        const MODEL_real bound = part * size[i] + (rounded < most ? rounded : most);
        if (!(MODEL_ABS(residual[i]) <= bound)) {
            return false;
        }
    }
    return true;
}

/* The status of a solution for given arguments: finite or not, factors of the mass matrix and results finite or not. */
static int MODEL_solved(const MODEL_rows *rows, bool arguments, bool results)
{
    if (!arguments) {
        return MODEL_NOT_FINITE;
    }
    if (!MODEL_finite(rows->inverses, MODEL_NV)) {
        return MODEL_SINGULAR;
    }
    if (!results) {
        return MODEL_NOT_FINITE;
    }
    return rows->rank == MODEL_NR ? MODEL_OK : MODEL_SINGULAR;
}

int MODEL_project_position_report(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], MODEL_real q_closed[restrict MODEL_NQ], MODEL_real gap[restrict 1],
    int steps[restrict 1])
{
    MODEL_rows rows;
    MODEL_real size[MODEL_NR];
    MODEL_real rounding[MODEL_NR];
    MODEL_real residual[MODEL_NR];
    MODEL_real there[MODEL_NR];
    MODEL_real jacobian[MODEL_NR * MODEL_NV];
    MODEL_real motion[MODEL_NV];
    MODEL_real moved[MODEL_NQ];
    for (int k = 0; k < MODEL_NQ; ++k) {
        q_closed[k] = q[k];
    }
    MODEL_constraint_residual(MODEL_ACTUAL q_closed, residual);
    MODEL_closure_scale(MODEL_ACTUAL q_closed, size, rounding);
    *gap = MODEL_largest(residual);
    *steps = 0;
    if (!MODEL_finite(q, MODEL_NQ) || !MODEL_finite(residual, MODEL_NR)) {
        return MODEL_NOT_FINITE;
    }
    while (!MODEL_within(residual, size, rounding, MODEL_ENOUGH) && *steps < MODEL_ITERATIONS) {
        MODEL_position_correction(
            MODEL_ACTUAL q_closed, jacobian, rows.response, rows.delassus, rows.weighted, rows.inverses);
        MODEL_factor(&rows);
        for (int i = 0; i < MODEL_NR; ++i) {
            there[i] = residual[i];
        }
        MODEL_solve(&rows, there);
        for (int k = 0; k < MODEL_NV; ++k) {
            motion[k] = (MODEL_real)0;
            for (int j = 0; j < MODEL_NR; ++j) {
                motion[k] -= rows.response[k * MODEL_NR + j] * there[j];
            }
        }
        MODEL_moved_position(MODEL_ACTUAL q_closed, motion, moved);
        MODEL_constraint_residual(MODEL_ACTUAL moved, there);
        ++*steps;
        /* The round-off of one row may be more than what another one is open by. */
        const bool closer = MODEL_largest(there) < *gap ||
            (MODEL_within(there, size, rounding, MODEL_ACCEPTED) &&
             !MODEL_within(residual, size, rounding, MODEL_ACCEPTED));
        if (!MODEL_finite(there, MODEL_NR) || !closer) {
            break;
        }
        for (int k = 0; k < MODEL_NQ; ++k) {
            q_closed[k] = moved[k];
        }
        for (int i = 0; i < MODEL_NR; ++i) {
            residual[i] = there[i];
        }
        MODEL_closure_scale(MODEL_ACTUAL q_closed, size, rounding);
        *gap = MODEL_largest(residual);
    }
    return MODEL_within(residual, size, rounding, MODEL_ACCEPTED) ? MODEL_OK : MODEL_NOT_CLOSED;
}

int MODEL_project_position(MODEL_FORMAL const MODEL_real q[MODEL_NQ], MODEL_real q_closed[restrict MODEL_NQ])
{
    MODEL_real gap;
    int steps;
    return MODEL_project_position_report(MODEL_ACTUAL q, q_closed, &gap, &steps);
}

int MODEL_project_velocity(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], MODEL_real v_consistent[restrict MODEL_NV])
{
    MODEL_rows rows;
    MODEL_real rate[MODEL_NR];
    MODEL_real jacobian[MODEL_NR * MODEL_NV];
    const bool arguments = MODEL_finite(q, MODEL_NQ) && MODEL_finite(v, MODEL_NV);
    for (int k = 0; k < MODEL_NV; ++k) {
        v_consistent[k] = v[k];
    }
    MODEL_velocity_correction(MODEL_ACTUAL q, jacobian, rows.response, rows.delassus, rows.weighted, rows.inverses);
    MODEL_factor(&rows);
    /* The second time removes what round-off left. */
    for (int time = 0; time < 2; ++time) {
        for (int i = 0; i < MODEL_NR; ++i) {
            rate[i] = (MODEL_real)0;
            for (int k = 0; k < MODEL_NV; ++k) {
                rate[i] += jacobian[i * MODEL_NV + k] * v_consistent[k];
            }
        }
        MODEL_solve(&rows, rate);
        for (int k = 0; k < MODEL_NV; ++k) {
            for (int j = 0; j < MODEL_NR; ++j) {
                v_consistent[k] -= rows.response[k * MODEL_NR + j] * rate[j];
            }
        }
    }
    return MODEL_solved(&rows, arguments, MODEL_finite(v_consistent, MODEL_NV));
}

static int MODEL_loop_dynamics(
    MODEL_FORMAL const MODEL_real *q, const MODEL_real *v, const MODEL_real *tau, MODEL_EXTRA_FORMAL
    const MODEL_real *gains, MODEL_real *restrict vdot, MODEL_real *restrict lambda, MODEL_rows *restrict rows)
{
    const bool arguments = MODEL_finite(q, MODEL_NQ) && MODEL_finite(v, MODEL_NV) && MODEL_finite(tau, MODEL_NV);
    MODEL_constrained_terms(
        MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL vdot, rows->response, rows->delassus, lambda, rows->weighted,
        rows->inverses);
    if (gains != NULL) {
        MODEL_real residual[MODEL_NR];
        MODEL_real jacobian[MODEL_NR * MODEL_NV];
        MODEL_constraint_residual(MODEL_ACTUAL q, residual);
        MODEL_constraint_jacobian(MODEL_ACTUAL q, jacobian);
        for (int i = 0; i < MODEL_NR; ++i) {
            MODEL_real rate = (MODEL_real)0;
            for (int k = 0; k < MODEL_NV; ++k) {
                rate += jacobian[i * MODEL_NV + k] * v[k];
            }
            lambda[i] -= (MODEL_real)2 * gains[0] * rate + gains[1] * gains[1] * residual[i];
        }
    }
    MODEL_factor(rows);
    MODEL_solve(rows, lambda);
    for (int k = 0; k < MODEL_NV; ++k) {
        for (int j = 0; j < MODEL_NR; ++j) {
            vdot[k] += rows->response[k * MODEL_NR + j] * lambda[j];
        }
    }
    return MODEL_solved(rows, arguments, MODEL_finite(vdot, MODEL_NV) && MODEL_finite(lambda, MODEL_NR));
}

int MODEL_constrained_dynamics_report(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR], int rank[restrict 1],
    MODEL_real pivot[restrict 1])
{
    MODEL_rows rows;
    const int status =
        MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
    *rank = rows.rank;
    *pivot = rows.pivot;
    return status;
}

int MODEL_constrained_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR])
{
    MODEL_rows rows;
    return MODEL_loop_dynamics(
        MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
}

int MODEL_stabilised_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    const MODEL_real gains[2], MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR])
{
    MODEL_rows rows;
    return MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL gains, vdot, lambda, &rows);
}

int MODEL_forward_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real vdot[restrict MODEL_NV])
{
    MODEL_rows rows;
    MODEL_real lambda[MODEL_NR];
    return MODEL_loop_dynamics(
        MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
}

int MODEL_joint_wrenches(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real wrenches[restrict 6 * MODEL_NJ])
{
    MODEL_rows rows;
    MODEL_real vdot[MODEL_NV];
    MODEL_real lambda[MODEL_NR];
    const int status =
        MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
    MODEL_constrained_wrenches(MODEL_ACTUAL q, v, vdot, lambda, MODEL_EXTRA_ACTUAL wrenches);
    if (status == MODEL_OK && !MODEL_finite(wrenches, MODEL_WRENCHES)) {
        return MODEL_NOT_FINITE;
    }
    return status;
}
