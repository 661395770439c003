"""A damper on a speed of a joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from mbsym.forces.element import Draw, JointElement, LinearLaw
from mbsym.forces.scene import MovingScene
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import holds
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class JointDamper(JointElement):
    """tau = -damping * v on one speed of a joint."""

    type: ClassVar[str] = "joint_damper"
    linear_in: ClassVar[tuple[str, ...]] = ("damping",)

    name: str
    joint: str = field(metadata=holds("joint", "the joint"))
    damping: Value = field(metadata=holds("value", "force per speed", unit="N s/m or N m s", least="zero"))
    index: int = field(default=0, metadata=holds("index", "which of the joint's speeds, from 0"))

    def force(self, scene: MovingScene) -> Scalar:
        return -scene.value(self.damping) * scene.speed(self.joint, self.index)

    def linear_law(self) -> LinearLaw:
        return LinearLaw(0, self.damping, 0, self.index)

    @classmethod
    def random(cls, draw: Draw) -> JointDamper:
        at = draw.place
        return cls(draw.name, at.joint, draw.value(at.size, "d", "N m s"), at.index)
