"""Rigid bodies and placements of frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from mbsym.values.given import GivenVector, Listed, entries, inertia, matrix_rows, quaternion_of, set_plain
from mbsym.values.parameter import Value, Vector
from mbsym.values.units import set_si

Axis: TypeAlias = Literal["x", "y", "z"]

Turns: TypeAlias = tuple[tuple[Axis, Value], ...]

GivenInertia: TypeAlias = "tuple[Value, ...] | list[Value] | list[list[Value]] | Mapping[str, Value] | Listed"
"""Six entries, three principal ones, entries by name, or a symmetric 3x3 matrix."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one frame sits in another.

    Attributes:
        translation: origin of the placed frame, in the carrying frame [m].
        rotation: elementary rotations about the moving frame's axes, applied in order: (("z", yaw), ("y", pitch),
            ("x", roll)) is the roll-pitch-yaw of URDF. Angles [rad]. A 3x3 matrix is taken too, and kept as a
            quaternion.
        quaternion: instead of ``rotation``, (w, x, y, z) of any length but zero.
    """

    translation: Vector = (0, 0, 0)
    rotation: Turns = ()
    quaternion: tuple[Value, Value, Value, Value] | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            translation: GivenVector = ...,
            rotation: Turns | list[list[Value]] | Listed = ...,
            quaternion: tuple[Value, Value, Value, Value] | list[Value] | Listed | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        set_plain(self, "translation", entries(self.translation))
        set_plain(self, "quaternion", entries(self.quaternion))
        set_si(self, {"translation": "m"}, "a placement")
        rotation: Any = self.rotation
        rows = matrix_rows(rotation)
        if rows is not None and self.quaternion is None:
            set_plain(self, "rotation", ())
            set_plain(self, "quaternion", quaternion_of(rows))
        elif isinstance(rotation, list):
            set_plain(self, "rotation", tuple(tuple(turn) if isinstance(turn, list) else turn for turn in rotation))
        set_si(self, {"rotation": "rad"}, "a placement")

    @classmethod
    def from_rpy(cls, roll: Value, pitch: Value, yaw: Value, translation: GivenVector = (0, 0, 0)) -> Placement:
        """The placement of a frame that is turned by these angles about fixed x, y and z, as in URDF [rad]."""
        turns: Turns = (("z", yaw), ("y", pitch), ("x", roll))
        return cls(translation, tuple(turn for turn in turns if turn[1] != 0))


COINCIDENT: Final = Placement()
"""The placement of a frame on another one's."""


def placement(given: Any) -> Placement:
    """A placement, or the one that is meant by a translation alone."""
    return given if isinstance(given, Placement) else Placement(entries(given))


_UNITS: Final = {"mass": "kg", "center_of_mass": "m", "inertia": "kg m^2", "first_moment": "kg m"}


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body.

    Attributes:
        name: any non-empty text, unique among bodies and not the ground's name.
        mass: [kg].
        center_of_mass: in the body frame [m].
        inertia: (xx, yy, zz, xy, xz, yz) in body frame axes, products as entries of the matrix (xy = -integral x y dm)
            [kg m^2]. Three principal inertias, entries by name and a 3x3 matrix are taken too.
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

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            mass: Value = ...,
            center_of_mass: GivenVector = ...,
            inertia: GivenInertia = ...,
            inertia_about: Literal["center_of_mass", "frame"] = ...,
            first_moment: GivenVector | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        set_plain(self, "center_of_mass", entries(self.center_of_mass))
        set_plain(self, "inertia", inertia(self.inertia, f"inertia of body {self.name!r}"))
        set_plain(self, "first_moment", entries(self.first_moment))
        set_si(self, _UNITS, f"body {self.name!r}")
