"""Mass properties of meshes.

A closed surface is the sum of tetrahedra from its faces to one point, with signs. MuJoCo knows four rules for the
inertia of a mesh, which the manual of its file format names. As its version 4.0 has them, ``exact`` is that sum,
``convex`` that of the convex hull, ``shell`` puts the mass on the surface, and ``legacy``, its default, takes the sum
without signs, which counts some of what is not star-shaped twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mbsym.doors import Array, scipy
from mbsym.doors import numpy as np
from mbsym.shapes.mesh_file import Triangles

Rule: TypeAlias = Literal["exact", "convex", "shell", "legacy"]

RULES: Final[tuple[Rule, ...]] = ("exact", "convex", "shell", "legacy")


@dataclass(frozen=True, slots=True)
class MeshMass:
    """Mass properties for a density of one.

    Attributes:
        volume: [m^3], the area [m^2] of a shell.
        center: of mass (3,) [m].
        inertia: about it (3, 3).
    """

    volume: float
    center: Array
    inertia: Array


def joined(parts: Sequence[Triangles], scale: Sequence[float] = (1.0, 1.0, 1.0)) -> Triangles:
    """All surfaces of a file as one, scaled; a mirrored one is turned right side out."""
    factors = np.asarray(scale, dtype=float)
    offsets = np.cumsum([0, *(len(part.vertices) for part in parts)])
    vertices = np.concatenate([part.vertices for part in parts]) * factors
    faces = np.concatenate([part.faces + offset for part, offset in zip(parts, offsets, strict=False)])
    return Triangles(vertices, faces[:, ::-1] if np.prod(factors) < 0 else faces)


def single_precision(vertices: Array) -> Array:
    """The vertices rounded to single precision, as doubles.

    Raises:
        ValueError: one lies beyond it.
    """
    with np.errstate(over="ignore"):
        rounded: Array = vertices.astype(np.float32).astype(float)
    if not np.isfinite(rounded).all():
        raise ValueError("a vertex lies beyond single precision")
    return rounded


def surface_fault(mesh: Triangles) -> str:
    """Why a mesh bounds no volume, "" if it does: each edge belongs to two faces, which pass it in opposite ways."""
    _, places = np.unique(mesh.vertices, axis=0, return_inverse=True)
    faces = places.reshape(-1)[mesh.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    size = int(faces.max(initial=0)) + 1
    there, back = (np.sort(edges[:, a] * size + edges[:, b]) for a, b in ((0, 1), (1, 0)))
    if not np.array_equal(there, back):
        single = np.setdiff1d(there, back)
        return f"it is open: {max(len(single), 1)} edges have a face on one side alone, or faces that disagree"
    if _signed(mesh).volume <= 0:
        return "it is inside out: its faces are seen from within"
    return ""


def mesh_mass(mesh: Triangles, rule: Rule = "exact") -> MeshMass:
    """Mass properties of a mesh by a rule; faces that bound no volume are not refused here.

    Args:
        mesh: the surface.
        rule: which volume or area is meant.

    Raises:
        ValueError: the convex hull is flat.
    """
    if rule == "convex":
        return _signed(convex_hull(mesh.vertices))
    if rule == "shell":
        return _shell(mesh)
    return _signed(mesh) if rule == "exact" else _unsigned(mesh)


def convex_hull(vertices: Array) -> Triangles:
    """The convex hull of points.

    Raises:
        ValueError: they lie in a plane.
    """
    try:
        hull = scipy.spatial.ConvexHull(vertices)
    except scipy.spatial.QhullError:
        raise ValueError("the vertices lie in a plane") from None
    faces = np.array(hull.simplices, dtype=np.int64)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ni,ni->n", normals, hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Triangles(vertices, faces)


def _corners(mesh: Triangles) -> tuple[Array, Array, Array]:
    """Corners of the faces (m, 3, 3), half the cross products of their edges (m, 3) and their centres (m, 3)."""
    corners = mesh.vertices[mesh.faces]
    normals = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return corners, normals, corners.mean(axis=1)


def _middle(normals: Array, centers: Array) -> Array:
    """The centre of the surface."""
    areas = np.linalg.norm(normals, axis=1)
    if not areas.any():
        areas = np.ones(len(areas))
    middle: Array = areas @ centers / areas.sum()
    return middle


def _signed(mesh: Triangles) -> MeshMass:
    corners, normals, centers = _corners(mesh)
    apex = _middle(normals, centers)
    volumes = np.einsum("ni,ni->n", centers - apex, normals) / 3
    return _of_tetrahedra(corners, centers, volumes, apex)


def _unsigned(mesh: Triangles) -> MeshMass:
    """As MuJoCo does it: the centre from the middle of the surface, then volume and inertia anew from the centre."""
    corners, normals, centers = _corners(mesh)
    apex = _middle(normals, centers)
    volumes = np.abs(np.einsum("ni,ni->n", centers - apex, normals)) / 3
    if not volumes.any():
        return MeshMass(0.0, apex, np.zeros((3, 3)))
    center = volumes @ (0.75 * centers + 0.25 * apex) / volumes.sum()
    volumes = np.abs(np.einsum("ni,ni->n", centers - center, normals)) / 3
    return MeshMass(float(volumes.sum()), center, _inertia(corners - center, volumes / 20))


def _of_tetrahedra(corners: Array, centers: Array, volumes: Array, apex: Array) -> MeshMass:
    volume = float(volumes.sum())
    if volume == 0.0:
        return MeshMass(0.0, apex, np.zeros((3, 3)))
    arm = volumes @ (0.75 * (centers - apex)) / volume
    about_apex = _inertia(corners - apex, volumes / 20)
    return MeshMass(volume, apex + arm, about_apex - volume * (arm @ arm * np.eye(3) - np.outer(arm, arm)))


def _shell(mesh: Triangles) -> MeshMass:
    corners, normals, centers = _corners(mesh)
    areas = np.linalg.norm(normals, axis=1)
    middle = _middle(normals, centers)
    return MeshMass(float(areas.sum()), middle, _inertia(corners - middle, areas / 12))


def _inertia(corners: Array, weights: Array) -> Array:
    """The inertia whose second moments are weights times those of the corners and of their sum, for each face."""
    points = np.concatenate([corners, corners.sum(axis=1, keepdims=True)], axis=1)
    second = np.einsum("n,nki,nkj->ij", weights, points, points)
    inertia: Array = np.trace(second) * np.eye(3) - second
    return inertia
