"""Shapes of SDF links: what is seen, and where a link shows nothing, what collides; and what collisions weigh."""

from __future__ import annotations

from functools import reduce
from os.path import relpath
from pathlib import Path
from typing import Final, NoReturn

from mbsym.formats.foreign_shapes import Color, form_of, possible_color, shapes_of
from mbsym.formats.rigid_frames import ExactMass, exact
from mbsym.formats.sdf.frames import Frames, Node
from mbsym.formats.xml_document import Element
from mbsym.model.shape import Shape
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Sphere
from mbsym.shapes.solids import PlacedForm, mass_properties
from mbsym.values.parameter import Vector

COLORS: Final = ("diffuse", "ambient")
WATER: Final = 1000
"""Density of a collision that states none, nor does its link [kg/m^3]."""


def link_shapes(frames: Frames, link: Node) -> tuple[Shape, ...]:
    """The shapes of a link.

    Raises:
        FormatError: a size is no number, or there are too few.
    """
    return shapes_of(link.element, lambda element: _shape(frames, element, link))


def collision_mass(frames: Frames, link: Node, inertial: Element) -> ExactMass:
    """What the collisions of a link weigh at their densities or the link's, or together its mass if it states one.

    Raises:
        FormatError: there is no collision, or one of a form without mass here.
    """
    parts = []
    for element in link.element.all("collision"):
        shape = _shape(frames, element, link)
        if shape is None or isinstance(shape.form, Mesh):
            raise element.error(f"a collision of link {link.name!r} has no mass here", "state the inertia of the link")
        density = (element if element.child("density") else inertial).number_of("density", WATER)
        found = mass_properties([PlacedForm(shape.form, density)], _no_mesh)
        part = ExactMass.centred(exact(found.mass), [exact(value) for value in found.inertia[:3]])
        parts.append(part.moved(shape.placement))
    total = reduce(ExactMass.joined, parts) if parts else None
    if total is None or not total.mass:
        raise inertial.error(f"link {link.name!r} has no collision that its inertia can follow from", "state it")
    mass = inertial.child("mass")
    return total if mass is None else total.scaled(exact(mass.number()) / total.mass)


def _shape(frames: Frames, element: Element, link: Node) -> Shape | None:
    form = form_of(element, lambda item: _form(item, frames.world.element.place.file))
    if form is None:
        return None
    return Shape(link.name, form, frames.on_link(link, element), _color(element), element.words("name"))


def _form(element: Element, first: str) -> Form | None:
    """The form, None for one that there is not here, or that has no file or no extent."""
    match element.tag:
        case "box":
            size = _triple(element, "size")
            return None if size is None else Box(size)
        case "ellipsoid":
            radii = _triple(element, "radii")
            return None if radii is None else Ellipsoid(radii)
        case "sphere":
            radius = element.number_of("radius", None)
            return None if radius is None else Sphere(radius)
        case "cylinder" | "capsule":
            radius, length = element.number_of("radius", None), element.number_of("length", None)
            kind = Cylinder if element.tag == "cylinder" else Capsule
            return None if radius is None or length is None else kind(radius, length)
        case "mesh":
            name = element.text_of("uri")
            return Mesh(_file(element, name, first), _triple(element, "scale") or (1, 1, 1)) if name else None
    return None


def _file(element: Element, uri: str, first: str) -> str:
    """A file that the file of an element names, from the directory of the first."""
    if "://" in uri:
        return uri
    return (Path(relpath(Path(element.place.file).parent, Path(first).parent)) / uri).as_posix()


def _color(element: Element) -> Color | None:
    for tag in COLORS:
        stated = element.part("material").part(tag)
        if stated.words(""):
            red, green, blue, *opacity = stated.numbers("", 4, 3)
            return possible_color((red, green, blue, opacity[0] if opacity else 1))
    return None


def _triple(around: Element, tag: str) -> Vector | None:
    element = around.child(tag)
    return None if element is None else element.triple("")


def _no_mesh(mesh: Mesh) -> NoReturn:
    raise TypeError(f"mesh {mesh.file}")
