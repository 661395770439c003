"""A ball, a point or a rim of one body against a surface of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Final

from mbsym.forces.element import Draw, Fault, ForceElement
from mbsym.forces.scene import MovingScene
from mbsym.forces.touch import FLAT, Resistance, Touch, length_of, touch
from mbsym.spatial.vector import Vector3, across, add, dot, negate, scale, subtract
from mbsym.symbolic.scalar import constant, sqrt
from mbsym.values.entries import holds
from mbsym.values.lines import Line, rim
from mbsym.values.parameter import Value, Vector

HOLLOW: Final = ("bowl", "bore")
LONG: Final = ("cylinder", "bore")

ROUNDS: Final = 4
"""Where a rim is nearest to an axis has no formula: so often its point is found from that of the axis, and this from
that. Each round is nearer than the one before."""

MIDDLE: Final = Fraction(1, 10**6)
"""Of the radius of a surface: nearer to its centre or axis there is no direction out of it, and the normal fades."""


@dataclass(frozen=True, slots=True)
class Contact(ForceElement):
    """A ball, a point or a rim of one body is pushed out of a surface of another, and rubs on it.

    Where it is deep in the surface by d > 0 it is pushed by N = max(0, stiffness d (d/at_depth)^(exponent - 1)
    (1 + damping d') + dashpot d'), against its slip v by friction N v / sqrt(v^2 + transition_speed^2). The body is a
    ball of ``radius``, a point where that is 0; with a ``rim`` it is a circle about ``axis`` that is so thick.

    Sources: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440, for ``damping``; ``dashpot`` is Kelvin's and
    Voigt's.
    """

    type: ClassVar[str] = "contact"

    name: str
    body: str = field(metadata=holds("body", "the body or frame that touches", or_frame=True))
    on: str = field(metadata=holds("body", "the body or frame that carries the surface", or_frame=True))
    stiffness: Value = field(metadata=holds("value", "force per depth at at_depth", unit="N/m", least="zero"))
    damping: Value = field(
        default=0, metadata=holds("value", "part of the force per speed into it", unit="s/m", least="zero")
    )
    dashpot: Value = field(default=0, metadata=holds("value", "force per speed into it", unit="N s/m", least="zero"))
    exponent: Value = field(
        default=1,
        metadata=holds(
            "value",
            "power of the depth by which the force grows; 1.5 is that of Hertz",
            unit="1",
            least="above zero",
            remedy="give 1 or more",
        ),
    )
    at_depth: Value = field(
        default=1,
        metadata=holds(
            "value",
            "depth at which the force is stiffness times depth whatever the exponent",
            unit="m",
            least="above zero",
            remedy="leave it out for 1 m",
        ),
    )
    friction: Value = field(default=0, metadata=holds("value", "coefficient of friction", unit="1", least="zero"))
    transition_speed: Value = field(
        default=0.01,
        metadata=holds(
            "value",
            "slip below which friction falls",
            unit="m/s",
            least="above zero",
            remedy="give a small speed",
        ),
    )
    radius: Value = field(
        default=0, metadata=holds("value", "of the ball, or of a rim's rounding; 0 is a point", unit="m", least="zero")
    )
    rim: Value = field(
        default=0, metadata=holds("value", "radius of a circle about axis; 0 is a ball", unit="m", least="zero")
    )
    axis: Vector = field(default=(0, 1, 0), metadata=holds("direction", "of a rim", body="body"))
    center: Vector = field(default=(0, 0, 0), metadata=holds("vector", "of the ball or rim", unit="m", body="body"))
    surface: str = field(
        default="plane",
        metadata=holds(
            "choice",
            "what it touches: a bowl is a sphere from inside, a bore a cylinder from inside",
            words=("plane", "sphere", "bowl", "cylinder", "bore"),
        ),
    )
    surface_radius: Value = field(default=0, metadata=holds("value", "of what is round", unit="m", least="zero"))
    surface_axis: Vector = field(
        default=(0, 0, 1),
        metadata=holds("direction", "normal of a plane, to the body; axis of a cylinder or bore", body="on"),
    )
    surface_point: Vector = field(
        default=(0, 0, 0),
        metadata=holds("vector", "in a plane, on an axis, or centre of a sphere or bowl", unit="m", body="on"),
    )

    def faults(self, number: Callable[[Value], float]) -> Iterator[Fault]:
        round_by, ball, circle = (number(value) for value in (self.surface_radius, self.radius, self.rim))
        if self.surface == "plane" and round_by:
            yield "surface_radius", "a plane has no radius", "leave it out, or say which surface is round"
        elif self.surface != "plane" and round_by <= 0:
            yield "surface_radius", f"a {self.surface} needs a radius", "give surface_radius"
        elif self.surface in HOLLOW and ball >= round_by:
            yield "radius", f"a ball of {ball:g} m has no room in a {self.surface} of {round_by:g} m", "give less"
        if self.surface == "bore" and circle:
            yield "rim", "a rim that leans in a bore touches it in two places", "use balls around it"
        if number(self.exponent) < 1:
            yield "exponent", "a force that grows by less than the depth has no slope at the surface", "give 1 or more"

    def act(self, scene: MovingScene) -> None:
        at = self._touch(scene)
        velocity, value = at.slip(), scene.value
        rate = -dot(at.normal, velocity)
        resistance = Resistance(
            value(self.stiffness), value(self.exponent) - 1, value(self.at_depth), value(self.damping),
            value(self.dashpot),
        )  # fmt: skip
        size = resistance.force(at.depth, rate).named(f"pressed_{self.name}")
        force, friction = scale(at.normal, size), value(self.friction)
        if friction:
            slip = add(velocity, scale(at.normal, rate))
            least = value(self.transition_speed)
            force = subtract(force, scale(slip, friction * size / sqrt(dot(slip, slip) + least * least)))
        at.push(scene, force)

    def _touch(self, scene: MovingScene) -> Touch:
        body, on = scene.point(self.body, self.center), scene.point(self.on, self.surface_point)
        middle, radius = body.position(), scene.value(self.radius)
        large = scene.value(self.surface_radius)
        along = scene.direction(self.on, self.surface_axis) if self.surface in ("plane", *LONG) else None
        if scene.value(self.rim):
            middle = self._on_rim(scene, middle, on.position(), along)
        gap = subtract(middle, on.position())
        if self.surface == "plane":
            assert along is not None
            return touch(body, on, middle, radius, along, dot(along, gap))
        if along is not None:
            gap = across(gap, along)
        far = length_of(gap, large * MIDDLE)
        normal, out = scale(gap, 1 / far), far - large
        if self.surface in HOLLOW:
            normal, out = negate(normal), -out
        return touch(body, on, middle, radius, normal, out)

    def _on_rim(self, scene: MovingScene, hub: Vector3, origin: Vector3, along: Vector3 | None) -> Vector3:
        """The point of the rim that is deepest in the surface."""
        axis, circle = scene.direction(self.body, self.axis), scene.value(self.rim)
        least = constant(circle.graph, FLAT) * (scene.value(self.surface_radius) or 1)
        place = hub
        for _ in range(ROUNDS if self.surface == "cylinder" else 1):
            if self.surface == "plane" and along is not None:
                up = along
            else:
                up = subtract(hub, _nearest(origin, along, place))
            rise = across(negate(up) if self.surface in HOLLOW else up, axis)
            place = subtract(hub, scale(rise, circle / length_of(rise, least)))
        return place

    def drawn(self) -> tuple[Line, ...]:
        """The rim, or three circles of a ball, where their axes are given in numbers."""
        if self.rim != 0:
            return rim(self.body, self.center, self.axis, f"({self.rim}) + ({self.radius})")
        if self.radius == 0:
            return ()
        axes: tuple[Vector, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        return tuple(line for axis in axes for line in rim(self.body, self.center, axis, self.radius, spokes=False))

    @classmethod
    def random(cls, draw: Draw) -> Contact:
        body, on = draw.two_bodies()
        surface = ("plane", "sphere", "bowl", "cylinder", "bore")[int(draw.number(0, 4.999))]
        has_rim = surface != "bore" and draw.chance(0.5)
        return cls(
            draw.name,
            body,
            on,
            stiffness=draw.value(draw.number(1, 20), "k", "N/m"),
            damping=draw.number(0, 0.5) if draw.chance(0.5) else 0,
            dashpot=draw.number(0, 2) if draw.chance(0.5) else 0,
            exponent=1.5 if draw.chance(0.4) else 1,
            friction=draw.value(draw.number(0.1, 1), "mu", "") if draw.chance(0.7) else 0,
            transition_speed=draw.number(0.1, 1),
            radius=draw.number(0.1, 0.4) if draw.chance(0.8) else 0,
            rim=draw.number(0.1, 0.5) if has_rim else 0,
            axis=(draw.number(0.2, 1), *draw.vector(1)[1:]),
            center=draw.vector(0.5),
            surface=surface,
            surface_radius=0 if surface == "plane" else draw.number(0.5, 1),
            surface_axis=(*draw.vector(1)[:2], draw.number(0.2, 1)),
            surface_point=draw.vector(0.8),
        )


def _nearest(origin: Vector3, along: Vector3 | None, place: Vector3) -> Vector3:
    """The point of an axis that is nearest to a place, or the centre where there is no axis."""
    return origin if along is None else add(origin, scale(along, dot(along, subtract(place, origin))))
