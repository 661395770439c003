"""How foreign robot descriptions are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mbsym.formats.angles import SAME_ANGLE


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How foreign descriptions are taken. The native format says all but ``strict`` and ``snap_angles`` itself.

    Attributes:
        strict: physically impossible inertias are errors even where a robot description has them.
        floating: the root link of a URDF is a body on a free joint; else it is ground.
        fixed_joints: "merge" makes bodies on fixed joints part of those that carry them, "keep" keeps them.
        mimic: "couple" takes coordinates that mimic others as coupled, "ignore" leaves them free.
        joint_dynamics: "forces" takes damping and friction of URDF joints and dry friction of MJCF joints as force
            elements, "ignore" leaves them out.
        actuators: "inputs" takes motors and servos of MJCF as control inputs, "ignore" leaves them out but for which
            joints they sit on.
        snap_angles: angles nearer than this to a multiple of 90 degrees become exact [rad].
        loops: a file with joints that close loops; default is NAME.loops.yaml beside NAME.urdf, if there is one.
    """

    strict: bool = False
    floating: bool = False
    fixed_joints: Literal["merge", "keep"] = "merge"
    mimic: Literal["couple", "ignore"] = "couple"
    joint_dynamics: Literal["ignore", "forces"] = "ignore"
    actuators: Literal["ignore", "inputs"] = "ignore"
    snap_angles: float = SAME_ANGLE
    loops: str | None = None


DEFAULTS: Final = LoadOptions()
