"""Serialised constraint force algorithm: the same equations, solved in rounds of independent joints.

*Reduction* eliminates leaf joints and every second joint of chains: O(N) operations in about 2 log2 N rounds for chains
and trees of bounded degree. It is so written that the joints of a round do the same work beside each other: each joint
gathers its rows of A F = X, what earlier rounds have left in them included, eliminates its own unknowns and leaves to
its neighbours what they are to add up; no joint of a round reads what another one of that round has written. Every
joint has sections of its own, and joints of one shape follow each other, which lets the code generator put them in the
lanes of one loop.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 3;
for reduction R. W. Hockney, A fast direct solution of Poisson's equation using Fourier analysis, 1965, and G. L.
Miller, J. H. Reif, Parallel tree contraction and its application, 1985.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mbsym.formulations.constraint_force.block_system import BlockSystem, Pair, eliminate
from mbsym.formulations.constraint_force.elimination_order import Rounds, rake_and_compress
from mbsym.formulations.constraint_force.leaf_to_root import functions_by, held_joints
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.scalar import Scalar

Entries = dict[Pair, Scalar]
"""Entries of a symmetric matrix by scalar unknowns (row <= column)."""


@dataclass(frozen=True, slots=True)
class Eliminated:
    """What a joint keeps for the substitution: its unknowns in order of elimination with 1/D, L's column and L^-1 X."""

    joint: int
    pivots: tuple[tuple[int, Scalar, dict[int, Scalar], Scalar], ...]


class _Collected:
    """What waits to be added up: blocks of A that have not been touched, and what eliminated joints have left."""

    def __init__(self, system: BlockSystem, right: Sequence[Scalar]) -> None:
        self._system = system
        self.right = [[value] for value in right]
        self._waiting: list[dict[Pair, None]] = [{} for _ in system.sizes]
        self._left: list[dict[Pair, list[Scalar]]] = [{} for _ in system.sizes]
        self._owners = [joint for joint, size in enumerate(system.sizes, start=1) for _ in range(size)]
        for pair in system.blocks:
            if system.sizes[pair[0] - 1] and system.sizes[pair[1] - 1]:
                for joint in pair:
                    self._waiting[joint - 1][pair] = None

    def neighbours(self, joint: int) -> list[int]:
        """The other joints in its rows, ascending."""
        found = {other for pair in self._waiting[joint - 1] for other in pair}
        found |= {self._owners[k] for entry in self._left[joint - 1] for k in entry}
        return sorted(found - {joint})

    def take(self, joint: int) -> Entries:
        """The joint's rows, removed from here."""
        entries: Entries = {}
        rows: list[dict[int, Scalar]] = [{} for _ in self._owners]
        for pair in list(self._waiting[joint - 1]):
            self._system.enter(pair, rows)
            for end in pair:
                self._waiting[end - 1].pop(pair, None)
        for r, row in enumerate(rows):
            entries |= {(r, c): entry for c, entry in row.items() if r <= c}
        for entry, values in list(self._left[joint - 1].items()):
            total = entries.get(entry)
            for value in values:
                total = value if total is None else total + value
            if total is not None:
                entries[entry] = total
            for k in entry:
                self._left[self._owners[k] - 1].pop(entry, None)
        return {entry: value for entry, value in entries.items() if value}

    def leave(self, entry: Pair, value: Scalar) -> None:
        """Adds to an entry later."""
        first = self._left[self._owners[entry[0]] - 1].setdefault(entry, [])
        first.append(value)
        self._left[self._owners[entry[1]] - 1][entry] = first


def solve_in_rounds(system: BlockSystem, rounds: Rounds, right: Sequence[Scalar]) -> list[Scalar]:
    """The solution of A F = X.

    Raises:
        DerivationError: a pivot is the constant zero.
    """
    collected = _Collected(system, right)
    solved: list[list[Eliminated]] = []
    for number, joints in enumerate(rounds, start=1):
        held = [joint for joint in joints if system.sizes[joint - 1]]
        shapes = {joint: [system.sizes[k - 1] for k in collected.neighbours(joint)] for joint in held}
        held.sort(key=lambda joint: (system.sizes[joint - 1], shapes[joint], joint))
        done = []
        for joint in held:
            with system.graph.section(f"constraint forces, round {number}, elimination: joint {joint}"):
                done.append(_eliminated(system, collected, joint))
        solved.append(done)
    solution = [Scalar(system.graph, 0)] * system.starts[-1]
    for number in range(len(solved), 0, -1):
        with system.graph.section(f"constraint forces, round {number}, constant factors"):
            known = [_constant_products(item, solution) for item in solved[number - 1]]
        for item, products in zip(solved[number - 1], known, strict=True):
            with system.graph.section(f"constraint forces, round {number}, substitution: joint {item.joint}"):
                _substitute(system, item, products, solution)
    return solution


def _eliminated(system: BlockSystem, collected: _Collected, joint: int) -> Eliminated:
    starts = system.starts
    own = range(starts[joint - 1], starts[joint])
    neighbours = [k for other in collected.neighbours(joint) for k in range(starts[other - 1], starts[other])]
    zero = Scalar(system.graph, 0)
    rows: dict[int, dict[int, Scalar]] = {k: {} for k in (*own, *neighbours)}
    for (r, c), entry in collected.take(joint).items():
        rows[r][c] = rows[c][r] = entry
    column = dict.fromkeys(neighbours, zero)
    for k in own:
        total = collected.right[k][0]
        for value in collected.right[k][1:]:
            total = total + value
        column[k] = total
    pivots = []
    for k in reversed(own):
        inverse, factors = eliminate(system, rows, [column], joint, k)
        named = {i: factor.named(f"l{joint}_{k - own.start + 1}_{i + 1}") for i, factor in factors.items()}
        pivots.append((k, inverse, named, column[k].named(f"z{joint}_{k - own.start + 1}")))
    for r in neighbours:
        for c, entry in rows[r].items():
            if r <= c:
                collected.leave((r, c), entry.named(f"a{joint}_{r + 1}_{c + 1}"))
        if column[r]:
            collected.right[r].append(column[r].named(f"x{joint}_{r + 1}"))
    return Eliminated(joint, tuple(pivots))


def _constant_products(item: Eliminated, solution: Sequence[Scalar]) -> dict[Pair, Scalar]:
    """What constant factors of L contribute, which equal joints have in common: no joint may find it with another."""
    own = {k for k, *_ in item.pivots}
    return {
        (k, i): (factor * solution[i]).named(f"p{item.joint}_{k + 1}_{i + 1}")
        for k, _, factors, _ in item.pivots
        for i, factor in factors.items()
        if factor.constant is not None and i not in own
    }


def _substitute(system: BlockSystem, item: Eliminated, products: Mapping[Pair, Scalar], solution: list[Scalar]) -> None:
    start = system.starts[item.joint - 1]
    for k, inverse, factors, reduced in reversed(item.pivots):
        total = reduced * inverse
        for i, factor in factors.items():
            total = total - (products[k, i] if (k, i) in products else factor * solution[i])
        solution[k] = total.named(f"F{item.joint}_{k - start + 1}")


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
