"""A motor on a speed of a joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from mbsym.forces.element import Draw, JointElement
from mbsym.forces.scene import MovingScene
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import holds
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class Actuator(JointElement):
    """tau = gain * u on one speed of a joint, u the control input of that name."""

    type: ClassVar[str] = "actuator"
    linear_in: ClassVar[tuple[str, ...]] = ("gain",)

    name: str
    joint: str = field(metadata=holds("joint", "the joint"))
    input: str = field(metadata=holds("input", "name of the control input"))
    gain: Value = field(default=1, metadata=holds("value", "force per unit of the control input"))
    index: int = field(default=0, metadata=holds("index", "which of the joint's speeds, from 0"))

    def force(self, scene: MovingScene) -> Scalar:
        return scene.value(self.gain) * scene.value(self.input)

    @classmethod
    def random(cls, draw: Draw) -> Actuator:
        at = draw.place
        return cls(draw.name, at.joint, draw.input(), at.size, at.index)
