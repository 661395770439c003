"""Bodies and joints as force elements see them, in base axes, and what acts on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mbsym.exact.kinematics import Moving, cross
from mbsym.exact.mechanism import along_z
from mbsym.exact.residues import UndecidedError
from mbsym.exact.words import Words
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.rotations import Array


@dataclass(frozen=True, slots=True)
class Scene:
    """A mechanism in motion, and what acts on it.

    Attributes:
        words: what values may name.
        moving: its motion.
        coordinates, rates: of tree joints by label.
        wrenches: (nb+1, 6), [moment about the origin of the body frame; force], base axes.
        along: forces along the speeds of tree joints, by label.
    """

    words: Words
    moving: Moving
    coordinates: Sequence[Array]
    rates: Sequence[Array]
    wrenches: Array
    along: Sequence[Array]

    @property
    def mechanism(self) -> NumericMechanism:
        """The mechanism."""
        return self.words.mechanism

    def of(self, value: Any) -> Any:
        """A value of the model, whatever it names."""
        return self.words.of(value)

    def vector(self, values: Sequence[Any]) -> Array:
        """Several."""
        return self.words.vector(values)

    def joint(self, name: str) -> int:
        """Place of a tree joint.

        Raises:
            UndecidedError: it is cut.
        """
        place = self.mechanism.joint_labels[name] - 1
        if place >= self.mechanism.nb:
            raise UndecidedError("a force element at a cut joint")
        return place

    def pull(self, body: str, arm: Array, force: Array) -> None:
        """A force at a point that is ``arm`` away from the body's origin."""
        label = self.mechanism.body_labels[body]
        self.wrenches[label, :3] += cross(arm, force)
        self.wrenches[label, 3:] += force

    def place(self, body: str, point: Sequence[Any]) -> Array:
        """Where a body's point is."""
        found: Array = self.moving.origins[self.mechanism.body_labels[body]] + self.arm(body, point)
        return found

    def axis(self, body: str, direction: Sequence[Any]) -> Array:
        """A direction of a body as a unit vector, base axes."""
        turn = self.moving.rotations[self.mechanism.body_labels[body]]
        found: Array = (turn @ along_z(direction, self.words.numbers))[:, 2]
        return found

    def velocity(self, body: str, place: Array) -> Array:
        """Of the point of a body that is at a place."""
        label = self.mechanism.body_labels[body]
        return self.moving.at(label, place - self.moving.origins[label])[0]

    def pull_at(self, body: str, place: Array, force: Array) -> None:
        """A force at the point of a body that is at a place."""
        self.pull(body, place - self.moving.origins[self.mechanism.body_labels[body]], force)

    def arm(self, body: str, point: Sequence[Any]) -> Array:
        """From the body's origin to one of its points, base axes."""
        turned: Array = self.moving.rotations[self.mechanism.body_labels[body]] @ self.vector(point)
        return turned
