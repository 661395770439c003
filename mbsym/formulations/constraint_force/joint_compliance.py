"""Inverse inertias of bodies, and how wrenches in joints accelerate the joints apart.

For two points x, y of a body, with r_x the vector from x to the centre of mass,

    K(x, y) = P^_x^T I^-1 P^_y = [ J_C^-1        -J_C^-1 r~_y            ]
                                 [ r~_x J_C^-1    U/m - r~_x J_C^-1 r~_y ]

is the acceleration at x that a wrench at y causes; only the constant J_C is inverted. The blocks of P^T I^-1 P, by
joints, are sums of such K turned into the joints' frames.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, equations
(30) to (36), with the frame transforms that they leave out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from mbsym.formulations.constraint_force.block_system import ComputedBlocks, Pair
from mbsym.kinematics.mechanism import Mechanism
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.vector import (
    Matrix3,
    Symmetric3,
    Vector3,
    add_matrices,
    cross,
    negate_matrix,
    product,
    scale,
    skew,
    subtract,
    symmetric_matrix,
    symmetric_multiply,
    transpose,
    zero_vector,
)
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Output, ParameterInput, Program
from mbsym.symbolic.scalar import Scalar, constant

LEAST_PART: Final = Fraction(1, 10**6)
"""Of the largest mass or moment with which an inertia is compared, what has no inverse to rely on: digits are lost in
that proportion, and some more in a chain.

A moment about a body's centre of mass is a difference of moments about its joint, of which rounding leaves something:
frames are turned by sines. And a body that is light beside what it carries gives way so much more than that, in sums
from which its own part is taken again.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """A mass, and the sum of the three moments of inertia about the joint."""

    mass: Fraction = Fraction(0)
    moments: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Compliance:
    """The inverse inertia of a body: 1/m, its centre of mass from its origin, J_C and J_C^-1 in its components."""

    inverse_mass: Scalar
    center: Vector3
    central: Symmetric3
    inverse: Symmetric3

    def between(self, x: Vector3, y: Vector3) -> SpatialBlock:
        """K(x, y) for points given from the body's origin."""
        inverse = symmetric_matrix(self.inverse)
        arm_x, arm_y = skew(subtract(self.center, x)), skew(subtract(self.center, y))
        turned_y = negate_matrix(product(inverse, arm_y))
        turned_x = turned_y if x == y else negate_matrix(product(inverse, arm_x))
        corner = product(arm_x, turned_y)
        if x == y:
            corner = symmetric_matrix(_triangle(corner))
        m, zero = self.inverse_mass, Scalar(self.inverse_mass.graph, 0)
        unit_by_mass = symmetric_matrix((m, m, m, zero, zero, zero))
        return SpatialBlock(inverse, turned_y, transpose(turned_x), add_matrices(corner, unit_by_mass))

    def accelerations(self, moment: Vector3, force: Vector3, gyroscopic: Vector3) -> tuple[Vector3, Vector3]:
        """Angular acceleration, and force / m, under a wrench at the body's origin.

        ``gyroscopic`` is omega x J_C omega.
        """
        about_center = subtract(subtract(moment, cross(self.center, force)), gyroscopic)
        return symmetric_multiply(self.inverse, about_center), scale(force, self.inverse_mass)


@dataclass(frozen=True, slots=True)
class SpatialBlock:
    """A 6 x 6 matrix by its four 3 x 3 corners."""

    angular: Matrix3
    upper: Matrix3
    lower: Matrix3
    linear: Matrix3

    def __add__(self, other: SpatialBlock) -> SpatialBlock:
        return SpatialBlock(*map(add_matrices, self._corners, other._corners))

    def __neg__(self) -> SpatialBlock:
        return SpatialBlock(*map(negate_matrix, self._corners))

    def turned_right(self, rotation: Rotation) -> SpatialBlock:
        """K diag(R, R)."""
        return SpatialBlock(*(_rows_to_child(rotation, m) for m in self._corners))

    def turned_left(self, rotation: Rotation) -> SpatialBlock:
        """diag(R, R)^T K."""
        return SpatialBlock(*(transpose(_rows_to_child(rotation, transpose(m))) for m in self._corners))

    def symmetrically_turned(self, rotation: Rotation) -> SpatialBlock:
        """diag(R, R)^T K diag(R, R) of a symmetric K."""
        back = rotation.inverse()
        upper = back.congruent(self.upper)
        return SpatialBlock(
            symmetric_matrix(back.symmetric_to_parent(_triangle(self.angular))),
            upper,
            transpose(upper),
            symmetric_matrix(back.symmetric_to_parent(_triangle(self.linear))),
        )

    @property
    def _corners(self) -> tuple[Matrix3, Matrix3, Matrix3, Matrix3]:
        return self.angular, self.upper, self.lower, self.linear

    def rows(self) -> list[tuple[Scalar, ...]]:
        """The 6 x 6 matrix."""
        upper = zip(self.angular, self.upper, strict=True)
        lower = zip(self.lower, self.linear, strict=True)
        return [(*a, *b) for halves in (upper, lower) for a, b in halves]


def central_inertia(inertia: RigidInertia) -> tuple[Vector3, Symmetric3]:
    """Centre of mass and J_C of a body that has mass."""
    h = inertia.first_moment
    inverse = 1 / inertia.mass
    s = (h[0] * inverse, h[1] * inverse, h[2] * inverse)
    xx, yy, zz, xy, xz, yz = inertia.about_origin
    x, y, z = h[0] * s[0], h[1] * s[1], h[2] * s[2]
    return s, (
        xx - (y + z),
        yy - (x + z),
        zz - (x + y),
        xy + h[0] * s[1],
        xz + h[0] * s[2],
        yz + h[1] * s[2],
    )


