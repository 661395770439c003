"""The joint graph: user names and directions turned into the 2 x nj integer array of H+ and H-.

Source: Qi, Huang, Shao: dynamic assembling and regular labelling of closed-loop multibody systems, eq (1).
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mbsym.errors import TopologyError

LISTED_NAMES = 12
"""How many names an error message spells out before it says how many more there are."""


@dataclass(frozen=True, slots=True)
class JointGraph:
    """Bodies and joints in original numbers.

    Original body numbers run 0..nb with the base as 0. They follow the list of bodies if one was given, else the
    integers themselves if every body is an integer (ascending), else the order of first mention in the joints.

    Attributes:
        body_names: user name of each original body number, the base first.
        joint_names: user name of each joint, in the order given (index 0 is original joint 1).
        predecessors: H+ of each joint as an original body number.
        successors: H- of each joint as an original body number.
    """

    body_names: tuple[Hashable, ...]
    joint_names: tuple[Hashable, ...]
    predecessors: Sequence[int]
    successors: Sequence[int]

    @property
    def nb(self) -> int:
        """Number of bodies, the base not counted."""
        return len(self.body_names) - 1

    @property
    def nj(self) -> int:
        """Number of joints."""
        return len(self.joint_names)

    def joint_numbers(self, names: Iterable[Hashable], purpose: str) -> list[int]:
        """Returns the ascending 0-based numbers of the joints called ``names``; an unknown name is an error."""
        wanted = list(names)
        if not wanted:
            return []
        number_of = {name: k for k, name in enumerate(self.joint_names)}
        for name in wanted:
            if name not in number_of:
                raise TopologyError(
                    f"{purpose} names a joint that does not exist",
                    where=f"joint {name}",
                    remedy="use the name of one of the joints",
                )
        return sorted({number_of[name] for name in wanted})


def listing(names: Iterable[Hashable]) -> str:
    """Returns names as text for a message, the first few of them when there are many."""
    every = [str(name) for name in names]
    if len(every) <= LISTED_NAMES:
        return ", ".join(every)
    return ", ".join(every[:LISTED_NAMES]) + f" and {len(every) - LISTED_NAMES} more"


def read_graph(
    joints: Iterable[Sequence[Any]], base: Hashable = 0, bodies: Iterable[Hashable] | None = None
) -> JointGraph:
    """Reads joints ``(name, H+, H-)`` into a graph in original numbers.

    Args:
        joints: one triple for each joint; names and bodies are any hashables. Joint k points from H+ to H-.
        base: the body that is ground.
        bodies: every body in the order that numbers them; with it a joint to any other body is an error, and a
            body without joints is known. The base may be listed or not.

    Raises:
        TopologyError: an entry is no triple, a name repeats, a joint connects a body with itself or with a body
            that is not listed.
    """
    number_of: dict[Hashable, int] = {base: 0}
    closed = bodies is not None
    if bodies is not None:
        _number_listed_bodies(bodies, base, number_of)
    joint_names: list[Hashable] = []
    predecessors: list[int] = []
    successors: list[int] = []
    for joint in joints:
        try:
            name, tail, head = joint
        except (TypeError, ValueError):
            raise TopologyError(
                f"joint {len(joint_names) + 1} is {joint!r}",
                where="joints",
                remedy="give every joint as (name, H+, H-)",
            ) from None
        try:
            if tail == head:
                raise TopologyError(
                    f"the joint connects body {tail} with itself",
                    where=f"joint {name}",
                    remedy="connect two different bodies",
                )
            if closed and (tail not in number_of or head not in number_of):
                unknown = tail if tail not in number_of else head
                raise TopologyError(
                    f"the joint connects an unknown body {unknown}",
                    where=f"joint {name}",
                    remedy="add the body to the list of bodies or correct its name",
                )
            predecessors.append(number_of.setdefault(tail, len(number_of)))
            successors.append(number_of.setdefault(head, len(number_of)))
        except TypeError:
            raise TopologyError(
                f"a body of the joint cannot serve as a name ({tail!r}, {head!r})",
                where=f"joint {name}",
                remedy="name bodies by numbers, strings or other hashable values",
            ) from None
        joint_names.append(name)
    _refuse_repeated_names(joint_names)
    body_names = tuple(number_of)
    if not closed and all(type(body) is int for body in body_names):
        body_names, renumber = _ascending(body_names)
        predecessors = [renumber[body] for body in predecessors]
        successors = [renumber[body] for body in successors]
    # Compact arrays: in a large graph, time goes into fetching scattered integer objects from memory.
    return JointGraph(body_names, tuple(joint_names), array("i", predecessors), array("i", successors))


def require_ground(graph: JointGraph) -> None:
    """Raises TopologyError if no joint touches the base."""
    if 0 not in graph.predecessors and 0 not in graph.successors:
        what = "no joint touches the base" if graph.nj else "there is no joint"
        raise TopologyError(
            what,
            where=f"base {graph.body_names[0]}",
            remedy="connect a body to the base, name the right base, or have free joints added with free_roots='add'",
        )


def branches(graph: JointGraph) -> list[list[int]]:
    """Returns the connected sets of bodies, each ascending in original numbers, sorted by their first body."""
    link = list(range(graph.nb + 1))
    for a, b in zip(graph.predecessors, graph.successors, strict=True):
        while link[a] != a:
            link[a] = a = link[link[a]]
        while link[b] != b:
            link[b] = b = link[link[b]]
        # The smallest number is the root, so one ascending sweep below sees every root before its members.
        if a < b:
            link[b] = a
        else:
            link[a] = b
    members: dict[int, list[int]] = {}
    for body in range(graph.nb + 1):
        link[body] = root = link[link[body]]
        members.setdefault(root, []).append(body)
    return list(members.values())


def refuse_isolated_branches(graph: JointGraph) -> None:
    """Raises TopologyError that lists every branch without a way to ground by user names."""
    isolated = branches(graph)[1:]
    if not isolated:
        return
    shown = "; ".join(
        "{" + listing(graph.body_names[body] for body in branch) + "}" for branch in isolated[:LISTED_NAMES]
    )
    more = f" and {len(isolated) - LISTED_NAMES} more branches" if len(isolated) > LISTED_NAMES else ""
    one = len(isolated) == 1
    raise TopologyError(
        f"{len(isolated)} {'branch is' if one else 'branches are'} not connected to the base: {shown}{more}",
        where=f"base {graph.body_names[0]}",
        remedy="add the missing joints, or have free ones added with free_roots='add'",
    )


def with_free_joints(graph: JointGraph) -> JointGraph:
    """Returns the graph with one virtual free joint, base to first body, for each branch that nothing grounds.

    The free joint of a branch goes to its first body in original numbers. Joints are appended in the order of these
    bodies; their names derive from the body's name and never equal a name in use.
    """
    isolated = branches(graph)[1:]
    if not isolated:
        return graph
    names = list(graph.joint_names)
    taken = {str(name) for name in names}
    for branch in isolated:
        stem = name = f"{graph.body_names[branch[0]]}_free"
        count = 1
        while name in taken:
            count += 1
            name = f"{stem}_{count}"
        taken.add(name)
        names.append(name)
    return JointGraph(
        graph.body_names,
        tuple(names),
        array("i", [*graph.predecessors, *(0 for _ in isolated)]),
        array("i", [*graph.successors, *(branch[0] for branch in isolated)]),
    )


def _number_listed_bodies(bodies: Iterable[Hashable], base: Hashable, number_of: dict[Hashable, int]) -> None:
    base_seen = False
    for body in bodies:
        if body == base and not base_seen:
            base_seen = True
        elif body in number_of:
            raise TopologyError("the body is listed twice", where=f"body {body}", remedy="give each body its own name")
        else:
            number_of[body] = len(number_of)


def _refuse_repeated_names(joint_names: Sequence[Hashable]) -> None:
    try:
        if len(set(joint_names)) == len(joint_names):
            return
    except TypeError:
        raise TopologyError(
            "a joint's name cannot serve as a name",
            where="joints",
            remedy="name joints by numbers, strings or other hashable values",
        ) from None
    first: dict[Hashable, int] = {}
    for position, name in enumerate(joint_names, start=1):
        if name in first:
            raise TopologyError(
                f"joints {first[name]} and {position} have the same name",
                where=f"joint {name}",
                remedy="give each joint its own name",
            )
        first[name] = position


def _ascending(body_names: tuple[Hashable, ...]) -> tuple[tuple[Hashable, ...], list[int]]:
    """Returns integer names ascending behind the base, and the new number of each old number."""
    numbers: list[int] = [body for body in body_names if isinstance(body, int)]
    order = sorted(range(1, len(numbers)), key=numbers.__getitem__)
    renumber = [0] * len(numbers)
    for new, old in enumerate(order, start=1):
        renumber[old] = new
    return (body_names[0], *(body_names[old] for old in order)), renumber
