"""A spring and a damper between points of two bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

from mbsym.forces.element import Draw, ForceElement, LinearLaw
from mbsym.forces.scene import MovingScene, Scene
from mbsym.spatial.vector import dot, negate, scale, subtract
from mbsym.symbolic.scalar import Scalar, sqrt
from mbsym.values.entries import holds
from mbsym.values.lines import Line
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value, Vector


@dataclass(frozen=True, slots=True)
class PointSpringDamper(ForceElement):
    """A spring and damper between two points: tension = stiffness (length - free_length) + damping * rate of length."""

    type: ClassVar[str] = "point_spring_damper"
    stores_energy: ClassVar[bool] = True
    linear_in: ClassVar[tuple[str, ...]] = ("stiffness", "damping")

    name: str
    first_body: str = field(metadata=holds("body", "the body or frame at one end", or_frame=True))
    second_body: str = field(metadata=holds("body", "the body or frame at the other end", or_frame=True))
    stiffness: Value = field(default=0, metadata=holds("value", "tension per stretch", unit="N/m", least="zero"))
    damping: Value = field(default=0, metadata=holds("value", "tension per rate of length", unit="N s/m", least="zero"))
    free_length: Value = field(default=0, metadata=holds("value", "length without force", unit="m", least="zero"))
    first_point: Vector = field(
        default=(0, 0, 0), metadata=holds("vector", "one end, in the frame of its body", unit="m", body="first_body")
    )
    second_point: Vector = field(
        default=(0, 0, 0),
        metadata=holds("vector", "the other end, in the frame of its body", unit="m", body="second_body"),
    )

    def act(self, scene: MovingScene) -> None:
        a = scene.point(self.first_body, self.first_point)
        b = scene.point(self.second_body, self.second_point)
        span = subtract(b.position(), a.position())
        length = sqrt(dot(span, span))
        stiffness, damping, free_length = map(scene.value, (self.stiffness, self.damping, self.free_length))
        per_length = stiffness * (1 - free_length / length)
        if damping:
            first, second = a.velocity(), b.velocity()
            stretching = dot(span, subtract(second, first)) / length
            per_length = per_length + damping * stretching / length
        pull = scale(span, per_length)
        scene.push(a, pull)
        scene.push(b, negate(pull))

    def stored_energy(self, scene: Scene) -> Scalar:
        first = scene.point(self.first_body, self.first_point).position()
        second = scene.point(self.second_body, self.second_point).position()
        span = subtract(second, first)
        stretch = sqrt(dot(span, span)) - scene.value(self.free_length)
        return Fraction(1, 2) * scene.value(self.stiffness) * (stretch * stretch)

    def external_part(self, numbers: Mapping[str, float]) -> PointSpringDamper | None:
        return replace(self, stiffness=0) if evaluate(self.damping, numbers) else None

    def linear_law(self) -> LinearLaw:
        ends = (self.first_body, self.first_point), (self.second_body, self.second_point)
        return LinearLaw(self.stiffness, self.damping, self.free_length, ends=ends)

    def drawn(self) -> tuple[Line, ...]:
        return (Line("spring", self.first_body, self.first_point, self.second_body, self.second_point),)

    @classmethod
    def random(cls, draw: Draw) -> PointSpringDamper:
        first, second = draw.two_bodies()
        return cls(
            draw.name,
            first,
            second,
            stiffness=draw.value(draw.number(1, 20), "k", "N/m"),
            damping=draw.number(0, 2),
            free_length=draw.number(0, 1),
            first_point=draw.vector(0.5),
            second_point=(draw.number(0.1, 0.5), *draw.vector(0.5)[1:]),
        )
