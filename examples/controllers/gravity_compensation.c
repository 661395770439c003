#include "controllers.h"
#include "limit.h"

void gravity_compensation(
    const ur5_parameters *tool,
    const ur5_real q[ur5_NQ],
    const ur5_real v[ur5_NV],
    ur5_real damping,
    ur5_real tau[ur5_NV])
{
    ur5_gravity_force(tool, q, tau);
    for (int k = 0; k < ur5_NV; ++k) {
        tau[k] = within(tau[k] - damping * v[k], ur5_tau_limit[k]);
    }
}
