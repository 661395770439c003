"""The functions whose steps bodies of one kind can share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mbsym.formulations import contracts
from mbsym.formulations.contracts import Contract
from mbsym.formulations.shared.dense import roll_body_jacobians, roll_mass_matrix
from mbsym.formulations.shared.dynamics import (
    roll_forward_dynamics,
    roll_inverse_dynamics,
    roll_joint_wrenches,
)
from mbsym.formulations.shared.heads import is_plain
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


def _where_plain(roll: RollFunction) -> RollFunction:
    return lambda mechanism: roll(mechanism) if is_plain(mechanism) else None


_ROLLED: Final[Mapping[Contract, RollFunction]] = {
    contracts.FORWARD_DYNAMICS: roll_forward_dynamics,
    contracts.INVERSE_DYNAMICS: partial(roll_inverse_dynamics, contracts.INVERSE_DYNAMICS, True, True),
    contracts.MASS_MATRIX: roll_mass_matrix,
    contracts.BIAS_FORCE: partial(roll_inverse_dynamics, contracts.BIAS_FORCE, True, False),
    contracts.GRAVITY_FORCE: partial(roll_inverse_dynamics, contracts.GRAVITY_FORCE, False, False),
    contracts.KINETIC_ENERGY: roll_kinetic_energy,
    contracts.POTENTIAL_ENERGY: roll_potential_energy,
    contracts.BODY_POSES: roll_body_poses,
    contracts.BODY_VELOCITIES: roll_body_velocities,
    contracts.BODY_JACOBIANS: roll_body_jacobians,
    contracts.JOINT_WRENCHES: roll_joint_wrenches,
    contracts.CENTER_OF_MASS: roll_center_of_mass,
    contracts.MOMENTUM: roll_momentum,
}

SHARED_FUNCTIONS: Final[Mapping[str, RollFunction]] = {
    contract.name: _where_plain(roll) for contract, roll in _ROLLED.items()
}
"""Functions that bodies of one kind can share steps of, by name."""
