#include <stdio.h>

#include "arm.h"

/* The torques that hold the arm level. */
int main(void)
{
    const double q[arm_NQ] = {0}, v[arm_NV] = {0}, vdot[arm_NV] = {0};
    double tau[arm_NV];

    arm_inverse_dynamics(q, v, vdot, tau);
    printf("%.4f %.4f\n", tau[0], tau[1]);
    return 0;
}
