"""Sizes and layouts of the arrays that kernels and the fixed stepping code share.

A system is three tables of numbers. D is 2 in the plane and 3 in space; points are in body axes from the body's input
end, on ground in base axes.

    body    mass, input end to centre of mass (D), inertia about the centre of mass (1, or xx yy zz xy xz yz)
    joint   parent body (0 is ground), 1 if elastic, torsional stiffness, damping, rotor inertia, free angle,
            translational stiffness, damping, point on the parent (D), free displacement (D)
    cut     0 pin or ball or 1 point spring, first body, second body, stiffness, damping, free length,
            point on the first body (D), point on the second body (D)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mbsym.transfer_matrix.schemes import HISTORY_SIZE

RotationVariable: TypeAlias = Literal["angle", "incremental", "cardan"]
"""How a body's attitude is integrated: planar angle, incremental rotation vector, or Cardan angles x-y-z."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes of one variant of the kernels.

    Attributes:
        rotation: the variable that is integrated.
        dimension: 2 or 3, coordinates of a point.
        angles: 1 or 3, rotation unknowns of a body.
        base: entries of the attitude that increments start from (angle or quaternion).
        motion: entries of what a body's attitude contributes to the equations.
        inertia: entries of the body's inertia about the centre of mass.
        elimination: entries kept from the elimination of a body's rotation.
        elastic: entries kept from the elimination of an elastic hinge.
    """

    rotation: RotationVariable
    dimension: int
    angles: int
    base: int
    motion: int
    inertia: int
    elimination: int
    elastic: int

    @property
    def load(self) -> int:
        """Rows of a body's equations: moments about the input end, then forces."""
        return self.angles + self.dimension

    @property
    def body(self) -> int:
        """Entries of a row of the body table."""
        return 1 + self.dimension + self.inertia

    @property
    def joint(self) -> int:
        """Entries of a row of the joint table."""
        return 8 + 2 * self.dimension

    @property
    def cut(self) -> int:
        """Entries of a row of the cut table."""
        return 6 + 2 * self.dimension

    @property
    def state(self) -> int:
        """Entries of a body's state: attitude, history rows of [rotation; centre of mass], force at the input end."""
        return self.base + HISTORY_SIZE * self.load + self.dimension

    def constants(self) -> Mapping[str, int]:
        """Names under which the stepping code knows the sizes."""
        return {
            "TRANSFER_DIMENSION": self.dimension,
            "TRANSFER_ANGLES": self.angles,
            "TRANSFER_BASE": self.base,
            "TRANSFER_MOTION": self.motion,
            "TRANSFER_ELIMINATION": self.elimination,
            "TRANSFER_ELASTIC": self.elastic,
            "TRANSFER_BODY": self.body,
            "TRANSFER_JOINT": self.joint,
            "TRANSFER_CUT": self.cut,
            "TRANSFER_STATE": self.state,
        }


INTERFACE: Final = 3
"""Entries of an interface: (parent's rotation, x, y) in the plane, (x, y, z) in space."""

LAYOUTS: Final[Mapping[RotationVariable, Layout]] = {
    "angle": Layout("angle", 2, 1, 1, 5, 1, 7, 7),
    "incremental": Layout("incremental", 3, 3, 4, 42, 6, 27, 10),
    "cardan": Layout("cardan", 3, 3, 4, 42, 6, 27, 10),
}
