"""Contacts as their definitions read, in base axes: round bodies against planes, balls and cylinders.

max(0, x) is made of the sign of x, of which no more is known than that it is an odd function: what holds for all of
them holds on both sides.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from mbsym.exact.residues import sign, vanishes
from mbsym.exact.scene import Scene
from mbsym.reference.rotations import Array

FLAT: Final = Fraction(1, 1000)
"""Sine between a rim and a plane below which its lowest point goes to its centre."""

MIDDLE: Final = Fraction(1, 1000000)
"""Of the radius of a surface: nearer to its middle the normal fades."""


def contact(scene: Scene, element: Any) -> None:
    """What a ball, a point or a rim and a surface do to each other."""
    of, inside = scene.of, element.surface in ("bowl", "bore")
    middle, origin = scene.place(element.body, element.center), scene.place(element.on, element.surface_point)
    radius, circle, large = of(element.radius), of(element.rim), of(element.surface_radius)
    along = scene.axis(element.on, element.surface_axis)
    if not vanishes(circle):
        axis, hub = scene.axis(element.body, element.axis), middle
        for _ in range(4 if element.surface == "cylinder" else 1):
            up = along if element.surface == "plane" else hub - origin
            if element.surface == "cylinder":
                up = up - along * (along @ (middle - origin))
            rise = up - axis * (axis @ up)
            down = circle / _length(rise, FLAT if vanishes(large) else large * FLAT)
            middle = hub + rise * (down if inside else -down)
    way = middle - origin
    if element.surface == "plane":
        normal, out = along, along @ way
    else:
        if element.surface in ("cylinder", "bore"):
            way = way - along * (along @ way)
        far = _length(way, large * MIDDLE)
        normal, out = way / far, far - large
        if inside:
            normal, out = -normal, -out
    place = middle - normal * radius
    slip = scene.velocity(element.body, place) - scene.velocity(element.on, place)
    rate = -(normal @ slip)
    load = _load(scene, element, radius - out, rate)
    force = normal * load
    friction = of(element.friction)
    if not vanishes(friction):
        sliding, slow = slip + normal * rate, of(element.transition_speed)
        force = force - sliding * (friction * load / np.sqrt(sliding @ sliding + slow * slow))
    scene.pull_at(element.body, place, force)
    scene.pull_at(element.on, place, -force)


def _load(scene: Scene, element: Any, depth: Any, rate: Any) -> Any:
    """How strongly it is pushed out."""
    of, inside = scene.of, (sign(depth) + 1) * Fraction(1, 2)
    pushed = depth * inside
    force = of(element.stiffness) * pushed * (of(element.damping) * rate + 1)
    growth = scene.words.numbers.rational(element.exponent) - 1
    if growth != 0:
        # One outside, as powers have a value there.
        force = force * _power(scene, pushed / of(element.at_depth) + (1 - inside), growth)
    force = force + of(element.dashpot) * rate * inside
    return force.stands("max", scene.words.numbers.residue(0))


def _power(scene: Scene, base: Any, exponent: Any) -> Any:
    """A power by whole and half exponents; others stand for themselves."""
    if isinstance(exponent, Fraction) and exponent.denominator <= 2:
        factor, found = (base if exponent.denominator == 1 else np.sqrt(base)), 1
        for _ in range(exponent.numerator):
            found = found * factor
        return found
    return base.stands("pow", scene.words.numbers.residue(exponent))


def joint_stop(scene: Scene, element: Any) -> None:
    """What ends a joint's way."""
    of, way = scene.of, 1 if element.side == "upper" else -1
    joint, k = scene.joint(element.joint), element.index
    nothing = scene.words.numbers.residue(0)
    depth = ((scene.coordinates[joint][k] - of(element.limit)) * way).stands("max", nothing)
    share = (of(element.damping) * scene.rates[joint][k] * way + 1).stands("max", nothing)
    scene.along[joint][k] += of(element.stiffness) * depth * share * -way


def _length(vector: Array, least: Any) -> Any:
    """Of a vector, but no less than that."""
    square: Any = vector @ vector
    return np.sqrt(square.stands("max", square * 0 + least * least))
