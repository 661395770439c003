/* Dense solvers of closed loops and projections onto them; names and sizes take the place of the prefix. */
/* mbsym: copied from here */
/* Closed loops: NV speeds, NR independent closure rows. */
enum { MODEL_L_N = MODEL_NV, MODEL_L_M = MODEL_NR };

static MODEL_real MODEL_loop_sqrt(MODEL_real x)
{
    return (MODEL_real)sqrt((double)x);
}

static MODEL_real MODEL_loop_abs(MODEL_real x)
{
    return x < 0 ? -x : x;
}

/* Part of the largest pivot below which a row counts as dependent. */
static MODEL_real MODEL_loop_dependent(void)
{
    return (MODEL_real)(sizeof(MODEL_real) < 8 ? 1e-5 : 1e-10);
}

/* Cholesky's factor L of a symmetric matrix of unit diagonal, in its lower half; the smallest pivot, or 0. */
static MODEL_real MODEL_loop_cholesky(MODEL_real *a, int size)
{
    const int m = MODEL_L_M;
    MODEL_real smallest = 1;
    for (int j = 0; j < size; ++j) {
        MODEL_real pivot = a[j * m + j];
        for (int k = 0; k < j; ++k) pivot -= a[j * m + k] * a[j * m + k];
        if (!(pivot > 0)) return 0;
        pivot = MODEL_loop_sqrt(pivot);
        a[j * m + j] = pivot;
        if (pivot < smallest) smallest = pivot;
        for (int i = j + 1; i < size; ++i) {
            MODEL_real entry = a[i * m + j];
            for (int k = 0; k < j; ++k) entry -= a[i * m + k] * a[j * m + k];
            a[i * m + j] = entry / pivot;
        }
    }
    return smallest;
}

/* x = L^-T L^-1 x. */
static void MODEL_loop_cholesky_solve(const MODEL_real *a, int size, MODEL_real *x)
{
    const int m = MODEL_L_M;
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < i; ++k) x[i] -= a[i * m + k] * x[k];
        x[i] /= a[i * m + i];
    }
    for (int i = size - 1; i >= 0; --i) {
        for (int k = i + 1; k < size; ++k) x[i] -= a[k * m + i] * x[k];
        x[i] /= a[i * m + i];
    }
}

/* R of A P = Q R by Householder's reflections with column pivoting, in the upper part of a (NV x NR); the rank. */
static int MODEL_loop_triangularise(MODEL_real *a, int *order)
{
    const int n = MODEL_L_N, m = MODEL_L_M;
    const int steps = m < n ? m : n;
    MODEL_real first = 0;
    for (int j = 0; j < m; ++j) order[j] = j;
    for (int k = 0; k < steps; ++k) {
        int chosen = k;
        MODEL_real largest = -1;
        for (int j = k; j < m; ++j) {
            MODEL_real square = 0;
            for (int i = k; i < n; ++i) square += a[i * m + j] * a[i * m + j];
            if (square > largest) {
                largest = square;
                chosen = j;
            }
        }
        MODEL_real norm = MODEL_loop_sqrt(largest);
        if (k == 0) first = norm;
        if (!(norm > MODEL_loop_dependent() * first)) return k;
        if (chosen != k) {
            const int moved = order[k];
            order[k] = order[chosen];
            order[chosen] = moved;
            for (int i = 0; i < n; ++i) {
                const MODEL_real entry = a[i * m + k];
                a[i * m + k] = a[i * m + chosen];
                a[i * m + chosen] = entry;
            }
        }
        if (a[k * m + k] > 0) norm = -norm;
        const MODEL_real head = a[k * m + k] - norm;
        const MODEL_real scale = -norm * head;
        for (int j = k + 1; j < m && scale > 0; ++j) {
            MODEL_real product = head * a[k * m + j];
            for (int i = k + 1; i < n; ++i) product += a[i * m + k] * a[i * m + j];
            product /= scale;
            a[k * m + j] -= product * head;
            for (int i = k + 1; i < n; ++i) a[i * m + j] -= product * a[i * m + k];
        }
        a[k * m + k] = norm;
    }
    return steps;
}

