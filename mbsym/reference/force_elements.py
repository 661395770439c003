"""Force elements evaluated in base axes: wrenches on bodies at their centres of mass, and forces along joint speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import tanh
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.model.names import ExpressionNames, expression_names
from mbsym.records import Registry
from mbsym.reference.frame_quantities import frame_quantity
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion
from mbsym.reference.rotations import Array, cross
from mbsym.reference.tables import reference_tables
from mbsym.values.frame_quantities import value_quantities
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
) -> ElementForces:
    """Forces of the model's force elements; gravity is none of them.

    Args:
        mechanism: the mechanism.
        at: its placements.
        moving: its twists.
        t: time.
        u: control inputs in the model's order; missing ones are zero.
        elastic: count springs, whose energy is potential.
    """
    forces = ElementForces(np.zeros((mechanism.nb + 1, 6)), np.zeros(len(moving.rates)))
    state = State(mechanism, at, moving, t, u, forces)
    for element in mechanism.model.forces:
        law = REFERENCE_FORCES.named(element.type, element.name)
        if elastic and law.elastic is not None:
            law.elastic(state, element)
        if law.other is not None:
            law.other(state, element)
    forces.wrenches[0] = 0.0
    return forces


def output_values(
    mechanism: NumericMechanism, at: Configuration, moving: Motion, t: float = 0.0, u: Sequence[float] = ()
) -> Array:
    """The outputs of the model, (ny,); arguments as those of ``element_forces``."""
    nothing = ElementForces(np.zeros((mechanism.nb + 1, 6)), np.zeros(len(moving.rates)))
    state = State(mechanism, at, moving, t, u, nothing)
    return state.vector(tuple(item.expression for item in mechanism.model.outputs))


def stored_energy(mechanism: NumericMechanism, at: Configuration) -> float:
    """Energy stored in force elements [J]."""
    energy = 0.0
    for element in mechanism.model.forces:
        law = REFERENCE_FORCES.named(element.type, element.name)
        if law.energy is not None:
            energy += law.energy(mechanism, at, element)
    return energy


class State:
    """A mechanism in motion, and the forces on it as they are added.

    The names of coordinates and speeds are looked up only if an expression needs one.
    """

    def __init__(
        self,
        mechanism: NumericMechanism,
        at: Configuration,
        moving: Motion,
        t: float,
        u: Sequence[float],
        forces: ElementForces,
    ) -> None:
        self.mechanism, self.at, self.moving, self._t, self._forces = mechanism, at, moving, t, forces
        names = [item.name for item in mechanism.model.inputs]
        if len(u) > len(names):
            raise ModelError(
                f"{len(u)} control inputs are given, the model has {len(names)}", where="u", remedy="give as many"
            )
        self._inputs = dict(zip(names, [*map(float, u), *[0.0] * (len(names) - len(u))], strict=True))
        self._all: dict[str, float] | None = None
        self._frames = frames_in_expressions(mechanism.model)
        self._tables = reference_tables(mechanism.model.tables)

    def speed(self, joint: str, index: int) -> float:
        rates = self.mechanism.joints[self.mechanism.joint_labels[joint] - 1].rates
        return float(self.moving.rates[rates.start + index, 0])

    def input(self, name: str) -> float:
        return self._inputs[name]

    def vector(self, values: tuple[Value, ...]) -> Array:
        return np.array([self.of(value) for value in values])

    def of(self, value: Value) -> float:
        if not value_names(value):
            return evaluate(value)
        of_frames = {
            name: frame_quantity(self.mechanism, self._frames, self.at, self.moving, quantity)
            for name, quantity in value_quantities(value).items()
        }
        return evaluate(value, {**self._state_names(), **of_frames}, self._tables)

    def _state_names(self) -> dict[str, float]:
        if self._all is None:
            names: ExpressionNames = expression_names(self.mechanism.model)
            self._all = {**self.mechanism.names, **self._inputs, "t": self._t}
            for joint in self.mechanism.joints:
                coordinates = self.at.coordinates[joint.label - 1]
                self._all.update(zip(names.coordinates[joint.name], map(float, coordinates), strict=True))
                speeds = self.moving.rates[joint.rates, 0]
                self._all.update(zip(names.speeds[joint.name], map(float, speeds), strict=True))
        return self._all

    def along(self, joint: str, index: int, force: float) -> None:
        """Adds a force along a joint's speed."""
        rates = self.mechanism.joints[self.mechanism.joint_labels[joint] - 1].rates
        self._forces.joint_forces[rates.start + index] += force

    def pull(self, body: str, point: Array, force: Array) -> None:
        """Adds a force at a point, both in base axes, to the wrench of a body."""
        label = self.mechanism.body_labels[body]
        self._forces.wrenches[label, :3] += cross(point - self.at.centers[label], force)
        self._forces.wrenches[label, 3:] += force

    def turn(self, body: str, moment: Array) -> None:
        """Adds a moment in base axes to the wrench of a body."""
        self._forces.wrenches[self.mechanism.body_labels[body], :3] += moment

    def velocity(self, body: str, point: Array) -> Array:
        """Of a body's point that is now there, base axes."""
        label = self.mechanism.body_labels[body]
        omega = self.moving.angular[label, :, 0]
        rate: Array = self.moving.linear[label, :, 0] + cross(omega, point - self.at.origins[label])
        return rate


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
    state.along(element.joint, element.index, state.of(element.gain) * state.input(element.input))


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
    ),
    ModelError,
)
