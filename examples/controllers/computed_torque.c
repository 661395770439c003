#include "controllers.h"
#include "limit.h"

#include <math.h>

void computed_torque(
    const ur5_parameters *tool,
    const friction_model *friction,
    const joint_target *target,
    ur5_real bandwidth,
    const ur5_real q[ur5_NQ],
    const ur5_real v[ur5_NV],
    ur5_real tau[ur5_NV])
{
    ur5_real vdot[ur5_NV];
    for (int k = 0; k < ur5_NV; ++k) {
        const ur5_real slow = target->v[k] - v[k];
        const ur5_real behind = target->q[k] - q[k];
        vdot[k] = target->vdot[k] + bandwidth * ((ur5_real)2 * slow + bandwidth * behind);
    }
    ur5_inverse_dynamics(tool, q, v, vdot, tau);
    for (int k = 0; k < ur5_NV; ++k) {
        /* Of the wanted speed, which does not chatter as a measured one does near rest. */
        const ur5_real dry = friction->dry[k] * tanhf(target->v[k] / friction->around);
        tau[k] = within(tau[k] + dry + friction->viscous[k] * target->v[k], ur5_tau_limit[k]);
    }
}
