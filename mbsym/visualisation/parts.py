"""What a picture is made of: meshes, and parts that put them on bodies or stretch them between two of these."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.visualisation.surfaces import Color, Surface

Point: TypeAlias = tuple[float, float, float]

Role: TypeAlias = Literal["shape", "link", "mass", "joint", "inertia"]
"""A shape of the model's, or what stands for a body without shapes: its links and centre of mass, its box or disc of
inertia; and joints."""

_STEPS: Final = 65535
"""Steps of a coordinate across a mesh: what 16 bits hold."""

COLOURS: Final = (
    "#2f6fab", "#c2571a", "#2e8b57", "#8e4aa8", "#b8860b", "#b03a48", "#3a8f96", "#6b6f2a", "#7a5a3a", "#5560b8"
)  # fmt: skip
"""Of bodies by label, again from the first after the last."""

STEEL: Final = (0.28, 0.32, 0.38, 1.0)
"""Of joints."""

STONE: Final = (0.62, 0.66, 0.7, 1.0)
"""Of ground."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: vertices (n, 3), and faces (m, 3) with the places of their corners among them."""

    vertices: Array
    faces: Array

    def as_scene(self) -> dict[str, object]:
        """The mesh for a page: coordinates as 16 bit steps between the corners of its box, in base 64."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        span = np.where(high > low, high - low, 1.0)
        steps = np.rint((self.vertices - low) / span * _STEPS).astype("<u2")
        return {
            "low": [float(f"{value:.6g}") for value in low],
            "span": [float(f"{value:.6g}") for value in span],
            "vertices": base64.b64encode(steps.tobytes()).decode("ascii"),
            "faces": base64.b64encode(self.faces.astype("<u2").tobytes()).decode("ascii"),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A mesh on a body.

    Attributes:
        body: its label, 0 for ground.
        mesh: what it looks like.
        placement: of the mesh in the body's frame (3, 4), whose first three columns are perpendicular to each other and
            of any length.
        color: red, green, blue, opacity from 0 to 1; None leaves it to the picture, which gives each body its own.
        role: what it stands for.
        name: of the body or joint.
    """

    body: int
    mesh: Mesh
    placement: Array
    color: Color | None
    role: Role
    name: str

    @property
    def vertices(self) -> Array:
        """In the body's frame (n, 3)."""
        placed: Array = self.mesh.vertices @ self.placement[:, :3].T + self.placement[:, 3]
        return placed


@dataclass(frozen=True, slots=True, eq=False)
class Stretched:
    """A mesh along z from -1/2 to 1/2, stretched between points of two bodies.

    Attributes:
        mesh: what it looks like.
        first, second: labels of the bodies.
        first_point, second_point: in their frames.
        width: by which x and y of the mesh are multiplied [m].
        color: as of a part.
        name: what it stands for.
    """

    mesh: Mesh
    first: int
    first_point: Point
    second: int
    second_point: Point
    width: float
    color: Color
    name: str

    def placement(self, start: Array, end: Array) -> Array:
        """Of the mesh in base axes (3, 4) where its ends are there."""
        along = end - start
        length = float(np.linalg.norm(along))
        x, y = across(along / length if length > 0.0 else np.array([0.0, 0.0, 1.0]))
        return np.column_stack((self.width * x, self.width * y, along, 0.5 * (start + end)))


@dataclass(frozen=True, slots=True)
class Scenery:
    """All that is drawn of a mechanism: parts on bodies, parts between them."""

    parts: tuple[Part, ...]
    stretched: tuple[Stretched, ...]

    @property
    def meshes(self) -> dict[int, Mesh]:
        """Each mesh once, by its identity."""
        drawn: tuple[Part | Stretched, ...] = (*self.parts, *self.stretched)
        return {id(item.mesh): item.mesh for item in drawn}

    def as_scene(self) -> dict[str, object]:
        """For a page: each mesh once, parts by the places of their meshes."""
        meshes = self.meshes
        places = {key: place for place, key in enumerate(meshes)}
        parts = [
            {
                "mesh": places[id(part.mesh)],
                "body": part.body,
                "at": rounded(part.placement.ravel()),
                "color": None if part.color is None else [round(value, 4) for value in part.color],
                "role": part.role,
                "name": part.name,
            }
            for part in self.parts
        ]
        stretched = [
            {
                "mesh": places[id(item.mesh)],
                "ends": [[item.first, *item.first_point], [item.second, *item.second_point]],
                "width": rounded([item.width])[0],
                "color": list(item.color),
                "name": item.name,
            }
            for item in self.stretched
        ]
        drawn = [mesh.as_scene() for mesh in meshes.values()]
        return {"colours": COLOURS, "meshes": drawn, "parts": parts, "stretched": stretched}


def across(z: Array) -> tuple[Array, Array]:
    """Unit vectors x and y that a unit vector z makes a frame with."""
    side = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = side / np.linalg.norm(side)
    return x, np.cross(z, x)


def body_color(label: int) -> tuple[float, float, float]:
    """A body's own red, green and blue from 0 to 1."""
    text = COLOURS[(label - 1) % len(COLOURS)]
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue


def parts_of(surfaces: Sequence[Surface], labels: Mapping[str, int]) -> tuple[Part, ...]:
    """The shapes of a model as parts.

    Args:
        surfaces: of its bodies and ground.
        labels: of the bodies by name.
    """
    here = np.eye(3, 4)
    return tuple(
        Part(labels.get(item.body, 0), Mesh(item.vertices, item.faces), here, item.color, "shape", item.body)
        for item in surfaces
    )


def rounded(values: Any) -> list[float]:
    """Numbers to six digits, none of them a negative zero."""
    return [float(f"{x:.6g}") + 0.0 for x in values]
