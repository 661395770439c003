"""Directions in which a tree joint moves its outboard body, and in which it holds it.

For joint i, in the body's internal frame at its origin O_i: H holds the freedoms, W the constraint directions, and
H-bar the forces that drive one freedom each: H^T H-bar = U, H^T W = 0, and the joint wrench is H-bar tau + W F_S.
Internal frames are turned along the joint's axis, so H and W are column selections of U6 wherever the joint allows it;
W is orthonormal but for helical joints, whose normalisation would need a square root.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 1;
with the dual basis H-bar = H (H^T H)^-1 where H is not orthonormal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mbsym.joints.motion import JointMotion
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar

Column: TypeAlias = tuple[Scalar, ...]
"""Six components [angular; linear] or [moment; force]."""


@dataclass(frozen=True, slots=True)
class JointSubspaces:
    """H, H-bar and W of one joint as columns."""

    freedoms: tuple[Column, ...]
    forces: tuple[Column, ...]
    constraints: tuple[Column, ...]


def selected(*held: int) -> Callable[[JointMotion, tuple[Scalar, ...], bool], JointSubspaces]:
    """The subspaces of a joint with orthonormal H that holds the given directions of U6."""

    def subspaces(motion: JointMotion, q: tuple[Scalar, ...], flipped: bool) -> JointSubspaces:
        columns = freedoms(motion)
        return JointSubspaces(columns, columns, unit_columns(motion.graph, held))

    return subspaces


def freedoms(motion: JointMotion) -> tuple[Column, ...]:
    """H as columns."""
    return tuple((*angular, *linear) for angular, linear in motion.columns)


def unit_column(graph: Graph, k: int) -> Column:
    """Column k of U6."""
    return tuple(Scalar(graph, 1 if row == k else 0) for row in range(6))


def unit_columns(graph: Graph, held: tuple[int, ...]) -> tuple[Column, ...]:
    """Those columns of U6."""
    return tuple(unit_column(graph, k) for k in held)


def about_one_axis(motion: JointMotion, q: tuple[Scalar, ...], flipped: bool) -> JointSubspaces:
    """The subspaces of a screw about z: H = [e3; p e3] or its opposite, with the pitch p = dz/dq constant or not.

    H-bar = H / (1 + p^2), and [-p e3; e3] does no work on H.
    """
    graph = motion.graph
    (column,) = freedoms(motion)
    pitch = column[5] / column[2]
    factor = 1 / (1 + pitch * pitch)
    force = tuple(x * factor for x in column)
    zero, one = Scalar(graph, 0), Scalar(graph, 1)
    across = (zero, zero, -pitch, zero, zero, one)
    return JointSubspaces((column,), (force,), (*unit_columns(graph, (0, 1, 3, 4)), across))
