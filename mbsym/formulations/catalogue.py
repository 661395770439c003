"""The catalogue of functions that every tree has, with the derivations that serve where a formulation has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations import contracts
from mbsym.formulations.applied_forces import less
from mbsym.formulations.contracts import Derived, Entries, Function
from mbsym.formulations.recursive.articulated_body import RatesAndWrenches, articulated_body
from mbsym.formulations.recursive.composite_body import mass_matrix, solve
from mbsym.formulations.recursive.newton_euler import (
    InverseDynamics,
    dynamics_at,
    newton_euler,
    steady_dynamics,
    superposed,
    user_wrenches,
)
from mbsym.kinematics import observables
from mbsym.kinematics.equivalents import for_forces, for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joints_at_rest
from mbsym.records import Registry
from mbsym.symbolic.scalar import Scalar


def _inverse_dynamics(mechanism: Mechanism) -> Derived:
    """tau that produces vdot."""
    mechanism = for_forces(mechanism)
    found = dynamics_at(mechanism, mechanism.of_joints(mechanism.entries(mechanism.vdot)))
    tau = [x.named(f"tau{k + 1}") for k, x in enumerate(mechanism.gather(found.forces))]
    return Derived(tau, "recursive Newton-Euler")


def _bias_force(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """Generalised forces that keep the speeds constant: velocity, gravity and force element terms."""
    return mechanism.gather(steady_dynamics(for_forces(mechanism)).forces)


def _gravity_force(mechanism: Mechanism) -> Entries:
    """Generalised forces that hold the mechanism against gravity."""
    mechanism = for_forces(mechanism)
    still = joints_at_rest(mechanism)
    return mechanism.gather(newton_euler(mechanism, still, still, mechanism.gravity).forces)


def _forward_dynamics(mechanism: Mechanism) -> Derived:
    """vdot under tau by articulated bodies; by the factored mass matrix where couplings join joints."""
    if mechanism.is_coupled:
        return _forward_dynamics_by_mass_matrix(mechanism)
    bias = steady_dynamics(for_forces(mechanism))
    motion = _rest_of_motion(for_mass_matrix(mechanism), bias)
    return Derived(mechanism.laid_out(motion.rates), "articulated bodies")


def _rest_of_motion(mechanism: Mechanism, bias: InverseDynamics) -> RatesAndWrenches:
    """The motion that the forces cause which are not needed to keep the speeds constant."""
    tau = mechanism.of_joints(mechanism.entries(mechanism.tau))
    with mechanism.graph.section("forces less bias"):
        moving = less(tau, bias.forces)
    return articulated_body(mechanism, moving)


def _forward_dynamics_by_mass_matrix(mechanism: Mechanism) -> Derived:
    """vdot under tau by the factored mass matrix."""
    return Derived(_by_mass_matrix(mechanism), "factored mass matrix")


def _by_mass_matrix(mechanism: Mechanism) -> list[Scalar]:
    right = [f - h for f, h in zip(mechanism.entries(mechanism.tau), _bias_force(mechanism), strict=True)]
    return solve(mechanism, mass_matrix(mechanism), right)


def _joint_wrenches(mechanism: Mechanism) -> Entries:
    """Wrench in every joint under tau: those that keep the speeds constant, and those of the remaining motion."""
    if mechanism.is_coupled:
        return joint_wrenches_at(mechanism, _by_mass_matrix(mechanism))
    bias = steady_dynamics(mechanism)
    motion = _rest_of_motion(mechanism, bias)
    return user_wrenches(mechanism, superposed(bias.wrenches, motion.wrenches))


def joint_wrenches_at(mechanism: Mechanism, rates: Sequence[Scalar]) -> Entries:
    """Wrench in every joint at given rates of the speeds (nv,), as the user sees it: (nj, 6)."""
    return user_wrenches(mechanism, dynamics_at(mechanism, mechanism.of_joints(tuple(rates))).wrenches)


FORWARD_DYNAMICS_BY_MASS_MATRIX: Final = Function(contracts.FORWARD_DYNAMICS, _forward_dynamics_by_mass_matrix)

TREE_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(contracts.FORWARD_DYNAMICS, _forward_dynamics),
        Function(contracts.INVERSE_DYNAMICS, _inverse_dynamics),
        Function(contracts.MASS_MATRIX, lambda mechanism: Derived(mass_matrix(mechanism), "composite bodies")),
        Function(contracts.BIAS_FORCE, _bias_force),
        Function(contracts.GRAVITY_FORCE, _gravity_force),
        Function(contracts.KINETIC_ENERGY, lambda mechanism: observables.kinetic_energy(for_mass_matrix(mechanism))),
        Function(contracts.POTENTIAL_ENERGY, observables.potential_energy),
        Function(contracts.POSITION_RATE, observables.position_rate),
        Function(contracts.BODY_POSES, observables.pose_entries),
        Function(contracts.BODY_VELOCITIES, observables.velocity_entries),
        Function(contracts.BODY_JACOBIANS, observables.jacobian_entries),
        Function(contracts.JOINT_WRENCHES, _joint_wrenches),
        Function(contracts.CENTER_OF_MASS, observables.center_of_mass),
        Function(contracts.MOMENTUM, observables.momentum),
    ),
    DerivationError,
)
"""The functions of every tree. One that joins later is generated, documented and checked like these."""
