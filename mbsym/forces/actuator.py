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
    """tau = gain * u on one speed of a joint, u the control input of that name; held between -effort and effort."""

    type: ClassVar[str] = "actuator"
    linear_in: ClassVar[tuple[str, ...]] = ("gain",)

    name: str
    joint: str = field(metadata=holds("joint", "the joint"))
    input: str = field(metadata=holds("input", "name of the control input"))
    gain: Value = field(default=1, metadata=holds("value", "force per unit of the control input"))
    index: int = field(default=0, metadata=holds("index", "which of the joint's speeds, from 0"))
    effort: Value | None = field(
        default=None,
        metadata=holds(
            "value",
            "largest force that it gives, either way",
            unit="N or N m",
            least="above zero",
            remedy="give its size, or leave it out",
        ),
    )

    def force(self, scene: MovingScene) -> Scalar:
        force = scene.value(self.gain) * scene.value(self.input)
        if self.effort is None:
            return force
        most = scene.value(self.effort)
        return force.within(-most, most)

    @property
    def linear_fields(self) -> tuple[str, ...]:
        return self.linear_in if self.effort is None else ()

    @classmethod
    def random(cls, draw: Draw) -> Actuator:
        at = draw.place
        # Every other one is at its end for half of the inputs that are drawn.
        effort = draw.value(round(at.size / 4, 4), "effort", "N m") if at.size > 1.2 else None
        return cls(draw.name, at.joint, draw.input(), at.size, at.index, effort)
