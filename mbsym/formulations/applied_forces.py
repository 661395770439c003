"""Force elements as generalised forces on joints and wrenches on bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import Speeds
from mbsym.kinematics.scene import MechanismInMotion, acting


@dataclass(frozen=True, slots=True)
class AppliedForces:
    """Generalised forces by tree joint, and [moment; force] by body label at its origin in its components."""

    joints: Speeds
    wrenches: Mapping[int, Motion]


def applied_forces(mechanism: Mechanism, speeds: Speeds) -> AppliedForces | None:
    """What the model's force elements do at the given speeds; None for a model without any.

    Raises:
        DerivationError: an element acts along a joint that is cut.
    """
    elements = mechanism.model.forces
    if not elements:
        return None
    with mechanism.graph.section("force elements"):
        scene = MechanismInMotion(mechanism, speeds, with_bodies=any(force.named("body") for force in elements))
        for force in elements:
            with acting(force):
                force.act(scene)
    return AppliedForces(tuple(map(tuple, scene.joints)), scene.wrenches)
