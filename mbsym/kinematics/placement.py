"""Constant frames of a model as exact graph transforms.

Rotations by numbers become exactly orthogonal rational matrices (from rational quaternions), so that identities which
need R R^T = E hold exactly and can be decided in a finite field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import pi, remainder, tan

from mbsym.errors import DerivationError, SymbolicError
from mbsym.model.body import Placement
from mbsym.spatial.rotation import Rotation, about_axis, align_z, from_constant_quaternion, rational_quaternion
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate_reference, to_scalar
from mbsym.values.parameter import Value

RIGHT_ANGLE_TOLERANCE = 1e-14
"""Angles that differ from a multiple of a right angle by this part of themselves are that multiple in doubles.

What is further away stands as it is: files are read with a tolerance that their reader chose.
"""

_EXACT_BITS = 4096
"""Of denominators of what stays exact until it is printed, as proofs of a text need it: long chains of frames at odd
angles take some hundred bits for each."""


def scalars(values: Sequence[Value], graph: Graph, names: Mapping[str, Scalar]) -> tuple[Scalar, ...]:
    """Values as graph scalars."""
    return tuple(to_scalar(value, graph, names) for value in values)


def vector_of(values: Sequence[Value], graph: Graph, names: Mapping[str, Scalar]) -> Vector3:
    """A three-component value as a graph vector."""
    x, y, z = scalars(values, graph, names)
    return x, y, z


def is_number(value: Scalar) -> bool:
    """True where the value depends on no symbol."""
    return all(value.graph.kinds[node] != "symbol" for node in value.graph.reachable((value.ref,)))


def rounded(value: Scalar, most_bits: int = _EXACT_BITS) -> Scalar:
    """A constant whose exact fraction has grown long, replaced by the nearest double."""
    number = value.constant
    if number is None or number.denominator.bit_length() <= most_bits:
        return value
    return Scalar(value.graph, value.graph.const(Fraction(float(number))))


def rounded_vector(values: Vector3) -> Vector3:
    """``rounded`` for each component."""
    return rounded(values[0]), rounded(values[1]), rounded(values[2])


def transform_of(placement: Placement, graph: Graph, names: Mapping[str, Scalar]) -> Transform:
    """A placement as a transform from the placed frame to the carrying one."""
    translation = vector_of(placement.translation, graph, names)
    if placement.quaternion is not None:
        components = tuple(_number(to_scalar(component, graph, names)) for component in placement.quaternion)
        return Transform(from_constant_quaternion(graph, rational_quaternion(components)), translation)
    rotation = Rotation(graph)
    for axis, angle in placement.rotation:
        rotation = rotation.then(_about("xyz".index(axis), to_scalar(angle, graph, names)))
    return Transform(rotation, translation)


def require_number(value: Value, graph: Graph, names: Mapping[str, Scalar], where: str) -> None:
    """Refuses an entry of a direction, to which frames are aligned in numbers, if the default of a run-time parameter
    would stand in its place.

    Raises:
        DerivationError: it depends on one.
    """
    if not is_number(to_scalar(value, graph, names)):
        raise DerivationError(
            f"a direction with {value} depends on a run-time parameter",
            where=where,
            remedy="leave the parameter folded in, or turn a frame by it and give the direction in that",
        )


def aligned(direction: Sequence[Value], graph: Graph, names: Mapping[str, Scalar], where: str) -> Rotation:
    """The rotation that takes z to a direction of a body.

    Raises:
        DerivationError: the direction depends on a run-time parameter.
    """
    for entry in direction:
        require_number(entry, graph, names, where)
    return align_z(graph, [_number(entry) for entry in scalars(direction, graph, names)])


def _number(value: Scalar) -> float:
    """A value without symbols.

    Raises:
        SymbolicError: it has one.
    """
    if not is_number(value):
        raise SymbolicError(
            "a quaternion depends on a run-time parameter", remedy="turn about axes, or leave the parameter folded in"
        )
    return evaluate_reference(value.graph, value.ref, {})


def _about(axis: int, angle: Scalar) -> Rotation:
    if not is_number(angle):
        return about_axis(axis, angle)
    radians = _number(angle) if angle.constant is None else float(angle.constant)
    quarter_turns = round(radians / (pi / 2))
    quaternion = [Fraction(0)] * 4
    if abs(remainder(radians, pi / 2)) <= RIGHT_ANGLE_TOLERANCE * max(1.0, abs(radians)):
        w, s = ((1, 0), (1, 1), (0, 1), (1, -1))[quarter_turns % 4]
        quaternion[0], quaternion[1 + axis] = Fraction(w), Fraction(s)
    else:
        quaternion[0], quaternion[1 + axis] = Fraction(1), Fraction(tan(radians / 2))
    return from_constant_quaternion(angle.graph, (quaternion[0], quaternion[1], quaternion[2], quaternion[3]))
