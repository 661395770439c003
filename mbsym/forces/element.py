"""The questions that every force element answers.

An element acts in the sense it is written: springs pull back, dampers oppose, inputs push along v. What its attributes
hold is said by their entries; from these follow how it stands in files and what is checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

from mbsym.forces.scene import MovingScene, Scene
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import ElementRecord, Kind, named, plain_entries
from mbsym.values.frame_quantities import value_frames
from mbsym.values.lines import Line
from mbsym.values.parameter import Value, Vector

Fault: TypeAlias = tuple[str, str, str]
"""An entry, what is wrong with it beside the others, and what to do about it."""


@dataclass(frozen=True, slots=True)
class LinearLaw:
    """-stiffness (x - rest) - damping dx/dt, with x a coordinate of the joint or the distance of two points.

    Attributes:
        stiffness, damping, rest: values of the model.
        index: of the joint's coordinate, None for a distance.
        ends: the bodies of the two points and the points in their frames, empty for a coordinate.
    """

    stiffness: Value
    damping: Value
    rest: Value
    index: int | None = None
    ends: tuple[tuple[str, Vector], ...] = ()


class ForceElement(ABC):
    """A force element: a frozen dataclass whose fields, but its name, have entries.

    One that does not say otherwise stores nothing, obeys no linear law and is not drawn.

    Attributes:
        type: its type in files.
        stores_energy: whether any of its force has a potential.
        linear_in: fields in which, all together, its force and its energy are linear without a constant term.
        name: unique among the force elements of a model.
    """

    __slots__ = ()
    type: ClassVar[str]
    stores_energy: ClassVar[bool] = False
    linear_in: ClassVar[tuple[str, ...]] = ()
    name: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.stores_energy and cls.stored_energy is ForceElement.stored_energy:
            raise TypeError(f"{cls.__name__} stores energy and does not say how much: it needs stored_energy")

    def __post_init__(self) -> None:
        plain_entries(self, self.name)

    def faults(self, number: Callable[[Value], float]) -> Iterable[Fault]:
        """What does not go together in entries each of which is right.

        Args:
            number: what a value is with the model's parameters.
        """
        return ()

    @abstractmethod
    def act(self, scene: MovingScene) -> None:
        """Applies its force to the mechanism."""

    def stored_energy(self, scene: Scene) -> Scalar:
        """The potential of what it stores [J]; asked only of elements that store energy."""
        return scene.value(0)

    def external_part(self, numbers: Mapping[str, float]) -> ForceElement | None:
        """The element without what its stored energy explains: what supplies or takes energy; None where nothing does.

        Args:
            numbers: of the model's parameters.
        """
        return self

    def linear_law(self) -> LinearLaw | None:
        """Its force, if that is linear in a displacement and its rate: some methods solve for such forces only."""
        return None

    def drawn(self) -> tuple[Line, ...]:
        """The lines that show it."""
        return ()

    @classmethod
    @abstractmethod
    def random(cls, draw: Draw) -> ForceElement | None:
        """One with random numbers, for tests; None, with nothing drawn, where it does not suit the joint drawn."""

    def named(self, kind: Kind) -> tuple[str, ...]:
        """The joints, bodies or control inputs that it names."""
        return named(self, kind)

    @property
    def expressions(self) -> tuple[Value, ...]:
        """Its values that may hold coordinates, speeds, quantities of frames, time and control inputs."""
        triples = (value for values in named(self, "expressions") for value in values)
        return (*named(self, "expression"), *triples)

    @property
    def frames_named(self) -> tuple[str, ...]:
        """Names of the frames of which its expressions take quantities, sorted."""
        return tuple(sorted({frame for value in self.expressions for frame in value_frames(value)}))

    @property
    def meets_bodies(self) -> bool:
        """Whether it asks where bodies are, or how they move."""
        return bool(self.named("body") or self.frames_named)

    @property
    def linear_fields(self) -> tuple[str, ...]:
        """The fields in which its force is linear with its other entries as they are: ``linear_in``, or none."""
        return self.linear_in

    @property
    def ends_way(self) -> int | None:
        """Which of the coordinates of its joint it keeps from going on, as a stop does; None where it stops none."""
        return None

    @property
    def driven_joints(self) -> tuple[str, ...]:
        """The joints on which it is a motor: those that it names beside a control input."""
        return self.named("joint") if self.named("input") else ()


class JointElement(ForceElement):
    """A force element along one speed of a joint."""

    __slots__ = ()
    joint: str
    index: int

    @abstractmethod
    def force(self, scene: MovingScene) -> Scalar:
        """Its generalised force along that speed [N or N m]."""

    def act(self, scene: MovingScene) -> None:
        scene.drive(self.joint, self.index, self.force(scene))


@dataclass(frozen=True, slots=True)
class ForceType(ElementRecord[ForceElement]):
    """The record of a force element."""


@dataclass(frozen=True, slots=True)
class DrawnSpeed:
    """A speed of a joint that was drawn for an element.

    Attributes:
        joint: name of the joint.
        index: position of the speed.
        coordinate: name in expressions of the coordinate whose rate the speed is, None where there is none.
        speed: name of the speed in expressions.
        size: a positive number for the force.
    """

    joint: str
    index: int
    coordinate: str | None
    speed: str
    size: float


class Draw(Protocol):
    """Random numbers and names for one force element; numbers have few digits."""

    @property
    def name(self) -> str:
        """For the element."""
        ...

    @property
    def place(self) -> DrawnSpeed:
        """For an element on a joint."""
        ...

    def number(self, low: float, high: float) -> float:
        """A number between two bounds."""
        ...

    def vector(self, size: float) -> tuple[float, float, float]:
        """Numbers up to a size, some of them zero."""
        ...

    def chance(self, probability: float) -> bool:
        """True that often."""
        ...

    def value(self, number: float, stem: str, unit: str) -> Value:
        """The number, or an expression of new parameters with that value, whose names begin with a stem."""
        ...

    def input(self) -> str:
        """The name of a new control input."""
        ...

    def body(self) -> str:
        """A body."""
        ...

    def two_bodies(self) -> tuple[str, str]:
        """Two different bodies, one of which may be ground."""
        ...
