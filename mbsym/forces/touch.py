"""What contacts and tyres share: where a round body is nearest to a surface, and how it is pushed out there.

Where a formula has max(0, x) it stands here as (x + |x|)/2, derivatives of which are products, which compare exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from mbsym.forces.scene import MovingScene, PlacedPoint
from mbsym.spatial.vector import Vector3, add, dot, negate, scale, subtract
from mbsym.symbolic.scalar import Scalar, sqrt

FLAT: Final = Fraction(1, 1000)
"""Sine of the angle between a disc and the surface below which its lowest point fades into its centre, so that it has
one where it lies flat."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The point of a body that is deepest in a surface of another.

    Attributes:
        body: that point.
        on: the point of the surface's body that is now in the same place.
        normal: out of the surface, base axes.
        depth: of the point below the surface [m], negative outside.
    """

    body: PlacedPoint
    on: PlacedPoint
    normal: Vector3
    depth: Scalar

    def slip(self) -> Vector3:
        """Velocity of the point against the surface, base axes [m/s]."""
        return subtract(self.body.velocity(), self.on.velocity())

    def push(self, scene: MovingScene, force: Vector3, moment: Vector3 | None = None) -> None:
        """Applies a force, and a moment, in base axes to the body, and the opposite in the same place to the other."""
        scene.push(self.body, force, moment)
        scene.push(self.on, negate(force), None if moment is None else negate(moment))


def touch(body: PlacedPoint, on: PlacedPoint, middle: Vector3, radius: Scalar, normal: Vector3, out: Scalar) -> Touch:
    """Where a ball is deepest in a surface.

    Args:
        body, on: any points of the two bodies.
        middle: of the ball, in base axes.
        radius: of the ball.
        normal: out of the surface there.
        out: distance of the middle from the surface, negative below it.
    """
    deepest = add(middle, scale(normal, -radius))
    return Touch(body.moved_to(deepest), on.moved_to(deepest), normal, radius - out)


def positive(x: Scalar) -> Scalar:
    """max(0, x)."""
    return (x + x.apply("abs")) * Fraction(1, 2)


def length_of(a: Vector3, least: Scalar) -> Scalar:
    """The length of a vector, or ``least`` where it is shorter, so that it may be divided by; both are smooth."""
    shortest = least * least
    return sqrt(positive(dot(a, a) - shortest) + shortest).never_zero()


@dataclass(frozen=True, slots=True)
class Resistance:
    """A force that pushes back and never pulls: max(0, k d (d/d1)^(n - 1) (1 + a d') + c d') where the depth d > 0.

    Attributes:
        stiffness: k [N/m].
        growth: n - 1; a constant one may be folded.
        at_depth: d1 [m].
        share: a [s/m].
        dashpot: c [N s/m].
    """

    stiffness: Scalar
    growth: Scalar
    at_depth: Scalar
    share: Scalar
    dashpot: Scalar

    def force(self, depth: Scalar, rate: Scalar) -> Scalar:
        """Its size [N].

        Args:
            depth, rate: d [m] and d' [m/s].
        """
        pushed, within = positive(depth), (depth.apply("sign") + 1) * Fraction(1, 2)
        force = self.stiffness * pushed * (self.share * rate + 1)
        if self.growth:
            # Outside of the surface this is one: powers have a value there, and slopes, by which zero is multiplied.
            base = (pushed / self.at_depth + (1 - within)).never_zero()
            exponent = self.growth.constant
            force = force * (base**self.growth if exponent is None else base**exponent)
        return positive(force + self.dashpot * rate * within)
