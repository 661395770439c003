"""From a labelled model to transfer matrix elements: what is covered, and whether motion is planar or spatial."""

from __future__ import annotations

from mbsym.errors import DerivationError
from mbsym.joints.fixed import FIXED
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.mechanism import Mechanism
from mbsym.transfer_matrix.elements import BALLS, MOTIONS, PlanarElements, plane_of, spatial_system
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.rigid_groups import RigidGroups
from mbsym.transfer_matrix.system import COVERED, TransferSystem
from mbsym.values.diagnostic import one


def transfer_system(
    mechanism: Mechanism, rotation: RotationVariable | None = None, *, forces_as_loads: bool = False
) -> TransferSystem:
    """The elements of a mechanism.

    Args:
        mechanism: the labelled model.
        rotation: in space "incremental" (default) or "cardan"; in the plane it is always "angle".
        forces_as_loads: forces without an element will be given as loads (``applied_loads``).

    Raises:
        DerivationError: a joint, force or coupling is not covered; the message says what is.
    """
    _require_covered(mechanism, forces_as_loads)
    parts = RigidGroups(mechanism)
    if not parts.groups:
        raise DerivationError("nothing moves", where=mechanism.model.name, remedy="give the model a joint that moves")
    plane = plane_of(parts)
    if plane is None:
        if rotation == "angle":
            raise DerivationError(
                "the motion is spatial", where=mechanism.model.name, remedy="use incremental or cardan"
            )
        return spatial_system(parts, rotation or "incremental")
    if rotation not in (None, "angle"):
        raise DerivationError("the motion is planar", where=mechanism.model.name, remedy="leave the choice of rotation")
    return PlanarElements(parts, plane).system()


def undriven_system(mechanism: Mechanism, *, forces_as_loads: bool = False) -> TransferSystem:
    """The elements of a mechanism of which all coordinates are free, whose closed forms are shown.

    Raises:
        DerivationError: the mechanism has an element that is not covered, or motions.
    """
    if mechanism.model.motions:
        raise DerivationError(
            "closed forms of transfer matrices prescribe no motions",
            where=mechanism.model.name,
            remedy="take steps by transfer matrices, which do, or another formulation",
        )
    return transfer_system(mechanism, forces_as_loads=forces_as_loads)


def _require_covered(mechanism: Mechanism, forces_as_loads: bool) -> None:
    model = mechanism.model
    for joint in model.joints:
        if joint.kind is not FIXED and joint.kind not in MOTIONS:
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
    if model.drives:
        raise DerivationError(
            "the transfer matrix method knows no states of drives", where=model.name, remedy="take another method"
        )
    for driven in driven_speeds(mechanism):
        motion = driven.motion
        if mechanism.model.joint(motion.joint).kind in BALLS:
            raise DerivationError(
                f"motion {motion.name} drives a spherical or free joint, which steps by transfer matrices do not take",
                where=f"joint {motion.joint}",
                remedy="drive revolute, prismatic, cylindrical, universal or planar joints, or take another method",
            )
        if driven.position is None:
            raise DerivationError(
                f"motion {motion.name} gives a {motion.gives}, and steps by transfer matrices solve for positions",
                where=f"joint {motion.joint}",
                remedy="give the position (gives: position), or take another method",
            )
    for force in model.forces:
        if force.linear_law() is None and not forces_as_loads:
            raise DerivationError(
                f"the transfer matrix method has no element for {one(force.type.replace('_', ' '))}",
                where=f"force {force.name}",
                remedy="it covers springs and dampers of joints and between points; give other forces as loads",
            )
    for cut in mechanism.cut_joints:
        if cut.joint.kind.is_rigid:
            raise DerivationError(
                "the transfer matrix method cannot cut a fixed joint",
                where=f"joint {cut.joint.name}",
                remedy="cut another",
            )
