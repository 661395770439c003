"""Rigid bodies and placements of frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mbsym.values.parameter import Value, Vector

Axis: TypeAlias = Literal["x", "y", "z"]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one frame sits in another.

    Attributes:
        translation: origin of the placed frame, in the carrying frame [m].
        rotation: elementary rotations about the moving frame's axes, applied in order: (("z", yaw), ("y", pitch),
            ("x", roll)) is the roll-pitch-yaw of URDF. Angles [rad].
        quaternion: instead of ``rotation``, (w, x, y, z) of any length but zero.
    """

    translation: Vector = (0, 0, 0)
    rotation: tuple[tuple[Axis, Value], ...] = ()
    quaternion: tuple[Value, Value, Value, Value] | None = None


COINCIDENT: Final = Placement()
"""The placement of a frame on another one's."""


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body.

    Attributes:
        name: any non-empty text, unique among bodies and not the ground's name.
        mass: [kg].
        center_of_mass: in the body frame [m].
        inertia: (xx, yy, zz, xy, xz, yz) in body frame axes, products as entries of the matrix (xy = -integral x y dm)
            [kg m^2].
        inertia_about: the point that ``inertia`` refers to.
        first_moment: instead of ``center_of_mass``, mass times it, in the body frame [kg m]. With it ``inertia`` is
            about the frame's origin, and the equations are linear in mass, first moment and inertia.
    """

    name: str
    mass: Value = 0
    center_of_mass: Vector = (0, 0, 0)
    inertia: tuple[Value, Value, Value, Value, Value, Value] = (0, 0, 0, 0, 0, 0)
    inertia_about: Literal["center_of_mass", "frame"] = "center_of_mass"
    first_moment: Vector | None = None