def why_singular(
    inertia: RigidInertia,
    parameters: Sequence[ParameterInput] = (),
    carried: Size = Size(),
    least: Fraction = LEAST_PART,
) -> str:
    """The reason for which a body has no inverse inertia, or "".

    Args:
        inertia: of the body, numbers or functions of parameters.
        parameters: of the mechanism, whose own values decide where the inertia depends on them.
        carried: the largest mass and moments of what the body carries.
        least: part of what is larger that counts as nothing.
    """
    inertia = _of_own_values(inertia, parameters)
    own = _size(inertia)
    if not own.mass:
        return "it has no mass"
    if own.mass <= least * carried.mass:
        return "its mass is nothing beside what it carries"
    determinant, second = (_number(value) for value in _invariants(central_inertia(inertia)[1]))
    # The least moment is about the determinant by the product of the larger two, which is about the sum of products.
    if second <= 0 or determinant <= least * second * own.moments:
        return "its inertia about the centre of mass has a zero principal value"
    if determinant <= least * second * carried.moments:
        return "its inertia about the centre of mass is nothing beside that of what it carries"
    return ""


def carried_sizes(mechanism: Mechanism) -> list[Size]:
    """The largest mass and the largest moments among the bodies outboard of each, by label - 1."""
    found = [Size()] * (mechanism.nb + 1)
    for body in reversed(mechanism.bodies):
        own = _size(_of_own_values(body.inertia, mechanism.parameters))
        sizes = (own, found[body.label], found[body.parent])
        found[body.parent] = Size(max(each.mass for each in sizes), max(each.moments for each in sizes))
    return found[1:]


def _size(inertia: RigidInertia) -> Size:
    return Size(_number(inertia.mass), sum(map(_number, inertia.about_origin[:3]), Fraction(0)))


def _of_own_values(inertia: RigidInertia, parameters: Sequence[ParameterInput]) -> RigidInertia:
    """The inertia in numbers: exact ones as they are, what depends on parameters by the parameters' own values."""
    entries = inertia.entries()
    if all(entry.constant is not None for entry in entries):
        return inertia
    output = Output("inertia", (len(entries),), tuple(entry.ref for entry in entries))
    program = Program("inertia", inertia.mass.graph, (), (output,), tuple(parameters))
    graph = Graph()
    values = Evaluator(program).entries()["inertia"]
    return RigidInertia.of_entries([constant(graph, Fraction(value)) for value in values])


def _number(value: Scalar) -> Fraction:
    number = value.constant
    assert number is not None
    return number


def _invariants(j: Symmetric3) -> tuple[Scalar, Scalar]:
    """Determinant and sum of principal minors."""
    xx, yy, zz, xy, xz, yz = j
    minor_x, minor_y, minor_z = yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy
    determinant = xx * minor_x - xy * (xy * zz - xz * yz) + xz * (xy * yz - xz * yy)
    return determinant, minor_x + minor_y + minor_z


def compliance(inertia: RigidInertia) -> Compliance:
    """The inverse inertia; numbers are inverted exactly, symbols in closed form, and looked at where they are used."""
    inertia.mass.may_vanish()
    center, central = central_inertia(inertia)
    xx, yy, zz, xy, xz, yz = central
    zero = Scalar(inertia.mass.graph, 0)
    if not (xy or xz or yz):
        diagonal = (1 / xx.may_vanish(), 1 / yy.may_vanish(), 1 / zz.may_vanish(), zero, zero, zero)
        return Compliance(1 / inertia.mass, center, central, diagonal)
    factor = 1 / _invariants(central)[0].may_vanish()
    inverse = (
        (yy * zz - yz * yz) * factor,
        (xx * zz - xz * xz) * factor,
        (xx * yy - xy * xy) * factor,
        (xz * yz - xy * zz) * factor,
        (xy * yz - xz * yy) * factor,
        (xy * xz - yz * xx) * factor,
    )
    return Compliance(1 / inertia.mass, center, central, inverse)


def joint_blocks(mechanism: Mechanism, compliances: tuple[Compliance, ...]) -> Mapping[Pair, SpatialBlock]:
    """The blocks of P^T I^-1 P: relative acceleration of joint i under a wrench in joint j, for i <= j.

    Args:
        mechanism: its tree joints.
        compliances: of the bodies, by label - 1.

    Returns:
        Blocks that are derived when first asked for.
    """
    pairs: list[Pair] = []
    for body in mechanism.bodies:
        pairs.append((body.label, body.label))
        if body.parent:
            siblings = mechanism.body(body.parent).children
            pairs += [(body.parent, body.label), *((k, body.label) for k in siblings if k < body.label)]
    return ComputedBlocks(pairs, lambda pair: _joint_block(mechanism, compliances, pair))


def _joint_block(mechanism: Mechanism, compliances: tuple[Compliance, ...], pair: Pair) -> SpatialBlock:
    origin = zero_vector(mechanism.graph)
    i, j = pair
    body = mechanism.body(j)
    inner = compliances[body.parent - 1]
    if i == j:
        own = compliances[j - 1].between(origin, origin)
        if not body.parent:
            return own
        at_joint = inner.between(body.translation, body.translation)
        return own + at_joint.symmetrically_turned(body.rotation)
    if i == body.parent:
        return -inner.between(origin, body.translation).turned_right(body.rotation)
    sibling = mechanism.body(i)
    between = inner.between(sibling.translation, body.translation)
    return between.turned_left(sibling.rotation).turned_right(body.rotation)


def _triangle(m: Matrix3) -> Symmetric3:
    return m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]


def _rows_to_child(rotation: Rotation, m: Matrix3) -> Matrix3:
    return rotation.to_child(m[0]), rotation.to_child(m[1]), rotation.to_child(m[2])
