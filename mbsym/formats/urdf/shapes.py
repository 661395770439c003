"""Shapes of URDF links: what is seen, and where a link shows nothing, what collides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from mbsym.formats.foreign_shapes import Color, form_of, possible_color, shapes_of
from mbsym.formats.xml_document import Element
from mbsym.model.body import Placement
from mbsym.model.shape import Shape
from mbsym.shapes.forms import Box, Capsule, Cylinder, Form, Mesh, Sphere

Colors: TypeAlias = Mapping[str, Color | None]


@dataclass(frozen=True, slots=True)
class ShapeReader:
    """Reads the shapes of links.

    Attributes:
        colors: of the materials that the robot names.
        origin: reads the placement that an element has.
    """

    colors: Colors
    origin: Callable[[Element], Placement]

    def shapes(self, link: Element, body: str) -> tuple[Shape, ...]:
        """The shapes of a link.

        Raises:
            FormatError: a size is no number, or there are too few.
        """
        return shapes_of(link, lambda element: self._shape(element, body))

    def _shape(self, element: Element, body: str) -> Shape | None:
        form = form_of(element, self._form)
        if form is None:
            return None
        placement = self.origin(element)
        material = element.child("material")
        color = None
        if material is not None:
            color = read_color(material) or self.colors.get(material.attributes.get("name", ""))
        return Shape(body, form, placement, color, element.words("name"))

    def _form(self, element: Element) -> Form | None:
        """The form, None for one that there is not here, or that has no file or no extent."""
        match element.tag:
            case "box":
                return Box(element.triple("size")) if "size" in element.attributes else None
            case "sphere":
                return Sphere(element.number("radius"))
            case "cylinder" | "capsule":
                kind = Cylinder if element.tag == "cylinder" else Capsule
                return kind(element.number("radius"), element.number("length"))
            case "mesh":
                name = element.words("filename")
                scale: Any = element.numbers("scale", 3, 1, default=(1,))
                return Mesh(name, scale if len(scale) == 3 else scale * 3) if name else None
        return None


def named_colors(materials: Iterable[Element]) -> Colors:
    """Colours of materials by name.

    Raises:
        FormatError: a colour is no four numbers.
    """
    return {material.attributes.get("name", ""): read_color(material) for material in materials}


def read_color(material: Element) -> Color | None:
    """The colour of a material, None if it has none that can be."""
    color = material.part("color")
    return possible_color(color.numbers("rgba", 4)) if "rgba" in color.attributes else None
