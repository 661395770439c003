"""A fly-ball governor: two arms with balls on a spinning shaft, held to a ring on it by stiff springs."""

from __future__ import annotations

from mbsym.forces import PointSpringDamper
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model

THIN = (0.01, 0.01, 0.0005, 0, 0, 0)


def governor(stiffness: float = 8e5, damping: float = 4e4) -> Model:
    """The benchmark's stiff parameters; no force depends on the angle of the shaft.

    Source: IFToMM library of computational benchmark problems, A05.

    Args:
        stiffness: of each spring [N/m].
        damping: of each spring [N s/m].
    """
    bodies = (
        Body("shaft", 3, (0, 0, 0), (0.1, 0.1, 0.05, 0, 0, 0)),
        Body("ring", 1, (0, 0, 0), THIN),
        *(Body(f"arm_{side}", 6, (0, 0, -0.9), (0.2, 0.2, 0.01, 0, 0, 0)) for side in ("left", "right")),
    )
    joints = (
        Joint("spin", "revolute", "ground", "shaft"),
        Joint("slide", "prismatic", "shaft", "ring", predecessor_placement=Placement((0, 0, -0.5))),
        Joint("left", "revolute", "shaft", "arm_left", axis=(0, 1, 0), initial=("pi/6",)),
        Joint("right", "revolute", "shaft", "arm_right", axis=(0, 1, 0), initial=("-pi/6",)),
    )
    forces = tuple(
        PointSpringDamper(f"spring_{side}", f"arm_{side}", "ring", stiffness, damping, 0.5, first_point=(0, 0, -0.5))
        for side in ("left", "right")
    )
    return Model("governor", bodies, joints, forces)
