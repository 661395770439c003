/*
 * The controllers on a Cortex-M7 without an operating system: each holds the arm for a tenth of a second at 1 kHz, with
 * the generated forward dynamics as the arm. Prints a line a controller, its instructions a call where the emulator
 * counts them (qemu -icount shift=0), and ends with status 0 if all arms stayed where they belong.
 */
#include "controllers.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum {
    STEPS = 100,
    CALLS = 16
};

static const ur5_parameters tool = ur5_default_parameters;
static const friction_model smooth = {.around = 0.1f};
static const ur5_real start[ur5_NQ] = {0.3f, -1.2f, 1.4f, -0.7f, 0.9f, 0.2f};
static joint_target rest;
static tool_target hold = {
    .stiffness = {30.0f, 30.0f, 30.0f, 800.0f, 800.0f, 800.0f},
    .damping = {3.0f, 3.0f, 3.0f, 60.0f, 60.0f, 60.0f}
};
static ur5_real q[ur5_NQ];
static ur5_real v[ur5_NV];
static ur5_real tau[ur5_NV];

static void gravity(void)
{
    gravity_compensation(&tool, q, v, 2.0f, tau);
}

static void torque(void)
{
    computed_torque(&tool, &smooth, &rest, 20.0f, q, v, tau);
}

static void impedance(void)
{
    tool_impedance(&tool, &hold, q, v, tau);
}

static void nothing(void)
{
}

/* The timer of every Cortex-M; in the emulator it ticks every 40 instructions. */
static unsigned instructions(void (*called)(void))
{
    volatile uint32_t *const timer = (volatile uint32_t *)0xE000E010u;
    timer[1] = 0xFFFFFFu;
    timer[2] = 0u;
    timer[0] = 5u;
    const uint32_t before = timer[2];
    for (int k = 0; k < CALLS; ++k) {
        called();
    }
    return (unsigned)((before - timer[2]) & 0xFFFFFFu) * 40u / (unsigned)CALLS;
}

/* The largest departure of a joint after the steps [rad]. */
static ur5_real held(void (*control)(void))
{
    const ur5_real h = 1e-3f;
    ur5_real largest = 0.0f;
    for (int k = 0; k < ur5_NQ; ++k) {
        q[k] = start[k];
        v[k] = 0.0f;
    }
    for (int step = 0; step < STEPS; ++step) {
        ur5_real vdot[ur5_NV];
        control();
        ur5_forward_dynamics(&tool, q, v, tau, vdot);
        for (int k = 0; k < ur5_NV; ++k) {
            v[k] += h * vdot[k];
            q[k] += h * v[k];
        }
    }
    for (int k = 0; k < ur5_NQ; ++k) {
        const ur5_real departure = fabsf(q[k] - start[k]);
        largest = departure > largest ? departure : largest;
    }
    return largest;
}

static int report(const char *name, void (*control)(void))
{
    const ur5_real departure = held(control);
    const unsigned cost = instructions(control) - instructions(nothing);
    const int good = departure < 1e-3f;
    printf("%s: %s, %u instructions\n", name, good ? "held" : "LOST", cost);
    return good ? 0 : 1;
}

int main(void)
{
    ur5_real pose[16];
    ur5_frame_pose(&tool, start, pose);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            hold.rotation[3 * i + k] = pose[4 * i + k];
        }
        hold.position[i] = pose[4 * i + 3];
    }
    for (int k = 0; k < ur5_NQ; ++k) {
        rest.q[k] = start[k];
    }
    int lost = report("gravity_compensation", gravity);
    lost += report("computed_torque", torque);
    lost += report("tool_impedance", impedance);
    return lost;
}
