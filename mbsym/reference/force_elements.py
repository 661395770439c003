"""Force elements evaluated in base axes: wrenches on bodies at their centres of mass, and forces along joint speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import tanh

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.force import (
    Actuator,
    AppliedWrench,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    PointSpringDamper,
)
from mbsym.model.names import ExpressionNames, expression_names
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion
from mbsym.reference.rotations import Array, cross
from mbsym.values.numbers import evaluate, value_names
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class ElementForces:
    """What force elements do.

    Attributes:
        wrenches: (nb+1, 6), [moment about the centre of mass; force] on each body, base axes.
        joint_forces: along the speeds of all joints.
    """

    wrenches: Array
    joint_forces: Array


def element_forces(
    mechanism: NumericMechanism,
    at: Configuration,
    moving: Motion,
    t: float = 0.0,
    u: Sequence[float] = (),
    *,
    elastic: bool = True,
    other: bool = True,
) -> ElementForces:
    """Forces of the model's force elements; gravity is none of them.

    Args:
        mechanism: the mechanism.
        at: its placements.
        moving: its twists.
        t: time.
        u: control inputs in the model's order; missing ones are zero.
        elastic: count springs, whose energy is potential.
        other: count everything else.
    """
    wrenches = np.zeros((mechanism.nb + 1, 6))
    joint_forces = np.zeros(len(moving.rates))
    numbers = _Numbers(mechanism, at, moving, t, u)

    def along(joint_name: str, index: int, force: float) -> None:
        joint_forces[mechanism.joints[mechanism.joint_labels[joint_name] - 1].rates.start + index] += force

    for element in mechanism.model.forces:
        match element:
            case JointSpring():
                if elastic:
                    stretch = numbers.coordinate(element.joint, element.index) - numbers.of(element.reference)
                    along(element.joint, element.index, -numbers.of(element.stiffness) * stretch)
            case PointSpringDamper():
                tension = 0.0
                first, second, direction, length, rate = _line(mechanism, at, moving, element)
                if elastic:
                    tension += numbers.of(element.stiffness) * (length - numbers.of(element.free_length))
                if other:
                    tension += numbers.of(element.damping) * rate
                _pull(mechanism, at, wrenches, element.first_body, first, tension * direction)
                _pull(mechanism, at, wrenches, element.second_body, second, -tension * direction)
            case _ if not other:
                pass
            case JointDamper():
                speed = numbers.speed(element.joint, element.index)
                along(element.joint, element.index, -numbers.of(element.damping) * speed)
            case JointFriction():
                ratio = numbers.speed(element.joint, element.index) / numbers.of(element.transition_speed)
                along(element.joint, element.index, -numbers.of(element.magnitude) * tanh(ratio))
            case Actuator():
                along(element.joint, element.index, numbers.of(element.gain) * numbers.input(element.input))
            case JointForce():
                along(element.joint, element.index, numbers.of(element.expression))
            case AppliedWrench():
                label = mechanism.body_labels[element.body]
                axes = at.rotations[label] if element.axes == "body" else np.eye(3)
                point = at.origins[label] + at.rotations[label] @ numbers.vector(element.point)
                _pull(mechanism, at, wrenches, element.body, point, axes @ numbers.vector(element.force))
                wrenches[label, :3] += axes @ numbers.vector(element.moment)
    wrenches[0] = 0.0
    return ElementForces(wrenches, joint_forces)


def spring_energy(mechanism: NumericMechanism, at: Configuration) -> float:
    """Energy of joint springs and point springs [J]."""
    energy = 0.0
    for element in mechanism.model.forces:
        if isinstance(element, JointSpring):
            label = mechanism.joint_labels[element.joint]
            stretch = at.coordinates[label - 1][element.index] - mechanism.number(element.reference)
            energy += 0.5 * mechanism.number(element.stiffness) * stretch**2
        elif isinstance(element, PointSpringDamper):
            ends = _ends(mechanism, at, element)
            stretch = float(np.linalg.norm(ends[1] - ends[0])) - mechanism.number(element.free_length)
            energy += 0.5 * mechanism.number(element.stiffness) * stretch**2
    return energy


class _Numbers:
    """Values of the model at one state; the names of coordinates and speeds are looked up only if one is needed."""

    def __init__(
        self, mechanism: NumericMechanism, at: Configuration, moving: Motion, t: float, u: Sequence[float]
    ) -> None:
        self._mechanism, self._at, self._moving, self._t = mechanism, at, moving, t
        names = [item.name for item in mechanism.model.inputs]
        if len(u) > len(names):
            raise ModelError(
                f"{len(u)} control inputs are given, the model has {len(names)}", where="u", remedy="give as many"
            )
        self._inputs = dict(zip(names, [*map(float, u), *[0.0] * (len(names) - len(u))], strict=True))
        self._all: dict[str, float] | None = None

    def coordinate(self, joint: str, index: int) -> float:
        return float(self._at.coordinates[self._mechanism.joint_labels[joint] - 1][index])

    def speed(self, joint: str, index: int) -> float:
        rates = self._mechanism.joints[self._mechanism.joint_labels[joint] - 1].rates
        return float(self._moving.rates[rates.start + index, 0])

    def input(self, name: str) -> float:
        return self._inputs[name]

    def vector(self, values: tuple[Value, ...]) -> Array:
        return np.array([self.of(value) for value in values])

    def of(self, value: Value) -> float:
        return evaluate(value, self._state_names() if value_names(value) else {})

    def _state_names(self) -> dict[str, float]:
        if self._all is None:
            names: ExpressionNames = expression_names(self._mechanism.model)
            self._all = {**self._mechanism.names, **self._inputs, "t": self._t}
            for joint in self._mechanism.joints:
                coordinates = self._at.coordinates[joint.label - 1]
                self._all.update(zip(names.coordinates[joint.name], map(float, coordinates), strict=True))
                speeds = self._moving.rates[joint.rates, 0]
                self._all.update(zip(names.speeds[joint.name], map(float, speeds), strict=True))
        return self._all


def _ends(mechanism: NumericMechanism, at: Configuration, element: PointSpringDamper) -> tuple[Array, Array]:
    points = []
    for name, point in ((element.first_body, element.first_point), (element.second_body, element.second_point)):
        label = mechanism.body_labels[name]
        points.append(at.origins[label] + at.rotations[label] @ mechanism.numbers(point))
    return points[0], points[1]


def _line(
    mechanism: NumericMechanism, at: Configuration, moving: Motion, element: PointSpringDamper
) -> tuple[Array, Array, Array, float, float]:
    """End points, direction from the first to the second, length and rate of length."""
    first, second = _ends(mechanism, at, element)
    velocities = []
    for name, point in ((element.first_body, first), (element.second_body, second)):
        label = mechanism.body_labels[name]
        omega = moving.angular[label, :, 0]
        velocities.append(moving.linear[label, :, 0] + cross(omega, point - at.origins[label]))
    length = float(np.linalg.norm(second - first))
    if length == 0:
        raise ModelError("the ends of the spring coincide", where=element.name, remedy="keep them apart")
    direction = (second - first) / length
    return first, second, direction, length, float(direction @ (velocities[1] - velocities[0]))


def _pull(
    mechanism: NumericMechanism, at: Configuration, wrenches: Array, body: str, point: Array, force: Array
) -> None:
    """Adds a force at a point, both in base axes, to the wrench of a body."""
    label = mechanism.body_labels[body]
    wrenches[label, :3] += cross(point - at.centers[label], force)
    wrenches[label, 3:] += force
