"""Sizes and layouts of the arrays that kernels and the fixed stepping code share.

A system is three tables of numbers. D is 2 in the plane and 3 in space; points are in body axes from the body's input
end, on ground in base axes.

    body    mass, input end to centre of mass (D), inertia about the centre of mass (1, or xx yy zz xy xz yz)
    joint   parent body (0 is ground), how many coordinates, point on the parent (D), rotation of the body against its
            parent where all coordinates are zero (angle, or matrix, row by row), then for each coordinate a slot:
            0 slides, 1 turns about an axis of the parent, 2 turns about an axis of the base; axis (D, in the parent's
            axes where all coordinates are zero), stiffness, damping, rotor inertia, value without force, 1 where a
            motion prescribes it
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
        frame: entries of the axes that a hinge's coordinate moves in.
        turned: entries of a rotation in the joint table.
    """

    rotation: RotationVariable
    dimension: int
    angles: int
    base: int
    motion: int
    inertia: int
    frame: int
    turned: int

    @property
    def load(self) -> int:
        """Rows of a body's equations: moments about the input end, then forces."""
        return self.angles + self.dimension

    @property
    def elimination(self) -> int:
        """Entries kept from the elimination of a coordinate."""
        return 1 + 2 * self.load

    @property
    def body(self) -> int:
        """Entries of a row of the body table."""
        return 1 + self.dimension + self.inertia

    @property
    def slot(self) -> int:
        """Entries that a row of the joint table has for each coordinate."""
        return 6 + self.dimension

    def joint(self, coordinates: int) -> int:
        """Entries of a row of the joint table."""
        return 2 + self.dimension + self.turned + coordinates * self.slot

    @property
    def cut(self) -> int:
        """Entries of a row of the cut table."""
        return 6 + 2 * self.dimension

    def state(self, coordinates: int) -> int:
        """Entries of a body's state: attitude, history rows of [rotation; centre of mass], moment and force at the
        input end, history of each coordinate."""
        return self.base + (HISTORY_SIZE + 1) * self.load + HISTORY_SIZE * coordinates

    def constants(self) -> Mapping[str, int]:
        """Names under which the stepping code knows the sizes."""
        return {
            "TRANSFER_DIMENSION": self.dimension,
            "TRANSFER_ANGLES": self.angles,
            "TRANSFER_BASE": self.base,
            "TRANSFER_MOTION": self.motion,
            "TRANSFER_ELIMINATION": self.elimination,
            "TRANSFER_FRAME": self.frame,
            "TRANSFER_TURNED": self.turned,
            "TRANSFER_SLOT": self.slot,
            "TRANSFER_BODY": self.body,
            "TRANSFER_CUT": self.cut,
        }


LAYOUTS: Final[Mapping[RotationVariable, Layout]] = {
    "angle": Layout("angle", 2, 1, 1, 6, 1, 3, 1),
    "incremental": Layout("incremental", 3, 3, 4, 42, 6, 9, 9),
    "cardan": Layout("cardan", 3, 3, 4, 42, 6, 9, 9),
}
