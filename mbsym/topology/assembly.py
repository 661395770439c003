"""Dynamic assembly: joints are added one by one, and each one's pattern says what it does to the branches.

a: a new isolated branch. b: a branch grows by one body. c: two branches merge. d: a loop closes, the joint is cut.
Two implementations give the same patterns: union-find in nearly linear time, and the connectivity matrix S of the
paper, step by step, for those who want to look.

Source: Qi, Huang, Shao: dynamic assembling and regular labelling, section 1, with S_ii = 0 until body i has entered
(which the paper's printed matrices need) and I = I_i u I_j u {i, j} in rule 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mbsym.errors import TopologyError
from mbsym.topology.graph import JointGraph

HISTORY_LIMIT = 1000
"""Most bodies (the base counted) and most joints for which the history of S is built; it grows with their product."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """Result of assembling every joint once.

    Attributes:
        order: 0-based joint numbers in the order of assembly.
        patterns: the letter a, b, c or d of each joint, by original joint number; d is a cut joint.
    """

    order: Sequence[int]
    patterns: str


@dataclass(frozen=True, slots=True)
class AssemblyStep:
    """S after one joint.

    Attributes:
        joint: 0-based number of the joint that was added.
        pattern: its letter.
        rows: row b of S as an integer whose bit k is S[b, k], original body numbers.
    """

    joint: int
    pattern: str
    rows: tuple[int, ...]

    def matrix(self) -> tuple[tuple[int, ...], ...]:
        """Returns S, (nb+1) x (nb+1) zeros and ones in original body numbers."""
        size = range(len(self.rows))
        return tuple(tuple(row >> k & 1 for k in size) for row in self.rows)

    def branches(self) -> tuple[tuple[int, ...], ...]:
        """Returns the sets of connected bodies, ascending, sorted by their first body."""
        return tuple(tuple(_members(row)) for body, row in enumerate(self.rows) if row and row & -row == 1 << body)


def assemble(graph: JointGraph, order: Sequence[int]) -> Assembly:
    """Assembles the joints in the given order by union-find.

    A joint is of pattern d exactly if its bodies are already in one branch; else a, b or c by how many of the two
    bodies have entered before. Cost O(nj alpha(nb)), memory O(nb + nj).

    Args:
        graph: the joint graph.
        order: every 0-based joint number once.
    """
    predecessors, successors = graph.predecessors, graph.successors
    link = list(range(graph.nb + 1))
    size = [1] * (graph.nb + 1)
    entered = bytearray(graph.nb + 1)
    letters = bytearray(b"d") * graph.nj
    joining = b"abc"
    for joint in order:
        i = a = predecessors[joint]
        j = b = successors[joint]
        while link[a] != a:
            link[a] = a = link[link[a]]
        while link[b] != b:
            link[b] = b = link[link[b]]
        if a == b:
            continue
        letters[joint] = joining[entered[i] + entered[j]]
        entered[i] = entered[j] = 1
        if size[a] < size[b]:
            a, b = b, a
        link[b] = a
        size[a] += size[b]
    return Assembly(order, letters.decode("ascii"))


def assembly_history(graph: JointGraph, order: Sequence[int]) -> tuple[AssemblyStep, ...]:
    """Assembles the joints in the given order by the connectivity matrix and keeps S after each of them.

    Raises:
        TopologyError: more than HISTORY_LIMIT bodies or joints.
    """
    if max(graph.nb + 1, graph.nj) > HISTORY_LIMIT:
        raise TopologyError(
            f"the history of the connectivity matrix is kept for at most {HISTORY_LIMIT} bodies and joints, "
            f"this system has {graph.nb + 1} bodies with the base and {graph.nj} joints",
            where="history",
            remedy="use the patterns, which are known for any size",
        )
    rows = [0] * (graph.nb + 1)
    steps: list[AssemblyStep] = []
    for joint in order:
        i, j = graph.predecessors[joint], graph.successors[joint]
        row_i, row_j = rows[i], rows[j]
        if not row_i and not row_j:
            pattern = "a"
        elif not row_i or not row_j:
            pattern = "b"
        elif not row_i >> j & 1:
            pattern = "c"
        else:
            pattern = "d"
        if pattern != "d":
            connected = row_i | row_j | 1 << i | 1 << j
            for body in _members(connected):
                rows[body] = connected
        steps.append(AssemblyStep(joint, pattern, tuple(rows)))
    return tuple(steps)


def _members(row: int) -> Iterator[int]:
    while row:
        lowest = row & -row
        yield lowest.bit_length() - 1
        row ^= lowest
