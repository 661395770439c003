"""Quantities of frames along the joints of the tree: values, rates by the speeds, and the wrenches that they stand for.

The rate of each is linear in twists of the bodies that carry its frames: m . omega + f . v, with v of the frame's
origin. So m and f are the moment and the force per unit multiplier that hold the quantity, and with their own rates the
second rate follows. What depends on the frames' relative places alone is seen from the body where their ways meet, so
that joints before it do not come in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from mbsym.joints.motion import Motion
from mbsym.kinematics.frame_quantities import always_together, carried, unit_vector
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.motion import loop_motion, power, sum_of
from mbsym.loops.scale import RowScale, loop_scale
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.spatial.transform import identity_transform
from mbsym.spatial.vector import Vector3, cross, dot, zero_vector
from mbsym.symbolic.frame_quantities import COMPONENTS, FrameQuantity
from mbsym.symbolic.scalar import Scalar, constant, sqrt


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of a coordinate or of a quantity of frames, which is linear in the speeds.

    Attributes:
        value: of the coordinate or quantity; of what is a rate itself, that rate.
        speed: the rate.
        change: rate of the rate where all vdot are zero.
        row: its derivatives by the speeds, by column of v.
        loads: [moment; force] per unit multiplier on bodies by label, at the internal frame's origin in its components.
        joints: labels of the joints that it depends on.
        scale: by what the value is measured; its size may be zero.
        is_speed: the value is a rate itself.
    """

    value: Scalar
    speed: Scalar
    change: Scalar
    row: Mapping[int, Scalar]
    loads: Mapping[int, Motion]
    joints: tuple[int, ...]
    scale: RowScale
    is_speed: bool = False


@dataclass(frozen=True, slots=True)
class _Moving:
    """A number and its rate where all vdot are zero."""

    now: Scalar
    rate: Scalar

    def __add__(self, other: _Moving) -> _Moving:
        return _Moving(self.now + other.now, self.rate + other.rate)

    def __sub__(self, other: _Moving) -> _Moving:
        return _Moving(self.now - other.now, self.rate - other.rate)

    def __mul__(self, other: _Moving) -> _Moving:
        return _Moving(self.now * other.now, self.rate * other.now + self.now * other.rate)

    def __truediv__(self, other: _Moving) -> _Moving:
        part = self.now / other.now
        return _Moving(part, (self.rate - part * other.rate) / other.now)

    def __neg__(self) -> _Moving:
        return _Moving(-self.now, -self.rate)


_Vector: TypeAlias = tuple[_Moving, _Moving, _Moving]
_Load: TypeAlias = tuple[str, _Vector | None, _Vector | None]
"""Name of a frame, moment and force at its origin."""


def _moving(now: Vector3, rate: Vector3) -> _Vector:
    x, y, z = (_Moving(*pair) for pair in zip(now, rate, strict=True))
    return x, y, z


def _now(a: _Vector) -> Vector3:
    return a[0].now, a[1].now, a[2].now


def _rate(a: _Vector) -> Vector3:
    return a[0].rate, a[1].rate, a[2].rate


def _dot(a: _Vector, b: _Vector) -> _Moving:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: _Vector, b: _Vector) -> _Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _scaled(a: _Vector, factor: _Moving) -> _Vector:
    return a[0] * factor, a[1] * factor, a[2] * factor


def _minus(a: _Vector, b: _Vector) -> _Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _opposite(a: _Vector) -> _Vector:
    return -a[0], -a[1], -a[2]


def frame_rate(mechanism: Mechanism, quantity: FrameQuantity) -> Rate:
    """The rate of a quantity of frames.

    Raises:
        SymbolicError: it divides by a distance that is zero whatever the state.
    """
    return _FrameRate(mechanism, quantity, frames_in_expressions(mechanism.model)).found()


