/* Closed loops, several states side by side: where rows are regular; the functions of loops.c do the other states. */
/* mbsym: copied from here */
/* What a comparison gives, lane by lane. */
#if MODEL_LANES > 1
typedef __typeof__((MODEL_lanes){0} < (MODEL_lanes){0}) MODEL_lanes_mask;
#else
typedef int MODEL_lanes_mask;
#endif

/* In each lane a where the mask holds, else b. */
static inline MODEL_lanes MODEL_lanes_chosen(MODEL_lanes_mask mask, MODEL_lanes a, MODEL_lanes b)
{
#if MODEL_LANES > 1
    return (MODEL_lanes)(((MODEL_lanes_mask)a & mask) | ((MODEL_lanes_mask)b & ~mask));
#else
    return mask ? a : b;
#endif
}

static inline MODEL_lanes_mask MODEL_lanes_not(MODEL_lanes_mask mask)
{
#if MODEL_LANES > 1
    return ~mask;
#else
    return !mask;
#endif
}

/* One in each lane in which the mask holds, else zero. */
static inline MODEL_lanes MODEL_lanes_ones(MODEL_lanes_mask mask)
{
    return MODEL_lanes_chosen(mask, MODEL_ALL((MODEL_real)1), MODEL_ALL((MODEL_real)0));
}

static inline bool MODEL_lanes_any(MODEL_lanes_mask mask)
{
    const MODEL_lanes ones = MODEL_lanes_ones(mask);
    bool any = false;
    for (int lane = 0; lane < MODEL_LANES; ++lane) {
        any = any || ((const MODEL_real *)&ones)[lane] > (MODEL_real)0;
    }
    return any;
}

static inline MODEL_lanes MODEL_lanes_size(MODEL_lanes x)
{
    return MODEL_lanes_chosen(x < (MODEL_real)0, -x, x);
}

/* Whether all numbers of a lane are finite. */
static inline MODEL_lanes_mask MODEL_lanes_finite(const MODEL_lanes *x, int size)
{
    MODEL_lanes_mask finite = MODEL_lanes_size(x[0]) < MODEL_INFINITY;
    for (int i = 1; i < size; ++i) {
        finite &= MODEL_lanes_size(x[i]) < MODEL_INFINITY;
    }
    return finite;
}

/* The largest of a lane's residuals; infinite where one is no number. */
static inline MODEL_lanes MODEL_lanes_largest(const MODEL_lanes *x)
{
    MODEL_lanes largest = MODEL_ALL((MODEL_real)0);
    for (int i = 0; i < MODEL_NR; ++i) {
        const MODEL_lanes size = MODEL_lanes_size(x[i]);
        largest = MODEL_lanes_chosen(size <= largest, largest, size);
    }
    return MODEL_lanes_chosen(MODEL_lanes_finite(x, MODEL_NR), largest, MODEL_ALL(MODEL_INFINITY));
}

/* Up to where a residual of a lane is round-off, by what it is measured by. */
static inline MODEL_lanes MODEL_lanes_bound(MODEL_lanes size, MODEL_lanes rounding, MODEL_real part)
{
    const MODEL_lanes rounded = part * rounding;
    const MODEL_lanes most = MODEL_COARSE * size;
    return part * size + MODEL_lanes_chosen(rounded < most, rounded, most);
}

/* Whether every residual of a lane is a number within that part of what it is measured by. */
static inline MODEL_lanes_mask MODEL_lanes_within(
    const MODEL_lanes *residual, const MODEL_lanes *size, const MODEL_lanes *rounding, MODEL_real part)
{
    MODEL_lanes_mask within = MODEL_lanes_size(residual[0]) <= MODEL_lanes_bound(size[0], rounding[0], part);
    for (int i = 1; i < MODEL_NR; ++i) {
        within &= MODEL_lanes_size(residual[i]) <= MODEL_lanes_bound(size[i], rounding[i], part);
    }
    return within;
}

/* Closure rows J on the mass matrix; factoring overwrites delassus. */
typedef struct MODEL_lanes_rows {
    MODEL_lanes response[MODEL_NV * MODEL_NR]; /* M^-1 J^T */
    MODEL_lanes delassus[MODEL_NR * MODEL_NR]; /* J M^-1 J^T = C E C^T; then C below the diagonal and E C^T above */
    MODEL_lanes inverses[MODEL_NV];            /* of the factors of the mass matrix */
    MODEL_lanes own[MODEL_NR];                 /* J M^-1 J^T on its diagonal, before it is factored */
    MODEL_lanes scale[MODEL_NR];               /* E^-1 */
} MODEL_lanes_rows;

