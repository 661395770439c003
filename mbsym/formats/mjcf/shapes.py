"""Geoms of MJCF as shapes: those that MuJoCo's viewer shows, and where a body has none of these, the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mbsym.formats.foreign_shapes import has_extent
from mbsym.formats.mjcf.assets import Assets
from mbsym.formats.mjcf.frames import AngleRules, read_frame
from mbsym.formats.mjcf.geoms import SIZES, form_of, geom_group, geom_kind, placed
from mbsym.formats.mjcf.nested import Part
from mbsym.formats.rigid_frames import compose, exact, exact3, placement_matrix, text
from mbsym.formats.xml_document import Element
from mbsym.model.body import COINCIDENT, Placement
from mbsym.model.geometry import times, transposed
from mbsym.model.shape import Shape
from mbsym.shapes.forms import Form, Mesh
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Vector

HIDDEN_FROM: Final = 3
"""The first of the groups of geoms that MuJoCo's viewer does not show unless it is asked to."""


def read_shapes(geoms: Iterable[Part], body: str, assets: Assets, rules: AngleRules) -> tuple[Shape, ...]:
    """The shapes of a body; planes, height fields and what has no extent are none.

    Args:
        geoms: with the attributes of their default classes.
        body: that carries them.
        assets: of the file.
        rules: how angles are meant.

    Raises:
        FormatError: a size or group is no number, or a mesh is not among the assets.
    """
    found = []
    for part in geoms:
        shape = _shape(part.element, body, assets, rules)
        if shape is not None:
            placement = shape.placement if part.outer == COINCIDENT else compose(part.outer, shape.placement, 1e-13)
            found.append((geom_group(part.element) < HIDDEN_FROM, replace(shape, placement=placement)))
    seen = tuple(shape for shown, shape in found if shown)
    return seen or tuple(shape for _, shape in found)


def _shape(geom: Element, body: str, assets: Assets, rules: AngleRules) -> Shape | None:
    kind, color = geom_kind(geom), assets.color_of(geom)
    form: Form
    if kind == "mesh":
        mesh = assets.mesh(geom)
        file = assets.file_of(mesh)
        if not file:
            return None
        scale = mesh.triple("scale", (1, 1, 1))
        on_body = on_mesh(mesh, read_frame(geom, rules), scale)
        if on_body is None:
            return None
        form, placement = Mesh(file, scale), on_body
    elif kind in SIZES and "mesh" not in geom.attributes:
        placement, sizes = placed(geom, rules, kind)
        form = form_of(kind, sizes)
        if not has_extent(form):
            return None
    else:
        return None
    return Shape(body, form, placement, color, geom.words("name"))


def on_mesh(mesh: Element, geom: Placement, scale: Vector) -> Placement | None:
    """Where the scaled coordinates of a mesh file are on the body: its own frame is what the geom's frame is.

    MuJoCo scales along the axes of the mesh's own frame, so that a mesh that is turned and stretched has no placement.
    """
    reference = mesh_frame(mesh)
    factors = exact3(scale)
    if reference.quaternion is None:
        position = [text(-factor * part) for factor, part in zip(factors, exact3(reference.translation), strict=True)]
        own = Placement((position[0], position[1], position[2]))
        return geom if own == COINCIDENT else compose(geom, own, 1e-13)
    if any(factor != factors[0] for factor in factors):
        return None
    w, x, y, z = reference.quaternion
    moved = times(transposed(placement_matrix(reference)), exact3(reference.translation))
    a, b, c = (text(-factors[0] * part) for part in moved)
    back = [text(-exact(part)) for part in (x, y, z)]
    return compose(geom, Placement((a, b, c), quaternion=(w, back[0], back[1], back[2])), 1e-13)


def mesh_frame(mesh: Element) -> Placement:
    """The frame of a mesh in the coordinates of its file, before these are scaled.

    Raises:
        FormatError: a number is none, or the quaternion is zero.
    """
    position = mesh.triple("refpos", (0, 0, 0))
    w, x, y, z = mesh.numbers("refquat", 4, default=(1, 0, 0, 0))
    if not any(evaluate(value) for value in (w, x, y, z)):
        raise mesh.error("the quaternion of <mesh> is zero", "give one of length one")
    turned = any(evaluate(value) for value in (x, y, z))
    return Placement(position, quaternion=(w, x, y, z) if turned else None)
