"""Elements of planar motion, where angles are zero where bodies lie parallel to the plane, and of spatial motion."""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2
from typing import Final

from mbsym.errors import DerivationError
from mbsym.joints.cylindrical import CYLINDRICAL
from mbsym.joints.free import FREE
from mbsym.joints.planar import PLANAR
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.joints.universal import UNIVERSAL
from mbsym.kinematics.mechanism import TreeBody
from mbsym.model.geometry import IDENTITY, Rotation, Triple, cross, dot, norm, product, times, transposed
from mbsym.model.joint_frame import aligning_rotation
from mbsym.model.own_units import own_length
from mbsym.spatial.transform import identity_transform
from mbsym.spatial.vector import Vector3, symmetric_matrix
from mbsym.symbolic.scalar import Scalar
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.rigid_groups import End, RigidGroup, RigidGroups, turned
from mbsym.transfer_matrix.system import Hinge, HingeCoordinate, Kind, Rows, TransferBody, TransferSystem

PARALLEL: Final = 1e-9
"""Sine of the largest angle between axes that count as parallel, and part of the mechanism's size that counts as no
distance out of the plane."""

BALLS: Final = (SPHERICAL, FREE)
"""Joint types whose bodies turn about any axis."""

_SLIDES: Final = tuple((Kind.SLIDE, axis, 4 + axis, 3 + axis) for axis in range(3))
_BALL: Final = tuple((Kind.BALL, axis, 0, axis) for axis in range(3))

MOTIONS: Final[Mapping[JointType, tuple[tuple[Kind, int, int, int], ...]]] = {
    REVOLUTE: ((Kind.TURN, 2, 0, 0),),
    PRISMATIC: ((Kind.SLIDE, 2, 0, 0),),
    CYLINDRICAL: ((Kind.SLIDE, 2, 0, 0), (Kind.TURN, 2, 1, 1)),
    UNIVERSAL: ((Kind.TURN, 0, 0, 0), (Kind.TURN, 1, 1, 1)),
    PLANAR: ((Kind.SLIDE, 0, 0, 0), (Kind.SLIDE, 1, 1, 1), (Kind.TURN, 2, 2, 2)),
    SPHERICAL: _BALL,
    FREE: (*_SLIDES, *_BALL),
}
"""Joint types that become hinges: what their coordinates do one after the other, axes of the joint frame about or along
which they do it, and places among the joint's coordinates and speeds."""


def _moved(parts: RigidGroups, group: RigidGroup) -> list[tuple[TreeBody, Rotation]]:
    """The bodies of a hinge, and their joints' frames in the parent's internal frame where coordinates are zero."""
    R, found = IDENTITY, []
    for body in group.hinge:
        R = product(R, parts.rotation(body.inboard))
        found.append((body, R))
    return found


def _coordinate(
    parts: RigidGroups, body: TreeBody, motion: tuple[Kind, int, int, int], axis: tuple[float, ...], sign: int
) -> HingeCoordinate:
    """A coordinate with the springs, dampers and rotor inertia that act along it."""
    kind, _, place, speed = motion
    joint, zero = body.joint, parts.zero
    stiffness, damping, weighted = zero, zero, zero
    for force, law in parts.laws_on(joint):
        if joint.kind in BALLS:
            raise DerivationError(
                "springs and dampers on a spherical or free joint are not covered",
                where=f"force {force.name}",
                remedy="use springs between points",
            )
        if law.index == place:
            k, d, rest = parts.scalars(law.stiffness, law.damping, law.rest)
            stiffness, damping, weighted = stiffness + k, damping + d, weighted + k * rest
    rotor = body.armature[speed]
    if rotor and joint.kind in BALLS:
        raise DerivationError(
            "rotor inertia of a spherical or free joint is not covered", where=f"joint {joint.name}", remedy="leave it"
        )
    rest = weighted / stiffness * sign if weighted else zero
    at = body.q_range[0] + place, body.v_range[0] + speed
    return HingeCoordinate(kind, axis, at, sign, (stiffness, damping, rotor, rest), at[1] in parts.driven)


def _motions(body: TreeBody) -> tuple[tuple[Kind, int, int, int], ...]:
    motions = MOTIONS[body.joint.kind]
    return motions[::-1] if body.flipped else motions


