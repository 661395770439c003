"""Elements of spatial motion: bodies on ball hinges, or on none."""

from __future__ import annotations

from mbsym.errors import DerivationError
from mbsym.model.geometry import IDENTITY, product
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.rigid_groups import RigidGroup, RigidGroups
from mbsym.transfer_matrix.system import ELASTIC, Hinge, TransferBody, TransferSystem


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
            _hinge(parts, number, group),
            group.members,
        )
        for number, group in enumerate(parts.groups, start=1)
    )
    cuts = parts.cuts(parts.in_user_axes)
    return TransferSystem(parts.mechanism, rotation, bodies, cuts, parts.mechanism.gravity, IDENTITY)


def _hinge(parts: RigidGroups, number: int, group: RigidGroup) -> Hinge:
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
