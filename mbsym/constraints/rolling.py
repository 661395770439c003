"""Discs, wheels and balls that roll without slipping."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from mbsym.constraints.element import ConstraintElement, LoopDraw, OpenLoop, PointRow, Seen
from mbsym.spatial.rotation import identity_matrix
from mbsym.spatial.vector import Vector3, across, add, cross, negate, scale, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar, sqrt
from mbsym.values.entries import holds
from mbsym.values.frame_quantities import FrameQuantity
from mbsym.values.lines import Line, rim
from mbsym.values.parameter import Value, Vector

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class RollingConstraint(ConstraintElement):
    """A wheel touches a plane and does not slip there.

    Its rim is a circle of tube: ``profile`` 0 is a disc with a sharp edge, ``profile`` equal to ``radius`` a ball. The
    contact is never lost; its force may pull.
    """

    type: ClassVar[str] = "rolling"

    name: str
    wheel: str = field(metadata=holds("body", "the body or frame that rolls", or_frame=True))
    on: str = field(metadata=holds("body", "the body or frame that carries the plane", or_frame=True))
    radius: Value = field(
        metadata=holds("value", "from the axis to where it touches", unit="m", least="above zero", remedy="give it one")
    )
    profile: Value = field(
        default=0,
        metadata=holds(
            "value", "radius of the rounded rim; 0 of a sharp edge, the radius of a ball", unit="m", within="radius"
        ),
    )
    axis: Vector = field(default=(0, 1, 0), metadata=holds("direction", "about which it is round", body="wheel"))
    center: Vector = field(default=(0, 0, 0), metadata=holds("vector", "of the wheel", unit="m", body="wheel"))
    normal: Vector = field(default=(0, 0, 1), metadata=holds("direction", "of the plane, to the wheel", body="on"))
    plane_point: Vector = field(default=(0, 0, 0), metadata=holds("vector", "in the plane", unit="m", body="on"))

    def close(self, loop: OpenLoop[C]) -> C:
        plane = loop.along(self.on, self.plane_point, self.normal)
        wheel = loop.along(self.wheel, self.center, self.axis)
        radius, profile = loop.value(self.radius), loop.value(self.profile)
        return loop.between(self, plane, wheel, lambda seen: _rows(seen, radius, profile))

    def drawn(self) -> tuple[Line, ...]:
        return rim(self.wheel, self.center, self.axis, self.radius)

    @classmethod
    def random(cls, draw: LoopDraw) -> RollingConstraint:
        first, second = draw.bodies
        axis = [draw.value(FrameQuantity("axis", (second,), "y", first, component)) for component in "xyz"]
        normal, radius, profile = draw.direction(), draw.along(0.3, 0.5), draw.along(0.05, 0.2)
        size = sum(x * x for x in normal) ** 0.5
        tilt = sum(x * y for x, y in zip(axis, normal, strict=True)) / size
        height = (radius - profile) * (1 - tilt * tilt) ** 0.5 + profile
        x, y, z = (place - height * part / size for place, part in zip(draw.seen, normal, strict=True))
        return cls(
            f"wheel {draw.number}", second, first, radius, profile,
            center=draw.points[1], normal=normal, plane_point=(x, y, z),
        )  # fmt: skip


def _rows(seen: Seen, radius: Scalar, profile: Scalar) -> list[PointRow]:
    """The point that touches stays in the plane, and the wheel does not move there."""
    graph = radius.graph
    unit, still = identity_matrix(graph), zero_vector(graph)
    circle, up, axis = radius - profile, unit[2], seen.turn(unit[2])
    height, arm, arm_rate = seen.place[2] - profile, scale(up, -profile), still
    if circle:
        # From the middle of the rim's tube to the wheel's centre, in the wheel's plane.
        tilt, axis_rate = axis[2], cross(seen.spin, axis)
        sine = sqrt(1 - tilt * tilt)
        rise = scale(across(up, axis), 1 / sine)
        turned = add(scale(axis, axis_rate[2]), scale(axis_rate, tilt))
        rise_rate = subtract(scale(rise, tilt * axis_rate[2] / (sine * sine)), scale(turned, 1 / sine))
        height = height - circle * sine
        arm, arm_rate = subtract(arm, scale(rise, circle)), negate(scale(rise_rate, circle))
    held = [PointRow("height over the plane", "m", height, unit[2], still, *_about(unit[2], arm, arm_rate), radius)]
    for k, letter in enumerate("xy"):
        moments, none = _about(unit[k], arm, arm_rate), Scalar(graph, 0)
        held.append(
            PointRow(f"slip along {letter} of the plane", "m/s", none, unit[k], still, *moments, of_speeds=True)
        )
    return held


def _about(force: Vector3, arm: Vector3, arm_rate: Vector3) -> tuple[Vector3, Vector3]:
    """Moment of a force about the wheel's centre, and its rate."""
    return cross(arm, force), cross(arm_rate, force)
