"""Orders in which the joints of a tree can be eliminated from the constraint force equations.

Two joints are coupled in A = W^T P^T I^-1 P W exactly if they touch one body (ground does not couple), and eliminating
a joint merges its two bodies into one. Joints that touch no common body can be eliminated at the same time: a *round*.
Everything here is integers: joint j leads from body ``parents[j - 1]`` to body j.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import TypeAlias

Rounds: TypeAlias = tuple[tuple[int, ...], ...]
"""Joints eliminated in each round; those of one round do not depend on each other."""


def leaf_to_root(parents: Sequence[int]) -> Rounds:
    """Every joint after all joints outboard of it, one a round: no fill, for every tree."""
    return tuple((joint,) for joint in range(len(parents), 0, -1))


def rake_and_compress(parents: Sequence[int]) -> Rounds:
    """Rounds that remove leaf joints (rake) and every second joint of chains (compress).

    A chain of N joints needs about log2 N rounds (odd-even reduction), any tree of bounded degree O(log N) of them;
    fill is at most one block per joint.
    """
    ends = [[parent, joint] for joint, parent in enumerate(parents, start=1)]
    touching: dict[int, set[int]] = {}
    for joint, pair in enumerate(ends, start=1):
        for body in pair:
            if body:
                touching.setdefault(body, set()).add(joint)
    remaining = list(range(1, len(parents) + 1))
    rounds: list[tuple[int, ...]] = []
    while remaining:
        chosen = _independent(remaining, ends, touching)
        for joint in chosen:
            _merge(joint, ends, touching)
        rounds.append(tuple(chosen))
        gone = set(chosen)
        remaining = [joint for joint in remaining if joint not in gone]
    return tuple(rounds)


def _independent(remaining: list[int], ends: list[list[int]], touching: dict[int, set[int]]) -> list[int]:
    """Joints of the next round: what is loose at one end first, then inner joints between bodies of two joints.

    There always is one: a joint that has no remaining joint outboard of it is loose.
    """
    used: set[int] = set()
    chosen = []

    def degree(body: int) -> int:
        return len(touching[body]) if body else 1

    def take(joint: int) -> None:
        bodies = [body for body in ends[joint - 1] if body]
        if not used.intersection(bodies):
            used.update(bodies)
            chosen.append(joint)

    for joint in remaining:
        inner, outer = ends[joint - 1]
        if degree(outer) == 1 or (degree(inner) == 1 and degree(outer) <= 2):
            take(joint)
    for joint in remaining:
        inner, outer = ends[joint - 1]
        if degree(inner) <= 2 and degree(outer) <= 2:
            take(joint)
    return sorted(chosen)


def _merge(joint: int, ends: list[list[int]], touching: dict[int, set[int]]) -> None:
    """The joint's two bodies become one; a body merged with ground is ground, but its joints stay coupled."""
    inner, outer = ends[joint - 1]
    for body in (inner, outer):
        if body:
            touching[body].discard(joint)
    if not inner:
        return
    for other in touching.pop(outer):
        pair = ends[other - 1]
        pair[pair.index(outer)] = inner
        touching[inner].add(other)


def chains(parents: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Chains of joints: each starts at ground or at a node and runs outward to the next node inclusive, or to a leaf.

    A node is a body with more than one child.
    """
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for joint, parent in enumerate(parents, start=1):
        children[parent].append(joint)
    found = []
    for joint, parent in enumerate(parents, start=1):
        if parent and len(children[parent]) == 1:
            continue
        chain = [joint]
        while len(children[chain[-1]]) == 1:
            chain.append(children[chain[-1]][0])
        found.append(tuple(chain))
    return tuple(found)


def node_joints(parents: Sequence[int]) -> tuple[int, ...]:
    """Joints of nodes and of the children of nodes, ascending: what odd-even elimination leaves coupled."""
    nodes = {body for body in set(parents) if body and list(parents).count(body) > 1}
    return tuple(joint for joint, parent in enumerate(parents, start=1) if joint in nodes or parent in nodes)


def elimination_rounds(parents: Sequence[int]) -> int:
    """Rounds of odd-even elimination that decouple the longest chain, its terminating node counted."""
    return ceil(log2(max((len(chain) for chain in chains(parents)), default=1)))
