"""From a labelled model to transfer matrix elements: planar or spatial, fixed joints merged, loops cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import atan2
from typing import Final

from mbsym.errors import DerivationError
from mbsym.forces.element import ForceElement, LinearLaw
from mbsym.joints.fixed import FIXED
from mbsym.joints.free import FREE
from mbsym.joints.planar import PLANAR
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.placement import scalars, vector_of
from mbsym.model.body import Body, Placement
from mbsym.model.geometry import (
    IDENTITY,
    Rotation,
    Triple,
    cross,
    dot,
    norm,
    placement_numbers,
    product,
    times,
    transposed,
)
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import aligning_rotation
from mbsym.spatial.vector import Vector3, add, scale, subtract, zero_vector
from mbsym.symbolic.graph import exact
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.system import (
    Hinge,
    TransferBody,
    TransferCut,
    TransferSystem,
)
from mbsym.values.numbers import evaluate, evaluate_reference, parameter_values, to_scalar

PARALLEL: Final = 1e-9
"""Sine of the largest angle between axes that count as parallel, and out-of-plane distance [m] that counts as none."""

IN_SPACE: Final = (SPHERICAL, FREE)
"""Joint types whose elements carry spatial motion; those of other types carry planar motion."""

COVERED: Final = (
    "it covers revolute and planar joints about one direction, or spherical and free joints; and fixed joints"
)


@dataclass(slots=True)
class _Group:
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


def transfer_system(mechanism: Mechanism, rotation: RotationVariable | None = None) -> TransferSystem:
    """The elements of a mechanism.

    Args:
        mechanism: the labelled model.
        rotation: in space "incremental" (default) or "cardan"; in the plane it is always "angle".

    Raises:
        DerivationError: a joint, force or coupling is not covered; the message says what is.
    """
    return _Recognition(mechanism).system(rotation)


class _Recognition:
    """One mechanism on its way to elements."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.model = mechanism.model
        self.graph = mechanism.graph
        self.names = mechanism.names
        self.numbers = parameter_values(self.model)
        self.joints = {joint.name: joint for joint in self.model.joints}
        self.bodies = {body.name: body for body in self.model.bodies}
        self._require_covered()
        self.groups: list[_Group] = []
        # Of each user body: its group, and its frame in the group's.
        self.place: dict[str, tuple[int, Rotation, Vector3]] = {
            self.model.ground: (0, IDENTITY, zero_vector(self.graph))
        }
        self._group()

    def system(self, rotation: RotationVariable | None) -> TransferSystem:
        moving = [joint for joint in self.model.joints if not joint.kind.is_rigid]
        if not self.groups:
            raise DerivationError("nothing moves", where=self.model.name, remedy="give the model a joint that moves")
        if all(joint.kind in IN_SPACE for joint in moving):
            if rotation == "angle":
                raise DerivationError(
                    "the motion is spatial", where=self.model.name, remedy="use incremental or cardan"
                )
            return self._spatial(rotation or "incremental")
        odd = [joint for joint in moving if joint.kind in IN_SPACE]
        if odd:
            raise DerivationError(
                f"the transfer matrix method does not mix {odd[0].type} joints with revolute ones",
                where=f"joint {odd[0].name}",
                remedy=COVERED,
            )
        if rotation not in (None, "angle"):
            raise DerivationError("the motion is planar", where=self.model.name, remedy="leave the choice of rotation")
        return self._planar()

    # ---- what is covered --------------------------------------------------------------------------------------------

    def _require_covered(self) -> None:
        model = self.model
        for joint in model.joints:
            if joint.kind not in (REVOLUTE, PLANAR, FIXED, *IN_SPACE):
                raise DerivationError(
                    f"the transfer matrix method has no element for a {joint.type} joint",
                    where=f"joint {joint.name}",
                    remedy=COVERED,
                )
        if model.couplings or model.constraints:
            raise DerivationError(
                "the transfer matrix method has no element for couplings and closure constraints",
                where=model.name,
                remedy="close loops by joints",
            )
        for force in model.forces:
            if force.linear_law() is None:
                article = "an" if force.type[0] in "aeiou" else "a"
                raise DerivationError(
                    f"the transfer matrix method has no element for {article} {force.type.replace('_', ' ')}",
                    where=f"force {force.name}",
                    remedy="it covers springs and dampers of joints and between points; give other forces as loads",
                )
        for name in self.mechanism.labelling.cut_joints:
            if self.joints[str(name)].kind.is_rigid:
                raise DerivationError(
                    "the transfer matrix method cannot cut a fixed joint", where=f"joint {name}", remedy="cut another"
                )

    # ---- geometry ---------------------------------------------------------------------------------------------------

    def _number(self, value: object) -> float:
        return evaluate(value, self.numbers)

    def _value(self, scalar: Scalar) -> float:
        return evaluate_reference(self.graph, scalar.ref, self.numbers)

    def _rotation(self, placement: Placement) -> Rotation:
        return placement_numbers(placement, self._number)[0]

    def _point(self, placement: Placement) -> Vector3:
        return vector_of(placement.translation, self.graph, self.names)

    def _turn(self, R: Sequence[Sequence[float]], a: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """R a, the entries of R tidied to what they are meant to be."""
        rows = []
        for row in R:
            total = constant(self.graph, 0)
            for factor, component in zip(row, a, strict=True):
                total = total + component * exact(_tidy(factor))
            rows.append(total)
        return tuple(rows)

    def _turn3(self, R: Rotation, a: Vector3) -> Vector3:
        x, y, z = self._turn(R, a)
        return x, y, z

    def _joint_ends(self, joint: Joint, flipped: bool) -> tuple[str, Placement, str, Placement]:
        """Inboard body and joint frame, outboard body and joint frame."""
        ends = (joint.predecessor, joint.predecessor_placement, joint.successor, joint.successor_placement)
        return (*ends[2:], *ends[:2]) if flipped else ends

    def _group(self) -> None:
        """Walks the tree, parents first, and merges what fixed joints hold."""
        for tree_body in self.mechanism.bodies:
            joint, flipped = tree_body.joint, tree_body.flipped
            inner, inner_placement, name, outer_placement = self._joint_ends(joint, flipped)
            group, turn, origin = self.place[inner]
            attachment = add(origin, self._turn3(turn, self._point(inner_placement)))
            body = self.bodies[name]
            if joint.kind.is_rigid:
                R = product(product(turn, self._rotation(inner_placement)), transposed(self._rotation(outer_placement)))
                at = subtract(attachment, self._turn3(R, self._point(outer_placement)))
                self.place[name] = (group, R, at)
                if group:
                    self._merge(self.groups[group - 1], body, R, at)
                continue
            number = len(self.groups) + 1
            zero = constant(self.graph, 0)
            new = _Group(
                number,
                group,
                joint,
                flipped,
                self._point(outer_placement),
                attachment,
                zero,
                zero_vector(self.graph),
                [[zero] * 3 for _ in range(3)],
            )
            self.groups.append(new)
            self.place[name] = (number, IDENTITY, zero_vector(self.graph))
            self._merge(new, body, IDENTITY, zero_vector(self.graph))

    def _merge(self, group: _Group, body: Body, R: Rotation, at: Vector3) -> None:
        mass = to_scalar(body.mass, self.graph, self.names)
        center = vector_of(body.center_of_mass, self.graph, self.names)
        xx, yy, zz, xy, xz, yz = scalars(body.inertia, self.graph, self.names)
        J = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        if body.inertia_about == "frame":
            J = _shifted(J, mass, center, -1)
        turned = [self._turn(R, row) for row in J]
        columns = [self._turn(R, tuple(row[k] for row in turned)) for k in range(3)]
        J = [[columns[k][i] for k in range(3)] for i in range(3)]
        c = add(at, self._turn3(R, center))
        J = _shifted(J, mass, c, 1)
        group.mass = group.mass + mass
        group.moment = add(group.moment, scale(c, mass))
        group.about_origin = [[group.about_origin[i][k] + J[i][k] for k in range(3)] for i in range(3)]
        group.members.append(body.name)

    def _center(self, group: _Group) -> Vector3:
        if not group.mass:
            raise DerivationError(
                "the transfer matrix method needs bodies with mass",
                where=f"body {group.members[0]}",
                remedy="give it a mass",
            )
        m = group.moment
        return m[0] / group.mass, m[1] / group.mass, m[2] / group.mass

    # ---- planar motion ----------------------------------------------------------------------------------------------

    def _planar(self) -> TransferSystem:
        plane, neutral, angles = self._planes()
        two = plane[:2]
        bodies = []
        points = [product(plane, R)[:2] for R in neutral]
        for group in self.groups:
            assert group.joint is not None
            N = points[group.number]
            center = subtract(self._center(group), group.input_point)
            J = _shifted(group.about_origin, group.mass, self._center(group), -1)
            normal = times(transposed(neutral[group.number]), plane[2])
            about = constant(self.graph, 0)
            for i in range(3):
                for k in range(3):
                    about = about + J[i][k] * exact(_tidy(normal[i])) * exact(_tidy(normal[k]))
            bodies.append(
                TransferBody(
                    group.members[0],
                    group.parent,
                    group.mass,
                    self._turn(N, center),
                    (about,),
                    self._planar_hinge(group, plane, neutral, angles, points[group.parent]),
                    tuple(group.members),
                )
            )
        cuts = []
        for cut in self.mechanism.cut_joints:
            joint = cut.joint
            if joint.kind is PLANAR:
                continue
            ends = [
                self._end(joint.predecessor, self._point(joint.predecessor_placement)),
                self._end(joint.successor, self._point(joint.successor_placement)),
            ]
            self._require_loop_in_plane(joint, plane, neutral)
            cuts.append(self._cut(joint.name, ends, points))
        self._require_level_springs(plane, neutral)
        cuts += self._point_springs(points)
        gravity = self._turn(two, vector_of(self.model.gravity, self.graph, self.names))
        return TransferSystem(self.mechanism, "angle", tuple(bodies), tuple(cuts), gravity, plane)

    def _planes(self) -> tuple[Rotation, list[Rotation], list[float]]:
        """Axes of the plane as rows; by group, rotation to base axes at angle zero, and angle when neutral."""
        neutral: list[Rotation] = [IDENTITY]
        plane: Rotation | None = None
        tree = [(group.joint, group.number) for group in self.groups]
        for joint, number in tree:
            assert joint is not None
            group = self.groups[number - 1]
            inner, inner_placement, _, outer_placement = self._joint_ends(joint, group.flipped)
            _, turn, _ = self.place[inner]
            frame = product(product(neutral[group.parent], turn), self._rotation(inner_placement))
            neutral.append(product(frame, transposed(self._rotation(outer_placement))))
            axis = times(frame, self._axis(joint))
            if plane is None:
                plane = _plane_axes(axis)
            if norm(cross(plane[2], axis)) > PARALLEL:
                raise DerivationError(
                    "the axis of this joint is not parallel to that of the first: the motion is not planar",
                    where=f"joint {joint.name}",
                    remedy=COVERED,
                )
        assert plane is not None
        for cut in self.mechanism.cut_joints:
            joint = cut.joint
            for name, placement in (
                (joint.predecessor, joint.predecessor_placement),
                (joint.successor, joint.successor_placement),
            ):
                number, turn, _ = self.place[name]
                axis = times(product(product(neutral[number], turn), self._rotation(placement)), self._axis(joint))
                if norm(cross(plane[2], axis)) > PARALLEL:
                    raise DerivationError(
                        "the axis of this joint is not parallel to those of the tree: the motion is not planar",
                        where=f"joint {joint.name}",
                        remedy=COVERED,
                    )
        angles = [0.0]
        for number in range(1, len(neutral)):
            R = neutral[number]
            if norm(cross(times(R, plane[2]), plane[2])) <= PARALLEL and dot(times(R, plane[2]), plane[2]) > 0:
                turned = times(R, plane[0])
                angles.append(atan2(dot(plane[1], turned), dot(plane[0], turned)))
                neutral[number] = IDENTITY
            else:
                angles.append(0.0)
        return plane, neutral, angles

    def _axis(self, joint: Joint) -> Triple:
        x, y, z = (self._number(component) for component in joint.axis)
        length = norm((x, y, z))
        return x / length, y / length, z / length

    def _planar_hinge(
        self, group: _Group, plane: Rotation, neutral: list[Rotation], angles: list[float], N: Sequence[Sequence[float]]
    ) -> Hinge:
        joint = group.joint
        assert joint is not None
        # Axes of the joint frame on the predecessor, which carries the displacements of a planar joint.
        predecessor, turn, _ = self.place[joint.predecessor]
        frame = product(product(neutral[predecessor], turn), self._rotation(joint.predecessor_placement))
        aligned = product(frame, aligning_rotation(self._axis(joint))) if joint.kind is PLANAR else frame
        normal = times(frame, self._axis(joint))
        sign = 1 if dot(plane[2], normal) > 0 else -1
        offset = angles[group.number] - angles[group.parent]
        torsion = self._torsion(joint, 2 if joint.kind is PLANAR else 0, sign, group.flipped, offset)
        zero = constant(self.graph, 0)
        bushing, free = (zero, zero), (zero, zero)
        axes = tuple(
            tuple(dot(plane[i], (aligned[0][k], aligned[1][k], aligned[2][k])) for k in range(2)) for i in range(2)
        )
        if joint.kind is PLANAR:
            bushing, references = self._bushing(joint, predecessor)
            free_x, free_y = self._turn(axes, references)
            free = (free_x, free_y)
        parent_input = self.groups[group.parent - 1].input_point if group.parent else zero_vector(self.graph)
        attachment = self._turn(N, subtract(group.attachment, parent_input))
        return Hinge(
            joint,
            group.flipped,
            sign,
            offset,
            joint.kind is PLANAR,
            torsion,
            bushing,
            attachment,
            free,
            axes,
            IDENTITY,
        )

    def _laws(self) -> list[tuple[ForceElement, LinearLaw]]:
        """The force elements with their laws; there are no others."""
        laws = ((force, force.linear_law()) for force in self.model.forces)
        return [(force, law) for force, law in laws if law is not None]

    def _laws_on(self, joint: Joint) -> list[tuple[ForceElement, LinearLaw]]:
        return [(force, law) for force, law in self._laws() if joint.name in force.named("joint")]

    def _torsion(
        self, joint: Joint, index: int, sign: int, flipped: bool, offset: float
    ) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Stiffness, damping, rotor inertia and free angle of the body against its parent."""
        zero = constant(self.graph, 0)
        stiffness, damping, weighted = zero, zero, zero
        for _, law in self._laws_on(joint):
            if law.index != index:
                continue
            k = to_scalar(law.stiffness, self.graph, self.names)
            stiffness = stiffness + k
            weighted = weighted + k * to_scalar(law.rest, self.graph, self.names)
            damping = damping + to_scalar(law.damping, self.graph, self.names)
        armature = to_scalar(joint.armature, self.graph, self.names)
        if joint.kind is PLANAR and armature:
            raise DerivationError("a planar joint's rotor inertia is not covered", where=f"joint {joint.name}")
        outward = -sign if flipped else sign
        reference = weighted / stiffness if weighted else zero
        free = reference * outward + exact(_tidy(offset))
        return stiffness, damping, armature, free if stiffness else zero

    def _bushing(self, joint: Joint, predecessor: int) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
        """Stiffness and damping of a planar joint's displacements, and their references."""
        zero = constant(self.graph, 0)
        stiffness, damping, reference = [zero, zero], [zero, zero], [zero, zero]
        for force, law in self._laws_on(joint):
            if law.index is None or law.index > 1:
                continue
            k = to_scalar(law.stiffness, self.graph, self.names)
            if k and stiffness[law.index]:
                raise DerivationError("two springs on one coordinate", where=f"force {force.name}", remedy="use one")
            if k:
                stiffness[law.index] = k
                reference[law.index] = to_scalar(law.rest, self.graph, self.names)
            damping[law.index] = damping[law.index] + to_scalar(law.damping, self.graph, self.names)
        where = f"joint {joint.name}"
        if stiffness[0] != stiffness[1] or damping[0] != damping[1]:
            raise DerivationError(
                "a planar joint is covered with equal springs and equal dampers along x and y",
                where=where,
                remedy="make them equal",
            )
        if predecessor and (damping[0] or reference[0] or reference[1]):
            raise DerivationError(
                "a planar joint with dampers or free displacements is covered on ground only",
                where=where,
                remedy="start the joint from ground",
            )
        return (stiffness[0], damping[0]), (reference[0], reference[1])

    def _require_loop_in_plane(self, joint: Joint, plane: Rotation, neutral: list[Rotation]) -> None:
        heights = []
        for name, placement in (
            (joint.predecessor, joint.predecessor_placement),
            (joint.successor, joint.successor_placement),
        ):
            heights.append(self._height(name, self._point(placement), plane, neutral))
        if abs(heights[0] - heights[1]) > PARALLEL * max(1.0, abs(heights[0])):
            raise DerivationError(
                "the two halves of this joint lie in different planes, so the loop cannot close",
                where=f"joint {joint.name}",
                remedy="let both placements lie at the same distance along the axis",
            )

    def _require_level_springs(self, plane: Rotation, neutral: list[Rotation]) -> None:
        for force, law in self._laws():
            if not law.ends:
                continue
            first, second = (
                self._height(body, vector_of(point, self.graph, self.names), plane, neutral) for body, point in law.ends
            )
            if abs(first - second) > PARALLEL * max(1.0, abs(first)):
                raise DerivationError(
                    "in planar motion a spring between points is covered if it lies in the plane",
                    where=f"force {force.name}",
                    remedy="give both points the same distance along the joints' axes",
                )

    def _height(self, name: str, point: Vector3, plane: Rotation, neutral: list[Rotation]) -> float:
        """Distance of a point of a body from the base origin along the normal, which no motion changes."""
        total = 0.0
        number, turn, origin = self.place[name]
        at = add(origin, self._turn3(turn, point))
        while True:
            base = times(neutral[number], _floats([self._value(x) for x in at]))
            total += dot(plane[2], base)
            if not number:
                return total
            group = self.groups[number - 1]
            total -= dot(plane[2], times(neutral[number], _floats([self._value(x) for x in group.input_point])))
            at, number = group.attachment, group.parent

    # ---- spatial motion ---------------------------------------------------------------------------------------------

    def _spatial(self, rotation: RotationVariable) -> TransferSystem:
        bodies = []
        zero = constant(self.graph, 0)
        for group in self.groups:
            joint = group.joint
            assert joint is not None
            if self._laws_on(joint):
                raise DerivationError(
                    "springs and dampers on a spherical or free joint are not covered",
                    where=f"force {self._laws_on(joint)[0][0].name}",
                    remedy="use springs between points",
                )
            if to_scalar(joint.armature, self.graph, self.names):
                raise DerivationError("rotor inertia is covered in the plane only", where=f"joint {joint.name}")
            center = self._center(group)
            J = _shifted(group.about_origin, group.mass, center, -1)
            parent_input = self.groups[group.parent - 1].input_point if group.parent else zero_vector(self.graph)
            hinge = Hinge(
                joint,
                group.flipped,
                1,
                0.0,
                joint.kind is FREE,
                (zero, zero, zero, zero),
                (zero, zero),
                subtract(group.attachment, parent_input),
                (zero, zero, zero),
                product(self.place[joint.predecessor][1], self._rotation(joint.predecessor_placement)),
                product(self.place[joint.successor][1], self._rotation(joint.successor_placement)),
            )
            bodies.append(
                TransferBody(
                    group.members[0],
                    group.parent,
                    group.mass,
                    subtract(center, group.input_point),
                    (J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]),
                    hinge,
                    tuple(group.members),
                )
            )
        points: list[Sequence[Sequence[float]]] = [IDENTITY] * (len(self.groups) + 1)
        cuts = []
        for cut in self.mechanism.cut_joints:
            if cut.joint.kind is FREE:
                continue
            ends = [
                self._end(cut.joint.predecessor, self._point(cut.joint.predecessor_placement)),
                self._end(cut.joint.successor, self._point(cut.joint.successor_placement)),
            ]
            cuts.append(self._cut(cut.joint.name, ends, points))
        cuts += self._point_springs(points)
        gravity = vector_of(self.model.gravity, self.graph, self.names)
        return TransferSystem(self.mechanism, rotation, tuple(bodies), tuple(cuts), gravity, IDENTITY)

    # ---- both -------------------------------------------------------------------------------------------------------

    def _end(self, name: str, point: Vector3) -> tuple[int, Vector3]:
        """Group of a body and a point of it, from the group's input end in its axes."""
        number, turn, origin = self.place[name]
        at = add(origin, self._turn3(turn, point))
        return number, subtract(at, self.groups[number - 1].input_point) if number else at

    def _cut(
        self, name: str, ends: Sequence[tuple[int, Vector3]], points: Sequence[Sequence[Sequence[float]]]
    ) -> TransferCut:
        joint = self.joints[name]
        forces = self._laws_on(joint)
        if forces or to_scalar(joint.armature, self.graph, self.names):
            raise DerivationError(
                "springs, dampers and rotor inertia on a cut joint are not covered",
                where=f"joint {name}",
                remedy="keep the joint in the tree (cut: tree)",
            )
        zero = constant(self.graph, 0)
        (first, a), (second, b) = ends
        return TransferCut(
            name, False, first, second, self._turn(points[first], a), self._turn(points[second], b), zero, zero, zero
        )

    def _point_springs(self, points: Sequence[Sequence[Sequence[float]]]) -> list[TransferCut]:
        springs = []
        for force, law in self._laws():
            if not law.ends:
                continue
            (first, a), (second, b) = (
                self._end(body, vector_of(point, self.graph, self.names)) for body, point in law.ends
            )
            stiffness, damping, length = scalars((law.stiffness, law.damping, law.rest), self.graph, self.names)
            springs.append(
                TransferCut(
                    force.name,
                    True,
                    first,
                    second,
                    self._turn(points[first], a),
                    self._turn(points[second], b),
                    stiffness,
                    damping,
                    length,
                )
            )
        return springs


def _floats(values: Sequence[float]) -> Triple:
    x, y, z = values
    return x, y, z


def _tidy(value: float) -> float:
    """Rounding errors of rotations by right angles removed."""
    nearest = round(value)
    return float(nearest) if abs(value - nearest) < 1e-15 else value


def _plane_axes(axis: Triple) -> Rotation:
    """Rows e_x, e_y and normal: cyclic base axes where the axis is one of them, else the smallest rotation's."""
    length = norm(axis)
    n = (axis[0] / length, axis[1] / length, axis[2] / length)
    largest = max(range(3), key=lambda k: abs(n[k]))
    if n[largest] < 0:
        n = (-n[0], -n[1], -n[2])
    if n[largest] >= 1 - 1e-15:
        rows: list[Triple] = [(0.0, 0.0, 0.0)] * 3
        for place in range(3):
            unit = [0.0, 0.0, 0.0]
            unit[(largest + 1 + place) % 3] = 1.0
            rows[place] = (unit[0], unit[1], unit[2])
        return rows[0], rows[1], rows[2]
    return transposed(aligning_rotation(n))


def _shifted(J: Sequence[Sequence[Scalar]], mass: Scalar, c: Vector3, sign: int) -> list[list[Scalar]]:
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
