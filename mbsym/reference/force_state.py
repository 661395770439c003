"""What laws of the reference see of a mechanism in motion, and where they leave their forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.model.names import ExpressionNames, expression_names
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
        x: Sequence[float],
        forces: ElementForces,
    ) -> None:
        self.mechanism, self.at, self.moving, self._t, self._forces = mechanism, at, moving, t, forces
        model = mechanism.model
        self._inputs = acting_inputs(mechanism, u)
        self._drives = _by_name("x", "states of drives", [item.name for item in model.drives], x)
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
            self._all = {**self.mechanism.names, **self._inputs, **self._drives, "t": self._t}
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

    def angular_velocity(self, body: str) -> Array:
        """Of a body, base axes."""
        rate: Array = self.moving.angular[self.mechanism.body_labels[body], :, 0]
        return rate

    def place(self, body: str, point: tuple[Value, ...]) -> Array:
        """Where a point of a body is, base axes."""
        label = self.mechanism.body_labels[body]
        place: Array = self.at.origins[label] + self.at.rotations[label] @ self.vector(point)
        return place

    def unit(self, body: str, direction: tuple[Value, ...]) -> Array:
        """The unit vector along a direction of a body, base axes."""
        along = self.at.rotations[self.mechanism.body_labels[body]] @ self.vector(direction)
        unit: Array = along / np.linalg.norm(along)
        return unit


def acting_inputs(mechanism: NumericMechanism, u: Sequence[float]) -> dict[str, float]:
    """Control inputs by name as they act: of those that saturate the middle one of the value and its limits."""
    given = _by_name("u", "control inputs", [item.name for item in mechanism.model.inputs], u)
    for item in mechanism.model.inputs:
        if item.saturates:
            lower = -inf if item.lower is None else mechanism.number(item.lower)
            upper = inf if item.upper is None else mechanism.number(item.upper)
            given[item.name] = sorted((lower, given[item.name], upper))[1]
    return given


def _by_name(letter: str, what: str, names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    """Values by names, those that are missing zero."""
    if len(values) > len(names):
        raise ModelError(
            f"{len(values)} {what} are given, the model has {len(names)}", where=letter, remedy="give as many"
        )
    return dict(zip(names, [*map(float, values), *[0.0] * (len(names) - len(values))], strict=True))
