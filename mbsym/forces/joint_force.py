"""Any law of force on a speed of a joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from mbsym.forces.element import Draw, JointElement
from mbsym.forces.scene import MovingScene
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import holds
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class JointForce(JointElement):
    """tau = expression of coordinates, speeds, frames, t, control inputs and parameters, on one speed of a joint."""

    type: ClassVar[str] = "joint_force"

    name: str
    joint: str = field(metadata=holds("joint", "the joint"))
    expression: Value = field(metadata=holds("expression", "the force", unit="N or N m"))
    index: int = field(default=0, metadata=holds("index", "which of the joint's speeds, from 0"))

    def force(self, scene: MovingScene) -> Scalar:
        return scene.value(self.expression)

    @classmethod
    def random(cls, draw: Draw) -> JointForce | None:
        at = draw.place
        if at.coordinate is None:
            return None
        law = f"-{at.size}*sin({at.coordinate})*(1 + {at.speed}**2/4) + cos(2*t)"
        return cls(draw.name, at.joint, law, at.index)
