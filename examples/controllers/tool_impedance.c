#include "controllers.h"
#include "limit.h"

/* The tool's displacement from its target in the tool's axes: half the axis of R_t^T R - R^T R_t, and R^T (p - p_t). */
static void displacement(const tool_target *target, const ur5_real pose[16], ur5_real x[6])
{
    ur5_real turn[9]; /* R_t^T R, row-major */
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            turn[3 * i + j] = (ur5_real)0;
            for (int k = 0; k < 3; ++k) {
                turn[3 * i + j] += target->rotation[3 * k + i] * pose[4 * k + j];
            }
        }
    }
    x[0] = (turn[7] - turn[5]) * (ur5_real)0.5;
    x[1] = (turn[2] - turn[6]) * (ur5_real)0.5;
    x[2] = (turn[3] - turn[1]) * (ur5_real)0.5;
    for (int i = 0; i < 3; ++i) {
        x[3 + i] = (ur5_real)0;
        for (int k = 0; k < 3; ++k) {
            x[3 + i] += pose[4 * k + i] * (pose[4 * k + 3] - target->position[k]);
        }
    }
}

void tool_impedance(
    const ur5_parameters *tool,
    const tool_target *target,
    const ur5_real q[ur5_NQ],
    const ur5_real v[ur5_NV],
    ur5_real tau[ur5_NV])
{
    ur5_real pose[16];
    ur5_real twist[6];
    ur5_real jacobian[6 * ur5_NV];
    ur5_real x[6];
    ur5_frame_pose(tool, q, pose);
    ur5_frame_velocity(tool, q, v, twist);
    ur5_frame_jacobian(tool, q, jacobian);
    ur5_gravity_force(tool, q, tau);
    displacement(target, pose, x);
    for (int i = 0; i < 6; ++i) {
        const ur5_real pull = -target->stiffness[i] * x[i] - target->damping[i] * twist[i];
        for (int k = 0; k < ur5_NV; ++k) {
            tau[k] += jacobian[i * ur5_NV + k] * pull;
        }
    }
    for (int k = 0; k < ur5_NV; ++k) {
        tau[k] = within(tau[k], ur5_tau_limit[k]);
    }
}
