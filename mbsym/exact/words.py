"""Values that name coordinates, speeds, inputs and quantities of frames, at a state or while it goes on in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mbsym.exact.kinematics import cross
from mbsym.exact.mechanism import ExactNumbers, placed
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.model.names import expression_names
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.rotations import Array
from mbsym.symbolic.frame_quantities import COMPONENTS
from mbsym.values.frame_quantities import FrameQuantity, value_quantities
from mbsym.values.numbers import value_names
from mbsym.values.parameter import ControlInput, Value


class Twisted(Protocol):
    """Poses and twists of all bodies by label, base axes."""

    @property
    def rotations(self) -> Array: ...
    @property
    def origins(self) -> Array: ...
    @property
    def omega(self) -> Array: ...
    @property
    def velocity(self) -> Array: ...


def names_of_joints(
    mechanism: NumericMechanism, coordinates: Sequence[Array], rates: Sequence[Array]
) -> dict[str, Any]:
    """What expressions call the coordinates and speeds of tree joints."""
    names = expression_names(mechanism.model)
    found: dict[str, Any] = {}
    for joint, own, speeds in zip(mechanism.tree_joints, coordinates, rates, strict=True):
        found |= dict(zip(names.coordinates[joint.name], own, strict=True))
        found |= dict(zip(names.speeds[joint.name], speeds, strict=True))
    return found


def held_within(numbers: ExactNumbers, item: ControlInput, value: Any) -> Any:
    """A control input that saturates as it acts."""
    for name, bound in (("min", item.upper), ("max", item.lower)):
        if bound is not None:
            value = numbers.residue(value).stands(name, numbers.number(bound))
    return value


@dataclass(frozen=True, slots=True)
class Words:
    """What values of a model may name.

    Attributes:
        mechanism, numbers: the mechanism.
        at: poses and twists.
        named: numbers by name.
    """

    mechanism: NumericMechanism
    numbers: ExactNumbers
    at: Twisted
    named: Mapping[str, Any]

    def of(self, value: Value) -> Any:
        """A value.

        Raises:
            UndecidedError: it holds a function that the field knows nothing of.
        """
        if not value_names(value):
            return self.numbers.number(value)
        quantities = value_quantities(value)
        home = frames_in_expressions(self.mechanism.model) if quantities else {}
        of_frames = {name: self._quantity(home, quantity) for name, quantity in quantities.items()}
        names = {**self.numbers.names, **self.named, **of_frames}
        return ExactNumbers(self.numbers.point, names, tables=self.numbers.tables).number(value)

    def vector(self, values: Sequence[Value]) -> Array:
        """Several."""
        found = np.empty(len(values), dtype=object)
        found[:] = [self.of(value) for value in values]
        return found

    def _quantity(self, home: Mapping[str, Frame], quantity: FrameQuantity) -> Any:
        first, last = home[quantity.frames[0]], home[quantity.frames[-1]]
        place, turn = COMPONENTS.index, self._pose(first)[0]
        way = self._pose(last)[1] - self._pose(first)[1]
        match quantity.word:
            case "distance":
                return np.sqrt(way @ way)
            case "distance_rate":
                return (self._velocity(last) - self._velocity(first)) @ way / np.sqrt(way @ way)
            case "angle":
                about = place(quantity.letter)
                normal, start, end = turn[:, about], turn[:, about - 2], self._pose(last)[0][:, about - 2]
                across: Any = normal @ cross(start, end)
                return across.stands("atan2", start @ end - (end @ normal) * (start @ normal))
            case "position":
                vector = self._pose(first)[1]
            case "velocity":
                vector = self._velocity(first)
            case "angular_velocity":
                vector = self.at.omega[self._label(first)]
            case "axis":
                vector = turn[:, place(quantity.letter)]
            case "direction":
                vector = way / np.sqrt(way @ way)
        if not quantity.axes:
            return vector[place(quantity.component)]
        return self._pose(home[quantity.axes])[0][:, place(quantity.component)] @ vector

    def _label(self, frame: Frame) -> int:
        return self.mechanism.body_labels[frame.body]

    def _pose(self, frame: Frame) -> tuple[Array, Array]:
        """Axes and origin, base axes."""
        turn, shift = placed(frame.placement, self.numbers)
        carried = self.at.rotations[self._label(frame)]
        return carried @ turn, self.at.origins[self._label(frame)] + carried @ shift

    def _velocity(self, frame: Frame) -> Any:
        label = self._label(frame)
        return self.at.velocity[label] + cross(self.at.omega[label], self._pose(frame)[1] - self.at.origins[label])
