"""Boxes, spheres, ellipsoids, cylinders, capsules and meshes, as files name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from mbsym.errors import ModelError
from mbsym.records import Registry
from mbsym.values.entries import ElementRecord, Entry, Kind, holds, plain_entries
from mbsym.values.parameter import Value, Vector


def _length(kind: Kind, sentence: str) -> Mapping[str, Entry]:
    """A length, or three, above zero."""
    return holds(kind, sentence, unit="m", least="above zero", remedy="give a length above zero")


class _InSI:
    """Numbers with units that a form is made with are in SI then."""

    __slots__ = ()
    type: ClassVar[str]

    def __post_init__(self) -> None:
        plain_entries(self, self.type)


@dataclass(frozen=True, slots=True)
class Box(_InSI):
    """A box about its frame's origin."""

    type: ClassVar[str] = "box"

    size: Vector = field(metadata=_length("vector", "lengths of the edges"))


@dataclass(frozen=True, slots=True)
class Sphere(_InSI):
    """A sphere about its frame's origin."""

    type: ClassVar[str] = "sphere"

    radius: Value = field(metadata=_length("value", "radius"))


@dataclass(frozen=True, slots=True)
class Ellipsoid(_InSI):
    """An ellipsoid about its frame's origin."""

    type: ClassVar[str] = "ellipsoid"

    radii: Vector = field(metadata=_length("vector", "half axes"))


@dataclass(frozen=True, slots=True)
class Cylinder(_InSI):
    """A cylinder along z, its frame's origin half way."""

    type: ClassVar[str] = "cylinder"

    radius: Value = field(metadata=_length("value", "radius"))
    length: Value = field(metadata=_length("value", "length along z"))


@dataclass(frozen=True, slots=True)
class Capsule(_InSI):
    """A cylinder along z, its frame's origin half way, with a half sphere on each end."""

    type: ClassVar[str] = "capsule"

    radius: Value = field(metadata=_length("value", "radius"))
    length: Value = field(metadata=_length("value", "length along z without the half spheres"))


@dataclass(frozen=True, slots=True)
class Mesh(_InSI):
    """A surface of triangles from a file, which is looked for beside the model's file."""

    type: ClassVar[str] = "mesh"

    file: str = field(metadata=holds("text", "STL or OBJ file; package://NAME/... is looked for in packages"))
    scale: Vector = field(default=(1, 1, 1), metadata=holds("vector", "factors of its coordinates"))


Form: TypeAlias = Box | Sphere | Ellipsoid | Cylinder | Capsule | Mesh


@dataclass(frozen=True, slots=True)
class FormType(ElementRecord[Form]):
    """The record of a form."""


FORMS: Final = Registry[FormType]("form", map(FormType, (Box, Sphere, Ellipsoid, Cylinder, Capsule, Mesh)), ModelError)
"""Forms by their type in files."""
