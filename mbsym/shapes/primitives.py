"""Volume and inertia of primitives, in whatever numbers: doubles for files read fast, expressions to be exact."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Sphere
from mbsym.values.parameter import Value

Number: TypeAlias = Any
"""A float or a SymPy expression."""

Primitive: TypeAlias = Box | Sphere | Ellipsoid | Cylinder | Capsule


def volume_and_moments(
    form: Primitive, number: Callable[[Value], Number], pi: Number
) -> tuple[Number, tuple[Number, Number, Number]]:
    """The volume of a form, and its principal moments about its centre for a density of one.

    Args:
        form: whose frame is at its centre, with principal axes.
        number: how a size becomes a number.
        pi: among these numbers.
    """
    match form:
        case Box(size):
            a, b, c = map(number, size)
            return _of_squares(a * b * c, a**2, b**2, c**2, 12)
        case Sphere(radius):
            r = number(radius)
            return _of_squares(Fraction(4, 3) * pi * r**3, r**2, r**2, r**2, 5)
        case Ellipsoid(radii):
            a, b, c = map(number, radii)
            return _of_squares(Fraction(4, 3) * pi * a * b * c, a**2, b**2, c**2, 5)
        case Cylinder(radius, length):
            r, h = number(radius), number(length)
            volume = pi * r**2 * h
            across = volume * (r**2 / 4 + h**2 / 12)
            return volume, (across, across, volume * r**2 / 2)
        case Capsule(radius, length):
            return _capsule(number(radius), number(length), pi)


def _of_squares(volume: Number, xx: Number, yy: Number, zz: Number, part: int) -> tuple[Number, Any]:
    """For solids whose second moments are parts of the squares of their axes."""
    return volume, (volume * (yy + zz) / part, volume * (xx + zz) / part, volume * (xx + yy) / part)


def _capsule(r: Number, h: Number, pi: Number) -> tuple[Number, Any]:
    """A cylinder and two half spheres, whose centres of mass lie 3 r / 8 beyond its ends."""
    middle, ends = pi * r**2 * h, Fraction(4, 3) * pi * r**3
    across = middle * (r**2 / 4 + h**2 / 12)
    across += ends * (Fraction(2, 5) * r**2 + h**2 / 4 + Fraction(3, 8) * h * r)
    along = middle * r**2 / 2 + ends * (Fraction(2, 5) * r**2)
    return middle + ends, (across, across, along)
