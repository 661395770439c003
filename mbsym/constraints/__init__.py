"""Closure constraints that are no joints: one module each, with all that the rest of the house asks of it."""

from __future__ import annotations

from typing import Final

from mbsym.constraints.distance import DistanceConstraint
from mbsym.constraints.element import ConstraintElement, ConstraintType
from mbsym.constraints.expression import ExpressionConstraint, VelocityConstraint
from mbsym.constraints.gear import GearConstraint
from mbsym.constraints.linear_coupling import LinearCoupling
from mbsym.constraints.point_on_line import PointOnLineConstraint
from mbsym.constraints.rolling import RollingConstraint
from mbsym.errors import ModelError
from mbsym.records import Registry

__all__ = [
    "CONSTRAINTS",
    "ConstraintElement",
    "ConstraintType",
    "DistanceConstraint",
    "ExpressionConstraint",
    "GearConstraint",
    "LinearCoupling",
    "PointOnLineConstraint",
    "RollingConstraint",
    "VelocityConstraint",
]

CONSTRAINTS: Final = Registry[ConstraintType](
    "constraint",
    (
        ConstraintType(DistanceConstraint),
        ConstraintType(PointOnLineConstraint),
        ConstraintType(GearConstraint),
        ConstraintType(LinearCoupling),
        ConstraintType(ExpressionConstraint),
        ConstraintType(VelocityConstraint),
        ConstraintType(RollingConstraint),
    ),
    ModelError,
)
"""Closure constraints by their type in files."""
