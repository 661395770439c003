"""Constraints that a model writes itself: places and speeds that are held by an expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from mbsym.constraints.element import ConstraintElement, LoopDraw, OpenLoop
from mbsym.values.entries import holds
from mbsym.values.frame_quantities import FrameQuantity
from mbsym.values.parameter import Value

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class ExpressionConstraint(ConstraintElement):
    """An expression of coordinates and of places of frames stays zero: expression = 0."""

    type: ClassVar[str] = "expression"

    name: str
    expression: Value = field(
        metadata=holds(
            "expression",
            "that stays zero: of coordinates and places",
            unit="m or rad",
            unit_key="unit",
            of="places",
        )
    )
    unit: str = field(default="m", metadata=holds("choice", "of the expression", words=("m", "rad")))

    def close(self, loop: OpenLoop[C]) -> C:
        return loop.of_expression(self, self.expression, self.unit)

    @classmethod
    def random(cls, draw: LoopDraw) -> ExpressionConstraint:
        first, second = draw.bodies
        span = FrameQuantity("distance", (first, second))
        turns = [FrameQuantity("axis", (second,), axis, first, along) for axis, along in ("xy", "yz")]
        factors = [draw.along(0.2, 0.5) for _ in turns]
        value = draw.value(span) ** 2 + sum(
            factor * draw.value(turn) for factor, turn in zip(factors, turns, strict=True)
        )
        terms = [f"{factor}*{turn.name}" for factor, turn in zip(factors, turns, strict=True)]
        return cls(f"held {draw.number}", " + ".join([f"{span.name}**2", *terms]) + f" - ({value!r})")


@dataclass(frozen=True, slots=True)
class VelocityConstraint(ConstraintElement):
    """An expression that is linear in speeds stays zero, as that of a blade that does not slip: it closes no loop."""

    type: ClassVar[str] = "velocity"

    name: str
    expression: Value = field(
        metadata=holds(
            "expression",
            "that stays zero: a sum of speeds times factors of places",
            unit="m/s or rad/s",
            unit_key="unit",
            of="speeds",
        )
    )
    unit: str = field(default="m/s", metadata=holds("choice", "of the expression", words=("m/s", "rad/s")))

    def close(self, loop: OpenLoop[C]) -> C:
        return loop.of_expression(self, self.expression, self.unit, of_speeds=True)

    @classmethod
    def random(cls, draw: LoopDraw) -> VelocityConstraint:
        first, second = draw.bodies
        ways = (("velocity", second, first), ("velocity", first, second), ("angular_velocity", second, first))
        terms = [
            f"{draw.along(0.2, 0.5)}*{FrameQuantity(word, (body,), '', axes, component).name}"
            for word, body, axes in ways
            for component in "xyz"
        ]
        return cls(f"blade {draw.number}", " + ".join(terms))
