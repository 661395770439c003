"""Dry friction on a speed of a joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from mbsym.forces.element import Draw, JointElement
from mbsym.forces.scene import MovingScene
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import holds
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class JointFriction(JointElement):
    """tau = -magnitude * tanh(v / transition_speed): dry friction without its jump."""

    type: ClassVar[str] = "joint_friction"
    linear_in: ClassVar[tuple[str, ...]] = ("magnitude",)

    name: str
    joint: str = field(metadata=holds("joint", "the joint"))
    magnitude: Value = field(metadata=holds("value", "force at large speeds", unit="N or N m", least="zero"))
    transition_speed: Value = field(
        default=0.01,
        metadata=holds(
            "value",
            "speed below which friction falls",
            unit="m/s or rad/s",
            least="above zero",
            remedy="give a small speed",
        ),
    )
    index: int = field(default=0, metadata=holds("index", "which of the joint's speeds, from 0"))

    def force(self, scene: MovingScene) -> Scalar:
        ratio = scene.speed(self.joint, self.index) / scene.value(self.transition_speed)
        return -scene.value(self.magnitude) * ratio.apply("tanh")

    @classmethod
    def random(cls, draw: Draw) -> JointFriction:
        at = draw.place
        return cls(draw.name, at.joint, at.size, draw.number(0.05, 0.5), at.index)
