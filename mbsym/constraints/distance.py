"""A rod without mass between points of two bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from mbsym.constraints.element import ConstraintElement, LoopDraw, OpenLoop, PointRow, Seen
from mbsym.errors import DerivationError
from mbsym.spatial.vector import dot, scale, subtract
from mbsym.symbolic.scalar import sqrt
from mbsym.values.entries import holds
from mbsym.values.lines import Line
from mbsym.values.parameter import Value, Vector

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class DistanceConstraint(ConstraintElement):
    """A massless rod: the distance between two points stays ``length`` [m]."""

    type: ClassVar[str] = "distance"

    name: str
    first_body: str = field(metadata=holds("body", "the body or frame at one end", or_frame=True))
    second_body: str = field(metadata=holds("body", "the body or frame at the other end", or_frame=True))
    length: Value = field(
        metadata=holds(
            "value",
            "of the rod",
            unit="m",
            least="above zero",
            remedy="use a spherical joint for a distance of zero",
        )
    )
    first_point: Vector = field(
        default=(0, 0, 0), metadata=holds("vector", "one end, in the frame of its body", unit="m", body="first_body")
    )
    second_point: Vector = field(
        default=(0, 0, 0),
        metadata=holds("vector", "the other end, in the frame of its body", unit="m", body="second_body"),
    )

    def close(self, loop: OpenLoop[C]) -> C:
        end = loop.at(self.second_body, self.second_point)
        length = loop.value(self.length)
        if not length:
            raise DerivationError(
                "a rod of length zero has no direction", where=self.name, remedy="use a spherical joint instead"
            )

        def rows(seen: Seen) -> list[PointRow]:
            now = sqrt(dot(seen.place, seen.place))
            n = scale(seen.place, 1 / now)
            change = scale(subtract(seen.velocity, scale(n, dot(n, seen.velocity))), 1 / now)
            return [PointRow("distance", "m", now - length, n, change, length=length)]

        return loop.between(self, loop.at(self.first_body, self.first_point), end, rows)

    def drawn(self) -> tuple[Line, ...]:
        return (Line("rod", self.first_body, self.first_point, self.second_body, self.second_point),)

    @classmethod
    def random(cls, draw: LoopDraw) -> DistanceConstraint:
        return cls(f"rod {draw.number}", *draw.bodies, draw.distance, *draw.points)
