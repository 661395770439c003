/* A torque that a motor can give; what is not a number gives none. */
#ifndef LIMIT_H
#define LIMIT_H

#include "ur5.h"

static inline ur5_real within(ur5_real torque, ur5_real limit)
{
    ur5_real result = (ur5_real)0;
    if (torque > limit) {
        result = limit;
    } else if (torque < -limit) {
        result = -limit;
    } else if (torque == torque) {
        result = torque;
    }
    return result;
}

#endif
