"""Force elements as generalised forces on joints and wrenches on bodies, and rotors as far as they act like these.

Rotors ask a vdot of the motors, which derivations add where they know vdot, and a b(v, v), which is a force that
depends on speeds as that of a damper does, but does no work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import Speeds
from mbsym.kinematics.rotors import rotor_forces
from mbsym.kinematics.scene import MechanismInMotion, acting


@dataclass(frozen=True, slots=True)
class AppliedForces:
    """Generalised forces by tree joint, and [moment; force] by body label at its origin in its components."""

    joints: Speeds
    wrenches: Mapping[int, Motion]


def less(forces: Speeds, others: Speeds) -> Speeds:
    """Differences of generalised forces by joint."""
    return tuple(tuple(f - g for f, g in zip(*pair, strict=True)) for pair in zip(forces, others, strict=True))


def together(forces: Speeds, others: Speeds) -> Speeds:
    """Sums of generalised forces by joint."""
    return tuple(tuple(f + g for f, g in zip(*pair, strict=True)) for pair in zip(forces, others, strict=True))


def applied_forces(mechanism: Mechanism, speeds: Speeds) -> AppliedForces | None:
    """What force elements and turning rotors do at the given speeds; None where there are none.

    Raises:
        DerivationError: an element acts along a joint that is cut.
    """
    of_elements = element_forces(mechanism, speeds)
    with mechanism.graph.section("rotors whose speeds turn"):
        asked = rotor_forces(mechanism, speeds)
        if asked is None:
            return of_elements
        if of_elements is None:
            return AppliedForces(tuple(tuple(-force for force in own) for own in asked), {})
        return AppliedForces(less(of_elements.joints, asked), of_elements.wrenches)


def element_forces(mechanism: Mechanism, speeds: Speeds) -> AppliedForces | None:
    """What the model's force elements do at the given speeds; None for a model without any.

    Raises:
        DerivationError: an element acts along a joint that is cut.
    """
    elements = mechanism.model.forces
    if not elements:
        return None
    with mechanism.graph.section("force elements"):
        scene = MechanismInMotion(mechanism, speeds, with_bodies=any(force.meets_bodies for force in elements))
        for force in elements:
            with acting(force):
                force.act(scene)
    return AppliedForces(tuple(map(tuple, scene.joints)), scene.wrenches)
