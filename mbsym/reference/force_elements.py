"""Force elements evaluated in base axes: wrenches on bodies at their centres of mass, and forces along joint speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import copysign, tanh
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.drive import DriveState
from mbsym.records import Registry
from mbsym.reference.contact_laws import contact_force, tyre_force
from mbsym.reference.force_state import ElementForces, State
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion
from mbsym.reference.rotations import Array


def element_forces(
    mechanism: NumericMechanism,
    at: Configuration,
    moving: Motion,
    t: float = 0.0,
    u: Sequence[float] = (),
    x: Sequence[float] = (),
    *,
    elastic: bool = True,
) -> ElementForces:
    """Forces of the model's force elements; gravity is none of them.

    Args:
        mechanism: the mechanism.
        at: its placements.
        moving: its twists.
        t: time.
        u: control inputs in the model's order; missing ones are zero.
        x: states of drives, likewise.
        elastic: count springs, whose energy is potential.
    """
    forces = ElementForces(np.zeros((mechanism.nb + 1, 6)), np.zeros(len(moving.rates)))
    state = State(mechanism, at, moving, t, u, x, forces)
    for element in mechanism.model.forces:
        law = REFERENCE_FORCES.named(element.type, element.name)
        if elastic and law.elastic is not None:
            law.elastic(state, element)
        if law.other is not None:
            law.other(state, element)
    forces.wrenches[0] = 0.0
    return forces


def output_values(
    mechanism: NumericMechanism,
    at: Configuration,
    moving: Motion,
    t: float = 0.0,
    u: Sequence[float] = (),
    x: Sequence[float] = (),
) -> Array:
    """The outputs of the model, (ny,); arguments as those of ``element_forces``."""
    state = _without_forces(mechanism, at, moving, t, u, x)
    return state.vector(tuple(item.expression for item in mechanism.model.outputs))


def drive_rates(
    mechanism: NumericMechanism,
    at: Configuration,
    moving: Motion,
    t: float = 0.0,
    u: Sequence[float] = (),
    x: Sequence[float] = (),
) -> Array:
    """Rates of the states of drives, (nx,); arguments as those of ``element_forces``."""
    state = _without_forces(mechanism, at, moving, t, u, x)
    return np.array([_within_limits(state, item) for item in mechanism.model.drives])


def _within_limits(state: State, drive: DriveState) -> float:
    """The rate of a state, unless it would lead beyond a limit that is reached: then none."""
    rate, now = state.of(drive.rate), state.of(drive.name)
    ends = drive.upper is not None and rate > 0 and now >= state.of(drive.upper)
    starts = drive.lower is not None and rate < 0 and now <= state.of(drive.lower)
    return 0.0 if ends or starts else rate


def _without_forces(
    mechanism: NumericMechanism, at: Configuration, moving: Motion, t: float, u: Sequence[float], x: Sequence[float]
) -> State:
    nothing = ElementForces(np.zeros((mechanism.nb + 1, 6)), np.zeros(len(moving.rates)))
    return State(mechanism, at, moving, t, u, x, nothing)


def stored_energy(mechanism: NumericMechanism, at: Configuration) -> float:
    """Energy stored in force elements [J]."""
    energy = 0.0
    for element in mechanism.model.forces:
        law = REFERENCE_FORCES.named(element.type, element.name)
        if law.energy is not None:
            energy += law.energy(mechanism, at, element)
    return energy


Law: TypeAlias = Callable[[State, Any], None]


@dataclass(frozen=True, slots=True)
class ReferenceForce:
    """What a force element does, by its type in files.

    Attributes:
        name: the type.
        other: adds the forces that supply or take energy.
        elastic: adds the forces that have a potential.
        energy: that potential [J].
    """

    name: str
    other: Law | None = None
    elastic: Law | None = None
    energy: Callable[[NumericMechanism, Configuration, Any], float] | None = None


def _spring(state: State, element: Any) -> None:
    stretch = _displacement(state.mechanism, state.at, element)
    state.along(element.joint, element.index, -state.of(element.stiffness) * stretch)


def _spring_energy(mechanism: NumericMechanism, at: Configuration, element: Any) -> float:
    return 0.5 * mechanism.number(element.stiffness) * _displacement(mechanism, at, element) ** 2


def _displacement(mechanism: NumericMechanism, at: Configuration, element: Any) -> float:
    label = mechanism.joint_labels[element.joint]
    return float(at.coordinates[label - 1][element.index] - mechanism.number(element.reference))


def _damper(state: State, element: Any) -> None:
    speed = state.speed(element.joint, element.index)
    state.along(element.joint, element.index, -state.of(element.damping) * speed)


def _friction(state: State, element: Any) -> None:
    ratio = state.speed(element.joint, element.index) / state.of(element.transition_speed)
    state.along(element.joint, element.index, -state.of(element.magnitude) * tanh(ratio))


def _stop(state: State, element: Any) -> None:
    label, sign = state.mechanism.joint_labels[element.joint], {"upper": 1.0, "lower": -1.0}[element.side]
    depth = sign * (float(state.at.coordinates[label - 1][element.index]) - state.of(element.limit))
    if depth > 0:
        pushed = 1 + state.of(element.damping) * sign * state.speed(element.joint, element.index)
        state.along(element.joint, element.index, -sign * state.of(element.stiffness) * depth * max(pushed, 0.0))


def _motor(state: State, element: Any) -> None:
    force = state.of(element.gain) * state.input(element.input)
    if element.effort is not None and abs(force) > state.of(element.effort):
        force = copysign(state.of(element.effort), force)
    state.along(element.joint, element.index, force)


def _law(state: State, element: Any) -> None:
    state.along(element.joint, element.index, state.of(element.expression))


def _wrench(state: State, element: Any) -> None:
    label = state.mechanism.body_labels[element.body]
    axes = state.at.rotations[label] if element.axes == "body" else np.eye(3)
    point = state.at.origins[label] + state.at.rotations[label] @ state.vector(element.point)
    state.pull(element.body, point, axes @ state.vector(element.force))
    state.turn(element.body, axes @ state.vector(element.moment))


def _point_spring(state: State, element: Any) -> None:
    direction, length, _ = _line(state, element)
    _tighten(state, element, state.of(element.stiffness) * (length - state.of(element.free_length)) * direction)


def _point_damper(state: State, element: Any) -> None:
    direction, _, rate = _line(state, element)
    _tighten(state, element, state.of(element.damping) * rate * direction)


def _point_spring_energy(mechanism: NumericMechanism, at: Configuration, element: Any) -> float:
    first, second = _ends(mechanism, at, element)
    stretch = float(np.linalg.norm(second - first)) - mechanism.number(element.free_length)
    return 0.5 * mechanism.number(element.stiffness) * stretch**2


def _ends(mechanism: NumericMechanism, at: Configuration, element: Any) -> tuple[Array, Array]:
    """Both ends of an element between two points, base axes."""
    points = []
    for name, point in ((element.first_body, element.first_point), (element.second_body, element.second_point)):
        label = mechanism.body_labels[name]
        points.append(at.origins[label] + at.rotations[label] @ mechanism.numbers(point))
    return points[0], points[1]


def _line(state: State, element: Any) -> tuple[Array, float, float]:
    """Direction from the first end to the second, length and rate of length."""
    first, second = _ends(state.mechanism, state.at, element)
    length = float(np.linalg.norm(second - first))
    if length == 0:
        raise ModelError("the ends of the spring coincide", where=element.name, remedy="keep them apart")
    direction = (second - first) / length
    rate = state.velocity(element.second_body, second) - state.velocity(element.first_body, first)
    return direction, length, float(direction @ rate)


def _tighten(state: State, element: Any, pull: Array) -> None:
    """Pulls the first end along a force, and the second against it."""
    first, second = _ends(state.mechanism, state.at, element)
    state.pull(element.first_body, first, pull)
    state.pull(element.second_body, second, -pull)


REFERENCE_FORCES: Final = Registry[ReferenceForce](
    "force law of the reference",
    (
        ReferenceForce("joint_spring", elastic=_spring, energy=_spring_energy),
        ReferenceForce("joint_friction", _friction),
        ReferenceForce("joint_stop", _stop),
        ReferenceForce("actuator", _motor),
        ReferenceForce("joint_force", _law),
        ReferenceForce("joint_damper", _damper),
        ReferenceForce("applied_wrench", _wrench),
        ReferenceForce("point_spring_damper", _point_damper, _point_spring, _point_spring_energy),
        ReferenceForce("contact", contact_force),
        ReferenceForce("tyre", tyre_force),
    ),
    ModelError,
)
