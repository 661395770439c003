"""Serialised constraint force algorithm: the same equations, solved in rounds of independent joints.

*Reduction* eliminates leaf joints and every second joint of chains: O(N) operations in about 2 log2 N rounds for chains
and trees of bounded degree. *Elimination* is the odd-even elimination of the source, corrected; it is kept for
reference.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 3;
for reduction R. W. Hockney, A fast direct solution of Poisson's equation using Fourier analysis, 1965, and G. L.
Miller, J. H. Reif, Parallel tree contraction and its application, 1985.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from mbsym.formulations.constraint_force.block_system import BlockSystem
from mbsym.formulations.constraint_force.elimination_order import rake_and_compress
from mbsym.formulations.constraint_force.leaf_to_root import (
    functions_by,
    held_joints,
)
from mbsym.formulations.constraint_force.odd_even_elimination import odd_even_elimination
from mbsym.formulations.constraint_force.round_elimination import solve_in_rounds
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.scalar import Scalar

LEAST_OF_SQUARES: Final = Fraction(1, 10**3)
"""What counts as nothing where two neighbours are eliminated from each other: digits are lost twice."""


def reduction(system: BlockSystem, parents: tuple[int, ...], right: list[Scalar]) -> list[Scalar]:
    """The solution of A F = X in the rounds of rake and compress."""
    return solve_in_rounds(system, rake_and_compress(parents), right)


def level_schedule(mechanism: Mechanism) -> tuple[tuple[str, ...], ...]:
    """Names of the joints that each round of the reduction eliminates; those without unknown forces are left out."""
    held = held_joints(mechanism)
    names = [body.joint.name for body in mechanism.bodies]
    rounds = rake_and_compress(mechanism.labelling.inboard)
    kept = (tuple(names[j - 1] for j in joints if held[j - 1].columns) for joints in rounds)
    return tuple(joints for joints in kept if joints)


CFA_SERIAL_FUNCTIONS: Final = functions_by("serialised constraint force algorithm, reduction", reduction)
"""Functions of the catalogue that the serialised algorithm derives, by reduction."""

CFA_ELIMINATION_FUNCTIONS: Final = functions_by(
    "serialised constraint force algorithm, odd-even elimination", odd_even_elimination, least=LEAST_OF_SQUARES
)
"""The same functions by the odd-even elimination of the source."""
