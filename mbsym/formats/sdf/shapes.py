"""Shapes of SDF links: what is seen, and where a link shows nothing, what collides; and what collisions weigh."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import Final, NoReturn

from mbsym.formats.foreign_shapes import Color, form_of, possible_color, shapes_of
from mbsym.formats.rigid_frames import ZERO, ExactMass, exact
from mbsym.formats.sdf.frames import Frames, Node
from mbsym.formats.xml_document import Element
from mbsym.model.shape import Shape
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Sphere
from mbsym.shapes.solids import PlacedForm, mass_properties
from mbsym.values.parameter import Value, Vector

COLORS: Final = ("diffuse", "ambient")
WATER: Final = 1000
"""Density of a collision that states none, nor does its link [kg/m^3]."""


@dataclass(frozen=True, slots=True)
class ShapeReader:
    """Reads the shapes of links.

    Attributes:
        frames: of the file.
    """

    frames: Frames

    def shapes(self, link: Node) -> tuple[Shape, ...]:
        """The shapes of a link.

        Raises:
            FormatError: a size is no number, or there are too few.
        """
        return shapes_of(link.element, lambda element: self._shape(element, link))

    def mass(self, link: Node, inertial: Element) -> ExactMass:
        """What the collisions of a link weigh at their densities or the link's, or together its mass if it states one.

        Raises:
            FormatError: there is no collision, or one of a form without mass here.
        """
        total: ExactMass | None = None
        for element in link.element.all("collision"):
            shape = self._shape(element, link)
            if shape is None or isinstance(shape.form, Mesh):
                raise element.error(
                    f"a collision of link {link.name!r} has no mass here", "state the inertia of the link"
                )
            stated = element.child("density") or inertial.child("density")
            density = WATER if stated is None else stated.number()
            found = mass_properties([PlacedForm(shape.form, density)], _no_mesh)
            xx, yy, zz = (exact(value) for value in found.inertia[:3])
            none = ZERO[0]
            part = ExactMass(exact(found.mass), ZERO, ((xx, none, none), (none, yy, none), (none, none, zz)))
            part = part.moved(shape.placement)
            total = part if total is None else total.joined(part)
        if total is None or not total.mass:
            raise inertial.error(f"link {link.name!r} has no collision that its inertia can follow from", "state it")
        mass = inertial.child("mass")
        if mass is None:
            return total
        return total.scaled(exact(mass.number()) / total.mass)

    def _shape(self, element: Element, link: Node) -> Shape | None:
        form = form_of(element, self._form)
        if form is None:
            return None
        placement = self.frames.on_link(link, element)
        return Shape(link.name, form, placement, self._color(element), element.words("name"))

    def _form(self, element: Element) -> Form | None:
        """The form, None for one that there is not here, or that has no file or no extent."""
        match element.tag:
            case "box":
                size = self._triple(element, "size")
                return None if size is None else Box(size)
            case "ellipsoid":
                radii = self._triple(element, "radii")
                return None if radii is None else Ellipsoid(radii)
            case "sphere":
                radius = self._number(element, "radius")
                return None if radius is None else Sphere(radius)
            case "cylinder" | "capsule":
                radius, length = self._number(element, "radius"), self._number(element, "length")
                kind = Cylinder if element.tag == "cylinder" else Capsule
                return None if radius is None or length is None else kind(radius, length)
            case "mesh":
                name = element.text_of("uri")
                return Mesh(self._file(element, name), self._triple(element, "scale") or (1, 1, 1)) if name else None
        return None

    def _file(self, element: Element, uri: str) -> str:
        """A file that the file of an element names, from the directory of the first."""
        if "://" in uri:
            return uri
        first = Path(self.frames.world.element.place.file).parent
        around = Path(relpath(Path(element.place.file).parent, first))
        return (around / uri).as_posix()

    def _color(self, element: Element) -> Color | None:
        material = element.child("material")
        for tag in COLORS:
            stated = None if material is None else material.child(tag)
            if stated is not None and stated.text.strip():
                red, green, blue, *opacity = stated.numbers("", 4, 3)
                return possible_color((red, green, blue, opacity[0] if opacity else 1))
        return None

    def _number(self, around: Element, tag: str) -> Value | None:
        element = around.child(tag)
        return None if element is None else element.number()

    def _triple(self, around: Element, tag: str) -> Vector | None:
        element = around.child(tag)
        return None if element is None else element.triple("")


def _no_mesh(mesh: Mesh) -> NoReturn:
    raise TypeError(f"mesh {mesh.file}")
