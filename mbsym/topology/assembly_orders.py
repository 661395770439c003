"""In which order joints are assembled, by name: each order is a policy of weights and a method.

The joints that close a loop when they come are the ones that are cut, so the order decides which these are.

Sources: Yuan, Zhang, Mao, Zhou: making a non-tree-shape mechanical system model to be a tree-shape system, sections 3
and 4 (weights, ground first, searches); Qi, Huang, Shao: dynamic assembling and regular labelling (order of input).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mbsym.errors import TopologyError
from mbsym.topology.spanning_tree import Method


@dataclass(frozen=True, slots=True)
class AssemblyOrder:
    """An order of assembly.

    Attributes:
        policy: of the weights, a key of ``joint_weights.POLICIES``.
        method: Kruskal's, or the search whose joints come first.
        weighed: True where lighter joints come first; False where joints come as they are given.
        sentence: about it.
    """

    policy: str
    method: Method
    weighed: bool
    sentence: str


ASSEMBLY_ORDERS: Final[Mapping[str, AssemblyOrder]] = {
    "weight": AssemblyOrder("default", "kruskal", True, "lighter joints first, which leaves the fewest coordinates"),
    "input": AssemblyOrder("default", "kruskal", False, "as they are given"),
    "type-only": AssemblyOrder("type-only", "kruskal", True, "by joint type, whatever drives them or touches ground"),
    "ground-first": AssemblyOrder("ground-first", "kruskal", True, "by weight, ground joints are cut before others"),
    "depth-first": AssemblyOrder("default", "depth-first", False, "those of a depth-first search from ground first"),
    "breadth-first": AssemblyOrder("default", "breadth-first", False, "those of a breadth-first search first"),
}
"""All orders; searches take the joints at a body as they are given."""


def assembly_order(name: str, where: str) -> AssemblyOrder:
    """The order of that name.

    Raises:
        TopologyError: there is none.
    """
    if name not in ASSEMBLY_ORDERS:
        *first, last = ASSEMBLY_ORDERS
        raise TopologyError(f"there is no order {name!r}", where=where, remedy=f"use {', '.join(first)} or {last}")
    return ASSEMBLY_ORDERS[name]
