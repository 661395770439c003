"""Choice of the spanning tree, and with it of the cut joints: a method orders the joints, assembly does the rest.

Kruskal's method is assembly in the order of ascending weight. Depth-first and breadth-first search order the joints
as they discover bodies from the base, so assembly keeps just the joints of the search. Joints forced into the tree
are assembled before all others, joints forced to be cut after all others; a demand that assembly cannot meet is a
contradiction, and the error names the loop that proves it. An order of assembly is a method and a policy of weights.

Sources: Yuan, Zhang, Mao, Zhou: making a non-tree-shape mechanical system model to be a tree-shape system, section 4;
Qi, Huang, Shao: dynamic assembling and regular labelling, section 1.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal

from mbsym.errors import TopologyError
from mbsym.topology.assembly import Assembly, assemble
from mbsym.topology.graph import JointGraph, listing, refuse_isolated_branches

Method = Literal["kruskal", "depth-first", "breadth-first"]
METHODS: tuple[Method, ...] = ("kruskal", "depth-first", "breadth-first")


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


def spanning_tree(
    graph: JointGraph,
    weights: Sequence[int] | None = None,
    method: Method = "kruskal",
    forced_cut: Sequence[int] = (),
    forced_tree: Sequence[int] = (),
) -> Assembly:
    """Assembles the joints in the order of a method; the joints of pattern d are the cut joints.

    Args:
        graph: the joint graph.
        weights: weight of each joint, the lighter one is assembled first; None is the order given.
        method: "kruskal" takes joints by (weight, number) and so finds the spanning tree of minimum weight;
            "depth-first" and "breadth-first" search from the base and take the joints at a body by (weight, number).
        forced_cut: 0-based numbers of joints that must be cut.
        forced_tree: 0-based numbers of joints that must not be cut.

    Raises:
        TopologyError: bodies without connection to the base; a joint forced both ways; forced tree joints that form
            a loop; forced cut joints that would take bodies off the base.
    """
    if method not in METHODS:
        raise TopologyError(f"there is no method {method!r}", where="method", remedy=f"use one of {', '.join(METHODS)}")
    both = sorted(set(forced_cut) & set(forced_tree))
    if both:
        raise TopologyError(
            "the joint is forced to be cut and forced into the tree",
            where=f"joint {graph.joint_names[both[0]]}",
            remedy="drop one of the two demands",
        )
    by_weight = list(range(graph.nj)) if weights is None else sorted(range(graph.nj), key=weights.__getitem__)
    first, free, last = _split(by_weight, forced_tree, forced_cut)
    if method != "kruskal":
        free = _search_order(graph, first + free, depth_first=method == "depth-first", already_taken=first)
    assembly = assemble(graph, first + free + last)
    if graph.nj - assembly.patterns.count("d") < graph.nb:
        refuse_isolated_branches(graph)
    _refuse_forced_loop(graph, assembly, first)
    _refuse_lost_bodies(graph, assembly, last)
    return assembly


def _split(
    by_weight: list[int], forced_tree: Sequence[int], forced_cut: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    if not forced_tree and not forced_cut:
        return [], by_weight, []
    tree, cut = frozenset(forced_tree), frozenset(forced_cut)
    return (
        [joint for joint in by_weight if joint in tree],
        [joint for joint in by_weight if joint not in tree and joint not in cut],
        [joint for joint in by_weight if joint in cut],
    )


def _search_order(
    graph: JointGraph, candidates: Sequence[int], *, depth_first: bool, already_taken: Sequence[int]
) -> list[int]:
    """Returns the candidates but those already taken: first the joints by which a search discovers bodies, in the
    order of discovery, then the others in the order given."""
    starts, adjacency = _adjacency(graph, candidates)
    discovered = (_depth_first if depth_first else _breadth_first)(graph, starts, adjacency)
    placed = bytearray(graph.nj)
    for joint in already_taken:
        placed[joint] = 1
    order = [joint for joint in discovered if not placed[joint]]
    for joint in order:
        placed[joint] = 1
    order += [joint for joint in candidates if not placed[joint]]
    return order


def _adjacency(graph: JointGraph, candidates: Sequence[int]) -> tuple[array[int], array[int]]:
    """Returns the joints at each body, in the order of the candidates, as one list with the start of each body."""
    predecessors, successors = graph.predecessors, graph.successors
    starts = array("i", [0]) * (graph.nb + 2)
    for joint in candidates:
        starts[predecessors[joint] + 1] += 1
        starts[successors[joint] + 1] += 1
    starts = array("i", accumulate(starts))
    slots = starts[:]
    adjacency = array("i", [0]) * starts[-1]
    for joint in candidates:
        body = predecessors[joint]
        slot = slots[body]
        adjacency[slot] = joint
        slots[body] = slot + 1
        body = successors[joint]
        slot = slots[body]
        adjacency[slot] = joint
        slots[body] = slot + 1
    return starts, adjacency


def _depth_first(graph: JointGraph, starts: array[int], adjacency: array[int]) -> list[int]:
    predecessors, successors = graph.predecessors, graph.successors
    seen = bytearray(graph.nb + 1)
    seen[0] = 1
    positions = starts[:]
    stack = [0]
    discovered = []
    while stack:
        body = stack[-1]
        for position in range(positions[body], starts[body + 1]):
            joint = adjacency[position]
            other = predecessors[joint] + successors[joint] - body
            if not seen[other]:
                seen[other] = 1
                positions[body] = position + 1
                discovered.append(joint)
                stack.append(other)
                break
        else:
            stack.pop()
    return discovered


def _breadth_first(graph: JointGraph, starts: array[int], adjacency: array[int]) -> list[int]:
    predecessors, successors = graph.predecessors, graph.successors
    seen = bytearray(graph.nb + 1)
    seen[0] = 1
    queue = deque([0])
    discovered = []
    while queue:
        body = queue.popleft()
        for joint in adjacency[starts[body] : starts[body + 1]]:
            other = predecessors[joint] + successors[joint] - body
            if not seen[other]:
                seen[other] = 1
                discovered.append(joint)
                queue.append(other)
    return discovered


def _refuse_forced_loop(graph: JointGraph, assembly: Assembly, forced_tree: Sequence[int]) -> None:
    for position, joint in enumerate(forced_tree):
        if assembly.patterns[joint] == "d":
            loop = _loop_through(graph, joint, forced_tree[:position], frozenset())
            raise TopologyError(
                f"the joints forced into the tree form the loop {listing(graph.joint_names[k] for k in loop)}",
                where=f"joint {graph.joint_names[joint]}",
                remedy="let one joint of the loop be cut",
            )


def _refuse_lost_bodies(graph: JointGraph, assembly: Assembly, forced_cut: Sequence[int]) -> None:
    for joint in forced_cut:
        if assembly.patterns[joint] != "d":
            name = graph.joint_names[joint]
            loop = _loop_through(graph, joint, range(graph.nj), frozenset(forced_cut))
            if not loop:
                raise TopologyError(
                    "the joint is forced to be cut but lies in no loop, it alone connects bodies with the base",
                    where=f"joint {name}",
                    remedy="do not force it to be cut",
                )
            demanded = frozenset(forced_cut)
            raise TopologyError(
                f"the joints {listing(graph.joint_names[k] for k in loop if k in demanded)} of the loop "
                f"{listing(graph.joint_names[k] for k in loop)} are all forced to be cut, "
                "and no other loop keeps their bodies connected with the base",
                where=f"joint {name}",
                remedy=f"do not force {name} to be cut",
            )


def _loop_through(graph: JointGraph, joint: int, usable: Collection[int], avoided: frozenset[int]) -> list[int]:
    """Returns the joints of a loop through ``joint`` along usable joints, in order, with as few avoided ones as
    possible; the empty list if there is none."""
    starts, adjacency = _adjacency(graph, sorted(usable))
    goal, start = graph.predecessors[joint], graph.successors[joint]
    arrived_by: dict[int, int] = {}
    queue: deque[tuple[int, int]] = deque([(start, joint)])
    while queue:
        body, by = queue.popleft()
        if body in arrived_by:
            continue
        arrived_by[body] = by
        if body == goal:
            break
        for other_joint in adjacency[starts[body] : starts[body + 1]]:
            if other_joint == joint:
                continue
            other = graph.predecessors[other_joint] + graph.successors[other_joint] - body
            if other not in arrived_by:
                (queue.append if other_joint in avoided else queue.appendleft)((other, other_joint))
    if goal not in arrived_by:
        return []
    loop = []
    body = goal
    while body != start:
        by = arrived_by[body]
        loop.append(by)
        body = graph.predecessors[by] + graph.successors[by] - body
    return [joint, *reversed(loop)]
