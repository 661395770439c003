"""Elements of planar motion, where angles are zero where bodies lie parallel to the plane, and of spatial motion."""

from __future__ import annotations

from math import atan2
from typing import Final

from mbsym.errors import DerivationError
from mbsym.model.geometry import IDENTITY, Rotation, Triple, cross, dot, norm, product, times, transposed
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import aligning_rotation
from mbsym.model.own_units import own_length
from mbsym.spatial.transform import identity_transform
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.graph import exact
from mbsym.symbolic.scalar import Scalar
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.rigid_groups import End, RigidGroup, RigidGroups, tidy, turned
from mbsym.transfer_matrix.system import COVERED, ELASTIC, Hinge, Rows, TransferBody, TransferSystem

PARALLEL: Final = 1e-9
"""Sine of the largest angle between axes that count as parallel, and part of the mechanism's size that counts as no
distance out of the plane."""


def spatial_system(parts: RigidGroups, rotation: RotationVariable) -> TransferSystem:
    """The elements of a mechanism in space; their axes are those of the user's frames.

    Raises:
        DerivationError: a hinge has springs, dampers or rotor inertia.
    """
    bodies = tuple(
        TransferBody(
            group.members[0],
            group.parent,
            group.inertia.mass,
            parts.in_user_axes(number, group.center),
            group.inertia_about_center(parts.frames[number]),
            _ball_hinge(parts, number, group),
            group.members,
        )
        for number, group in enumerate(parts.groups, start=1)
    )
    cuts = parts.cuts(parts.in_user_axes)
    return TransferSystem(parts.mechanism, rotation, bodies, cuts, parts.mechanism.gravity, IDENTITY)


def _ball_hinge(parts: RigidGroups, number: int, group: RigidGroup) -> Hinge:
    joint, inboard, zero = group.joint, group.first.inboard, parts.zero
    laws = parts.laws_on(joint)
    if laws:
        raise DerivationError(
            "springs and dampers on a spherical or free joint are not covered",
            where=f"force {laws[0][0].name}",
            remedy="use springs between points",
        )
    if any(group.first.armature):
        raise DerivationError("rotor inertia is covered in the plane only", where=f"joint {joint.name}")
    inner = product(parts.rotation(parts.frames[group.parent]), parts.rotation(inboard))
    outer = parts.rotation(parts.frames[number])
    predecessor, successor = (outer, inner) if group.first.flipped else (inner, outer)
    return Hinge(
        joint,
        group.first.flipped,
        1,
        0.0,
        joint.kind in ELASTIC,
        (zero, zero, zero, zero),
        (zero, zero),
        parts.in_user_axes(group.parent, inboard.translation),
        (zero, zero, zero),
        predecessor,
        successor,
    )


