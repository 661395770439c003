"""A force at a point of a body and a moment on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from mbsym.forces.element import Draw, ForceElement
from mbsym.forces.scene import MovingScene
from mbsym.values.entries import holds
from mbsym.values.parameter import Value, Vector


@dataclass(frozen=True, slots=True)
class AppliedWrench(ForceElement):
    """A force at a point of a body and a moment on it; components in base axes or in the body's; may be expressions."""

    type: ClassVar[str] = "applied_wrench"
    linear_in: ClassVar[tuple[str, ...]] = ("force", "moment")

    name: str
    body: str = field(metadata=holds("body", "the body or frame", no_ground=True, or_frame=True))
    force: Vector = field(
        default=(0, 0, 0), metadata=holds("expressions", "the force", unit="N", body="body", axes="axes")
    )
    moment: Vector = field(
        default=(0, 0, 0), metadata=holds("expressions", "the moment", unit="N m", body="body", axes="axes")
    )
    point: Vector = field(
        default=(0, 0, 0),
        metadata=holds("vector", "where the force acts, in the frame of the body", unit="m", body="body"),
    )
    axes: Literal["base", "body"] = field(
        default="base", metadata=holds("choice", "axes of force and moment", words=("base", "body"))
    )

    def act(self, scene: MovingScene) -> None:
        point = scene.point(self.body, self.point)
        scene.push(point, scene.vector(self.force), scene.vector(self.moment), self.axes)

    @classmethod
    def random(cls, draw: Draw) -> AppliedWrench:
        body = draw.body()
        force: tuple[Value, Value, Value] = (*draw.vector(5)[:2], f"{draw.number(-2, 2)}*sin(3*t)")
        axes: Literal["base", "body"] = "base" if draw.chance(0.5) else "body"
        return cls(draw.name, body, force, draw.vector(2), draw.vector(0.3), axes)
