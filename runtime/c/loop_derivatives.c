/* Closed loops: derivatives of the motion that the solver finds, with the factors that it leaves. */
/* mbsym: copied from here */
enum {
    MODEL_SQUARE = MODEL_NV * MODEL_NV,
    MODEL_OBLONG = MODEL_NR * MODEL_NV
};

/* Row = row + factor times another row of a matrix with NV columns. */
static void MODEL_add_row(MODEL_real *restrict row, const MODEL_real *restrict other, MODEL_real factor)
{
    for (int column = 0; column < MODEL_NV; ++column) {
        row[column] += factor * other[column];
    }
}

static void MODEL_scale_row(MODEL_real *restrict row, MODEL_real factor)
{
    for (int column = 0; column < MODEL_NV; ++column) {
        row[column] *= factor;
    }
}

/* x = (J M^-1 J^T)^+ x for each column of x (NR x NV). */
static void MODEL_solve_columns(const MODEL_rows *restrict rows, MODEL_real *restrict x)
{
    const int m = MODEL_NR;
    const int n = MODEL_NV;
    const MODEL_real *a = rows->delassus;
    if (!rows->regular) {
        MODEL_real one[MODEL_NR];
        for (int column = 0; column < n; ++column) {
            for (int i = 0; i < m; ++i) {
                one[i] = x[i * n + column];
            }
            MODEL_solve(rows, one);
            for (int i = 0; i < m; ++i) {
                x[i * n + column] = one[i];
            }
        }
        return;
    }
    for (int i = 0; i < m; ++i) {
        MODEL_scale_row(&x[i * n], rows->scale[i]);
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < i; ++k) {
            MODEL_add_row(&x[i * n], &x[k * n], -a[i * m + k]);
        }
        MODEL_scale_row(&x[i * n], a[i * m + i]);
    }
    for (int i = m - 1; i >= 0; --i) {
        for (int k = i + 1; k < m; ++k) {
            MODEL_add_row(&x[i * n], &x[k * n], -a[k * m + i]);
        }
        MODEL_scale_row(&x[i * n], a[i * m + i]);
    }
    for (int i = 0; i < m; ++i) {
        MODEL_scale_row(&x[i * n], rows->scale[i]);
    }
}

/* From free changes of vdot and what they leave in the rows to changes of vdot and lambda, a column each. */
static void MODEL_hold_closed(
    const MODEL_rows *restrict rows, MODEL_real *restrict vdot, MODEL_real *restrict lambda)
{
    MODEL_solve_columns(rows, lambda);
    for (int k = 0; k < MODEL_NV; ++k) {
        for (int j = 0; j < MODEL_NR; ++j) {
            MODEL_add_row(&vdot[k * MODEL_NV], &lambda[j * MODEL_NV], rows->response[k * MODEL_NR + j]);
        }
    }
}

int MODEL_constrained_dynamics_derivatives(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_real dvdot_dq[restrict MODEL_NV * MODEL_NV], MODEL_real dvdot_dv[restrict MODEL_NV * MODEL_NV],
    MODEL_real dvdot_dtau[restrict MODEL_NV * MODEL_NV], MODEL_real dlambda_dq[restrict MODEL_NR * MODEL_NV],
    MODEL_real dlambda_dv[restrict MODEL_NR * MODEL_NV], MODEL_real dlambda_dtau[restrict MODEL_NR * MODEL_NV])
{
    MODEL_rows rows;
    MODEL_real vdot[MODEL_NV];
    MODEL_real lambda[MODEL_NR];
    const int status =
        MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
    MODEL_constrained_derivative_terms(
        MODEL_ACTUAL q, v, vdot, lambda, MODEL_EXTRA_ACTUAL dvdot_dq, dlambda_dq, dvdot_dv, dlambda_dv, dvdot_dtau);
    for (int i = 0; i < MODEL_NR; ++i) {
        for (int k = 0; k < MODEL_NV; ++k) {
            dlambda_dtau[i * MODEL_NV + k] = (MODEL_real)0 - rows.response[k * MODEL_NR + i];
        }
    }
    MODEL_hold_closed(&rows, dvdot_dq, dlambda_dq);
    MODEL_hold_closed(&rows, dvdot_dv, dlambda_dv);
    MODEL_hold_closed(&rows, dvdot_dtau, dlambda_dtau);
    if (status != MODEL_OK) {
        return status;
    }
    const bool motion = MODEL_finite(dvdot_dq, MODEL_SQUARE) && MODEL_finite(dvdot_dv, MODEL_SQUARE) &&
        MODEL_finite(dvdot_dtau, MODEL_SQUARE);
    const bool pull = MODEL_finite(dlambda_dq, MODEL_OBLONG) && MODEL_finite(dlambda_dv, MODEL_OBLONG) &&
        MODEL_finite(dlambda_dtau, MODEL_OBLONG);
    return motion && pull ? MODEL_OK : MODEL_NOT_FINITE;
}
