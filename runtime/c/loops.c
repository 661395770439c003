/* Closed loops: one solver for multipliers and projections; names, sizes and tolerances take the place of the prefix. */
/* mbsym: copied from here */
/* Closure rows J (NR x NV) on the mass matrix M = L^T D L; factoring overwrites delassus and weighted. */
typedef struct MODEL_rows {
    MODEL_real response[MODEL_NV * MODEL_NR]; /* M^-1 J^T */
    MODEL_real delassus[MODEL_NR * MODEL_NR]; /* J M^-1 J^T; then its factor C, or that of I + K^T K */
    MODEL_real weighted[MODEL_NV * MODEL_NR]; /* Y = L^-T J^T; then R of D^-1/2 Y, and K beside it */
    MODEL_real inverses[MODEL_NV];            /* D^-1 */
    MODEL_real scale[MODEL_NR];               /* brings the rows to equal size */
    MODEL_real pivot;                         /* smallest one at equal size: how regular the rows are */
    int order[MODEL_NR], rank, regular;
} MODEL_rows;

/* Cholesky's factor of a symmetric matrix, in its lower half with inverse pivots; the smallest below 1, or 0. */
static MODEL_real MODEL_cholesky(MODEL_real *a, int size)
{
    const int m = MODEL_NR;
    MODEL_real smallest = 1;
    for (int j = 0; j < size; ++j) {
        MODEL_real square = a[j * m + j];
        for (int k = 0; k < j; ++k) square -= a[j * m + k] * a[j * m + k];
        if (!(square > 0)) return 0;
        const MODEL_real pivot = MODEL_SQRT(square);
        const MODEL_real inverse = 1 / pivot;
        if (pivot < smallest) smallest = pivot;
        a[j * m + j] = inverse;
        for (int i = j + 1; i < size; ++i) {
            MODEL_real entry = a[i * m + j];
            for (int k = 0; k < j; ++k) entry -= a[i * m + k] * a[j * m + k];
            a[i * m + j] = entry * inverse;
        }
    }
    return smallest;
}

/* x = C^-T C^-1 x. */
static void MODEL_cholesky_solve(const MODEL_real *a, int size, MODEL_real *x)
{
    const int m = MODEL_NR;
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < i; ++k) x[i] -= a[i * m + k] * x[k];
        x[i] *= a[i * m + i];
    }
    for (int i = size - 1; i >= 0; --i) {
        for (int k = i + 1; k < size; ++k) x[i] -= a[k * m + i] * x[k];
        x[i] *= a[i * m + i];
    }
}

/* R of A P = Q R by Householder's reflections with column pivoting, in the upper part of a (NV x NR); the rank. */
static int MODEL_triangularise(MODEL_real *a, int *order)
{
    const int n = MODEL_NV, m = MODEL_NR;
    MODEL_real first = 0;
    for (int j = 0; j < m; ++j) order[j] = j;
    for (int k = 0; k < m; ++k) {
        int chosen = k;
        MODEL_real largest = 0;
        for (int j = k; j < m; ++j) {
            MODEL_real square = 0;
            for (int i = k; i < n; ++i) square += a[i * m + j] * a[i * m + j];
            if (square > largest) {
                largest = square;
                chosen = j;
            }
        }
        MODEL_real norm = MODEL_SQRT(largest);
        if (k == 0) first = norm;
        if (!(norm > MODEL_DEPENDENT * first)) return k;
        const int moved = order[k];
        order[k] = order[chosen];
        order[chosen] = moved;
        for (int i = 0; i < n; ++i) {
            const MODEL_real entry = a[i * m + k];
            a[i * m + k] = a[i * m + chosen];
            a[i * m + chosen] = entry;
        }
        if (a[k * m + k] > 0) norm = -norm;
        const MODEL_real head = a[k * m + k] - norm;
        for (int j = k + 1; j < m; ++j) {
            MODEL_real product = head * a[k * m + j];
            for (int i = k + 1; i < n; ++i) product += a[i * m + k] * a[i * m + j];
            product /= -norm * head;
            a[k * m + j] -= product * head;
            for (int i = k + 1; i < n; ++i) a[i * m + j] -= product * a[i * m + k];
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
        for (int k = i + 1; k < rank; ++k) x[i * stride] -= a[i * m + k] * x[k * stride];
        x[i * stride] /= a[i * m + i];
    }
}

/* Factors the rows: J M^-1 J^T where it is regular, else D^-1/2 Y, which does not square what is small. */
static void MODEL_factor(MODEL_rows *rows)
{
    const int n = MODEL_NV, m = MODEL_NR;
    MODEL_real *a = rows->delassus, *r = rows->weighted;
    for (int i = 0; i < m; ++i) rows->scale[i] = a[i * m + i] > 0 ? 1 / MODEL_SQRT(a[i * m + i]) : 0;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < i; ++j) a[i * m + j] *= rows->scale[i] * rows->scale[j];
        a[i * m + i] = rows->scale[i] > 0 ? 1 : 0;
    }
    rows->rank = m;
    rows->pivot = MODEL_cholesky(a, m);
    rows->regular = rows->pivot > MODEL_REGULAR;
    if (rows->regular) return;
    for (int i = 0; i < n; ++i) {
        const MODEL_real root = MODEL_SQRT(MODEL_ABS(rows->inverses[i]));
        for (int j = 0; j < m; ++j) r[i * m + j] *= root * rows->scale[j];
    }
    rows->rank = MODEL_triangularise(r, rows->order);
    rows->pivot = rows->rank == m ? MODEL_ABS(r[m * m - 1] / r[0]) : 0;
    /* Columns without a pivot are those before them times K. */
    const int rank = rows->rank, left = m - rank;
    for (int j = rank; j < m; ++j) MODEL_back_substitute(r, rank, r + j, m);
    for (int i = 0; i < left; ++i) {
        for (int j = 0; j <= i; ++j) {
            a[i * m + j] = i == j ? 1 : 0;
            for (int k = 0; k < rank; ++k) a[i * m + j] += r[k * m + rank + i] * r[k * m + rank + j];
        }
    }
    (void)MODEL_cholesky(a, left);
}

