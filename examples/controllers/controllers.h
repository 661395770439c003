/*
 * Three controllers for the UR5 on top of generated equations of motion: gravity compensation, computed torque and
 * impedance in the axes of the tool. Each is one function of the measured state: it allocates nothing, keeps nothing,
 * and takes the same time in every call, up to the library's sine and cosine. Torques are within ur5_tau_limit.
 *
 * The tool is the parameter structure of the generated code, whose ten numbers describe the last link with all that
 * it carries: change them when something is grasped.
 */
#ifndef CONTROLLERS_H
#define CONTROLLERS_H

#include "ur5.h"

/* Dry and viscous friction of a joint: tau = dry tanh(v / around) + viscous v. */
typedef struct {
    ur5_real dry[ur5_NV]; /* N m */
    ur5_real viscous[ur5_NV]; /* N m s/rad */
    ur5_real around; /* rad/s: below this speed dry friction is counted in proportion */
} friction_model;

/* Where the joints are to be. */
typedef struct {
    ur5_real q[ur5_NQ]; /* rad */
    ur5_real v[ur5_NV]; /* rad/s */
    ur5_real vdot[ur5_NV]; /* rad/s^2 */
} joint_target;

/* Where the tool is to be at rest, and how stiffly it is held there, in its own axes: angular, then linear. */
typedef struct {
    ur5_real rotation[9]; /* from the axes of the target to those of the base, row-major */
    ur5_real position[3]; /* m, in the base */
    ur5_real stiffness[6]; /* N m/rad, N/m */
    ur5_real damping[6]; /* N m s/rad, N s/m */
} tool_target;

/* Torques that hold the arm, and damp it a little, so that it can be led by hand. Damping in N m s/rad. */
void gravity_compensation(
    const ur5_parameters *tool,
    const ur5_real q[ur5_NQ],
    const ur5_real v[ur5_NV],
    ur5_real damping,
    ur5_real tau[ur5_NV]);

/* Torques after which errors obey e'' + 2 w e' + w^2 e = 0 with w the bandwidth in rad/s. */
void computed_torque(
    const ur5_parameters *tool,
    const friction_model *friction,
    const joint_target *target,
    ur5_real bandwidth,
    const ur5_real q[ur5_NQ],
    const ur5_real v[ur5_NV],
    ur5_real tau[ur5_NV]);

/* Torques that make the tool a spring and damper about the target, and hold the arm. */
void tool_impedance(
    const ur5_parameters *tool,
    const tool_target *target,
    const ur5_real q[ur5_NQ],
    const ur5_real v[ur5_NV],
    ur5_real tau[ur5_NV]);

#endif