class PlanarElements:
    """One mechanism on its way to elements of planar motion."""

    def __init__(self, parts: RigidGroups) -> None:
        """Finds the plane and how the groups lie to it.

        Raises:
            DerivationError: the motion is not planar.
        """
        self._parts, self._size = parts, own_length(parts.mechanism.model)
        # By number: internal frame to base axes where all coordinates are zero, and the height of its origin.
        self._neutral: list[Rotation] = [IDENTITY]
        for group in parts.groups:
            self._neutral.append(product(self._neutral[group.parent], parts.rotation(group.first.inboard)))
        self._plane = _plane_axes(_third_column(self._neutral[1]))
        self._require_parallel()
        self._heights = [0.0]
        for group in parts.groups:
            self._heights.append(self._height((group.parent, group.first.inboard.translation)))
        # By number: angle where all coordinates are zero; rows that take the user's axes to those of the element.
        self._angles: list[float] = []
        self._rows: list[Rows] = []
        for R, frame in zip(self._neutral, parts.frames, strict=True):
            self._add_attitude(product(R, transposed(parts.rotation(frame))))

    def system(self) -> TransferSystem:
        """The elements.

        Raises:
            DerivationError: a hinge or a spring is not covered, or a loop cannot close.
        """
        parts = self._parts
        internal = identity_transform(parts.mechanism.graph)
        bodies = tuple(
            TransferBody(
                group.members[0],
                group.parent,
                group.inertia.mass,
                self._turn(number, group.center),
                (group.inertia_about_center(internal)[2],),
                self._hinge(number, group),
                group.members,
            )
            for number, group in enumerate(parts.groups, start=1)
        )
        self._require_level_ends()
        gravity = turned(self._plane[:2], parts.mechanism.gravity)
        return TransferSystem(parts.mechanism, "angle", bodies, parts.cuts(self._turn), gravity, self._plane)

    def _require_parallel(self) -> None:
        """The axes of joints, z of their frames, are those of the plane."""
        parts = self._parts
        turned_to = [
            (R, group.joint, "that of the first") for R, group in zip(self._neutral[1:], parts.groups, strict=True)
        ]
        for cut in parts.mechanism.cut_joints:
            for label, frame in ((cut.predecessor, cut.predecessor_frame), (cut.successor, cut.successor_frame)):
                R = product(self._neutral[parts.number[label]], parts.rotation(frame))
                turned_to.append((R, cut.joint, "those of the tree"))
        for R, joint, others in turned_to:
            if norm(cross(self._plane[2], _third_column(R))) > PARALLEL:
                raise DerivationError(
                    f"the axis of this joint is not parallel to {others}: the motion is not planar",
                    where=f"joint {joint.name}",
                    remedy=COVERED,
                )

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

    def _hinge(self, number: int, group: RigidGroup) -> Hinge:
        parts, joint, first = self._parts, group.joint, group.first
        sign = 1 if dot(self._plane[2], _third_column(self._neutral[number])) > 0 else -1
        offset = self._angles[number] - self._angles[group.parent]
        # Axes of the joint frame on the predecessor, which carries the displacements of a planar joint.
        predecessor = number if first.flipped else group.parent
        turn = parts.rotation(parts.frames[predecessor])
        if not first.flipped:
            turn = product(turn, parts.rotation(first.inboard))
        columns = transposed(turn)[:2]
        axes = tuple(tuple(dot(row, column) for column in columns) for row in self._rows[predecessor])
        nothing = parts.zero, parts.zero
        bushing, free = nothing, nothing
        if joint.kind in ELASTIC:
            bushing, references = self._bushing(joint, predecessor)
            free_x, free_y = turned(axes, references)
            free = free_x, free_y
        return Hinge(
            joint,
            first.flipped,
            sign,
            offset,
            joint.kind in ELASTIC,
            self._torsion(group, sign, offset),
            bushing,
            self._turn(group.parent, first.inboard.translation),
            free,
            axes,
            IDENTITY,
        )

    def _torsion(self, group: RigidGroup, sign: int, offset: float) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Stiffness, damping, rotor inertia and free angle of the body against its parent."""
        joint, first = group.joint, group.first
        zero = self._parts.zero
        stiffness, damping, weighted = zero, zero, zero
        for _, law in self._parts.laws_on(joint):
            if law.index != len(first.q) - 1:
                continue
            k, d, rest = self._parts.scalars(law.stiffness, law.damping, law.rest)
            stiffness, damping, weighted = stiffness + k, damping + d, weighted + k * rest
        if joint.kind in ELASTIC and any(first.armature):
            raise DerivationError("a planar joint's rotor inertia is not covered", where=f"joint {joint.name}")
        outward = -sign if first.flipped else sign
        reference = weighted / stiffness if weighted else zero
        free = reference * outward + exact(tidy(offset))
        return stiffness, damping, first.armature[-1], free if stiffness else zero

    def _bushing(self, joint: Joint, predecessor: int) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
        """Stiffness and damping of a planar joint's displacements, and their references."""
        stiffness, damping, reference = ([self._parts.zero] * 2 for _ in range(3))
        for force, law in self._parts.laws_on(joint):
            if law.index is None or law.index > 1:
                continue
            k, d, rest = self._parts.scalars(law.stiffness, law.damping, law.rest)
            if k and stiffness[law.index]:
                raise DerivationError("two springs on one coordinate", where=f"force {force.name}", remedy="use one")
            if k:
                stiffness[law.index], reference[law.index] = k, rest
            damping[law.index] = damping[law.index] + d
        where = f"joint {joint.name}"
        if stiffness[0] != stiffness[1] or damping[0] != damping[1]:
            raise DerivationError(
                "a planar joint is covered with equal springs and equal dampers along x and y",
                where=where,
                remedy="make them equal",
            )
        if predecessor and (damping[0] or any(reference)):
            raise DerivationError(
                "a planar joint with dampers or free displacements is covered on ground only",
                where=where,
                remedy="start the joint from ground",
            )
        return (stiffness[0], damping[0]), (reference[0], reference[1])

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


def _third_column(R: Rotation) -> Triple:
    return R[0][2], R[1][2], R[2][2]


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
