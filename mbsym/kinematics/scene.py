"""A mechanism as its force elements see it: where their points are, how fast they move, and what is done to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Literal

from mbsym.errors import DerivationError, SymbolicError
from mbsym.forces.element import ForceElement
from mbsym.forces.scene import PlacedPoint
from mbsym.joints.motion import Motion
from mbsym.kinematics.frame_quantities import NamesInMotion, unit_vector
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.placement import aligned, vector_of
from mbsym.kinematics.recursion import Speeds, poses, velocities
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, add, cross, zero_vector
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import to_scalar
from mbsym.values.parameter import Value, Vector


def user_poses(mechanism: Mechanism) -> tuple[Transform, ...]:
    """The user's body frames in the base frame, by label (entry 0 is the base)."""
    frames = poses(mechanism)
    inverses = (body.user_frame.inverse() for body in mechanism.bodies)
    return (frames[0], *(frame.then(user) for frame, user in zip(frames[1:], inverses, strict=True)))


@contextmanager
def acting(element: ForceElement) -> Iterator[None]:
    """What is refused within is refused of that element."""
    try:
        yield
    except DerivationError as error:
        raise DerivationError(f"force {element.name} {error.what}", where=element.name, remedy=error.remedy) from None
    except SymbolicError as error:
        raise DerivationError(f"force {element.name}: {error.what}", where=element.name, remedy=error.remedy) from None


class _Scene:
    """What needs no frames of bodies."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._labels = {mechanism.model.ground: 0} | {body.name: body.label for body in mechanism.bodies}
        self._beyond = {body.joint.name: body for body in mechanism.bodies}
        self._names = mechanism.names

    def value(self, value: Value) -> Scalar:
        return to_scalar(value, self._mechanism.graph, self._names)

    def vector(self, values: Vector) -> Vector3:
        return vector_of(values, self._mechanism.graph, self._names)

    def coordinate(self, joint: str, index: int) -> Scalar:
        body = self._carried_by(joint)
        if len(body.q) != len(body.v):
            raise DerivationError(
                f"needs a coordinate whose rate is the speed; joint {joint} has a quaternion",
                where=joint,
                remedy="use a point spring or an expression",
            )
        return body.q[index]

    def _carried_by(self, joint: str) -> TreeBody:
        if joint not in self._beyond:
            raise DerivationError(
                f"acts along joint {joint}, which is cut",
                where=joint,
                remedy=f"keep the joint in the tree (cut: tree) for joint {joint}",
            )
        return self._beyond[joint]


class MechanismAtRest(_Scene):
    """A mechanism in a configuration; points stand in the user's body frames."""

    @cached_property
    def _poses(self) -> tuple[Transform, ...]:
        return user_poses(self._mechanism)

    def point(self, body: str, point: Vector) -> PlacedPoint:
        label, zero = self._labels[body], zero_vector(self._mechanism.graph)
        return PlacedPoint(label, self._poses[label], self.vector(point), (zero, zero))


class MechanismInMotion(_Scene):
    """A mechanism in motion that gathers the forces applied to it; points stand in the internal frames of bodies.

    Attributes:
        joints: generalised forces by tree joint.
        wrenches: [moment; force] by body label, at the origin of its internal frame in its components.
    """

    def __init__(self, mechanism: Mechanism, speeds: Speeds, *, with_bodies: bool) -> None:
        """The mechanism at the given speeds.

        Args:
            mechanism: the mechanism.
            speeds: by tree joint.
            with_bodies: False where nobody asks for points or frames of bodies.
        """
        super().__init__(mechanism)
        self._speeds = speeds
        self._frames: Sequence[Transform] = poses(mechanism) if with_bodies else ()
        self._twists: Sequence[Motion] = velocities(mechanism, speeds) if with_bodies else ()
        self._names = NamesInMotion(mechanism, self._frames, self._twists)
        self.joints = [[Scalar(mechanism.graph, 0)] * len(body.v) for body in mechanism.bodies]
        self.wrenches: dict[int, Motion] = {}

    def speed(self, joint: str, index: int) -> Scalar:
        return self._speeds[self._carried_by(joint).label - 1][index]

    def point(self, body: str, point: Vector) -> PlacedPoint:
        label, arm = self._labels[body], self.vector(point)
        if label:
            arm = self._mechanism.body(label).user_frame.point_to_child(arm)
        return PlacedPoint(label, self._frames[label], arm, self._twists[label])

    def direction(self, body: str, direction: Vector) -> Vector3:
        label = self._labels[body]
        turn = aligned(direction, self._mechanism.graph, self._mechanism.names, body)
        unit = turn.to_parent(unit_vector(self._mechanism.graph, "z"))
        if label:
            unit = self._mechanism.body(label).user_frame.rotation.to_child(unit)
        return self._frames[label].rotation.to_parent(unit)

    def drive(self, joint: str, index: int, force: Scalar) -> None:
        row = self.joints[self._carried_by(joint).label - 1]
        row[index] = row[index] + force

    def push(
        self, point: PlacedPoint, force: Vector3, moment: Vector3 | None = None, axes: Literal["base", "body"] = "base"
    ) -> None:
        if not point.label:
            return
        carrier = self._mechanism.body(point.label).user_frame if axes == "body" else point.frame
        local = carrier.rotation.to_child(force)
        turn = None if moment is None else carrier.rotation.to_child(moment)
        lever = cross(point.arm, local)
        turning = lever if turn is None else add(turn, lever)
        before = self.wrenches.get(point.label)
        self.wrenches[point.label] = (
            (turning, local) if before is None else (add(before[0], turning), add(before[1], local))
        )
