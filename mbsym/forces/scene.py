"""What force elements see of a mechanism, and where they leave their forces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, add, cross
from mbsym.symbolic.scalar import Scalar
from mbsym.values.parameter import Value, Vector


@dataclass(frozen=True, slots=True)
class PlacedPoint:
    """A point of a body.

    Attributes:
        label: of the body, 0 for ground.
        frame: a frame of the body in base axes.
        arm: the point in that frame.
        twist: [angular; linear] of that frame in its own components; zero where nothing is known to move.
    """

    label: int
    frame: Transform
    arm: Vector3
    twist: tuple[Vector3, Vector3]

    def position(self) -> Vector3:
        """In base axes [m]."""
        return self.frame.point_to_parent(self.arm)

    def velocity(self) -> Vector3:
        """In base axes [m/s]."""
        angular, linear = self.twist
        return self.frame.rotation.to_parent(add(linear, cross(angular, self.arm)))

    def spin(self) -> Vector3:
        """Angular velocity of its body in base axes [rad/s]."""
        return self.frame.rotation.to_parent(self.twist[0])

    def moved_to(self, position: Vector3) -> PlacedPoint:
        """The point of the same body that is at a place in base axes."""
        return replace(self, arm=self.frame.point_to_child(position))


class Scene(Protocol):
    """A mechanism in a configuration."""

    def value(self, value: Value) -> Scalar:
        """A value of the model."""
        ...

    def coordinate(self, joint: str, index: int) -> Scalar:
        """The coordinate whose rate is a joint's speed.

        Raises:
            DerivationError: the joint is cut, or its speeds are no rates of coordinates.
        """
        ...

    def point(self, body: str, point: Vector) -> PlacedPoint:
        """A point given in a body's frame."""
        ...


class MovingScene(Scene, Protocol):
    """A mechanism in motion, to which forces can be applied."""

    def vector(self, values: Vector) -> Vector3:
        """Three values of the model."""
        ...

    def direction(self, body: str, direction: Vector) -> Vector3:
        """The unit vector along a direction given in a body's frame, in base axes.

        Raises:
            DerivationError: the direction depends on a run-time parameter.
        """
        ...

    def speed(self, joint: str, index: int) -> Scalar:
        """A speed of a joint.

        Raises:
            DerivationError: the joint is cut.
        """
        ...

    def drive(self, joint: str, index: int, force: Scalar) -> None:
        """Adds a generalised force along a joint's speed [N or N m]."""
        ...

    def push(
        self, point: PlacedPoint, force: Vector3, moment: Vector3 | None = None, axes: Literal["base", "body"] = "base"
    ) -> None:
        """Adds a force at a point and a moment on its body, both in base axes or in the body's."""
        ...