/* x of least norm with R^T R x = x, R the first rank rows of a, columns in the given order. */
static void MODEL_loop_least_norm(const MODEL_real *a, const int *order, int rank, MODEL_real *x)
{
    const int m = MODEL_L_M;
    MODEL_real y[MODEL_L_M], z[MODEL_L_M];
    for (int i = 0; i < m; ++i) y[i] = x[order[i]];
    if (rank == m) {
        for (int i = 0; i < m; ++i) {
            for (int k = 0; k < i; ++k) y[i] -= a[k * m + i] * y[k];
            y[i] /= a[i * m + i];
        }
        for (int i = m - 1; i >= 0; --i) {
            for (int k = i + 1; k < m; ++k) y[i] -= a[i * m + k] * y[k];
            y[i] /= a[i * m + i];
        }
    } else {
        /* R^T (R R^T)^-2 R; what was dropped does not spoil R R^T, whose pivots are large. */
        MODEL_real gram[MODEL_L_M * MODEL_L_M];
        for (int i = 0; i < rank; ++i) {
            z[i] = 0;
            for (int k = i; k < m; ++k) z[i] += a[i * m + k] * y[k];
            for (int j = 0; j <= i; ++j) {
                gram[i * m + j] = 0;
                for (int k = i; k < m; ++k) gram[i * m + j] += a[i * m + k] * a[j * m + k];
            }
        }
        (void)MODEL_loop_cholesky(gram, rank);
        MODEL_loop_cholesky_solve(gram, rank, z);
        MODEL_loop_cholesky_solve(gram, rank, z);
        for (int i = 0; i < m; ++i) {
            y[i] = 0;
            for (int k = 0; k < rank && k <= i; ++k) y[i] += a[k * m + i] * z[k];
        }
    }
    for (int i = 0; i < m; ++i) x[order[i]] = y[i];
}

/* lambda of delassus lambda = lambda; status = (rank, smallest pivot). Rows are brought to equal size first. */
static void MODEL_loop_multipliers(
    MODEL_real *delassus, const MODEL_real *weighted, const MODEL_real *inverses, MODEL_real *lambda, MODEL_real *status)
{
    const int n = MODEL_L_N, m = MODEL_L_M;
    MODEL_real scale[MODEL_L_M];
    for (int i = 0; i < m; ++i) {
        const MODEL_real size = delassus[i * m + i];
        scale[i] = size > 0 ? 1 / MODEL_loop_sqrt(size) : 0;
        lambda[i] *= scale[i];
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) delassus[i * m + j] *= scale[i] * scale[j];
    }
    MODEL_real pivot = MODEL_loop_cholesky(delassus, m);
    status[0] = (MODEL_real)m;
    status[1] = pivot;
    if (pivot > (MODEL_real)1e-3) {
        MODEL_loop_cholesky_solve(delassus, m, lambda);
    } else {
        /* Near a singular configuration: without squaring what is small. */
        MODEL_real a[MODEL_L_N * MODEL_L_M];
        int order[MODEL_L_M];
        for (int i = 0; i < n; ++i) {
            const MODEL_real root = MODEL_loop_sqrt(MODEL_loop_abs(inverses[i]));
            for (int j = 0; j < m; ++j) a[i * m + j] = root * weighted[i * m + j] * scale[j];
        }
        const int rank = MODEL_loop_triangularise(a, order);
        status[0] = (MODEL_real)rank;
        status[1] = rank == m ? MODEL_loop_abs(a[m * m - 1] / a[0]) : 0;
        MODEL_loop_least_norm(a, order, rank, lambda);
    }
    for (int i = 0; i < m; ++i) lambda[i] *= scale[i];
}

/* A solution of a x = x for any square matrix; rows without a pivot are left out. */
static void MODEL_loop_any_solution(MODEL_real *a, MODEL_real *x)
{
    const int m = MODEL_L_M;
    int order[MODEL_L_M], rank = m;
    MODEL_real first = 0;
    for (int j = 0; j < m; ++j) order[j] = j;
    for (int k = 0; k < m; ++k) {
        int row = k, column = k;
        MODEL_real largest = 0;
        for (int i = k; i < m; ++i) {
            for (int j = k; j < m; ++j) {
                const MODEL_real size = MODEL_loop_abs(a[i * m + j]);
                if (size > largest) {
                    largest = size;
                    row = i;
                    column = j;
                }
            }
        }
        if (k == 0) first = largest;
        if (!(largest > MODEL_loop_dependent() * (MODEL_real)1e-2 * first)) {
            rank = k;
            break;
        }
        const int moved = order[k];
        order[k] = order[column];
        order[column] = moved;
        for (int i = 0; i < m; ++i) {
            const MODEL_real entry = a[i * m + k];
            a[i * m + k] = a[i * m + column];
            a[i * m + column] = entry;
        }
        for (int j = 0; j < m; ++j) {
            const MODEL_real entry = a[k * m + j];
            a[k * m + j] = a[row * m + j];
            a[row * m + j] = entry;
        }
        const MODEL_real right = x[k];
        x[k] = x[row];
        x[row] = right;
        for (int i = k + 1; i < m; ++i) {
            const MODEL_real factor = a[i * m + k] / a[k * m + k];
            for (int j = k; j < m; ++j) a[i * m + j] -= factor * a[k * m + j];
            x[i] -= factor * x[k];
        }
    }
    MODEL_real y[MODEL_L_M];
    for (int i = m - 1; i >= 0; --i) {
        y[i] = 0;
        if (i >= rank) continue;
        y[i] = x[i];
        for (int j = i + 1; j < rank; ++j) y[i] -= a[i * m + j] * y[j];
        y[i] /= a[i * m + i];
    }
    for (int i = 0; i < m; ++i) x[order[i]] = y[i];
}

