"""Elements of planar motion: axes of the plane, angles that are zero where bodies lie parallel to it, and hinges."""

from __future__ import annotations

from math import atan2
from typing import Final

from mbsym.errors import DerivationError
from mbsym.joints.planar import PLANAR
from mbsym.kinematics.placement import vector_of
from mbsym.model.geometry import (
    IDENTITY,
    Rotation,
    Triple,
    cross,
    dot,
    norm,
    product,
    times,
    transposed,
)
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import aligning_rotation
from mbsym.spatial.vector import Vector3, add, subtract
from mbsym.symbolic.graph import exact
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.transfer_matrix.rigid_groups import Axes, RigidGroup, RigidGroups, floats, shifted, tidy
from mbsym.transfer_matrix.system import (
    COVERED,
    Hinge,
    TransferBody,
    TransferSystem,
)
from mbsym.values.numbers import to_scalar

PARALLEL: Final = 1e-9
"""Sine of the largest angle between axes that count as parallel, and out-of-plane distance [m] that counts as none."""


class PlanarElements:
    """One mechanism on its way to elements of planar motion."""

    def __init__(self, parts: RigidGroups) -> None:
        self.parts = parts

    def system(self) -> TransferSystem:
        plane, neutral, angles = self._planes()
        two = plane[:2]
        bodies = []
        points = [product(plane, R)[:2] for R in neutral]
        for group in self.parts.groups:
            assert group.joint is not None
            N = points[group.number]
            center = subtract(self.parts.center(group), group.input_point)
            J = shifted(group.about_origin, group.mass, self.parts.center(group), -1)
            normal = times(transposed(neutral[group.number]), plane[2])
            about = constant(self.parts.graph, 0)
            for i in range(3):
                for k in range(3):
                    about = about + J[i][k] * exact(tidy(normal[i])) * exact(tidy(normal[k]))
            bodies.append(
                TransferBody(
                    group.members[0],
                    group.parent,
                    group.mass,
                    self.parts.turn(N, center),
                    (about,),
                    self._hinge(group, plane, neutral, angles, points[group.parent]),
                    tuple(group.members),
                )
            )
        cuts = []
        for cut in self.parts.mechanism.cut_joints:
            joint = cut.joint
            if joint.kind is PLANAR:
                continue
            ends = [
                self.parts.end(joint.predecessor, self.parts.point(joint.predecessor_placement)),
                self.parts.end(joint.successor, self.parts.point(joint.successor_placement)),
            ]
            self._require_loop_in_plane(joint, plane, neutral)
            cuts.append(self.parts.cut(joint, ends, points))
        self._require_level_springs(plane, neutral)
        cuts += self.parts.point_springs(points)
        gravity = self.parts.turn(two, vector_of(self.parts.model.gravity, self.parts.graph, self.parts.names))
        return TransferSystem(self.parts.mechanism, "angle", tuple(bodies), tuple(cuts), gravity, plane)

    def _planes(self) -> tuple[Rotation, list[Rotation], list[float]]:
        """Axes of the plane as rows; by group, rotation to base axes at angle zero, and angle when neutral."""
        neutral: list[Rotation] = [IDENTITY]
        plane: Rotation | None = None
        tree = [(group.joint, group.number) for group in self.parts.groups]
        for joint, number in tree:
            assert joint is not None
            group = self.parts.groups[number - 1]
            inner, inner_placement, _, outer_placement = self.parts.joint_ends(joint, group.flipped)
            _, turn, _ = self.parts.place[inner]
            frame = product(product(neutral[group.parent], turn), self.parts.rotation(inner_placement))
            neutral.append(product(frame, transposed(self.parts.rotation(outer_placement))))
            axis = times(frame, self.parts.axis(joint))
            if plane is None:
                plane = _plane_axes(axis)
            if norm(cross(plane[2], axis)) > PARALLEL:
                raise DerivationError(
                    "the axis of this joint is not parallel to that of the first: the motion is not planar",
                    where=f"joint {joint.name}",
                    remedy=COVERED,
                )
        assert plane is not None
        for cut in self.parts.mechanism.cut_joints:
            joint = cut.joint
            for name, placement in (
                (joint.predecessor, joint.predecessor_placement),
                (joint.successor, joint.successor_placement),
            ):
                number, turn, _ = self.parts.place[name]
                frame = product(product(neutral[number], turn), self.parts.rotation(placement))
                axis = times(frame, self.parts.axis(joint))
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

    def _hinge(
        self,
        group: RigidGroup,
        plane: Rotation,
        neutral: list[Rotation],
        angles: list[float],
        N: Axes,
    ) -> Hinge:
        joint = group.joint
        assert joint is not None
        # Axes of the joint frame on the predecessor, which carries the displacements of a planar joint.
        predecessor, turn, _ = self.parts.place[joint.predecessor]
        frame = product(product(neutral[predecessor], turn), self.parts.rotation(joint.predecessor_placement))
        aligned = product(frame, aligning_rotation(self.parts.axis(joint))) if joint.kind is PLANAR else frame
        normal = times(frame, self.parts.axis(joint))
        sign = 1 if dot(plane[2], normal) > 0 else -1
        offset = angles[group.number] - angles[group.parent]
        torsion = self._torsion(joint, 2 if joint.kind is PLANAR else 0, sign, group.flipped, offset)
        zero = constant(self.parts.graph, 0)
        bushing, free = (zero, zero), (zero, zero)
        axes = tuple(
            tuple(dot(plane[i], (aligned[0][k], aligned[1][k], aligned[2][k])) for k in range(2)) for i in range(2)
        )
        if joint.kind is PLANAR:
            bushing, references = self._bushing(joint, predecessor)
            free_x, free_y = self.parts.turn(axes, references)
            free = (free_x, free_y)
        parent_input = self.parts.input_point(group.parent)
        attachment = self.parts.turn(N, subtract(group.attachment, parent_input))
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

    def _torsion(
        self, joint: Joint, index: int, sign: int, flipped: bool, offset: float
    ) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Stiffness, damping, rotor inertia and free angle of the body against its parent."""
        zero = constant(self.parts.graph, 0)
        stiffness, damping, weighted = zero, zero, zero
        for _, law in self.parts.laws_on(joint):
            if law.index != index:
                continue
            k = to_scalar(law.stiffness, self.parts.graph, self.parts.names)
            stiffness = stiffness + k
            weighted = weighted + k * to_scalar(law.rest, self.parts.graph, self.parts.names)
            damping = damping + to_scalar(law.damping, self.parts.graph, self.parts.names)
        armature = to_scalar(joint.armature, self.parts.graph, self.parts.names)
        if joint.kind is PLANAR and armature:
            raise DerivationError("a planar joint's rotor inertia is not covered", where=f"joint {joint.name}")
        outward = -sign if flipped else sign
        reference = weighted / stiffness if weighted else zero
        free = reference * outward + exact(tidy(offset))
        return stiffness, damping, armature, free if stiffness else zero

    def _bushing(self, joint: Joint, predecessor: int) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
        """Stiffness and damping of a planar joint's displacements, and their references."""
        zero = constant(self.parts.graph, 0)
        stiffness, damping, reference = [zero, zero], [zero, zero], [zero, zero]
        for force, law in self.parts.laws_on(joint):
            if law.index is None or law.index > 1:
                continue
            k = to_scalar(law.stiffness, self.parts.graph, self.parts.names)
            if k and stiffness[law.index]:
                raise DerivationError("two springs on one coordinate", where=f"force {force.name}", remedy="use one")
            if k:
                stiffness[law.index] = k
                reference[law.index] = to_scalar(law.rest, self.parts.graph, self.parts.names)
            damping[law.index] = damping[law.index] + to_scalar(law.damping, self.parts.graph, self.parts.names)
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
            heights.append(self._height(name, self.parts.point(placement), plane, neutral))
        if abs(heights[0] - heights[1]) > PARALLEL * max(1.0, abs(heights[0])):
            raise DerivationError(
                "the two halves of this joint lie in different planes, so the loop cannot close",
                where=f"joint {joint.name}",
                remedy="let both placements lie at the same distance along the axis",
            )

    def _require_level_springs(self, plane: Rotation, neutral: list[Rotation]) -> None:
        for force, law in self.parts.laws():
            if not law.ends:
                continue
            first, second = (self._height(body, self.parts.vector(at), plane, neutral) for body, at in law.ends)
            if abs(first - second) > PARALLEL * max(1.0, abs(first)):
                raise DerivationError(
                    "in planar motion a spring between points is covered if it lies in the plane",
                    where=f"force {force.name}",
                    remedy="give both points the same distance along the joints' axes",
                )

    def _height(self, name: str, point: Vector3, plane: Rotation, neutral: list[Rotation]) -> float:
        """Distance of a point of a body from the base origin along the normal, which no motion changes."""
        total = 0.0
        number, turn, origin = self.parts.place[name]
        at = add(origin, self.parts.turn3(turn, point))
        while True:
            base = times(neutral[number], floats([self.parts.value(x) for x in at]))
            total += dot(plane[2], base)
            if not number:
                return total
            group = self.parts.groups[number - 1]
            total -= dot(plane[2], times(neutral[number], floats([self.parts.value(x) for x in group.input_point])))
            at, number = group.attachment, group.parent


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
