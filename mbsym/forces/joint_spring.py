"""A spring on a coordinate of a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from mbsym.forces.element import Draw, JointElement, LinearLaw
from mbsym.forces.scene import MovingScene, Scene
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import holds
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class JointSpring(JointElement):
    """tau = -stiffness * (q - reference) on one coordinate of a joint whose speeds are the rates of its coordinates."""

    type: ClassVar[str] = "joint_spring"
    stores_energy: ClassVar[bool] = True
    linear_in: ClassVar[tuple[str, ...]] = ("stiffness",)

    name: str
    joint: str = field(metadata=holds("joint", "the joint", coordinate_needed=True))
    stiffness: Value = field(metadata=holds("value", "force per displacement", unit="N/m or N m", least="zero"))
    reference: Value = field(default=0, metadata=holds("value", "coordinate without force", unit="m or rad"))
    index: int = field(default=0, metadata=holds("index", "which of the joint's coordinates, from 0"))

    def force(self, scene: MovingScene) -> Scalar:
        return -scene.value(self.stiffness) * self._stretch(scene)

    def stored_energy(self, scene: Scene) -> Scalar:
        stretch = self._stretch(scene)
        return Fraction(1, 2) * scene.value(self.stiffness) * (stretch * stretch)

    def _stretch(self, scene: Scene) -> Scalar:
        return scene.coordinate(self.joint, self.index) - scene.value(self.reference)

    def external_part(self, numbers: Mapping[str, float]) -> None:
        return None

    def linear_law(self) -> LinearLaw:
        return LinearLaw(self.stiffness, 0, self.reference, self.index)

    @classmethod
    def random(cls, draw: Draw) -> JointSpring | None:
        at = draw.place
        if at.coordinate is None:
            return None
        return cls(draw.name, at.joint, draw.value(at.size, "k", "N m"), draw.number(-1, 1), at.index)
