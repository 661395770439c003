"""Mass properties of an MJCF body: stated, or of its geoms as solids of uniform density."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.formats.mjcf.frames import ORIENTATIONS, AngleRules, read_frame, segment
from mbsym.formats.mjcf.nested import Part
from mbsym.formats.rigid_frames import ExactMass, exact, exact_mass, placed_body, text
from mbsym.formats.vocabulary import shortened
from mbsym.formats.xml_document import Element
from mbsym.model.body import Body, Placement
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Sphere
from mbsym.shapes.solids import Primitive, volume_and_moments
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

DENSITY = "1000"
MASSLESS = ("plane", "hfield")

MeshGeomMass: TypeAlias = Callable[[Element, float | None, float], ExactMass | None]


SIZES: Final = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""How many sizes a solid has."""


def geom_mass(geom: Element, rules: AngleRules, mesh_geom_mass: MeshGeomMass) -> ExactMass | None:
    """The mass properties of a geom in the frame of its body, None if it has no mass.

    Args:
        geom: with the attributes of its default class.
        rules: how angles are meant.
        mesh_geom_mass: the mass properties of a mesh geom, by its stated mass or its density.

    Raises:
        FormatError: the mass of such a geom cannot be told, or a number is none.
    """
    kind = geom_kind(geom)
    stated = evaluate(geom.number("mass")) if "mass" in geom.attributes else None
    density = evaluate(geom.number("density", DENSITY))
    if kind in MASSLESS or stated == 0 or (stated is None and density == 0):
        return None
    if kind == "mesh":
        return mesh_geom_mass(geom, stated, density)
    if kind not in SIZES or "mesh" in geom.attributes:
        raise geom.error(
            f"the mass of a geom of type {kind!r} {'fitted to a mesh ' if kind in SIZES else ''}cannot be told",
            'give its body an <inertial>, or the geom mass="0"',
        )
    if geom.attributes.get("shellinertia") == "true":
        raise geom.error("shellinertia is not covered", "give its body an <inertial>")
    placement, sizes = placed(geom, rules, kind)
    if any(evaluate(size) <= 0 for size in sizes):
        raise geom.error(f"a size of this {kind} is not positive", "give positive sizes")
    volume, moments = volume_and_moments(form_of(kind, sizes), evaluate, math.pi)
    mass = density * volume if stated is None else stated
    own = ExactMass.centred(Fraction(repr(mass)), [Fraction(repr(mass * (moment / volume))) for moment in moments])
    return own.moved(placement)


def stated_mass(part: Part, name: str, rules: AngleRules) -> Body:
    """The body that an element <inertial> describes.

    Raises:
        FormatError: a number is missing or none.
    """
    inertial = part.element
    given = [key for key in ("fullinertia", "diaginertia", *ORIENTATIONS) if key in inertial.attributes]
    if given[:1] == ["fullinertia"] and len(given) > 1:
        raise inertial.error(
            f"<inertial> has fullinertia and {given[1]}",
            "keep one: fullinertia has the axes of the body, diaginertia those of the orientation",
        )
    mass = inertial.number("mass")
    placement = part.on_body(read_frame(inertial, rules))
    moments: tuple[Value, ...] = (0,) * 6
    if "fullinertia" in inertial.attributes:
        moments = inertial.numbers("fullinertia", 6)
    elif "diaginertia" in inertial.attributes:
        moments = (*inertial.triple("diaginertia"), 0, 0, 0)
    return placed_body(name, mass, placement, moments)


def with_total_mass(root: Element, bodies: Sequence[Body]) -> tuple[Body, ...]:
    """The bodies, with masses and inertias scaled where <compiler settotalmass="..."/> asks for a total mass.

    Raises:
        FormatError: no body has mass.
    """
    asking = [compiler for compiler in root.all("compiler") if "settotalmass" in compiler.attributes]
    wanted = exact(asking[-1].number("settotalmass")) if asking else Fraction(0)
    if wanted <= 0:
        return tuple(bodies)
    found = [exact_mass(body) for body in bodies]
    total = sum((item.mass for item in found), Fraction(0))
    if total == 0:
        raise asking[-1].error("no body has mass that settotalmass could scale", "give bodies masses")
    return tuple(item.scaled(wanted / total).body(body.name) for item, body in zip(found, bodies, strict=True))


def geom_kind(geom: Element) -> str:
    """The type of a geom with the attributes of its default class."""
    return geom.attributes.get("type", "sphere")


def geom_group(geom: Element) -> int:
    """The group of a geom with the attributes of its default class.

    Raises:
        FormatError: it is no whole number.
    """
    words = geom.words("group") or "0"
    if not re.fullmatch(r"[+-]?\d{1,9}", words, re.ASCII):
        raise geom.error(f"group of <geom> is {shortened(words)}", "give a whole number")
    return int(words)


def placed(geom: Element, rules: AngleRules, kind: str) -> tuple[Placement, tuple[Value, ...]]:
    """Frame and sizes of a geom of one of ``SIZES``; ``fromto`` gives the frame and the half length along z.

    Raises:
        FormatError: there are too few sizes, or something is no number.
    """
    count, sizes = SIZES[kind], geom.numbers("size", 1, 2, 3, default=())
    if "fromto" not in geom.attributes:
        if len(sizes) < count:
            raise geom.error(f"a {kind} has {count} sizes, this has {len(sizes)}", "complete its size")
        return read_frame(geom, rules), sizes[:count]
    if kind == "sphere":
        raise geom.error("a sphere has no fromto", "give it pos and size")
    placement, length = segment(geom)
    if not sizes:
        raise geom.error(f"a {kind} needs a size", "give its radius")
    half = repr(length / 2)
    return placement, (sizes[0], half) if count == 2 else (sizes[0], sizes[0], half)


def form_of(kind: str, sizes: Sequence[Value]) -> Primitive:
    """The solid of that type and these sizes, of which MJCF halves all lengths."""
    double = [text(2 * exact(size)) for size in sizes]
    match kind:
        case "sphere":
            return Sphere(sizes[0])
        case "capsule":
            return Capsule(sizes[0], double[1])
        case "cylinder":
            return Cylinder(sizes[0], double[1])
        case "ellipsoid":
            return Ellipsoid((sizes[0], sizes[1], sizes[2]))
        case _:
            return Box((double[0], double[1], double[2]))
