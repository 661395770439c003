"""What should stay what it is: energy less work, closure of loops, momentum of what floats freely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.forces import ForceElement
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.simulation.equations import Equations
from mbsym.simulation.trajectory import Trajectory
from mbsym.transfer_matrix.stepper import TransferMatrixStepper
from mbsym.values.numbers import evaluate, parameter_values

MOMENTUM_UNITS: Final = ("N m s",) * 3 + ("N s",) * 3


@dataclass(frozen=True, slots=True)
class Monitors:
    """Checks on the output grid, n rows.

    Attributes:
        kinetic_energy: (n,) [J].
        potential_energy: (n,) of gravity and springs [J].
        work: (n,) done since the start by tau and by force elements but springs [J].
        energy_drift: (n,) change of kinetic plus potential energy since the start, less the work [J].
        momentum: (n, 6) [angular about the centre of mass; linear] in base axes; None where steps alone tell energies.
        momentum_drift: (n,) largest change of an entry that gravity does not explain, for mechanisms that nothing ties
            to ground; else None.
        closure_gap: (n,) largest closure residual [m, rad]; None for trees.
        speed_gap: (n,) largest entry of G v [m/s, rad/s]; None for trees.
    """

    kinetic_energy: Array
    potential_energy: Array
    work: Array
    energy_drift: Array
    momentum: Array | None
    momentum_drift: Array | None
    closure_gap: Array | None
    speed_gap: Array | None

    @property
    def energy_scale(self) -> float:
        """Largest kinetic energy or change of potential energy [J], to which drift is related; at least the least
        positive number."""
        change = np.abs(self.potential_energy - self.potential_energy[0])
        return float(max(np.max(self.kinetic_energy), np.max(change), np.finfo(float).tiny))

    @property
    def worst_energy_drift(self) -> float:
        """Largest size of the drift [J]."""
        return float(np.max(np.abs(self.energy_drift)))


def monitor(equations: Equations, trajectory: Trajectory, tau_free: bool) -> Monitors:
    """The checks of a trajectory.

    Args:
        equations: that made it.
        trajectory: states on the output grid.
        tau_free: no generalised forces are given from outside.
    """
    layout, functions = equations.layout, equations.module.functions
    q, v = layout.q(trajectory.x), layout.v(trajectory.x)
    momentum = None
    if equations.steps_alone:
        kinetic, potential = _energies_of_elements(equations, q, v)
    else:
        kinetic = np.asarray(functions["kinetic_energy"](q, v))
        potential = np.broadcast_to(np.asarray(functions["potential_energy"](q)), kinetic.shape)
        momentum = np.asarray(functions["momentum"](q, v))
    work = trajectory.x[:, -1].copy() if layout.work else np.zeros(len(kinetic))
    total = kinetic + potential
    gap = speed_gap = None
    if equations.loops is not None:
        gap = largest(np.asarray(functions["closure_gap"](q)))
        jacobian = np.asarray(functions["constraint_jacobian"](q))
        speed_gap = largest(np.einsum("nij,nj->ni", jacobian, v))
    return Monitors(
        kinetic_energy=kinetic,
        potential_energy=np.array(potential),
        work=work,
        energy_drift=total - total[0] - work,
        momentum=momentum,
        momentum_drift=_momentum_drift(equations.mechanism.model, trajectory.t, momentum, tau_free),
        closure_gap=gap,
        speed_gap=speed_gap,
    )


def _energies_of_elements(equations: Equations, q: Array, v: Array) -> tuple[Array, Array]:
    """Kinetic and potential energy by row, as the elements of the transfer matrix method have them."""
    assert equations.steps is not None
    stepper = TransferMatrixStepper(equations.steps, module=equations.module)
    views = [stepper.observe(stepper.start(*row)) for row in zip(q, v, strict=True)]
    kinetic = np.array([stepper.kinetic_energy(view) for view in views])
    return kinetic, np.array([view.energy for view in views]) - kinetic


def largest(rows: Array) -> Array:
    """Largest size in each row, 0 where rows are empty."""
    sizes: Array = np.max(np.abs(rows), axis=1, initial=0.0)
    return sizes


def floats_freely(model: Model) -> bool:
    """True where only free joints without rotors lead to ground and no force element but gravity acts from outside."""
    tied = [joint for joint in model.joints if model.ground in (joint.predecessor, joint.successor)]
    if not tied or not all(joint.kind.is_unbound for joint in tied):
        return False
    numbers = parameter_values(model)
    if any(evaluate(joint.armature, numbers) for joint in tied):  # rotors push off from ground
        return False
    acting: tuple[ForceElement | PrescribedMotion, ...] = (*model.forces, *model.motions)
    if any(_acts_from_outside(item, model) for item in acting):
        return False
    return not any(model.ground in item.named("body") for item in model.constraints)


def _acts_from_outside(force: ForceElement | PrescribedMotion, model: Model) -> bool:
    """True where the reaction to a force, or to what drives a motion, is not on another body of the mechanism."""
    ends = {*force.named("body")}
    for joint in force.named("joint"):
        ends |= {model.joint(joint).predecessor, model.joint(joint).successor}
    return len(ends) < 2 or model.ground in ends


def _momentum_drift(model: Model, t: Array, momentum: Array | None, tau_free: bool) -> Array | None:
    if momentum is None or not (tau_free and floats_freely(model)):
        return None
    numbers = parameter_values(model)
    mass = sum(evaluate(body.mass, numbers) for body in model.bodies)
    weight = mass * np.array([evaluate(component, numbers) for component in model.gravity])
    change = momentum - momentum[0]
    change[:, 3:] -= np.outer(t - t[0], weight)
    return largest(change)


def require_other_names(model: Model) -> None:
    """Refuses outputs that have the name of a check, beside which they stand in tables.

    Raises:
        SimulationError: naming one.
    """
    nothing = np.zeros(1)
    checks = Monitors(nothing, nothing, nothing, nothing, np.zeros((1, 6)), nothing, nothing, nothing)
    taken = {name for name, _, _ in columns(checks)}
    for item in model.outputs:
        if item.name in taken:
            raise SimulationError(
                f"output {item.name!r} has the name of a check of the motion", where=model.name, remedy="rename it"
            )


def columns(monitors: Monitors) -> Sequence[tuple[str, str, Array]]:
    """Name, unit and values of each check, for tables."""
    found = [
        ("kinetic_energy", "J", monitors.kinetic_energy),
        ("potential_energy", "J", monitors.potential_energy),
        ("work", "J", monitors.work),
        ("energy_drift", "J", monitors.energy_drift),
    ]
    if monitors.momentum is not None:
        names = [f"{kind}_momentum_{axis}" for kind in ("angular", "linear") for axis in "xyz"]
        found += zip(names, MOMENTUM_UNITS, monitors.momentum.T, strict=True)
    if monitors.closure_gap is not None and monitors.speed_gap is not None:
        found += [("closure_gap", "m, rad", monitors.closure_gap), ("speed_gap", "m/s, rad/s", monitors.speed_gap)]
    return found