def spatial_system(parts: RigidGroups, rotation: RotationVariable) -> TransferSystem:
    """The elements of a mechanism in space; their axes are those of the user's frames.

    Raises:
        DerivationError: a cut joint is no ball, or a ball has springs, dampers or rotor inertia.
    """
    for joint, _ in parts.cut_joints():
        if joint.kind is not SPHERICAL:
            raise DerivationError(
                f"the motion is spatial, where loops are cut at spherical joints, and this one is {joint.type}",
                where=f"joint {joint.name}",
                remedy="cut another, or let all axes of the mechanism be parallel",
            )
    bodies = tuple(
        TransferBody(
            group.members[0],
            group.parent,
            group.inertia.mass,
            parts.in_user_axes(number, group.center),
            group.inertia_about_center(parts.frames[number]),
            _hinge_in_space(parts, number, group),
            group.members,
        )
        for number, group in enumerate(parts.groups, start=1)
    )
    cuts = parts.cuts(parts.in_user_axes)
    return TransferSystem(parts.mechanism, rotation, bodies, cuts, parts.mechanism.gravity, IDENTITY)


def _hinge_in_space(parts: RigidGroups, number: int, group: RigidGroup) -> Hinge:
    outer, parent = parts.rotation(parts.frames[number]), parts.rotation(parts.frames[group.parent])
    coordinates: list[HingeCoordinate] = []
    inner, ball = IDENTITY, tuple[Rotation, ...]()
    for body, R in _moved(parts, group):
        inner = product(parent, R)
        if body.joint.kind in BALLS:
            if len(group.hinge) > 1:
                raise DerivationError(
                    "a spherical or free joint holds bodies with mass",
                    where=f"joint {body.joint.name}",
                    remedy=f"give body {group.hinge[0].name} a mass",
                )
            ball = (outer, inner) if body.flipped else (inner, outer)
        for motion in _motions(body):
            # What moves beyond a ball does so in the body's axes.
            axes = outer if ball and body.flipped else inner
            axis = IDENTITY[motion[1]] if motion[0] == Kind.BALL else transposed(axes)[motion[1]]
            coordinates.append(_coordinate(parts, body, motion, axis, -1 if body.flipped else 1))
    turned_by = IDENTITY if ball else product(inner, transposed(outer))
    if not ball or len(coordinates) > len(_BALL):
        parts.require_constant_axes(number, group)
    return Hinge(
        tuple(body.joint for body in group.hinge),
        group.first.flipped,
        tuple(coordinates),
        parts.in_user_axes(group.parent, group.hinge[0].inboard.translation),
        tuple(entry for row in turned_by for entry in row),
        ball,
    )


def plane_of(parts: RigidGroups) -> Rotation | None:
    """The plane's two axes and its normal as rows, where all bodies move parallel to one; else None."""
    neutral, axes = [IDENTITY], list[tuple[Kind, Triple]]()
    for group in parts.groups:
        R = IDENTITY
        for body, R in _moved(parts, group):
            if body.joint.kind not in (REVOLUTE, PRISMATIC, PLANAR):
                return None
            in_base = transposed(product(neutral[group.parent], R))
            axes += [(kind, in_base[axis]) for kind, axis, *_ in MOTIONS[body.joint.kind]]
        neutral.append(product(neutral[group.parent], R))
    for cut in parts.mechanism.cut_joints:
        if cut.joint.kind not in (REVOLUTE, PLANAR):
            return None
        for label, frame in ((cut.predecessor, cut.predecessor_frame), (cut.successor, cut.successor_frame)):
            R = product(neutral[parts.number[label]], parts.rotation(frame))
            axes.append((Kind.TURN, transposed(R)[2]))
    turning = [axis for kind, axis in axes if kind == Kind.TURN]
    if not turning:
        return None
    plane = _plane_axes(turning[0])
    level = all(norm(cross(plane[2], axis)) <= PARALLEL for axis in turning)
    level &= all(abs(dot(plane[2], axis)) <= PARALLEL for kind, axis in axes if kind == Kind.SLIDE)
    return plane if level else None


