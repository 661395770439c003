/* Dynamics with closed loops by the solvers of loops.c. */
/* mbsym: copied from here */
static void MODEL_loop_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_TIMED_FORMAL
    const MODEL_real *gains, MODEL_real *restrict vdot, MODEL_real *restrict lambda, MODEL_real *restrict status)
{
    MODEL_real response[MODEL_L_N * MODEL_L_M], delassus[MODEL_L_M * MODEL_L_M];
    MODEL_real weighted[MODEL_L_N * MODEL_L_M], inverses[MODEL_L_N];
    MODEL_constrained_terms(
        MODEL_ACTUAL q, v, tau, MODEL_TIMED_ACTUAL vdot, response, delassus, lambda, weighted, inverses);
    if (gains) {
        MODEL_real residual[MODEL_L_M], jacobian[MODEL_L_M * MODEL_L_N];
        MODEL_constraint_residual(MODEL_ACTUAL q, residual);
        MODEL_constraint_jacobian(MODEL_ACTUAL q, jacobian);
        for (int i = 0; i < MODEL_L_M; ++i) {
            MODEL_real rate = 0;
            for (int k = 0; k < MODEL_L_N; ++k) rate += jacobian[i * MODEL_L_N + k] * v[k];
            lambda[i] -= 2 * gains[0] * rate + gains[1] * gains[1] * residual[i];
        }
    }
    MODEL_loop_multipliers(delassus, weighted, inverses, lambda, status);
    for (int k = 0; k < MODEL_L_N; ++k) {
        for (int j = 0; j < MODEL_L_M; ++j) vdot[k] += response[k * MODEL_L_M + j] * lambda[j];
    }
}

void MODEL_constrained_dynamics_status(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_TIMED_FORMAL
    MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR], MODEL_real status[restrict 2])
{
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_TIMED_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
}

void MODEL_constrained_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_TIMED_FORMAL
    MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR])
{
    MODEL_real status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_TIMED_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
}

void MODEL_stabilised_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_TIMED_FORMAL
    const MODEL_real gains[2], MODEL_real vdot[restrict MODEL_NV], MODEL_real lambda[restrict MODEL_NR])
{
    MODEL_real status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_TIMED_ACTUAL gains, vdot, lambda, status);
}

void MODEL_forward_dynamics(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_TIMED_FORMAL
    MODEL_real vdot[restrict MODEL_NV])
{
    MODEL_real lambda[MODEL_NR], status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_TIMED_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
}

void MODEL_joint_wrenches(
    MODEL_FORMAL const MODEL_real q[MODEL_NQ], const MODEL_real v[MODEL_NV], const MODEL_real tau[MODEL_NV],
    MODEL_TIMED_FORMAL
    MODEL_real wrenches[restrict 6 * MODEL_NJ])
{
    MODEL_real vdot[MODEL_NV], lambda[MODEL_NR], status[2];
    MODEL_loop_dynamics(MODEL_ACTUAL q, v, tau, MODEL_TIMED_ACTUAL (const MODEL_real *)0, vdot, lambda, status);
    MODEL_constrained_wrenches(MODEL_ACTUAL q, v, vdot, lambda, MODEL_TIMED_ACTUAL wrenches);
}