class _FrameRate:
    """One quantity as seen from the body where the ways of its frames meet, or from ground."""

    def __init__(self, mechanism: Mechanism, quantity: FrameQuantity, frames: Mapping[str, Frame]) -> None:
        self._mechanism, self._quantity = mechanism, quantity
        self._homes = {name: carried(mechanism, frames[name]) for name in quantity.every_frame}
        labels = [label for label, _ in self._homes.values()]
        root, start = _meeting(mechanism, labels) if quantity.is_relative else 0, identity_transform(mechanism.graph)
        self._seen = {
            name: loop_motion(mechanism, root, start, label, frame, at_end=True)
            for name, (label, frame) in self._homes.items()
        }

    def found(self) -> Rate:
        """The rate."""
        value, loads = self._MADE[self._quantity.word](self)
        zero = Scalar(self._mechanism.graph, 0)
        speed, change, row = zero, zero, dict[int, Scalar]()
        held: dict[int, Motion] = {}
        none = _moving(zero_vector(self._mechanism.graph), zero_vector(self._mechanism.graph))
        for name, *halves in loads:
            seen, (moment, force) = self._seen[name], (half or none for half in halves)
            now, rate = (_now(moment), _now(force)), (_rate(moment), _rate(force))
            speed = speed + power(now, seen.twist)
            change = change + power(now, seen.bias) + power(rate, seen.twist)
            for column, motion in seen.columns.items():
                row[column] = row.get(column, zero) + power(now, motion)
            label, frame = self._homes[name]
            if label:
                turn = seen.placement.rotation
                load = frame.wrench_to_parent(turn.to_child(now[0]), turn.to_child(now[1]))
                held[label] = sum_of(held.get(label), load)
        joints = dict.fromkeys(label for seen in self._seen.values() for way in seen.joints for label in way)
        entries = {column: entry for column, entry in sorted(row.items()) if entry}
        is_speed = value is None
        return Rate(
            speed if value is None else value, speed, change, entries, held, tuple(joints), self._scale(), is_speed
        )

    def _scale(self) -> RowScale:
        unit = "m" if self._quantity.word in ("position", "distance") else "rad"
        zero = Scalar(self._mechanism.graph, 0)
        ways = [loop_scale(self._mechanism, seen.joints, seen.frames, zero, zero) for seen in self._seen.values()]
        rounding = sum((way.of_row(unit).rounding for way in ways), zero)
        return RowScale(sum((way.lengths for way in ways), zero) if unit == "m" else zero + len(ways), rounding)

    # ---- quantities --------------------------------------------------------------------------------------------------

    def _position(self) -> tuple[Scalar, list[_Load]]:
        name, along = self._quantity.frames[0], self._along()
        return self._component(self._point(name), along, [(name, None, along)])

    def _axis(self) -> tuple[Scalar, list[_Load]]:
        name, along = self._quantity.frames[0], self._along()
        axis = self._direction(name, self._quantity.letter)
        return self._component(axis, along, [(name, _cross(axis, along), None)])

    def _of_direction(self) -> tuple[Scalar, list[_Load]]:
        first, second = self._quantity.frames
        unit, length = self._apart()
        along = self._along()
        across = _scaled(_minus(along, _scaled(unit, _dot(unit, along))), self._one() / length)
        return self._component(unit, along, [(second, None, across), (first, None, _opposite(across))])

    def _distance(self) -> tuple[Scalar, list[_Load]]:
        return self._apart()[1].now, self._pull()

    def _angle(self) -> tuple[Scalar, list[_Load]]:
        first, second = self._quantity.frames
        about = COMPONENTS.index(self._quantity.letter)
        near, side = (COMPONENTS[(about + step) % 3] for step in (1, 2))
        turned, along, across = (
            self._direction(second, near),
            self._direction(first, near),
            self._direction(first, side),
        )
        x, y = _dot(along, turned), _dot(across, turned)
        normal = _scaled(_minus(_scaled(across, x), _scaled(along, y)), self._one() / (x * x + y * y))
        moment = _cross(turned, normal)
        return y.now.apply("atan2", x.now), [(second, moment, None), (first, _opposite(moment), None)]

    def _velocity(self) -> tuple[None, list[_Load]]:
        return None, [(self._quantity.frames[0], None, self._along())]

    def _angular_velocity(self) -> tuple[None, list[_Load]]:
        return None, [(self._quantity.frames[0], self._along(), None)]

    def _distance_rate(self) -> tuple[None, list[_Load]]:
        return None, self._pull()

    _MADE: ClassVar[Mapping[str, Callable[[_FrameRate], tuple[Scalar | None, list[_Load]]]]] = {
        "position": _position,
        "axis": _axis,
        "direction": _of_direction,
        "distance": _distance,
        "angle": _angle,
        "velocity": _velocity,
        "angular_velocity": _angular_velocity,
        "distance_rate": _distance_rate,
    }

    # ---- frames ------------------------------------------------------------------------------------------------------

    def _point(self, name: str) -> _Vector:
        seen = self._seen[name]
        return _moving(seen.placement.translation, seen.twist[1])

    def _direction(self, name: str, letter: str) -> _Vector:
        """An axis of a frame."""
        seen = self._seen[name]
        axis = seen.placement.rotation.to_parent(unit_vector(self._mechanism.graph, letter))
        return _moving(axis, cross(seen.twist[0], axis))

    def _along(self) -> _Vector:
        """The axis of the base or of a frame along which the component is taken."""
        quantity = self._quantity
        if quantity.axes:
            return self._direction(quantity.axes, quantity.component)
        return _moving(unit_vector(self._mechanism.graph, quantity.component), zero_vector(self._mechanism.graph))

    def _component(self, vector: _Vector, along: _Vector, loads: list[_Load]) -> tuple[Scalar, list[_Load]]:
        """A vector's component, which turns with the frame along whose axis it is."""
        axes = self._quantity.axes
        turning: list[_Load] = [(axes, _cross(along, vector), None)] if axes else []
        return _dot(along, vector).now, [*loads, *turning]

    def _apart(self) -> tuple[_Vector, _Moving]:
        """The direction from the first frame to the second, and their distance."""
        first, second = map(self._point, self._quantity.frames)
        way = _minus(second, first)
        square = dot(_now(way), _now(way))
        if not square:
            raise always_together(self._quantity)
        length = _Moving(sqrt(square), dot(_now(way), _rate(way)) / sqrt(square))
        return _scaled(way, self._one() / length), length

    def _pull(self) -> list[_Load]:
        first, second = self._quantity.frames
        unit, _ = self._apart()
        return [(second, None, unit), (first, None, _opposite(unit))]

    def _one(self) -> _Moving:
        graph = self._mechanism.graph
        return _Moving(constant(graph, 1), Scalar(graph, 0))


def _meeting(mechanism: Mechanism, labels: Sequence[int]) -> int:
    """The body farthest out that all of these are on or behind."""
    where = labels[0]
    for label in labels[1:]:
        while where != label:
            if where > label:
                where = mechanism.body(where).parent
            else:
                label = mechanism.body(label).parent
    return where