/* Takes from x (in the columns' order) what no motion of the rows answers to: its part along [-K; I]. */
static void MODEL_remove_unanswered(const MODEL_rows *rows, MODEL_real *x)
{
    const int m = MODEL_NR, rank = rows->rank, left = m - rank;
    const MODEL_real *r = rows->weighted;
    MODEL_real part[MODEL_NR];
    for (int j = 0; j < left; ++j) {
        part[j] = x[rank + j];
        for (int k = 0; k < rank; ++k) part[j] -= r[k * m + rank + j] * x[k];
    }
    MODEL_cholesky_solve(rows->delassus, left, part);
    for (int j = 0; j < left; ++j) {
        x[rank + j] -= part[j];
        for (int k = 0; k < rank; ++k) x[k] += r[k * m + rank + j] * part[j];
    }
}

/* x = (J M^-1 J^T)^+ x: the solution of least norm at equal size of the rows. */
static void MODEL_solve(const MODEL_rows *rows, MODEL_real *x)
{
    const int m = MODEL_NR, rank = rows->rank;
    const MODEL_real *r = rows->weighted;
    for (int i = 0; i < m; ++i) x[i] *= rows->scale[i];
    if (rows->regular) {
        MODEL_cholesky_solve(rows->delassus, m, x);
    } else {
        MODEL_real y[MODEL_NR];
        for (int i = 0; i < m; ++i) y[i] = x[rows->order[i]];
        MODEL_remove_unanswered(rows, y);
        /* Compilers cannot know that m bounds the rank. */
        for (int i = 0; i < m && i < rank; ++i) {
            for (int k = 0; k < i; ++k) y[i] -= r[k * m + i] * y[k];
            y[i] /= r[i * m + i];
        }
        MODEL_back_substitute(r, rank, y, 1);
        for (int i = rank; i < m; ++i) y[i] = 0;
        MODEL_remove_unanswered(rows, y);
        for (int i = 0; i < m; ++i) x[rows->order[i]] = y[i];
    }
    for (int i = 0; i < m; ++i) x[i] *= rows->scale[i];
}