class PlanarElements:
    """One mechanism on its way to elements of planar motion."""

    def __init__(self, parts: RigidGroups, plane: Rotation) -> None:
        """Finds how the groups lie to the plane."""
        self._parts, self._plane, self._size = parts, plane, own_length(parts.mechanism.model)
        # By number: internal frame to base axes where all coordinates are zero, and the height of its origin.
        self._neutral: list[Rotation] = [IDENTITY]
        self._heights = [0.0]
        for group in parts.groups:
            self._neutral.append(product(self._neutral[group.parent], _moved(parts, group)[-1][1]))
            self._heights.append(self._height((group.parent, group.hinge[0].inboard.translation)))
        # By number: angle where all coordinates are zero; rows that take the user's axes to those of the element.
        self._angles: list[float] = []
        self._rows: list[Rows] = []
        for R, frame in zip(self._neutral, parts.frames, strict=True):
            self._add_attitude(product(R, transposed(parts.rotation(frame))))

    def system(self) -> TransferSystem:
        """The elements.

        Raises:
            DerivationError: a spring is not covered, or a loop cannot close.
        """
        parts = self._parts
        bodies = tuple(
            TransferBody(
                group.members[0],
                group.parent,
                group.inertia.mass,
                self._turn(number, group.center),
                (self._about_normal(number, group),),
                self._hinge(number, group),
                group.members,
            )
            for number, group in enumerate(parts.groups, start=1)
        )
        self._require_level_ends()
        gravity = turned(self._plane[:2], parts.mechanism.gravity)
        return TransferSystem(parts.mechanism, "angle", bodies, parts.cuts(self._turn), gravity, self._plane)

    def _add_attitude(self, R: Rotation) -> None:
        """Attitude of a group whose user's frame stands so to the base where all coordinates are zero."""
        plane = self._plane
        normal = times(R, plane[2])
        if norm(cross(normal, plane[2])) <= PARALLEL and dot(normal, plane[2]) > 0:
            first = times(R, plane[0])
            self._angles.append(atan2(dot(plane[1], first), dot(plane[0], first)))
            self._rows.append(plane[:2])
        else:
            self._angles.append(0.0)
            self._rows.append(product(plane, R)[:2])

    def _turn(self, number: int, a: Vector3) -> tuple[Scalar, ...]:
        """Components of a vector in a group's internal frame to those of the element."""
        return turned(self._rows[number], self._parts.in_user_axes(number, a))

    def _about_normal(self, number: int, group: RigidGroup) -> Scalar:
        """A group's inertia about the normal through its centre of mass."""
        normal = times(transposed(self._neutral[number]), self._plane[2])
        inertia = group.inertia_about_center(identity_transform(self._parts.mechanism.graph))
        columns = [turned((normal,), column)[0] for column in symmetric_matrix(inertia)]
        return turned((normal,), columns)[0]

    def _hinge(self, number: int, group: RigidGroup) -> Hinge:
        parts, coordinates = self._parts, list[HingeCoordinate]()
        to_user = parts.rotation(parts.frames[group.parent])
        for body, R in _moved(parts, group):
            in_base = transposed(product(self._neutral[group.parent], R))
            in_user = transposed(product(to_user, R))
            for motion in _motions(body):
                kind, axis, *_ = motion
                sign, along = -1 if body.flipped else 1, (0.0, 0.0)
                if kind == Kind.SLIDE:
                    x, y = (dot(row, in_user[axis]) for row in self._rows[group.parent])
                    along = x, y
                elif dot(self._plane[2], in_base[axis]) < 0:
                    sign = -sign
                coordinates.append(_coordinate(parts, body, motion, along, sign))
        hinge = Hinge(
            tuple(body.joint for body in group.hinge),
            group.first.flipped,
            tuple(coordinates),
            self._turn(group.parent, group.hinge[0].inboard.translation),
            (self._angles[number] - self._angles[group.parent],),
            (),
        )
        if hinge.acts or hinge.slides:
            parts.require_constant_axes(number, group)
        return hinge

    def _require_level_ends(self) -> None:
        """Cut joints and springs lie in the plane."""
        for joint, ends in self._parts.cut_joints():
            if not self._are_level(ends):
                raise DerivationError(
                    "the two halves of this joint lie in different planes, so the loop cannot close",
                    where=f"joint {joint.name}",
                    remedy="let both placements lie at the same distance along the axis",
                )
        for force, _, ends in self._parts.springs:
            if not self._are_level(ends):
                raise DerivationError(
                    "in planar motion a spring between points is covered if it lies in the plane",
                    where=f"force {force.name}",
                    remedy="give both points the same distance along the joints' axes",
                )

    def _are_level(self, ends: tuple[End, End]) -> bool:
        first, second = (self._height(end) for end in ends)
        return abs(first - second) <= PARALLEL * max(self._size, abs(first))

    def _height(self, end: End) -> float:
        """Distance of a point from the base origin along the normal, which no motion changes."""
        number, point = end
        return self._heights[number] + dot(self._plane[2], times(self._neutral[number], self._parts.triple(point)))


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
