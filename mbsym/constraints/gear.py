"""A gear that closes a loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from mbsym.constraints.element import ConstraintElement, LoopDraw, OpenLoop
from mbsym.values.entries import holds
from mbsym.values.parameter import Value

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class GearConstraint(ConstraintElement):
    """Two coordinates of joints stay in proportion as a closure constraint: q_first = ratio * q_second + offset."""

    type: ClassVar[str] = "gear"

    name: str
    first_joint: str = field(metadata=holds("joint", "the joint that follows", one_freedom=True))
    second_joint: str = field(metadata=holds("joint", "the joint that leads", one_freedom=True))
    ratio: Value = field(
        default=1, metadata=holds("value", "of the coordinates", counts="first_joint", counts_per="second_joint")
    )
    offset: Value = field(
        default=0,
        metadata=holds("value", "of the first where the second is zero", unit="m or rad", counts="first_joint"),
    )

    def close(self, loop: OpenLoop[C]) -> C:
        terms = (self.first_joint, loop.value(1)), (self.second_joint, -loop.value(self.ratio))
        return loop.of_coordinates(self, terms, loop.value(self.offset))

    @property
    def related(self) -> tuple[tuple[str, Value], ...]:
        return (self.first_joint, -1), (self.second_joint, self.ratio)

    @classmethod
    def random(cls, draw: LoopDraw) -> GearConstraint | None:
        if not draw.joints:
            return None
        first, second = draw.joints
        return cls(f"gear {draw.number}", first, second, draw.along(0.5, 2))
