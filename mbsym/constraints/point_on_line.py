"""A point of one body on a line of another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from mbsym.constraints.element import ConstraintElement, LoopDraw, OpenLoop, PointRow, Seen
from mbsym.spatial.rotation import identity_matrix
from mbsym.spatial.vector import zero_vector
from mbsym.values.entries import holds
from mbsym.values.lines import Line
from mbsym.values.parameter import Vector

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class PointOnLineConstraint(ConstraintElement):
    """A point of the second body stays on a line of the first, given by a point and a direction."""

    type: ClassVar[str] = "point_on_line"

    name: str
    first_body: str = field(metadata=holds("body", "the body or frame that carries the line", or_frame=True))
    second_body: str = field(metadata=holds("body", "the body or frame that carries the point", or_frame=True))
    line_point: Vector = field(
        default=(0, 0, 0),
        metadata=holds("vector", "a point of the line, in the frame of its body", unit="m", body="first_body"),
    )
    line_direction: Vector = field(
        default=(1, 0, 0), metadata=holds("direction", "of the line, in the frame of its body", body="first_body")
    )
    second_point: Vector = field(
        default=(0, 0, 0),
        metadata=holds("vector", "the point, in the frame of its body", unit="m", body="second_body"),
    )

    def close(self, loop: OpenLoop[C]) -> C:
        point = loop.at(self.second_body, self.second_point)
        line = loop.along(self.first_body, self.line_point, self.line_direction)
        return loop.between(self, line, point, _across)

    def drawn(self) -> tuple[Line, ...]:
        return (Line("slide", self.first_body, self.line_point, self.second_body, self.second_point),)

    @classmethod
    def random(cls, draw: LoopDraw) -> PointOnLineConstraint:
        direction = draw.direction()
        shift = draw.along(-0.5, 0.5)
        x, y, z = (place - shift * part for place, part in zip(draw.seen, direction, strict=True))
        return cls(f"slot {draw.number}", *draw.bodies, (x, y, z), direction, draw.points[1])


def _across(seen: Seen) -> list[PointRow]:
    graph, words = seen.place[0].graph, "translation along {} of the line's frame"
    unit, still = identity_matrix(graph), zero_vector(graph)
    return [PointRow(words.format("xy"[k]), "m", seen.place[k], unit[k], still) for k in (0, 1)]
