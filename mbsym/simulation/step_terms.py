"""What time steps need beside the catalogue: power of external forces, momenta and the forces that change them.

External forces are those of the modelled force elements that store no energy: all but springs. The Lagrangian is the
kinetic energy less the potential energy of gravity and springs; its derivatives are exact.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mbsym.forces import ForceElement
from mbsym.formulations.applied_forces import element_forces
from mbsym.formulations.contracts import Derived, Entries, Function, Result, contract
from mbsym.formulations.recursive.articulated_body import articulated_body
from mbsym.formulations.recursive.composite_body import mass_matrix, solve
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import kinetic_energy, position_rate, potential_energy
from mbsym.kinematics.recursion import joint_speeds, joints_at_rest
from mbsym.model.system import Model
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.differentiate import forward, gradient
from mbsym.symbolic.graph import ONE
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import parameter_values


def external_elements(model: Model) -> tuple[ForceElement, ...]:
    """The force elements that supply or take energy; of those that store some, what is left without it."""
    numbers = parameter_values(model)
    parts = (force.external_part(numbers) for force in model.forces)
    return tuple(part for part in parts if part is not None)


def external_forces(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """Generalised forces (nv,) of the external elements."""
    zero = Scalar(mechanism.graph, 0)
    elements = external_elements(mechanism.model)
    if not elements:
        return (zero,) * mechanism.nv
    part = replace(mechanism, model=replace(mechanism.model, forces=elements))
    still = joints_at_rest(mechanism)
    applied = element_forces(part, joint_speeds(mechanism))
    held = newton_euler(part, still, still, zero_vector(mechanism.graph), applied)
    return tuple(-force for force in mechanism.gather(held.forces))


def _external_power(mechanism: Mechanism) -> Entries:
    """Power of the external elements."""
    power = Scalar(mechanism.graph, 0)
    for force, speed in zip(external_forces(mechanism), mechanism.entries(mechanism.v), strict=True):
        power = power + force * speed
    return power


def _variational_terms(mechanism: Mechanism) -> Derived:
    """Momenta M v, and the forces dL/dq along the motion of v plus external forces."""
    graph = mechanism.graph
    kinetic = kinetic_energy(mechanism)
    lagrangian = kinetic - potential_energy(mechanism)
    speeds = mechanism.v.symbols
    momenta = [Scalar(graph, ref) for ref in gradient(graph, kinetic.ref, speeds)]
    slopes = [Scalar(graph, ref) for ref in gradient(graph, lagrangian.ref, mechanism.q.symbols)]
    rates = [rate.ref for rate in position_rate(mechanism)]
    forces = []
    for external, speed in zip(external_forces(mechanism), speeds, strict=True):
        total = external
        for slope, share in zip(slopes, forward(graph, rates, {speed: ONE}), strict=True):
            if share:
                total = total + slope * Scalar(graph, share)
        forces.append(total)
    return Derived({"momentum": momenta, "force": forces})


def _speeds_of_momentum(mechanism: Mechanism) -> Entries:
    """v of given momenta, M^-1 p."""
    momenta = mechanism.entries(mechanism.tau)
    if mechanism.is_coupled:
        return solve(mechanism, mass_matrix(mechanism), list(momenta))
    return mechanism.laid_out(articulated_body(mechanism, mechanism.of_joints(momenta)).rates)


external_power: Final = Function(
    contract(
        "external_power(q, v, t, u, x)",
        "power of all force elements but springs",
        Result("power", (), "W", "power of force elements but springs"),
        identities=("power without tau",),
    ),
    _external_power,
)

variational_terms: Final = Function(
    contract(
        "variational_terms(q, v, t, u, x)",
        "momenta and the forces that change them",
        "momentum[nv]: M v",
        "force[nv]: derivative of the Lagrangian along the motion of v, and external forces",
        identities=("momenta of the mass matrix", "difference of the Lagrangian"),
    ),
    _variational_terms,
)

speeds_of_momentum: Final = Function(
    contract(
        "speeds_of_momentum(q, tau)",
        "speeds of given generalised momenta",
        "v[nv]: speeds",
        identities=("M v = momentum",),
    ),
    _speeds_of_momentum,
)
