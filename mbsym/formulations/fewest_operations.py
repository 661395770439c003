"""The choice between the two ways to treat the mass matrix: factored as a sparse matrix, or by articulated inertias.

Each coefficient of sparse factors is cheap, but on a path to ground their number grows with the square of its length;
articulated inertias cost the same for every body. In between only counting tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias, TypeVar

from mbsym.kinematics.mechanism import Mechanism
from mbsym.passes.pass_manager import run
from mbsym.passes.standard import STANDARD_PASSES
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

T = TypeVar("T")

Method: TypeAlias = Literal["sparse", "articulated"]
"""How the mass matrix is factored; articulated inertias are the constraint force algorithm with cut columns."""

LONGEST_TRIED: Final = 40
"""Speeds between a body and ground above which sparse factors are not even tried."""


LITTLE: Final = 6
"""Speeds up to which plain differentiation is tried beside closed forms. It wins where little moves, as in a plane, or
force elements are many, and never where much does: its cost grows with the cube of a chain's length."""


def fewest_operations(mechanism: Mechanism, candidates: Mapping[Method, Callable[[], Program]]) -> Program:
    """The program with the fewest operations, the first among equals.

    Couplings cannot be held by articulated inertias, so that both ways are then the same one.
    """
    if mechanism.is_coupled:
        return candidates["sparse"]()
    if longest_path(mechanism) > LONGEST_TRIED:
        return candidates["articulated"]()
    return min((derive() for derive in candidates.values()), key=lambda program: program.operation_count().arithmetic)


def shortest_way(
    mechanism: Mechanism, ways: Mapping[str, Callable[[Mechanism], T]], entries: Callable[[T], Iterable[Scalar]]
) -> tuple[T, str]:
    """What the way with the fewest operations after the passes finds, and its name; where much moves the first's.

    Args:
        mechanism: of which.
        ways: by name, behind the first one those that are tried where little moves.
        entries: of what they find, those that are needed.
    """

    def operations(name: str) -> int:
        again = mechanism.afresh()
        refs = tuple(entry.ref for entry in entries(ways[name](again)))
        program = Program("entries", again.graph, (), (Output("entries", (len(refs),), refs),))
        return run(program, STANDARD_PASSES)[0].operation_count().arithmetic

    how = min(ways, key=operations) if 0 < mechanism.nv <= LITTLE else next(iter(ways))
    return ways[how](mechanism), how


def longest_path(mechanism: Mechanism) -> int:
    """The largest number of speeds between a body and ground."""
    depths = [0]
    for body in mechanism.bodies:
        depths.append(depths[body.parent] + len(body.v))
    return max(depths)
