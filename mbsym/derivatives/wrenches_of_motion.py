"""Joint wrenches of a given motion: inverse dynamics without the last projection, where joint_wrenches solves first."""

from __future__ import annotations

from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.contracts import Entries
from mbsym.formulations.recursive.newton_euler import newton_euler, user_wrenches
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds


def joint_wrenches_of_motion(mechanism: Mechanism) -> Entries:
    """Wrench in every joint that produces the rates vdot, (nb, 6)."""
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    speeds = joint_speeds(mechanism)
    applied = applied_forces(mechanism, speeds)
    return user_wrenches(mechanism, newton_euler(mechanism, speeds, rates, mechanism.gravity, applied).wrenches)
