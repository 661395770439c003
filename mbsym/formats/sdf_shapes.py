"""Shapes of SDF links: what is seen, and where a link shows nothing, what collides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mbsym.formats.foreign_shapes import Color, has_extent, possible_color
from mbsym.formats.sdf_frames import Frames, Node
from mbsym.formats.xml_document import Element
from mbsym.formats.xml_numbers import read_numbers
from mbsym.model.shape import Shape
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Sphere
from mbsym.values.parameter import Value, Vector

GRAPHICS = ("visual", "collision")


@dataclass(frozen=True, slots=True)
class ShapeReader:
    """Reads the shapes of links.

    Attributes:
        frames: of the file.
    """

    frames: Frames

    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of all links, those placed relative to other frames left out.

        Raises:
            FormatError: a size or pose is no number.
        """
        found: list[Shape] = []
        for link in self.frames.of_kind("link"):
            for tag in GRAPHICS:
                own = [shape for item in link.element.all(tag) if (shape := self._shape(item, link)) is not None]
                found += own
                if own:
                    break
        return tuple(found)

    def _shape(self, element: Element, link: Node) -> Shape | None:
        geometry, pose = element.child("geometry"), element.child("pose")
        forms = [self._form(item) for item in geometry.children] if geometry is not None else []
        form = next((form for form in forms if form is not None and has_extent(form)), None)
        if form is None or (pose is not None and pose.attributes.get("relative_to", "").strip()):
            return None
        rounded = dict(self.frames.rounded)
        placement = self.frames.pose(pose, "")
        # Angles of pictures cost no operations, so that nothing is said of them.
        self.frames.rounded.clear()
        self.frames.rounded.update(rounded)
        return Shape(link.name, form, placement, self._color(element), element.attributes.get("name", "").strip())

    def _form(self, element: Element) -> Form | None:
        forms: dict[str, Callable[[], Form]] = {
            "box": lambda: Box(self._vector(element, "size", (1, 1, 1))),
            "sphere": lambda: Sphere(self._number(element, "radius")),
            "cylinder": lambda: Cylinder(self._number(element, "radius"), self._number(element, "length")),
            "capsule": lambda: Capsule(self._number(element, "radius"), self._number(element, "length")),
            "ellipsoid": lambda: Ellipsoid(self._vector(element, "radii", (1, 1, 1))),
        }
        if element.tag in forms:
            return forms[element.tag]()
        uri = element.child("uri")
        if element.tag != "mesh" or uri is None or not uri.text.strip():
            return None
        return Mesh(uri.text.strip(), self._vector(element, "scale", (1, 1, 1)))

    def _number(self, element: Element, tag: str) -> Value:
        child = element.child(tag)
        return 1 if child is None else read_numbers(self.frames.source, child, "", 1)[0]

    def _vector(self, element: Element, tag: str, usual: Vector) -> Vector:
        child = element.child(tag)
        if child is None:
            return usual
        x, y, z = read_numbers(self.frames.source, child, "", 3)
        return x, y, z

    def _color(self, element: Element) -> Color | None:
        material = element.child("material")
        diffuse = material.child("diffuse") if material is not None else None
        if diffuse is None:
            return None
        parts = read_numbers(self.frames.source, diffuse, "", 4, 3)
        return possible_color(parts if len(parts) == 4 else (*parts, 1))