static MODEL_real MODEL_largest(const MODEL_real *x)
{
    MODEL_real largest = 0;
    for (int i = 0; i < MODEL_NR; ++i) {
        const MODEL_real size = MODEL_ABS(x[i]);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

void MODEL_project_position_status(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], MODEL_real closed[restrict MODEL_NQ], MODEL_real status[restrict 3])
{
    MODEL_rows rows;
    MODEL_real gap[MODEL_NR], jacobian[MODEL_NR * MODEL_NV], motion[MODEL_NV], moved[MODEL_NQ];
    int steps = 0;
    for (int k = 0; k < MODEL_NQ; ++k) closed[k] = q[k];
    MODEL_constraint_residual(MODEL_ACTUAL closed, gap);
    MODEL_real here = MODEL_largest(gap);
    while (here > MODEL_ENOUGH && steps < MODEL_ITERATIONS) {
        MODEL_position_correction(
            MODEL_ACTUAL closed, jacobian, rows.response, rows.delassus, rows.weighted, rows.inverses);
        MODEL_factor(&rows);
        MODEL_solve(&rows, gap);
        for (int k = 0; k < MODEL_NV; ++k) {
            motion[k] = 0;
            for (int j = 0; j < MODEL_NR; ++j) motion[k] -= rows.response[k * MODEL_NR + j] * gap[j];
        }
        MODEL_moved_position(MODEL_ACTUAL closed, motion, moved);
        MODEL_constraint_residual(MODEL_ACTUAL moved, gap);
        const MODEL_real there = MODEL_largest(gap);
        ++steps;
        if (!(there < here)) break;
        for (int k = 0; k < MODEL_NQ; ++k) closed[k] = moved[k];
        here = there;
    }
    status[0] = here <= MODEL_ACCEPTED ? (MODEL_real)1 : (MODEL_real)0;
    status[1] = here;
    status[2] = (MODEL_real)steps;
}

void MODEL_project_position(MODEL_FORMAL const MODEL_real q[MODEL_NQ], MODEL_real closed[restrict MODEL_NQ])
{
    MODEL_real status[3];
    MODEL_project_position_status(MODEL_ACTUAL q, closed, status);
}

void MODEL_project_velocity(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], MODEL_real consistent[restrict MODEL_NV])
{
    MODEL_rows rows;
    MODEL_real rate[MODEL_NR], jacobian[MODEL_NR * MODEL_NV];
    for (int k = 0; k < MODEL_NV; ++k) consistent[k] = v[k];
    MODEL_velocity_correction(MODEL_ACTUAL q, jacobian, rows.response, rows.delassus, rows.weighted, rows.inverses);
    MODEL_factor(&rows);
    /* The second time removes what round-off left. */
    for (int time = 0; time < 2; ++time) {
        for (int i = 0; i < MODEL_NR; ++i) {
            rate[i] = 0;
            for (int k = 0; k < MODEL_NV; ++k) rate[i] += jacobian[i * MODEL_NV + k] * consistent[k];
        }
        MODEL_solve(&rows, rate);
        for (int k = 0; k < MODEL_NV; ++k) {
            for (int j = 0; j < MODEL_NR; ++j) consistent[k] -= rows.response[k * MODEL_NR + j] * rate[j];
        }
    }
}

static void MODEL_loop_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    const MODEL_real *gains, MODEL_real *restrict vdot, MODEL_real *restrict lambda, MODEL_real *restrict status)
{
    MODEL_rows rows;
    MODEL_constrained_terms(
        MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL vdot, rows.response, rows.delassus, lambda, rows.weighted,
        rows.inverses);
    if (gains) {
        MODEL_real residual[MODEL_NR], jacobian[MODEL_NR * MODEL_NV];
        MODEL_constraint_residual(MODEL_ACTUAL q, residual);
        MODEL_constraint_jacobian(MODEL_ACTUAL q, jacobian);
        for (int i = 0; i < MODEL_NR; ++i) {
            MODEL_real rate = 0;
            for (int k = 0; k < MODEL_NV; ++k) rate += jacobian[i * MODEL_NV + k] * v[k];
            lambda[i] -= 2 * gains[0] * rate + gains[1] * gains[1] * residual[i];
        }
    }
    MODEL_factor(&rows);
    MODEL_solve(&rows, lambda);
    for (int k = 0; k < MODEL_NV; ++k) {
        for (int j = 0; j < MODEL_NR; ++j) vdot[k] += rows.response[k * MODEL_NR + j] * lambda[j];
    }
    status[0] = (MODEL_real)rows.rank;
    status[1] = rows.pivot;
}

void MODEL_constrained_dynamics_status(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR], MODEL_real status[restrict 2])
{
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
}

void MODEL_constrained_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR])
{
    MODEL_real status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
}

void MODEL_stabilised_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    const MODEL_real gains[2], MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR])
{
    MODEL_real status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL gains, vdot, lambda, status);
}

void MODEL_forward_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real vdot[restrict MODEL_NV])
{
    MODEL_real lambda[MODEL_NR], status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
}

void MODEL_joint_wrenches(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real wrenches[restrict 6 * MODEL_NJ])
{
    MODEL_real vdot[MODEL_NV], lambda[MODEL_NR], status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
    MODEL_constrained_wrenches(MODEL_ACTUAL q, v, vdot, lambda, MODEL_EXTRA_ACTUAL wrenches);
}