/* Factors the rows without square roots; holds where that serves. Elsewhere pivots are 1, lest a lane divide by zero. */
static MODEL_lanes_mask MODEL_lanes_factor(MODEL_lanes_rows *rows)
{
    const int m = MODEL_NR;
    MODEL_lanes *a = rows->delassus;
    const MODEL_lanes one = MODEL_ALL((MODEL_real)1);
    MODEL_lanes_mask regular = MODEL_lanes_finite(rows->inverses, MODEL_NV);
    for (int j = 0; j < m; ++j) {
        MODEL_lanes pivot = a[j * m + j];
        const MODEL_lanes least = pivot * (MODEL_REGULAR * MODEL_REGULAR);
        rows->own[j] = pivot;
        for (int k = 0; k < j; ++k) {
            pivot -= a[j * m + k] * a[k * m + j];
        }
        const MODEL_lanes_mask good = (pivot > least) & (pivot > (MODEL_real)0);
        regular &= good;
        const MODEL_lanes inverse = one / MODEL_lanes_chosen(good, pivot, one);
        rows->scale[j] = inverse;
        for (int i = j + 1; i < m; ++i) {
            MODEL_lanes entry = a[i * m + j];
            for (int k = 0; k < j; ++k) {
                entry -= a[i * m + k] * a[k * m + j];
            }
            a[j * m + i] = entry;
            a[i * m + j] = entry * inverse;
        }
    }
    return regular;
}

/* x = (J M^-1 J^T)^-1 x. */
static void MODEL_lanes_solve(const MODEL_lanes_rows *rows, MODEL_lanes *x)
{
    const int m = MODEL_NR;
    const MODEL_lanes *a = rows->delassus;
    for (int i = 1; i < m; ++i) {
        MODEL_lanes entry = x[i];
        for (int k = 0; k < i; ++k) {
            entry -= a[i * m + k] * x[k];
        }
        x[i] = entry;
    }
    for (int i = m - 1; i >= 0; --i) {
        MODEL_lanes entry = x[i] * rows->scale[i];
        for (int k = i + 1; k < m; ++k) {
            entry -= a[k * m + i] * x[k];
        }
        x[i] = entry;
    }
}

/* The smallest pivot of a regular lane at equal size of its rows. */
static inline MODEL_lanes MODEL_lanes_pivot(const MODEL_lanes_rows *rows)
{
    const MODEL_lanes one = MODEL_ALL((MODEL_real)1);
    MODEL_lanes largest = one;
    for (int i = 0; i < MODEL_NR; ++i) {
        const MODEL_lanes inverse = rows->own[i] * rows->scale[i];
        largest = MODEL_lanes_chosen(inverse > largest, inverse, largest);
    }
    return MODEL_lanes_sqrt(one / largest);
}

/* x = x + factor M^-1 J^T y. */
static inline void MODEL_lanes_respond(
    const MODEL_lanes_rows *rows, MODEL_real factor, const MODEL_lanes *y, MODEL_lanes *x)
{
    for (int k = 0; k < MODEL_NV; ++k) {
        MODEL_lanes answer = rows->response[k * MODEL_NR] * y[0];
        for (int j = 1; j < MODEL_NR; ++j) {
            answer += rows->response[k * MODEL_NR + j] * y[j];
        }
        x[k] += factor * answer;
    }
}

