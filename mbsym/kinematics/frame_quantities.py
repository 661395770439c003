"""Quantities of frames that expressions name, in a mechanism that moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

from mbsym.errors import SymbolicError
from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.placement import transform_of
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, add, cross, dot, scale, subtract
from mbsym.symbolic.frame_quantities import COMPONENTS, FrameQuantity, quantity_of
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, constant, sqrt


class NamesInMotion(Mapping[str, Scalar]):
    """The names of a mechanism's expressions and, each made when it is asked for, quantities of its frames."""

    def __init__(self, mechanism: Mechanism, poses: Sequence[Transform], twists: Sequence[Motion]) -> None:
        """What expressions may name.

        Args:
            mechanism: whose model holds the frames that its expressions name.
            poses: of the internal frames of its bodies in base axes, by label; empty where no expression names a frame.
            twists: [angular; linear] of these in their own components.
        """
        self._mechanism, self._poses, self._twists = mechanism, poses, twists
        self._frames = frames_in_expressions(mechanism.model)

    def __getitem__(self, name: str) -> Scalar:
        if name in self._mechanism.names:
            return self._mechanism.names[name]
        quantity = quantity_of(name)
        if quantity is None or not self._poses:
            raise KeyError(name)
        return self._MADE[quantity.word](self, quantity)

    def __iter__(self) -> Iterator[str]:
        return iter(self._mechanism.names)

    def __len__(self) -> int:
        return len(self._mechanism.names)

    # ---- quantities --------------------------------------------------------------------------------------------------

    def _position(self, quantity: FrameQuantity) -> Scalar:
        return self._component(quantity, 0, self._placed(quantity.frames[0]).translation)

    def _velocity(self, quantity: FrameQuantity) -> Scalar:
        return self._component(quantity, *self._moving(quantity.frames[0]))

    def _angular_velocity(self, quantity: FrameQuantity) -> Scalar:
        label, _ = self._frame(quantity.frames[0])
        return self._component(quantity, label, self._twists[label][0])

    def _axis(self, quantity: FrameQuantity) -> Scalar:
        label, frame = self._frame(quantity.frames[0])
        return self._component(
            quantity, label, frame.rotation.to_parent(unit_vector(self._mechanism.graph, quantity.letter))
        )

    def _direction(self, quantity: FrameQuantity) -> Scalar:
        span, length = self._apart(quantity)
        return self._component(quantity, 0, scale(span, 1 / length))

    def _distance(self, quantity: FrameQuantity) -> Scalar:
        span = self._span(quantity)
        return sqrt(dot(span, span))

    def _distance_rate(self, quantity: FrameQuantity) -> Scalar:
        span, length = self._apart(quantity)
        first, second = map(self._origin_velocity, quantity.frames)
        return dot(span, subtract(second, first)) / length

    def _angle(self, quantity: FrameQuantity) -> Scalar:
        about = COMPONENTS.index(quantity.letter)
        along, across = (COMPONENTS[(about + step) % 3] for step in (1, 2))
        first, second = (self._placed(name).rotation for name in quantity.frames)
        turned = first.to_child(second.to_parent(unit_vector(self._mechanism.graph, along)))
        return turned[COMPONENTS.index(across)].apply("atan2", turned[COMPONENTS.index(along)])

    _MADE: ClassVar[Mapping[str, Callable[..., Scalar]]] = {
        "position": _position,
        "velocity": _velocity,
        "angular_velocity": _angular_velocity,
        "axis": _axis,
        "direction": _direction,
        "distance": _distance,
        "distance_rate": _distance_rate,
        "angle": _angle,
    }

    # ---- frames ------------------------------------------------------------------------------------------------------

    def _frame(self, name: str) -> tuple[int, Transform]:
        return carried(self._mechanism, self._frames[name])

    def _placed(self, name: str) -> Transform:
        """A frame in the base frame."""
        label, frame = self._frame(name)
        return self._poses[label].then(frame)

    def _moving(self, name: str) -> tuple[int, Vector3]:
        """The label of a frame's body, and the velocity of the frame's origin in the internal frame of that."""
        label, frame = self._frame(name)
        angular, linear = self._twists[label]
        return label, add(linear, cross(angular, frame.translation))

    def _origin_velocity(self, name: str) -> Vector3:
        """Velocity of a frame's origin in base axes."""
        label, velocity = self._moving(name)
        return self._poses[label].rotation.to_parent(velocity)

    def _span(self, quantity: FrameQuantity) -> Vector3:
        """From the origin of the first frame to that of the second, in base axes."""
        first, second = map(self._placed, quantity.frames)
        return subtract(second.translation, first.translation)

    def _apart(self, quantity: FrameQuantity) -> tuple[Vector3, Scalar]:
        """The way from the first frame to the second, and its length.

        Raises:
            SymbolicError: it has none, whatever the state.
        """
        span = self._span(quantity)
        square = dot(span, span)
        if not square:
            raise always_together(quantity)
        return span, sqrt(square)

    def _component(self, quantity: FrameQuantity, label: int, vector: Vector3) -> Scalar:
        """The component asked for, along the axes asked for, of a vector in the internal frame of a body."""
        place = COMPONENTS.index(quantity.component)
        if quantity.axes:
            other, frame = self._frame(quantity.axes)
            if other == label:
                return frame.rotation.to_child(vector)[place]
            in_base = self._poses[label].rotation.to_parent(vector)
            return frame.rotation.to_child(self._poses[other].rotation.to_child(in_base))[place]
        return self._poses[label].rotation.to_parent(vector)[place]


def carried(mechanism: Mechanism, frame: Frame) -> tuple[int, Transform]:
    """The label of a frame's body, and the frame in the internal frame of that."""
    label = mechanism.labelling.body_labels[frame.body]
    placed = transform_of(frame.placement, mechanism.graph, mechanism.names)
    return label, mechanism.body(label).user_frame.inverse().then(placed) if label else placed


def unit_vector(graph: Graph, letter: str) -> Vector3:
    """Along the axis of a letter."""
    x, y, z = (constant(graph, int(letter == component)) for component in COMPONENTS)
    return x, y, z


def always_together(quantity: FrameQuantity) -> SymbolicError:
    """The refusal of a direction between frames whose origins are in one place whatever the state."""
    first, second = quantity.frames
    return SymbolicError(
        f"the origins of {first} and {second} always coincide", remedy="name two places that move apart"
    )
