"""Directions in which a tree joint moves its outboard body, and in which it holds it.

For joint i, in the body's internal frame at its origin O_i: H holds the freedoms, W the constraint directions, and
H-bar the forces that drive one freedom each: H^T H-bar = U, H^T W = 0, and the joint wrench is H-bar tau + W F_S.
Internal frames are turned along the joint's axis, so H and W are column selections of U6 wherever the joint allows it;
W is orthonormal but for helical joints, whose normalisation would need a square root.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 1;
with the dual basis H-bar = H (H^T H)^-1 where H is not orthonormal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mbsym.kinematics.mechanism import TreeBody
from mbsym.spatial.rotation import from_quaternion
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, negate
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, cos, sin

Column: TypeAlias = tuple[Scalar, ...]
"""Six components [angular; linear] or [moment; force]."""

_SELECTED_CONSTRAINTS = {
    "revolute": (0, 1, 3, 4, 5),
    "prismatic": (0, 1, 2, 3, 4),
    "helical": (0, 1, 3, 4),
    "cylindrical": (0, 1, 3, 4),
    "universal": (3, 4, 5),
    "spherical": (3, 4, 5),
    "planar": (0, 1, 5),
    "free": (),
    "fixed": (0, 1, 2, 3, 4, 5),
}


@dataclass(frozen=True, slots=True)
class JointSubspaces:
    """H, H-bar and W of one joint as columns."""

    freedoms: tuple[Column, ...]
    forces: tuple[Column, ...]
    constraints: tuple[Column, ...]


def joint_subspaces(body: TreeBody) -> JointSubspaces:
    """H, H-bar and W of a body's inboard joint."""
    kind = body.joint.type
    graph = body.inertia.mass.graph
    constraints = [unit_column(graph, k) for k in _SELECTED_CONSTRAINTS[kind]]
    if kind == "universal":
        return _universal(body, constraints)
    columns: tuple[Column, ...] = tuple((*angular, *linear) for angular, linear in body.columns)
    forces = columns
    if kind == "helical":
        # H = [e3; p e3] or its opposite: H-bar = H / (1 + p^2), and [-p e3; e3] does no work on H.
        pitch = columns[0][5] / columns[0][2]
        factor = 1 / (1 + pitch * pitch)
        forces = (tuple(x * factor for x in columns[0]),)
        zero, one = Scalar(graph, 0), Scalar(graph, 1)
        constraints.append((zero, zero, -pitch, zero, zero, one))
    elif body.flipped and kind == "free":
        forces = _reversed_free(body)
    elif body.flipped and kind == "planar":
        columns, forces = _reversed_planar(body)
    return JointSubspaces(columns, forces, tuple(constraints))


def unit_column(graph: Graph, k: int) -> Column:
    """Column k of U6."""
    return tuple(Scalar(graph, 1 if row == k else 0) for row in range(6))


def _universal(body: TreeBody, constraints: list[Column]) -> JointSubspaces:
    """The cross of the joint: its third direction is the one constrained moment."""
    graph = body.inertia.mass.graph
    zero, one = Scalar(graph, 0), Scalar(graph, 1)
    if body.flipped:
        # Walked backwards the joint turns about -(0, cos q1, sin q1), then about -x.
        s, c = sin(body.q[0]), cos(body.q[0])
        columns: tuple[Column, ...] = ((-one, *[zero] * 5), (zero, -c, -s, zero, zero, zero))
        third = (zero, -s, c, zero, zero, zero)
    else:
        columns = tuple((*angular, *linear) for angular, linear in body.columns)
        third = (-columns[0][2], zero, columns[0][0], zero, zero, zero)
    return JointSubspaces(columns, columns, (third, *constraints))


def _reversed_planar(body: TreeBody) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """H and H-bar walked backwards: translations along the fixed axes, and a turn about the moved point (x, y)."""
    x, y = body.q[0], body.q[1]
    zero, one = Scalar(x.graph, 0), Scalar(x.graph, 1)
    slides = ((zero, zero, zero, -one, zero, zero), (zero, zero, zero, zero, -one, zero))
    freedoms = (*slides, (zero, zero, -one, -y, x, zero))
    forces = (
        (zero, zero, y, -one, zero, zero),
        (zero, zero, -x, zero, -one, zero),
        (zero, zero, -one, zero, zero, zero),
    )
    return freedoms, forces


def _reversed_free(body: TreeBody) -> tuple[Column, ...]:
    """H-bar walked backwards is -X, since H is -X^-T: forces change sides as wrenches do, freedoms as twists."""
    q = body.q
    graph = q[0].graph
    placement = Transform(from_quaternion((q[0], q[1], q[2], q[3])), (q[4], q[5], q[6]))
    zero, one = Scalar(graph, 0), Scalar(graph, 1)
    axes: tuple[Vector3, ...] = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
    none = (zero, zero, zero)
    wrenches = [placement.wrench_to_parent(axis, none) for axis in axes]
    wrenches += [placement.wrench_to_parent(none, axis) for axis in axes]
    return tuple((*negate(moment), *negate(force)) for moment, force in wrenches)