/* Newton steps of all lanes at once. A lane that has come to rest keeps what it has while others go on. */
static MODEL_lanes MODEL_project_position_report_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], MODEL_lanes q_closed[restrict MODEL_NQ], MODEL_lanes gap[restrict 1],
    int steps[restrict MODEL_LANES])
{
    MODEL_lanes_rows rows;
    MODEL_lanes size[MODEL_NR];
    MODEL_lanes rounding[MODEL_NR];
    MODEL_lanes residual[MODEL_NR];
    MODEL_lanes there[MODEL_NR];
    MODEL_lanes motion[MODEL_NV];
    MODEL_lanes moved[MODEL_NQ];
    MODEL_lanes taken = MODEL_ALL((MODEL_real)0);
    for (int k = 0; k < MODEL_NQ; ++k) {
        q_closed[k] = q[k];
    }
    MODEL_constraint_residual_lanes(MODEL_ACTUAL q_closed, residual);
    MODEL_closure_scale_lanes(MODEL_ACTUAL q_closed, size, rounding);
    MODEL_lanes smallest = MODEL_lanes_largest(residual);
    MODEL_lanes_mask sound = MODEL_lanes_finite(residual, MODEL_NR);
    MODEL_lanes_mask busy = sound & MODEL_lanes_not(MODEL_lanes_within(residual, size, rounding, MODEL_ENOUGH));
    for (int step = 0; step < MODEL_ITERATIONS && MODEL_lanes_any(busy); ++step) {
        MODEL_position_correction_brief(MODEL_ACTUAL q_closed, rows.response, rows.delassus, rows.inverses);
        const MODEL_lanes_mask regular = MODEL_lanes_factor(&rows);
        for (int i = 0; i < MODEL_NR; ++i) {
            there[i] = residual[i];
        }
        MODEL_lanes_solve(&rows, there);
        for (int k = 0; k < MODEL_NV; ++k) {
            motion[k] = MODEL_ALL((MODEL_real)0);
        }
        MODEL_lanes_respond(&rows, (MODEL_real)-1, there, motion);
        MODEL_moved_position_lanes(MODEL_ACTUAL q_closed, motion, moved);
        MODEL_constraint_residual_lanes(MODEL_ACTUAL moved, there);
        const MODEL_lanes left = MODEL_lanes_largest(there);
        /* The round-off of one row may be more than what another one is open by. */
        const MODEL_lanes_mask closer = (left < smallest) |
            (MODEL_lanes_within(there, size, rounding, MODEL_ACCEPTED) &
             MODEL_lanes_not(MODEL_lanes_within(residual, size, rounding, MODEL_ACCEPTED)));
        const MODEL_lanes_mask better = busy & regular & closer;
        taken += MODEL_lanes_ones(busy);
        sound &= regular | MODEL_lanes_not(busy);
        for (int k = 0; k < MODEL_NQ; ++k) {
            q_closed[k] = MODEL_lanes_chosen(better, moved[k], q_closed[k]);
        }
        for (int i = 0; i < MODEL_NR; ++i) {
            residual[i] = MODEL_lanes_chosen(better, there[i], residual[i]);
        }
        MODEL_closure_scale_lanes(MODEL_ACTUAL q_closed, size, rounding);
        smallest = MODEL_lanes_chosen(better, left, smallest);
        busy = better & MODEL_lanes_not(MODEL_lanes_within(residual, size, rounding, MODEL_ENOUGH));
    }
    *gap = smallest;
    for (int lane = 0; lane < MODEL_LANES; ++lane) {
        steps[lane] = (int)((const MODEL_real *)&taken)[lane];
    }
    return MODEL_lanes_ones(sound & MODEL_lanes_within(residual, size, rounding, MODEL_ACCEPTED));
}

static MODEL_lanes MODEL_project_position_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], MODEL_lanes q_closed[restrict MODEL_NQ])
{
    MODEL_lanes gap;
    int steps[MODEL_LANES];
    return MODEL_project_position_report_lanes(MODEL_ACTUAL q, q_closed, &gap, steps);
}

static MODEL_lanes MODEL_project_velocity_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], const MODEL_lanes v[MODEL_NV],
    MODEL_lanes v_consistent[restrict MODEL_NV])
{
    MODEL_lanes_rows rows;
    MODEL_lanes rate[MODEL_NR];
    MODEL_lanes jacobian[MODEL_NR * MODEL_NV];
    for (int k = 0; k < MODEL_NV; ++k) {
        v_consistent[k] = v[k];
    }
    MODEL_velocity_correction_brief(MODEL_ACTUAL q, jacobian, rows.response, rows.delassus, rows.inverses);
    const MODEL_lanes_mask sound = MODEL_lanes_factor(&rows);
    /* The second time removes what round-off left. */
    for (int time = 0; time < 2; ++time) {
        for (int i = 0; i < MODEL_NR; ++i) {
            rate[i] = jacobian[i * MODEL_NV] * v_consistent[0];
            for (int k = 1; k < MODEL_NV; ++k) {
                rate[i] += jacobian[i * MODEL_NV + k] * v_consistent[k];
            }
        }
        MODEL_lanes_solve(&rows, rate);
        MODEL_lanes_respond(&rows, (MODEL_real)-1, rate, v_consistent);
    }
    return MODEL_lanes_ones(sound);
}

