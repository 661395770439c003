"""Elements of spatial motion: bodies on ball hinges, or on none."""

from __future__ import annotations

from mbsym.errors import DerivationError
from mbsym.joints.free import FREE
from mbsym.kinematics.placement import vector_of
from mbsym.model.geometry import (
    IDENTITY,
    product,
)
from mbsym.spatial.vector import subtract
from mbsym.symbolic.scalar import constant
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.rigid_groups import Axes, RigidGroups, shifted
from mbsym.transfer_matrix.system import (
    Hinge,
    TransferBody,
    TransferSystem,
)
from mbsym.values.numbers import to_scalar


def spatial_system(parts: RigidGroups, rotation: RotationVariable) -> TransferSystem:
    bodies = []
    zero = constant(parts.graph, 0)
    for group in parts.groups:
        joint = group.joint
        assert joint is not None
        if parts.laws_on(joint):
            raise DerivationError(
                "springs and dampers on a spherical or free joint are not covered",
                where=f"force {parts.laws_on(joint)[0][0].name}",
                remedy="use springs between points",
            )
        if to_scalar(joint.armature, parts.graph, parts.names):
            raise DerivationError("rotor inertia is covered in the plane only", where=f"joint {joint.name}")
        center = parts.center(group)
        J = shifted(group.about_origin, group.mass, center, -1)
        parent_input = parts.input_point(group.parent)
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
            product(parts.place[joint.predecessor][1], parts.rotation(joint.predecessor_placement)),
            product(parts.place[joint.successor][1], parts.rotation(joint.successor_placement)),
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
    points: list[Axes] = [IDENTITY] * (len(parts.groups) + 1)
    cuts = []
    for cut in parts.mechanism.cut_joints:
        if cut.joint.kind is FREE:
            continue
        ends = [
            parts.end(cut.joint.predecessor, parts.point(cut.joint.predecessor_placement)),
            parts.end(cut.joint.successor, parts.point(cut.joint.successor_placement)),
        ]
        cuts.append(parts.cut(cut.joint, ends, points))
    cuts += parts.point_springs(points)
    gravity = vector_of(parts.model.gravity, parts.graph, parts.names)
    return TransferSystem(parts.mechanism, rotation, tuple(bodies), tuple(cuts), gravity, IDENTITY)
