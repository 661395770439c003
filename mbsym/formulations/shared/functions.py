"""The functions whose steps bodies of one kind can share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mbsym.formulations.contracts import (
    BIAS_FORCE,
    BODY_JACOBIANS,
    BODY_POSES,
    BODY_VELOCITIES,
    CENTER_OF_MASS,
    FORWARD_DYNAMICS,
    GRAVITY_FORCE,
    INVERSE_DYNAMICS,
    JOINT_WRENCHES,
    KINETIC_ENERGY,
    MASS_MATRIX,
    MOMENTUM,
    POTENTIAL_ENERGY,
)
from mbsym.formulations.shared.dense import roll_body_jacobians, roll_mass_matrix
from mbsym.formulations.shared.dynamics import (
    roll_forward_dynamics,
    roll_inverse_dynamics,
    roll_joint_wrenches,
)
from mbsym.formulations.shared.observed import (
    roll_body_poses,
    roll_body_velocities,
    roll_center_of_mass,
    roll_kinetic_energy,
    roll_momentum,
    roll_potential_energy,
)
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Program

RollFunction = Callable[[Mechanism], Program | None]
"""A function as a program with loops; None where this one cannot be made."""

SHARED_FUNCTIONS: Final[Mapping[str, RollFunction]] = {
    FORWARD_DYNAMICS.name: roll_forward_dynamics,
    INVERSE_DYNAMICS.name: partial(roll_inverse_dynamics, INVERSE_DYNAMICS, "tau", True, True),
    MASS_MATRIX.name: roll_mass_matrix,
    BIAS_FORCE.name: partial(roll_inverse_dynamics, BIAS_FORCE, BIAS_FORCE.results[0].name, True, False),
    GRAVITY_FORCE.name: partial(roll_inverse_dynamics, GRAVITY_FORCE, GRAVITY_FORCE.results[0].name, False, False),
    KINETIC_ENERGY.name: roll_kinetic_energy,
    POTENTIAL_ENERGY.name: roll_potential_energy,
    BODY_POSES.name: roll_body_poses,
    BODY_VELOCITIES.name: roll_body_velocities,
    BODY_JACOBIANS.name: roll_body_jacobians,
    JOINT_WRENCHES.name: roll_joint_wrenches,
    CENTER_OF_MASS.name: roll_center_of_mass,
    MOMENTUM.name: roll_momentum,
}
"""Functions that bodies of one kind can share steps of, by name."""
