"""What bodies look like: their shapes as coloured triangles, few enough for a page to draw in motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.errors import FormatError, ToolchainError
from mbsym.model.geometry import placement_numbers
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Sphere
from mbsym.shapes.mesh_file import Triangles, find_mesh, read_mesh
from mbsym.shapes.tessellation import box, capsule, cylinder, decimated, ellipsoid
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import Value

Color: TypeAlias = tuple[float, float, float, float]

MOST_FACES: Final = 40_000
"""Triangles of a picture: what a page without graphics hardware still draws in motion."""

LARGEST_SURFACE: Final = 21_000
"""Triangles of one surface, whose places of vertices have 16 bits."""

FEWEST: Final = 200
"""Triangles that every mesh may keep, however many there are."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Triangles of one colour on a body.

    Attributes:
        body: its name.
        color: red, green, blue and opacity from 0 to 1; None leaves it to the picture.
        vertices: (n, 3) in the body's frame [m].
        faces: (m, 3) places of vertices.
    """

    body: str
    color: Color | None
    vertices: Array
    faces: Array


def surfaces_of(model: Model) -> tuple[tuple[Surface, ...], tuple[str, ...]]:
    """The surfaces of a model, and a sentence for each mesh that cannot be drawn.

    Meshes may be open; those that are missing or cannot be read are left out.
    """
    names = parameter_values(model)

    def number(value: Value) -> float:
        return evaluate(value, names)

    found: list[Surface] = []
    warnings: list[str] = []
    read = cache(read_mesh)  # robots have the same mesh on each leg
    for shape in model.shapes:
        try:
            found += _surfaces(shape, model.directory, number, read)
        except (FormatError, ToolchainError) as error:
            warnings.append(f"a mesh of {shape.body} is not drawn: {error.what}; {error.remedy}")
    most = _share([len(surface.faces) for surface in found])
    few = [Surface(surface.body, surface.color, *decimated(surface.vertices, surface.faces, most)) for surface in found]
    return tuple(surface for surface in few if len(surface.faces)), tuple(dict.fromkeys(warnings))


def _share(sizes: list[int]) -> int:
    """The most faces that a surface may have, so that all together keep within the bounds of a picture."""
    most = LARGEST_SURFACE
    while most > FEWEST and sum(min(size, most) for size in sizes) > MOST_FACES:
        most -= most // 8
    return most


def _surfaces(
    shape: Shape,
    directory: str,
    number: Callable[[Value], float],
    read: Callable[[Path], tuple[Triangles, ...]],
) -> list[Surface]:
    R, r = (np.array(part) for part in placement_numbers(shape.placement, number))
    color: Color | None = None
    if shape.color is not None:
        red, green, blue, opacity = (number(part) for part in shape.color)
        color = (red, green, blue, opacity)
    if isinstance(shape.form, Mesh):
        scale = np.array([number(factor) for factor in shape.form.scale])
        parts = read(find_mesh(shape.form.file, directory))
        order = [0, 2, 1] if np.prod(scale) < 0 else [0, 1, 2]
        return [
            Surface(shape.body, color or part.color, (part.vertices * scale) @ R.T + r, part.faces[:, order])
            for part in parts
        ]
    vertices, faces = _triangles(shape.form, number)
    return [Surface(shape.body, color, vertices @ R.T + r, faces)]


def _triangles(form: Form, number: Callable[[Value], float]) -> tuple[Array, Array]:
    match form:
        case Box(size):
            return box(np.array([number(edge) for edge in size]))
        case Sphere(radius):
            return ellipsoid(np.full(3, number(radius)))
        case Ellipsoid(radii):
            return ellipsoid(np.array([number(radius) for radius in radii]))
        case Cylinder(radius, length):
            return cylinder(number(radius), number(length))
        case Capsule(radius, length):
            return capsule(number(radius), number(length))
    raise NotImplementedError(form.type)
