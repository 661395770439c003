"""Symmetric block systems over graph scalars, and their factorisation in any order of pivots.

The unknowns are the constraint forces of joints, one block each. Pivots are scalar, so that the generated code is a
plain L D L^T factorisation without a square root; which order of joints is used decides fill and parallel rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias, TypeVar

from mbsym.errors import DerivationError, SymbolicError
from mbsym.formulations.constraint_force.elimination_order import Rounds
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar

Block: TypeAlias = tuple[tuple[Scalar, ...], ...]
"""Rows of a small dense matrix."""

Pair: TypeAlias = tuple[int, int]
"""Row joint and column joint of a block."""

T = TypeVar("T")


class ComputedBlocks(Mapping[Pair, T]):
    """Blocks that are made when first asked for, so that generated code computes them where it needs them."""

    def __init__(self, pairs: Iterable[Pair], compute: Callable[[Pair], T]) -> None:
        self._pairs = dict.fromkeys(pairs)
        self._compute = compute
        self._known: dict[Pair, T] = {}

    def __getitem__(self, pair: Pair) -> T:
        if pair not in self._known:
            if pair not in self._pairs:
                raise KeyError(pair)
            self._known[pair] = self._compute(pair)
        return self._known[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)


@dataclass(frozen=True, slots=True)
class BlockSystem:
    """A F = X with A symmetric positive definite.

    Attributes:
        graph: where the entries live.
        names: of the joints, for messages; joint j is ``names[j - 1]``.
        sizes: unknowns of each joint.
        blocks: A[i, j] for i <= j; blocks that are not there are zero.
    """

    graph: Graph
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    blocks: Mapping[Pair, Block]

    def enter(self, pair: Pair, rows: list[dict[int, Scalar]]) -> None:
        """Adds one block, and its transpose, to rows by scalar unknowns."""
        starts = self.starts
        i, j = pair
        for r, row in enumerate(self.blocks[pair], start=starts[i - 1]):
            for c, entry in enumerate(row, start=starts[j - 1]):
                if entry and (i != j or c >= r):
                    before = rows[r].get(c)
                    rows[r][c] = rows[c][r] = entry if before is None else entry + before

    @property
    def starts(self) -> tuple[int, ...]:
        """First scalar unknown of each joint, and at the end their number."""
        return tuple(accumulate(self.sizes, initial=0))


@dataclass(frozen=True, slots=True)
class Factorisation:
    """A = L D L^T in the order of the pivots.

    Attributes:
        system: what was factorised.
        sections: scalar unknowns in the order of elimination, in titled groups.
        inverses: 1 / D by scalar unknown.
        factors: by pivot, L's entries below it.
    """

    system: BlockSystem
    sections: tuple[tuple[str, tuple[int, ...]], ...]
    inverses: Mapping[int, Scalar]
    factors: Mapping[int, Mapping[int, Scalar]]


def factorise(
    system: BlockSystem, rounds: Rounds, right: Sequence[Sequence[Scalar]] = ()
) -> tuple[Factorisation, list[list[Scalar]]]:
    """Eliminates the joints round by round and reduces right sides on the way.

    Each block of A enters when the first of its joints is eliminated: updates before that are collected.

    Args:
        system: the matrix.
        rounds: every joint once.
        right: columns X over the scalar unknowns.

    Returns:
        The factorisation and L^-1 X.

    Raises:
        DerivationError: a pivot is the constant zero.
    """
    rows: list[dict[int, Scalar]] = [{} for _ in range(system.starts[-1])]
    waiting: list[dict[Pair, None]] = [{} for _ in system.sizes]
    for pair in system.blocks:
        for joint in pair:
            waiting[joint - 1][pair] = None
    reduced = [list(column) for column in right]
    starts, sizes = system.starts, system.sizes
    inverses: dict[int, Scalar] = {}
    factors: dict[int, dict[int, Scalar]] = {}
    sections: list[tuple[str, tuple[int, ...]]] = []
    for title, joints in titled_rounds(rounds, sizes):
        pivots: list[int] = []
        with system.graph.section(f"{title}, elimination"):
            for joint in joints:
                for pair in list(waiting[joint - 1]):
                    system.enter(pair, rows)
                    for end in pair:
                        waiting[end - 1].pop(pair, None)
                for k in range(starts[joint] - 1, starts[joint - 1] - 1, -1):
                    inverses[k], factors[k] = eliminate(system, rows, reduced, joint, k)
                    pivots.append(k)
        sections.append((title, tuple(pivots)))
    return Factorisation(system, tuple(sections), inverses, factors), reduced


def eliminate(
    system: BlockSystem,
    rows: list[dict[int, Scalar]] | dict[int, dict[int, Scalar]],
    right: list[list[Scalar]] | list[dict[int, Scalar]],
    joint: int,
    k: int,
) -> tuple[Scalar, dict[int, Scalar]]:
    """One scalar unknown of a joint: 1 / D and L's column; the rows and right sides are updated.

    Raises:
        DerivationError: the pivot is the constant zero.
    """
    own = rows[k]
    pivot = own.pop(k, Scalar(system.graph, 0))
    inverse = inverse_pivot(system, joint, pivot).named(f"inv_d{joint}_{k - system.starts[joint - 1] + 1}")
    neighbours = sorted(own)
    factors = {i: own[i] * inverse for i in neighbours}
    for place, i in enumerate(neighbours):
        row = rows[i]
        del row[k]
        factor = factors[i]
        for j in neighbours[place:]:
            change = factor * own[j]
            before = row.get(j)
            after = -change if before is None else before - change
            row[j] = rows[j][i] = after
        for column in right:
            column[i] = column[i] - factor * column[k]
    return inverse, factors


def inverse_pivot(system: BlockSystem, joint: int, pivot: Scalar) -> Scalar:
    """1 / D of an unknown of a joint.

    Raises:
        DerivationError: the pivot is the constant zero.
    """
    try:
        # Constraints of a tree are independent of each other and bodies here have inverse inertias: A is positive
        # definite in every state.
        return 1 / pivot.never_zero()
    except SymbolicError:
        raise DerivationError(
            "the constraint force equations are singular",
            where=f"joint {system.names[joint - 1]}",
            remedy="look for a body whose inertia is zero, or use the formulation articulated-body",
        ) from None


def substitute(factorisation: Factorisation, reduced: Sequence[Scalar]) -> list[Scalar]:
    """The solution of A F = X from L^-1 X."""
    solution = list(reduced)
    system = factorisation.system
    joints = [joint for joint, size in enumerate(system.sizes, start=1) for _ in range(size)]
    for title, pivots in reversed(factorisation.sections):
        with system.graph.section(f"{title}, substitution"):
            for k in reversed(pivots):
                total = reduced[k] * factorisation.inverses[k]
                for i, factor in factorisation.factors[k].items():
                    total = total - factor * solution[i]
                solution[k] = total.named(f"F{joints[k]}_{k - system.starts[joints[k] - 1] + 1}")
    return solution


def solve(system: BlockSystem, rounds: Rounds, right: Sequence[Scalar]) -> list[Scalar]:
    """The solution of A F = X.

    Raises:
        DerivationError: a pivot is the constant zero.
    """
    factorisation, (reduced,) = factorise(system, rounds, [right])
    return substitute(factorisation, reduced)


def titled_rounds(rounds: Rounds, sizes: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
    """Rounds with their section titles, "round 3: joints 2, 6, 10"; single joints one by one are one section."""
    if all(len(joints) == 1 for joints in rounds):
        return [("constraint forces", tuple(joint for joints in rounds for joint in joints))]
    titled = []
    for number, joints in enumerate(rounds, start=1):
        held = [str(joint) for joint in joints if sizes[joint - 1]]
        shown = held if len(held) <= 16 else [*held[:15], "...", held[-1]]
        noun = "joint" if len(held) == 1 else "joints"
        titled.append((f"constraint forces, round {number}: {noun} {', '.join(shown) or 'none'}", joints))
    return titled
