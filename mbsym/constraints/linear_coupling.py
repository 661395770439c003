"""A linear relation of several coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from mbsym.constraints.element import ConstraintElement, LoopDraw, OpenLoop
from mbsym.values.entries import holds
from mbsym.values.parameter import Value

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class LinearCoupling(ConstraintElement):
    """Coordinates of joints keep one linear relation, as by a tendon: sum of factor * q = offset; one alone is held."""

    type: ClassVar[str] = "linear_coupling"

    name: str
    joints: tuple[str, ...] = field(metadata=holds("joints", "joints of one coordinate", one_freedom=True))
    factors: tuple[Value, ...] = field(
        metadata=holds(
            "values", "of the coordinates, one for each joint", each="joints", counts="joints", counts_per="joints"
        )
    )
    offset: Value = field(default=0, metadata=holds("value", "of the sum", counts="joints"))

    def close(self, loop: OpenLoop[C]) -> C:
        terms = [(joint, loop.value(factor)) for joint, factor in self.related]
        return loop.of_coordinates(self, terms, loop.value(self.offset))

    @property
    def related(self) -> tuple[tuple[str, Value], ...]:
        return tuple(zip(self.joints, self.factors, strict=True))

    @classmethod
    def random(cls, draw: LoopDraw) -> LinearCoupling | None:
        if not draw.joints:
            return None
        factors = tuple(draw.along(0.5, 2) for _ in draw.joints)
        return cls(f"coupling {draw.number}", draw.joints, factors)
