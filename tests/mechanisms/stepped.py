"""Motions by the transfer matrix stepper alone, with what only it can tell: iterations, forces, attitudes of elements.

``mbsym.simulate`` takes the same steps with force elements, events and corrections around them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.model.system import Model
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.stepper import Engine, Observation, Scheme, TransferMatrixStepper, failure
from mbsym.transfer_matrix.system import TransferSystem

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class TransferMatrixTrajectory:
    """A simulation; the first axis of arrays is time.

    Attributes:
        elements: names of the elements, the rows of attitudes and forces.
        times: [s].
        q, v: coordinates and speeds of the tree joints, as everywhere in mbsym.
        attitudes: absolute angles (times, n, 1) or quaternions (times, n, 4).
        angular_velocities: (times, n, 1), or (times, n, 3) in body axes.
        forces: on each element at its input end.
        energy: [J].
        closure: largest gap of a cut joint [m].
        iterations: per step, mean over each interval between two times.
        loose_steps: steps that were accepted without reaching the tolerance.
    """

    elements: tuple[str, ...]
    times: Array
    q: Array
    v: Array
    attitudes: Array
    angular_velocities: Array
    forces: Array
    energy: Array
    closure: Array
    iterations: Array
    loose_steps: int


def at_rest(system: TransferSystem) -> tuple[Array, Array]:
    """q from the joints' initial coordinates (neutral where none are given), and speeds of zero."""
    return initial_coordinates(system.mechanism), np.zeros(system.mechanism.nv)


def simulate_transfer_matrix(
    model: Model,
    duration: float,
    step: float,
    *,
    scheme: Scheme | str = "generalised-alpha",
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    loads: ArrayLike | Callable[[float], ArrayLike] | None = None,
    every: int = 1,
    rotation: RotationVariable | None = None,
    engine: Engine = "auto",
    order: str = "weight",
) -> TransferMatrixTrajectory:
    """Simulates a model by the discrete time transfer matrix method.

    Args:
        model: planar with revolute joints, or spatial with spherical ones; loops are closed by cut joints.
        duration: [s]; a whole number of steps is taken, the last at or before it but for round-off.
        step: [s].
        scheme: integration scheme or its name.
        q, v: initial coordinates and speeds of the tree joints; default: the model's initial ones, at rest.
        loads: force and moment at each element's centre of mass besides gravity, constant or a function of the time
            at which an interval of ``every`` steps begins.
        every: steps between two recorded times.
        rotation: in space "incremental" (default) or "cardan".
        engine: "c", "numpy", or "auto" for C where there is a compiler.
        order: of the assembly.

    Raises:
        DerivationError: the model has an element that is not covered.
        SimulationError: a loop is open, or a step fails; the message says when and why.
    """
    chosen = Scheme(scheme) if isinstance(scheme, str) else scheme
    stepper = TransferMatrixStepper(model, rotation=rotation, engine=engine, order=order)
    q0, v0 = at_rest(stepper.system)
    loads_at = loads if callable(loads) else lambda _: loads
    state = stepper.start(q0 if q is None else q, v0 if v is None else v, loads_at(0.0))
    total = int(duration / step * (1 + 1e-12) + 1e-9)
    views, times, iterations, loose, done = [stepper.observe(state)], [0.0], [0.0], 0, 0
    while done < total:
        count = min(every, total - done)
        state, report = stepper.advance(state, step, count, chosen, loads_at(done * step), done)
        if report.status:
            raise failure(report, (done + report.steps + 1) * step, model.name)
        done += count
        loose += report.loose_steps
        times.append(done * step)
        iterations.append(report.iterations / count)
        views.append(stepper.observe(state))
    return _trajectory(stepper, np.array(times), views, np.array(iterations), loose)


def _trajectory(
    stepper: TransferMatrixStepper, times: Array, views: Sequence[Observation], iterations: Array, loose: int
) -> TransferMatrixTrajectory:
    attitudes = np.array([view.attitudes for view in views])
    omegas = np.array([view.angular_velocities for view in views])
    q, v = stepper.coordinates.to_coordinates(
        attitudes,
        omegas,
        np.array([view.coordinates for view in views]),
        np.array([view.rates for view in views]),
    )
    return TransferMatrixTrajectory(
        elements=stepper.elements,
        times=times,
        q=q,
        v=v,
        attitudes=attitudes,
        angular_velocities=omegas,
        forces=np.array([view.forces for view in views]),
        energy=np.array([view.energy for view in views]),
        closure=np.array([view.closure for view in views]),
        iterations=iterations,
        loose_steps=loose,
    )
