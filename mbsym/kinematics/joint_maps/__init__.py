"""Joint types: one file each, all with ``motion(q, v, pitch) -> JointMotion``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mbsym.kinematics.joint_maps import (
    cylindrical,
    fixed,
    free,
    helical,
    planar,
    prismatic,
    revolute,
    spherical,
    universal,
)
from mbsym.kinematics.joint_motion import JointMotion
from mbsym.symbolic.scalar import Scalar

JOINT_MAPS: Final[dict[str, Callable[[tuple[Scalar, ...], tuple[Scalar, ...], Scalar], JointMotion]]] = {
    "revolute": revolute.motion,
    "prismatic": prismatic.motion,
    "helical": helical.motion,
    "cylindrical": cylindrical.motion,
    "universal": universal.motion,
    "spherical": spherical.motion,
    "planar": planar.motion,
    "free": free.motion,
    "fixed": fixed.motion,
}