/* Least motion in the metric of M with rows * motion = -gap; gap is spoilt. */
static void MODEL_loop_step(const MODEL_real *rows, const MODEL_real *response, MODEL_real *gap, MODEL_real *motion)
{
    const int n = MODEL_L_N, m = MODEL_L_M;
    MODEL_real a[MODEL_L_M * MODEL_L_M];
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            a[i * m + j] = 0;
            for (int k = 0; k < n; ++k) a[i * m + j] += rows[i * n + k] * response[k * m + j];
        }
    }
    MODEL_loop_any_solution(a, gap);
    for (int k = 0; k < n; ++k) {
        motion[k] = 0;
        for (int j = 0; j < m; ++j) motion[k] -= response[k * m + j] * gap[j];
    }
}

static MODEL_real MODEL_loop_largest(const MODEL_real *x)
{
    MODEL_real largest = 0;
    for (int i = 0; i < MODEL_L_M; ++i) {
        const MODEL_real size = MODEL_loop_abs(x[i]);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

void MODEL_project_position_status(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], MODEL_real closed[restrict MODEL_NQ], MODEL_real status[restrict 3])
{
    MODEL_real residual[MODEL_L_M], rows[MODEL_L_M * MODEL_L_N], jacobian[MODEL_L_M * MODEL_L_N];
    MODEL_real response[MODEL_L_N * MODEL_L_M], motion[MODEL_L_N], moved[MODEL_NQ];
    const MODEL_real enough = (MODEL_real)(sizeof(MODEL_real) < 8 ? 1e-6 : 1e-14);
    int count = 0;
    for (int k = 0; k < MODEL_NQ; ++k) closed[k] = q[k];
    MODEL_constraint_correction(MODEL_ACTUAL closed, residual, rows, jacobian, response);
    MODEL_real gap = MODEL_loop_largest(residual);
    while (gap > enough && count < 12) {
        MODEL_loop_step(rows, response, residual, motion);
        MODEL_moved_position(MODEL_ACTUAL closed, motion, moved);
        MODEL_constraint_correction(MODEL_ACTUAL moved, residual, rows, jacobian, response);
        const MODEL_real there = MODEL_loop_largest(residual);
        ++count;
        if (!(there < gap)) break;
        for (int k = 0; k < MODEL_NQ; ++k) closed[k] = moved[k];
        gap = there;
    }
    status[0] = gap <= 1000 * enough ? (MODEL_real)1 : (MODEL_real)0;
    status[1] = gap;
    status[2] = (MODEL_real)count;
}

void MODEL_project_position(MODEL_FORMAL const MODEL_real q[MODEL_NQ], MODEL_real closed[restrict MODEL_NQ])
{
    MODEL_real status[3];
    MODEL_project_position_status(MODEL_ACTUAL q, closed, status);
}

void MODEL_project_velocity(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], MODEL_real consistent[restrict MODEL_NV])
{
    const int n = MODEL_L_N, m = MODEL_L_M;
    MODEL_real residual[MODEL_L_M], rows[MODEL_L_M * MODEL_L_N], jacobian[MODEL_L_M * MODEL_L_N];
    MODEL_real response[MODEL_L_N * MODEL_L_M], motion[MODEL_L_N];
    for (int k = 0; k < n; ++k) consistent[k] = v[k];
    MODEL_constraint_correction(MODEL_ACTUAL q, residual, rows, jacobian, response);
    /* The second time removes what round-off left. */
    for (int time = 0; time < 2; ++time) {
        for (int i = 0; i < m; ++i) {
            residual[i] = 0;
            for (int k = 0; k < n; ++k) residual[i] += jacobian[i * n + k] * consistent[k];
        }
        MODEL_loop_step(jacobian, response, residual, motion);
        for (int k = 0; k < n; ++k) consistent[k] += motion[k];
    }
}
