"""Mass, first moment and inertia that a density gives to forms, exactly.

Sizes, placements and densities may be expressions of names; what comes out are expressions of the same names. Numbers
stay the rationals they are, and pi stays pi: a cylinder of 0.1 m by 0.2 m at 1000 kg/m^3 weighs 2*pi kg, and equality
of two such models is decided with pi as a number of its own. Meshes are numbers from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import Any, Final, TypeAlias

from mbsym.doors import sympy
from mbsym.doors import sympy as sp
from mbsym.errors import SymbolicError
from mbsym.shapes.forms import Box, Capsule, Cylinder, Ellipsoid, Form, Mesh, Sphere
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import symbol
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.values.numbers import to_scalar, value_names
from mbsym.values.parameter import Value

Expression: TypeAlias = Any
"""A SymPy expression."""

Number: TypeAlias = Any
"""A float or a SymPy expression."""

Primitive: TypeAlias = Box | Sphere | Ellipsoid | Cylinder | Capsule

Turns: TypeAlias = tuple[tuple[str, Value], ...]
MeshSolid: TypeAlias = Callable[[Mesh], "Solid"]

AXES: Final = "xyz"

LONGEST: Final = 24
"""Digits of a fraction beyond which it is rounded to double precision."""


@dataclass(frozen=True, slots=True)
class Solid:
    """A solid of density one in its own frame.

    Attributes:
        volume: [m^3].
        center: of mass [m].
        inertia: about it, a SymPy matrix.
    """

    volume: Expression
    center: Expression
    inertia: Expression


@dataclass(frozen=True, slots=True)
class PlacedForm:
    """A form of one density, where it is on its body.

    Attributes:
        form: what it is.
        density: [kg/m^3].
        translation: of its frame [m].
        turns: elementary rotations of its frame.
        quaternion: instead of turns, (w, x, y, z).
    """

    form: Form
    density: Value
    translation: tuple[Value, ...] = (0, 0, 0)
    turns: Turns = ()
    quaternion: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class MassProperties:
    """What forms weigh, as text of expressions.

    Attributes:
        mass: [kg].
        center_of_mass: [m], None where the forms have several centres.
        first_moment: mass times centre of mass [kg m].
        inertia: (xx, yy, zz, xy, xz, yz), about the one centre of mass, else about the frame's origin [kg m^2].
    """

    mass: Value
    center_of_mass: tuple[Value, Value, Value] | None
    first_moment: tuple[Value, Value, Value]
    inertia: tuple[Value, Value, Value, Value, Value, Value]


def mass_properties(forms: Sequence[PlacedForm], mesh_solid: MeshSolid) -> MassProperties:
    """The mass properties of forms together, where they overlap each for itself.

    Args:
        forms: at least one.
        mesh_solid: the solid that a mesh bounds, unscaled by density.

    Raises:
        SymbolicError: a value is no expression, or a result is out of range.
    """
    masses, centers, about = [], [], []
    for item in forms:
        solid = _solid(item.form, mesh_solid)
        R, r = _placed(item)
        mass = _expression(item.density) * solid.volume
        masses.append(mass)
        centers.append((r + R * solid.center).applyfunc(sp.expand))
        about.append(_expression(item.density) * (R * solid.inertia * R.T))
    total = sp.expand(sum(masses))
    moment = sum((m * c for m, c in zip(masses, centers, strict=True)), sp.zeros(3, 1)).applyfunc(sp.expand)
    single = all(center == centers[0] for center in centers)
    J = sum(about, sp.zeros(3, 3))
    if not single:
        for m, c in zip(masses, centers, strict=True):
            J += m * (c.dot(c) * sp.eye(3) - c * c.T)
    J = J.applyfunc(sp.expand)
    entries = [_value(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    x, y, z = (_value(entry) for entry in moment)
    center = tuple(_value(entry) for entry in centers[0]) if single else None
    return MassProperties(_value(total), center, (x, y, z), tuple(entries))  # type: ignore[arg-type]


def _solid(form: Form, mesh_solid: MeshSolid) -> Solid:
    if isinstance(form, Mesh):
        return mesh_solid(form)
    volume, moments = volume_and_moments(form, _expression, sp.pi)
    return Solid(volume, sp.zeros(3, 1), sp.diag(*moments))


def _placed(item: PlacedForm) -> tuple[Expression, Expression]:
    """Rotation matrix and translation of a form's frame."""
    r = sp.Matrix([_expression(value) for value in item.translation])
    if item.quaternion is not None:
        w, x, y, z = map(_expression, item.quaternion)
        s = 2 / (w**2 + x**2 + y**2 + z**2)
        return sp.Matrix(
            [
                [1 - s * (y**2 + z**2), s * (x * y - w * z), s * (x * z + w * y)],
                [s * (x * y + w * z), 1 - s * (x**2 + z**2), s * (y * z - w * x)],
                [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x**2 + y**2)],
            ]
        ), r
    R = sp.eye(3)
    for axis, angle in item.turns:
        c, s = sp.cos(_expression(angle)), sp.sin(_expression(angle))
        i, j = ((1, 2), (2, 0), (0, 1))[AXES.index(axis)]
        turn = sp.eye(3)
        turn[i, i] = turn[j, j] = c
        turn[i, j], turn[j, i] = -s, s
        R = R * turn
    return R, r


def _expression(value: Value) -> Expression:
    """The value as a SymPy expression of its names, rational numbers as such."""
    graph = Graph()
    scalar = to_scalar(value, graph, {name: symbol(graph, name) for name in value_names(value)})
    (expression,) = to_sympy(graph, [scalar.ref])
    return expression


def _value(expression: Expression) -> Value:
    """The expression as a value of a model: a whole number, else text; long fractions, as meshes have, are rounded."""
    long = [atom for atom in expression.atoms(sp.Rational) if len(str(atom.p * atom.q)) > LONGEST]
    numbers = {atom: float(atom) for atom in long}
    if not all(map(isfinite, numbers.values())):
        raise SymbolicError("a mass or an inertia is out of range", remedy="check the sizes and densities")
    rounded = expression.xreplace({atom: sp.Rational(repr(number)) for atom, number in numbers.items()})
    if rounded.is_Integer:
        return int(rounded)
    if rounded.is_Rational and long:
        return repr(float(rounded))
    return str(_in_our_words(rounded))


def _in_our_words(expression: Expression) -> Expression:
    """The expression with functions of our names, which take two numbers where SymPy's take many."""
    found = expression.replace(sp.Abs, sp.Function("abs"))
    for function, name in ((sp.Min, "min"), (sp.Max, "max")):
        ours = sp.Function(name)
        # The order of SymPy's arguments is that of a set.
        found = found.replace(
            function, lambda *parts, ours=ours: reduce(ours, sorted(parts, key=sympy.default_sort_key))
        )
    return found


# ---- in whatever numbers: doubles for files read fast, expressions to be exact --------------------------------------


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
