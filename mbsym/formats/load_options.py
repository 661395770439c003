"""How foreign robot descriptions are taken."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from mbsym.errors import ModelError
from mbsym.formats.angles import SAME_ANGLE
from mbsym.option import Checked, option


def _tolerance(angle: float) -> None:
    if not 0 <= angle < math.pi / 4:
        raise ModelError(
            f"{angle} rad is no tolerance of angles", where="`snap_angles`", remedy="use a small one, such as 1e-4"
        )


@dataclass(frozen=True, slots=True)
class LoadOptions(Checked):
    """How foreign descriptions are taken. The native format says all but ``strict`` and ``snap_angles`` itself."""

    strict: bool = option(
        False, "Warnings about the model are errors, physically impossible inertias of robot files too.", "strict"
    )
    floating: bool = option(False, "The root link of URDF floats freely.", "floating")
    fixed_joints: Literal["merge", "keep"] = option(
        "merge",
        "Bodies on fixed joints of robot files: 'merge' makes them part of those that carry them, 'keep' keeps them.",
        "fixed-joints",
        choices=("merge", "keep"),
        error=ModelError,
    )
    mimic: Literal["couple", "ignore"] = option(
        "couple",
        "Coordinates of URDF and SDF that mimic others: 'couple' takes them as coupled, 'ignore' leaves them free.",
        "mimic",
        choices=("couple", "ignore"),
        error=ModelError,
    )
    joint_dynamics: Literal["ignore", "forces"] = option(
        "ignore",
        "Damping and dry friction of joints of robot files: 'forces' takes them as force elements, 'ignore' leaves out "
        "what the format takes for advice (all of it in URDF and SDF, dry friction in MJCF).",
        "joint-dynamics",
        choices=("ignore", "forces"),
        error=ModelError,
    )
    actuators: Literal["ignore", "inputs"] = option(
        "ignore",
        "Motors and servos of MJCF: 'inputs' takes them as control inputs u, 'ignore' leaves them out but for which "
        "joints they sit on.",
        "actuators",
        choices=("ignore", "inputs"),
        error=ModelError,
    )
    snap_angles: float = option(
        SAME_ANGLE,
        "Angles this close [rad] to a multiple of 90 degrees become exact.",
        "snap-angles",
        check=_tolerance,
        unit="rad",
    )
    files_under: str | None = option(
        None,
        "Directory beneath which all files of the model must lie; without it what lies elsewhere is told.",
        "files-under",
        kind=str,
    )
    loops: str | None = option(
        None, "File with what closes loops of URDF; default is NAME.loops.yaml beside it.", "loops", kind=str
    )


DEFAULTS: Final = LoadOptions()