static MODEL_lanes_mask MODEL_lanes_dynamics(
    MODEL_FORMAL const MODEL_lanes *q, const MODEL_lanes *v, const MODEL_lanes *tau, MODEL_EXTRA_FORMAL
    const MODEL_lanes *gains, MODEL_lanes *restrict vdot, MODEL_lanes *restrict lambda, MODEL_lanes_rows *restrict rows)
{
    MODEL_constrained_terms_brief(
        MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL vdot, rows->response, rows->delassus, lambda, rows->inverses);
    if (gains != NULL) {
        MODEL_lanes residual[MODEL_NR];
        MODEL_lanes jacobian[MODEL_NR * MODEL_NV];
        MODEL_constraint_residual_lanes(MODEL_ACTUAL q, residual);
        MODEL_constraint_jacobian_lanes(MODEL_ACTUAL q, jacobian);
        for (int i = 0; i < MODEL_NR; ++i) {
            MODEL_lanes rate = jacobian[i * MODEL_NV] * v[0];
            for (int k = 1; k < MODEL_NV; ++k) {
                rate += jacobian[i * MODEL_NV + k] * v[k];
            }
            lambda[i] -= (MODEL_real)2 * gains[0] * rate + gains[1] * gains[1] * residual[i];
        }
    }
    const MODEL_lanes_mask sound = MODEL_lanes_factor(rows);
    MODEL_lanes_solve(rows, lambda);
    MODEL_lanes_respond(rows, (MODEL_real)1, lambda, vdot);
    return sound & MODEL_lanes_finite(vdot, MODEL_NV) & MODEL_lanes_finite(lambda, MODEL_NR);
}

static MODEL_lanes MODEL_constrained_dynamics_report_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], const MODEL_lanes v[MODEL_NV], const MODEL_lanes tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_lanes vdot[restrict MODEL_NV], MODEL_lanes lambda[restrict MODEL_NR], int rank[restrict MODEL_LANES],
    MODEL_lanes pivot[restrict 1])
{
    MODEL_lanes_rows rows;
    const MODEL_lanes_mask sound =
        MODEL_lanes_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
    for (int lane = 0; lane < MODEL_LANES; ++lane) {
        rank[lane] = MODEL_NR;
    }
    *pivot = MODEL_lanes_pivot(&rows);
    return MODEL_lanes_ones(sound);
}

static MODEL_lanes MODEL_constrained_dynamics_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], const MODEL_lanes v[MODEL_NV], const MODEL_lanes tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_lanes vdot[restrict MODEL_NV], MODEL_lanes lambda[restrict MODEL_NR])
{
    MODEL_lanes_rows rows;
    return MODEL_lanes_ones(
        MODEL_lanes_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows));
}

static MODEL_lanes MODEL_stabilised_dynamics_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], const MODEL_lanes v[MODEL_NV], const MODEL_lanes tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    const MODEL_lanes gains[2], MODEL_lanes vdot[restrict MODEL_NV], MODEL_lanes lambda[restrict MODEL_NR])
{
    MODEL_lanes_rows rows;
    return MODEL_lanes_ones(
        MODEL_lanes_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL gains, vdot, lambda, &rows));
}

static MODEL_lanes MODEL_forward_dynamics_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], const MODEL_lanes v[MODEL_NV], const MODEL_lanes tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_lanes vdot[restrict MODEL_NV])
{
    MODEL_lanes_rows rows;
    MODEL_lanes lambda[MODEL_NR];
    return MODEL_lanes_ones(
        MODEL_lanes_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows));
}

static MODEL_lanes MODEL_joint_wrenches_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], const MODEL_lanes v[MODEL_NV], const MODEL_lanes tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_lanes wrenches[restrict 6 * MODEL_NJ])
{
    MODEL_lanes_rows rows;
    MODEL_lanes vdot[MODEL_NV];
    MODEL_lanes lambda[MODEL_NR];
    const MODEL_lanes_mask sound =
        MODEL_lanes_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
    MODEL_constrained_wrenches_lanes(MODEL_ACTUAL q, v, vdot, lambda, MODEL_EXTRA_ACTUAL wrenches);
    return MODEL_lanes_ones(sound);
}
