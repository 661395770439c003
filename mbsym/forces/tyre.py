"""A tyre on a plane: it carries as a spring and a damper do, and its slip makes forces in the plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Final

from mbsym.forces.element import Draw, Fault, ForceElement
from mbsym.forces.scene import MovingScene
from mbsym.forces.touch import FLAT, Resistance, length_of, positive, touch
from mbsym.spatial.vector import across, add, cross, dot, scale, subtract
from mbsym.symbolic.scalar import Scalar, constant, sqrt
from mbsym.values.entries import holds
from mbsym.values.lines import Line, rim
from mbsym.values.parameter import Value, Vector

LEAST_SLIP: Final = Fraction(1, 10**6)
"""Below which force per slip is taken to be constant: slip zero then has a slope, and no curve bends so soon."""


@dataclass(frozen=True, slots=True)
class Tyre(ForceElement):
    """A wheel on a plane is pushed up by N = max(0, stiffness d + damping d') where its lowest point is d > 0 below it,
    and its slip s makes the force N f(s) against the slip.

    x of the wheel is along the plane, forwards, y to the left, z the plane's normal. At the lowest point of the wheel
    slip has the components kappa = (omega r - V_x)/V along x and -tan(alpha) = -V_y/V along y. V_x and V_y are the
    velocity at which the wheel travels there, omega r is that of its tread, V = sqrt(V_x^2 + transition_speed^2); for
    ``brush`` V has omega r for V_x. s is the size of both together; the force along x is N f_x(s) kappa/s, the one
    along y is N f_y(s) (-tan(alpha))/s. With c the stiffness and mu the friction of that direction, f is

    * ``linear``: min(c s, mu);
    * ``brush``: mu (1 - max(0, 1 - c s/(3 mu))^3);
    * ``magic_formula``: mu sin(C atan(B s - E (B s - atan(B s)))) with B = c/(C mu).

    The force along y acts behind the lowest point, by trail w^3/(w + (1 - w)^2/3) with w = max(0, 1 - c s/(3 mu)) of
    that side: by ``trail`` without slip, and not at all where a brush slides all over, whatever the law. Of a brush
    with parabolic pressure over a length 2 a the trail is a/3.

    Sources: E. Bakker, L. Nyborg, H. B. Pacejka, SAE 870421 (1987); H. B. Pacejka, Tire and Vehicle Dynamics, sections
    3.2 and 4.3.
    """

    type: ClassVar[str] = "tyre"

    name: str
    wheel: str = field(metadata=holds("body", "the body or frame that rolls", or_frame=True))
    on: str = field(metadata=holds("body", "the body or frame that carries the plane", or_frame=True))
    radius: Value = field(
        metadata=holds(
            "value", "from the axis to where it touches, unloaded", unit="m", least="above zero", remedy="give it one"
        )
    )
    stiffness: Value = field(metadata=holds("value", "load per depth", unit="N/m", least="zero"))
    longitudinal_stiffness: Value = field(
        metadata=holds("value", "force per load and slip kappa", unit="1", least="zero")
    )
    cornering_stiffness: Value = field(
        metadata=holds("value", "force per load and tangent of the slip angle", unit="1", least="zero")
    )
    damping: Value = field(default=0, metadata=holds("value", "load per rate of depth", unit="N s/m", least="zero"))
    law: str = field(
        default="magic_formula",
        metadata=holds("choice", "how force follows from slip", words=("linear", "brush", "magic_formula")),
    )
    longitudinal_friction: Value = field(
        default=1,
        metadata=holds("value", "largest force per load along x", unit="1", least="above zero", remedy="give about 1"),
    )
    cornering_friction: Value = field(
        default=1,
        metadata=holds("value", "largest force per load along y", unit="1", least="above zero", remedy="give about 1"),
    )
    longitudinal_shape: Value = field(
        default="1.65",
        metadata=holds("value", "C of the magic formula along x", unit="1", least="above zero", remedy="give 1 to 2"),
    )
    longitudinal_curvature: Value = field(
        default=0, metadata=holds("value", "E of the magic formula along x", unit="1")
    )
    cornering_shape: Value = field(
        default="1.3",
        metadata=holds("value", "C of the magic formula along y", unit="1", least="above zero", remedy="give 1 to 2"),
    )
    cornering_curvature: Value = field(default=0, metadata=holds("value", "E of the magic formula along y", unit="1"))
    transition_speed: Value = field(
        default="0.1",
        metadata=holds(
            "value",
            "speed below which slip is counted as if at it",
            unit="m/s",
            least="above zero",
            remedy="give a small speed",
        ),
    )
    trail: Value = field(
        default=0,
        metadata=holds(
            "value", "by which the side force acts behind the lowest point, without slip", unit="m", least="zero"
        ),
    )
    profile: Value = field(
        default=0,
        metadata=holds(
            "value", "radius of the rounded rim; 0 of a sharp edge, the radius of a ball", unit="m", within="radius"
        ),
    )
    axis: Vector = field(default=(0, 1, 0), metadata=holds("direction", "of the wheel, to its left", body="wheel"))
    center: Vector = field(default=(0, 0, 0), metadata=holds("vector", "of the wheel", unit="m", body="wheel"))
    normal: Vector = field(default=(0, 0, 1), metadata=holds("direction", "of the plane, to the wheel", body="on"))
    plane_point: Vector = field(default=(0, 0, 0), metadata=holds("vector", "in the plane", unit="m", body="on"))

    def faults(self, number: Callable[[Value], float]) -> Iterator[Fault]:
        for key in ("longitudinal_curvature", "cornering_curvature"):
            if number(getattr(self, key)) > 1:
                yield key, "with a curvature above 1 the magic formula turns its sign", "give 1 or less"

    def act(self, scene: MovingScene) -> None:
        value = scene.value
        hub, ground = scene.point(self.wheel, self.center), scene.point(self.on, self.plane_point)
        normal, axis = scene.direction(self.on, self.normal), scene.direction(self.wheel, self.axis)
        profile = value(self.profile)
        circle, nothing = value(self.radius) - profile, value(0)
        rise = across(normal, axis)
        sine = length_of(rise, constant(profile.graph, FLAT))
        rise = scale(rise, 1 / sine)
        middle = subtract(hub.position(), scale(rise, circle))
        out = dot(normal, subtract(middle, ground.position()))
        at = touch(hub, ground, middle, profile, normal, out)
        velocity = at.slip()
        damping = value(self.damping)
        load = Resistance(value(self.stiffness), nothing, nothing, nothing, damping).force(
            at.depth, -dot(normal, velocity)
        )
        load.named(f"load_{self.name}")
        x, least = cross(axis, rise), value(self.transition_speed)
        y = cross(normal, x)
        slips = dot(x, velocity), dot(y, velocity)
        tread = dot(axis, subtract(hub.spin(), ground.spin())) * (circle + profile * sine)
        along = tread if self.law == "brush" else slips[0] + tread
        kappa, side = (-slip / sqrt(along * along + least * least) for slip in slips)
        size = sqrt(kappa * kappa + side * side + LEAST_SLIP * LEAST_SLIP)
        forward = load * kappa * (self._curve(scene, size, *self._along) / size)
        sideways = load * side * (self._curve(scene, size, *self._aside) / size)
        force, moment = add(scale(normal, load), add(scale(x, forward), scale(y, sideways))), None
        if trail := value(self.trail):
            stuck = positive(1 - size * value(self.cornering_stiffness) / (3 * value(self.cornering_friction)))
            behind = trail * stuck**3 / (stuck + (1 - stuck) ** 2 * Fraction(1, 3))
            moment = scale(normal, -behind * sideways)
        at.push(scene, force, moment)

    @property
    def _along(self) -> tuple[Value, Value, Value, Value]:
        return (
            self.longitudinal_stiffness,
            self.longitudinal_friction,
            self.longitudinal_shape,
            self.longitudinal_curvature,
        )

    @property
    def _aside(self) -> tuple[Value, Value, Value, Value]:
        return self.cornering_stiffness, self.cornering_friction, self.cornering_shape, self.cornering_curvature

    def _curve(self, scene: MovingScene, slip: Scalar, *numbers: Value) -> Scalar:
        """Force per load of a slip that is nowhere zero, by stiffness, friction, shape and curvature."""
        stiffness, friction, shape, curvature = map(scene.value, numbers)
        rising = slip * stiffness
        if self.law == "linear":
            return rising - positive(rising - friction)
        if self.law == "brush":
            return friction * (1 - positive(1 - rising / (friction * 3)) ** 3)
        one, steep = constant(slip.graph, 1), rising / (shape * friction)
        bent = steep - curvature * (steep - steep.apply("atan2", one))
        return friction * (shape * bent.apply("atan2", one)).apply("sin")

    def drawn(self) -> tuple[Line, ...]:
        return rim(self.wheel, self.center, self.axis, self.radius)

    @classmethod
    def random(cls, draw: Draw) -> Tyre:
        wheel, on = draw.two_bodies()
        return cls(
            draw.name,
            wheel,
            on,
            radius=draw.number(0.3, 0.6),
            stiffness=draw.value(draw.number(2, 20), "k", "N/m"),
            longitudinal_stiffness=draw.number(1, 8),
            cornering_stiffness=draw.value(draw.number(1, 8), "c", ""),
            damping=draw.number(0, 2) if draw.chance(0.7) else 0,
            law=("linear", "brush", "magic_formula")[int(draw.number(0, 2.999))],
            longitudinal_friction=draw.number(0.5, 1.2),
            cornering_friction=draw.number(0.5, 1.2),
            longitudinal_curvature=draw.number(-1, 1),
            cornering_curvature=draw.number(-1, 1),
            transition_speed=draw.number(0.1, 1),
            profile=draw.number(0.05, 0.2) if draw.chance(0.5) else 0,
            axis=(*draw.vector(1)[:1], draw.number(0.2, 1), *draw.vector(1)[:1]),
            center=draw.vector(0.5),
            normal=(*draw.vector(1)[:2], draw.number(0.2, 1)),
            plane_point=draw.vector(0.8),
            trail=draw.number(0.05, 0.3) if draw.chance(0.5) else 0,
        )
