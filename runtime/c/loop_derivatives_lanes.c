/* Closed loops, several states side by side: derivatives of the motion that the solver of regular rows finds. */
/* mbsym: copied from here */
/* From free changes of vdot and what they leave in the rows to changes of vdot and lambda, a column each. */
static void MODEL_lanes_hold_closed(
    const MODEL_lanes_rows *restrict rows, MODEL_lanes *restrict vdot, MODEL_lanes *restrict lambda)
{
    const int n = MODEL_NV;
    MODEL_lanes pull[MODEL_NR];
    MODEL_lanes motion[MODEL_NV];
    for (int column = 0; column < n; ++column) {
        for (int i = 0; i < MODEL_NR; ++i) {
            pull[i] = lambda[i * n + column];
        }
        for (int k = 0; k < n; ++k) {
            motion[k] = vdot[k * n + column];
        }
        MODEL_lanes_solve(rows, pull);
        MODEL_lanes_respond(rows, (MODEL_real)1, pull, motion);
        for (int i = 0; i < MODEL_NR; ++i) {
            lambda[i * n + column] = pull[i];
        }
        for (int k = 0; k < n; ++k) {
            vdot[k * n + column] = motion[k];
        }
    }
}

static MODEL_lanes MODEL_constrained_dynamics_derivatives_lanes(
    MODEL_FORMAL const MODEL_lanes q[MODEL_NQ], const MODEL_lanes v[MODEL_NV], const MODEL_lanes tau[MODEL_NV],
    MODEL_EXTRA_FORMAL
    MODEL_lanes dvdot_dq[restrict MODEL_NV * MODEL_NV], MODEL_lanes dvdot_dv[restrict MODEL_NV * MODEL_NV],
    MODEL_lanes dvdot_dtau[restrict MODEL_NV * MODEL_NV], MODEL_lanes dlambda_dq[restrict MODEL_NR * MODEL_NV],
    MODEL_lanes dlambda_dv[restrict MODEL_NR * MODEL_NV], MODEL_lanes dlambda_dtau[restrict MODEL_NR * MODEL_NV])
{
    MODEL_lanes_rows rows;
    MODEL_lanes vdot[MODEL_NV];
    MODEL_lanes lambda[MODEL_NR];
    const MODEL_lanes_mask sound =
        MODEL_lanes_dynamics(MODEL_ACTUAL q, v, tau, MODEL_EXTRA_ACTUAL NULL, vdot, lambda, &rows);
    MODEL_constrained_derivative_terms_lanes(
        MODEL_ACTUAL q, v, vdot, lambda, MODEL_EXTRA_ACTUAL dvdot_dq, dlambda_dq, dvdot_dv, dlambda_dv, dvdot_dtau);
    for (int i = 0; i < MODEL_NR; ++i) {
        for (int k = 0; k < MODEL_NV; ++k) {
            dlambda_dtau[i * MODEL_NV + k] = -rows.response[k * MODEL_NR + i];
        }
    }
    MODEL_lanes_hold_closed(&rows, dvdot_dq, dlambda_dq);
    MODEL_lanes_hold_closed(&rows, dvdot_dv, dlambda_dv);
    MODEL_lanes_hold_closed(&rows, dvdot_dtau, dlambda_dtau);
    return MODEL_lanes_ones(sound);
}
