"""Bodies that fixed joints hold together as one rigid group each, and what elements need to know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mbsym.errors import DerivationError
from mbsym.forces.element import ForceElement, LinearLaw
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.placement import scalars, vector_of
from mbsym.model.body import Body, Placement
from mbsym.model.geometry import (
    IDENTITY,
    Rotation,
    Triple,
    norm,
    placement_numbers,
    product,
    transposed,
)
from mbsym.model.joint import Joint
from mbsym.spatial.vector import Vector3, add, scale, subtract, zero_vector
from mbsym.symbolic.graph import exact
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.transfer_matrix.system import (
    TransferCut,
)
from mbsym.values.numbers import evaluate, evaluate_reference, parameter_values, to_scalar
from mbsym.values.parameter import Vector

Axes: TypeAlias = Sequence[Sequence[float]]
"""Rows that take components of a group to those of an element: three in space, two in the plane."""


@dataclass(slots=True)
class RigidGroup:
    """Bodies that fixed joints hold together; all in the frame of the body that the inboard joint leads to."""

    number: int
    parent: int
    joint: Joint | None
    flipped: bool
    input_point: Vector3
    attachment: Vector3
    mass: Scalar
    moment: Vector3
    about_origin: list[list[Scalar]]
    members: list[str] = field(default_factory=list)


class RigidGroups:
    """The rigid groups of a mechanism.

    Attributes:
        groups: group k + 1 at index k, parents first.
        place: of each user body the number of its group, 0 for ground, and its frame in the group's.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """Walks the tree, parents first, and merges what fixed joints hold."""
        self.mechanism = mechanism
        self.model = mechanism.model
        self.graph = mechanism.graph
        self.names = mechanism.names
        self.numbers = parameter_values(self.model)
        self.bodies = {body.name: body for body in self.model.bodies}
        self.groups: list[RigidGroup] = []
        # Of each user body: its group, and its frame in the group's.
        self.place: dict[str, tuple[int, Rotation, Vector3]] = {
            self.model.ground: (0, IDENTITY, zero_vector(self.graph))
        }
        self._group()

    def number(self, value: object) -> float:
        """A number of the model."""
        return evaluate(value, self.numbers)

    def value(self, scalar: Scalar) -> float:
        """A scalar for the default values of the parameters."""
        return evaluate_reference(self.graph, scalar.ref, self.numbers)

    def rotation(self, placement: Placement) -> Rotation:
        """The rotation of a placement, in numbers."""
        return placement_numbers(placement, self.number)[0]

    def point(self, placement: Placement) -> Vector3:
        """The origin of a placement."""
        return vector_of(placement.translation, self.graph, self.names)

    def vector(self, values: Vector) -> Vector3:
        """A vector of the model."""
        return vector_of(values, self.graph, self.names)

    def input_point(self, number: int) -> Vector3:
        """The input end of a group, the origin of ground."""
        return self.groups[number - 1].input_point if number else zero_vector(self.graph)

    def axis(self, joint: Joint) -> Triple:
        """A joint's axis of unit length, in the joint frame."""
        x, y, z = (self.number(component) for component in joint.axis)
        length = norm((x, y, z))
        return x / length, y / length, z / length

    def turn(self, R: Axes, a: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """R a, the entries of R tidied to what they are meant to be."""
        rows = []
        for row in R:
            total = constant(self.graph, 0)
            for factor, component in zip(row, a, strict=True):
                total = total + component * exact(tidy(factor))
            rows.append(total)
        return tuple(rows)

    def turn3(self, R: Rotation, a: Vector3) -> Vector3:
        """R a in space."""
        x, y, z = self.turn(R, a)
        return x, y, z

    def joint_ends(self, joint: Joint, flipped: bool) -> tuple[str, Placement, str, Placement]:
        """Inboard body and joint frame, outboard body and joint frame."""
        ends = (joint.predecessor, joint.predecessor_placement, joint.successor, joint.successor_placement)
        return (*ends[2:], *ends[:2]) if flipped else ends

    def _group(self) -> None:
        """Walks the tree, parents first, and merges what fixed joints hold."""
        for tree_body in self.mechanism.bodies:
            joint, flipped = tree_body.joint, tree_body.flipped
            inner, inner_placement, name, outer_placement = self.joint_ends(joint, flipped)
            group, turn, origin = self.place[inner]
            attachment = add(origin, self.turn3(turn, self.point(inner_placement)))
            body = self.bodies[name]
            if joint.kind.is_rigid:
                R = product(product(turn, self.rotation(inner_placement)), transposed(self.rotation(outer_placement)))
                at = subtract(attachment, self.turn3(R, self.point(outer_placement)))
                self.place[name] = (group, R, at)
                if group:
                    self._merge(self.groups[group - 1], body, R, at)
                continue
            number = len(self.groups) + 1
            zero = constant(self.graph, 0)
            new = RigidGroup(
                number,
                group,
                joint,
                flipped,
                self.point(outer_placement),
                attachment,
                zero,
                zero_vector(self.graph),
                [[zero] * 3 for _ in range(3)],
            )
            self.groups.append(new)
            self.place[name] = (number, IDENTITY, zero_vector(self.graph))
            self._merge(new, body, IDENTITY, zero_vector(self.graph))

    def _merge(self, group: RigidGroup, body: Body, R: Rotation, at: Vector3) -> None:
        mass = to_scalar(body.mass, self.graph, self.names)
        center = self.vector(body.center_of_mass)
        xx, yy, zz, xy, xz, yz = scalars(body.inertia, self.graph, self.names)
        J = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        if body.inertia_about == "frame":
            J = shifted(J, mass, center, -1)
        turned = [self.turn(R, row) for row in J]
        columns = [self.turn(R, tuple(row[k] for row in turned)) for k in range(3)]
        J = [[columns[k][i] for k in range(3)] for i in range(3)]
        c = add(at, self.turn3(R, center))
        J = shifted(J, mass, c, 1)
        group.mass = group.mass + mass
        group.moment = add(group.moment, scale(c, mass))
        group.about_origin = [[group.about_origin[i][k] + J[i][k] for k in range(3)] for i in range(3)]
        group.members.append(body.name)

    def center(self, group: RigidGroup) -> Vector3:
        """Centre of mass of a group, in its frame."""
        if not group.mass:
            raise DerivationError(
                "the transfer matrix method needs bodies with mass",
                where=f"body {group.members[0]}",
                remedy="give it a mass",
            )
        m = group.moment
        return m[0] / group.mass, m[1] / group.mass, m[2] / group.mass

    def laws(self) -> list[tuple[ForceElement, LinearLaw]]:
        """The force elements with their laws; there are no others."""
        laws = ((force, force.linear_law()) for force in self.model.forces)
        return [(force, law) for force, law in laws if law is not None]

    def laws_on(self, joint: Joint) -> list[tuple[ForceElement, LinearLaw]]:
        """Those on coordinates of a joint."""
        return [(force, law) for force, law in self.laws() if joint.name in force.named("joint")]

    def end(self, name: str, point: Vector3) -> tuple[int, Vector3]:
        """Group of a body and a point of it, from the group's input end in its axes."""
        number, turn, origin = self.place[name]
        at = add(origin, self.turn3(turn, point))
        return number, subtract(at, self.input_point(number)) if number else at

    def cut(self, joint: Joint, ends: Sequence[tuple[int, Vector3]], points: Sequence[Axes]) -> TransferCut:
        """A cut joint between two ends, turned to the elements' axes by ``points``."""
        forces = self.laws_on(joint)
        if forces or to_scalar(joint.armature, self.graph, self.names):
            raise DerivationError(
                "springs, dampers and rotor inertia on a cut joint are not covered",
                where=f"joint {joint.name}",
                remedy="keep the joint in the tree (cut: tree)",
            )
        zero = constant(self.graph, 0)
        (first, a), (second, b) = ends
        return TransferCut(
            joint.name,
            False,
            first,
            second,
            self.turn(points[first], a),
            self.turn(points[second], b),
            zero,
            zero,
            zero,
        )

    def point_springs(self, points: Sequence[Axes]) -> list[TransferCut]:
        """The springs between points, in the same way."""
        springs = []
        for force, law in self.laws():
            if not law.ends:
                continue
            (first, a), (second, b) = (
                self.end(body, vector_of(point, self.graph, self.names)) for body, point in law.ends
            )
            stiffness, damping, length = scalars((law.stiffness, law.damping, law.rest), self.graph, self.names)
            springs.append(
                TransferCut(
                    force.name,
                    True,
                    first,
                    second,
                    self.turn(points[first], a),
                    self.turn(points[second], b),
                    stiffness,
                    damping,
                    length,
                )
            )
        return springs


def floats(values: Sequence[float]) -> Triple:
    x, y, z = values
    return x, y, z


def tidy(value: float) -> float:
    """Rounding errors of rotations by right angles removed."""
    nearest = round(value)
    return float(nearest) if abs(value - nearest) < 1e-15 else value


def shifted(J: Sequence[Sequence[Scalar]], mass: Scalar, c: Vector3, sign: int) -> list[list[Scalar]]:
    """J + sign * mass (c.c E - c c^T)."""
    square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
    rows = []
    for i in range(3):
        row = []
        for k in range(3):
            share = mass * (square - c[i] * c[k]) if i == k else -(mass * c[i] * c[k])
            row.append(J[i][k] + share if sign > 0 else J[i][k] - share)
        rows.append(row)
    return rows
