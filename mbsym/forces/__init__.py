"""Force elements: one module each, with all that the rest of the house asks of it."""

from __future__ import annotations

from typing import Final

from mbsym.errors import ModelError
from mbsym.forces.actuator import Actuator
from mbsym.forces.applied_wrench import AppliedWrench
from mbsym.forces.contact import Contact
from mbsym.forces.element import ForceElement, ForceType
from mbsym.forces.joint_damper import JointDamper
from mbsym.forces.joint_force import JointForce
from mbsym.forces.joint_friction import JointFriction
from mbsym.forces.joint_spring import JointSpring
from mbsym.forces.joint_stop import JointStop
from mbsym.forces.point_spring_damper import PointSpringDamper
from mbsym.forces.tyre import Tyre
from mbsym.records import Registry

__all__ = [
    "FORCE_ELEMENTS",
    "Actuator",
    "AppliedWrench",
    "Contact",
    "ForceElement",
    "ForceType",
    "JointDamper",
    "JointForce",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "PointSpringDamper",
    "Tyre",
]

FORCE_ELEMENTS: Final = Registry[ForceType](
    "force element",
    (
        ForceType(JointSpring),
        ForceType(JointFriction),
        ForceType(Actuator),
        ForceType(JointStop),
        ForceType(JointForce),
        ForceType(JointDamper),
        ForceType(AppliedWrench),
        ForceType(PointSpringDamper),
        ForceType(Contact),
        ForceType(Tyre),
    ),
    ModelError,
)
"""Force elements by their type in files. Where one drawn at random does not suit, the last that does is taken."""
