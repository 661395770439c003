"""The choice between the two ways to treat the mass matrix: factored as a sparse matrix, or by articulated inertias.

Each coefficient of sparse factors is cheap, but on a path to ground their number grows with the square of its length;
articulated inertias cost the same for every body. In between only counting tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Program

Method: TypeAlias = Literal["sparse", "articulated"]
"""How the mass matrix is factored; articulated inertias are the constraint force algorithm with cut columns."""

LONGEST_TRIED: Final = 40
"""Speeds between a body and ground above which sparse factors are not even tried."""


def fewest_operations(mechanism: Mechanism, candidates: Mapping[Method, Callable[[], Program]]) -> Program:
    """The program with the fewest operations, the first among equals.

    Couplings cannot be held by articulated inertias, so that both ways are then the same one.
    """
    if mechanism.is_coupled:
        return candidates["sparse"]()
    if longest_path(mechanism) > LONGEST_TRIED:
        return candidates["articulated"]()
    return min((derive() for derive in candidates.values()), key=lambda program: program.operation_count().arithmetic)


def longest_path(mechanism: Mechanism) -> int:
    """The largest number of speeds between a body and ground."""
    depths = [0]
    for body in mechanism.bodies:
        depths.append(depths[body.parent] + len(body.v))
    return max(depths)
