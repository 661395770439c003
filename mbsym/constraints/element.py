"""The questions that every closure constraint answers.

Constraints close loops beside the joints that are cut. What their attributes hold is said by their entries; from these
follow how they stand in files and what is checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Matrix3, Vector3, multiply
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import ElementRecord, Kind, named, plain_entries
from mbsym.values.frame_quantities import FrameQuantity
from mbsym.values.lines import Line
from mbsym.values.parameter import Value, Vector

C = TypeVar("C", covariant=True)


class ConstraintElement(ABC):
    """A closure constraint: a frozen dataclass whose fields, but its name, have entries.

    Attributes:
        type: its type in files.
        name: unique among the constraints of a model.
    """

    __slots__ = ()
    type: ClassVar[str]
    name: str

    def __post_init__(self) -> None:
        plain_entries(self, self.name)

    @abstractmethod
    def close(self, loop: OpenLoop[C]) -> C:
        """Its equations, said to the loop that it closes."""

    @property
    def expressions(self) -> tuple[Value, ...]:
        """Its values that may hold coordinates, speeds and frames."""
        return self.named("expression")

    @property
    def related(self) -> tuple[tuple[str, Value], ...]:
        """Joints and factors where it keeps a sum of factors times single coordinates; nothing where it does not."""
        return ()

    def drawn(self) -> tuple[Line, ...]:
        """The lines that show it; none where it does not say so."""
        return ()

    @classmethod
    @abstractmethod
    def random(cls, draw: LoopDraw) -> ConstraintElement | None:
        """One that holds where bodies and joints happen to be, for tests; None where it lacks joints to act on."""

    def named(self, kind: Kind) -> tuple[str, ...]:
        """The joints or bodies that it names."""
        return named(self, kind)


@dataclass(frozen=True, slots=True)
class ConstraintType(ElementRecord[ConstraintElement]):
    """The record of a closure constraint."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A frame in a body's internal frame, by the body's label."""

    label: int
    frame: Transform


@dataclass(frozen=True, slots=True)
class Seen:
    """A frame on the second body as seen from one on the first.

    Attributes:
        matrix: rotation, whose columns are its axes.
        place: of its origin.
        spin: angular velocity.
        velocity: rate of its place.
    """

    matrix: Matrix3
    place: Vector3
    spin: Vector3
    velocity: Vector3

    def turn(self, direction: Vector3) -> Vector3:
        """A direction of the second frame in the first."""
        return multiply(self.matrix, direction)


@dataclass(frozen=True, slots=True)
class PointRow:
    """An equation for the second body as seen from a frame on the first.

    Attributes:
        quantity: what it holds together, in words.
        unit: of the residual, or of what is held of the speeds.
        residual: zero where the constraint holds.
        direction: gradient of the residual by the origin of the second frame; so it is the force per unit multiplier.
        direction_rate: its rate.
        moment: the same of turns, about that origin.
        moment_rate: its rate.
        length: that is subtracted in the residual, if one is.
        of_speeds: it holds speeds alone, and the residual is none.
    """

    quantity: str
    unit: str
    residual: Scalar
    direction: Vector3
    direction_rate: Vector3
    moment: Vector3 | None = None
    moment_rate: Vector3 | None = None
    length: Scalar | None = None
    of_speeds: bool = False


PointRows: TypeAlias = Callable[[Seen], Sequence[PointRow]]
"""Equations of a frame for its place and its motion."""


class OpenLoop(Protocol[C]):
    """A mechanism in motion to which the equations of a constraint are said."""

    def value(self, value: Value) -> Scalar:
        """A value of the model."""
        ...

    def at(self, body: str, point: Vector) -> Carried:
        """A frame at a point of a body; its axes are of no account."""
        ...

    def along(self, body: str, point: Vector, direction: Vector) -> Carried:
        """A frame at a point of a body with its z axis along a direction."""
        ...

    def between(self, element: ConstraintElement, first: Carried, second: Carried, rows: PointRows) -> C:
        """Equations for the second frame as seen from the first."""
        ...

    def of_coordinates(self, element: ConstraintElement, terms: Sequence[tuple[str, Scalar]], offset: Scalar) -> C:
        """The equation sum of factor * q = offset of joints of one coordinate each, given with their factors."""
        ...

    def of_expression(self, element: ConstraintElement, held: Value, unit: str, *, of_speeds: bool = False) -> C:
        """The equation that an expression of coordinates and frames, or one linear in speeds, stays zero."""
        ...


class LoopDraw(Protocol):
    """Two bodies where they happen to be, with a point on each, and joints at zero; numbers have few digits but for
    what must fit."""

    @property
    def number(self) -> int:
        """Of the loop, for the element's name."""
        ...

    @property
    def bodies(self) -> tuple[str, str]:
        """Their names."""
        ...

    @property
    def points(self) -> tuple[Vector, Vector]:
        """A point on each, in its frame."""
        ...

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of two joints of one coordinate, or nothing where there are none."""
        ...

    @property
    def seen(self) -> tuple[Any, Any, Any]:
        """The point on the second body in the frame of the first."""
        ...

    @property
    def distance(self) -> float:
        """Of the points."""
        ...

    def value(self, quantity: FrameQuantity) -> float:
        """What a quantity of the bodies' frames is there."""
        ...

    def along(self, low: float, high: float) -> float:
        """A number between two bounds."""
        ...

    def direction(self) -> tuple[int, int, int]:
        """A direction of small integers."""
        ...
