"""A stop at one end of a joint's way."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from mbsym.forces.element import Draw, JointElement
from mbsym.forces.scene import MovingScene
from mbsym.symbolic.scalar import Scalar
from mbsym.values.entries import holds
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class JointStop(JointElement):
    """tau = -stiffness * depth * max(0, 1 + damping * rate of depth) where a coordinate is beyond ``limit``.

    The depth is q - limit of an upper stop, limit - q of a lower one, which pushes the other way. A stop never pulls.

    Source: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440, with a linear spring.
    """

    type: ClassVar[str] = "joint_stop"
    linear_in: ClassVar[tuple[str, ...]] = ("stiffness",)

    name: str
    joint: str = field(metadata=holds("joint", "the joint", coordinate_needed=True))
    side: str = field(metadata=holds("choice", "which end of the joint's way it is", words=("upper", "lower")))
    limit: Value = field(metadata=holds("value", "coordinate beyond which it pushes back", unit="m or rad"))
    stiffness: Value = field(metadata=holds("value", "force per depth", unit="N/m or N m", least="zero"))
    damping: Value = field(
        default=0, metadata=holds("value", "part of the force per speed into it", unit="s/m or s", least="zero")
    )
    index: int = field(default=0, metadata=holds("index", "which of the joint's coordinates, from 0"))

    @property
    def ends_way(self) -> int:
        return self.index

    def force(self, scene: MovingScene) -> Scalar:
        sign = 1 if self.side == "upper" else -1
        depth = (scene.coordinate(self.joint, self.index) - scene.value(self.limit)) * sign
        share = scene.value(self.damping) * scene.speed(self.joint, self.index) * sign + 1
        # x + |x| is twice max(0, x), and derivatives of it are products, which compare exactly.
        pushed = (depth + depth.apply("abs")) * (share + share.apply("abs")) * Fraction(1, 4)
        return -(scene.value(self.stiffness) * pushed * sign)

    @classmethod
    def random(cls, draw: Draw) -> JointStop | None:
        at = draw.place
        if at.coordinate is None:
            return None
        stiffness = draw.value(at.size, "k", "N m")
        return cls(draw.name, at.joint, "lower", draw.number(-0.5, 2), stiffness, draw.number(0, 0.5), at.index)
