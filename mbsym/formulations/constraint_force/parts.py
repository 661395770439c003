"""Parts of a tree that threads can take at the same time, and rounds in which what they leave is joined.

A subtree is eliminated from its leaves and hands one inertia to the body that carries it. A long path is cut into
segments that have two handles: the first body, and the last one, on which the next segment pulls with a wrench that is
not known yet. Neighbours along a path are joined two by two, so that a path of m parts takes log2 m rounds. Where few
bodies lie between branches, one thread eliminates them. Everything here is integers: joint j leads from body
``parents[j - 1]`` to body j.

Source: R. Featherstone, A divide-and-conquer articulated-body algorithm for parallel O(log(n)) calculation of
rigid-body dynamics, 1999: the tree of assembly; J. H. Critchley, K. S. Anderson, A. Binani, An efficient multibody
divide and conquer algorithm and implementation, 2009: subsystems that a recursion makes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from math import ceil
from typing import Final, TypeAlias

ALONG_PATH: Final = 1.75
"""What a body between two handles costs, by one that is eliminated from the leaves: counted operations."""

JOINING: Final = 5.0
"""What joining two segments costs, likewise."""

ENDING: Final = 2.6
"""What joining a segment and what it ends at costs, likewise."""

FINER: Final = (1, 1.5, 2, 3, 4)
"""Parts have no more than this part of a thread's share."""


@dataclass(frozen=True, slots=True)
class Join:
    """Two neighbours that become one part.

    Attributes:
        body: the first one of the outboard neighbour, whose joint is between both.
        inner: the first body of the inboard neighbour.
        outer: the last body of the outboard one where something is still to be joined to that, else 0.
    """

    body: int
    inner: int
    outer: int


Item: TypeAlias = tuple[Join | int, ...]
"""Neighbours that are joined and bodies that are eliminated, one after the other."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A tree in parts.

    Attributes:
        segments: paths between two handles, from the first body to the last.
        tasks: labels of the bodies of each thread's parts, ascending; segments with all that they carry besides.
        between: bodies of no part, ascending.
        rounds: what follows the tasks; the items of a round do not depend on each other.
    """

    segments: tuple[tuple[int, ...], ...]
    tasks: tuple[tuple[int, ...], ...]
    between: tuple[int, ...]
    rounds: tuple[tuple[Item, ...], ...]

    @property
    def joins(self) -> tuple[Join, ...]:
        """All of them in order."""
        every = (each for items in self.rounds for item in items for each in item)
        return tuple(each for each in every if isinstance(each, Join))

    def order(self, parents: Sequence[int]) -> tuple[int, ...]:
        """Joints in an order of elimination without fill: ground is an end like the leaves, and segments on it are
        eliminated outward, behind all else."""
        path: list[int] = []
        first = {parents[segment[0] - 1]: segment for segment in self.segments}
        while (path[-1] if path else 0) in first:
            path += first[path[-1] if path else 0]
        path += [join.body for join in self.joins if path and parents[join.body - 1] == path[-1]]
        inner = set(path)
        return (*(body for body in range(len(parents), 0, -1) if body not in inner), *path)


def divided(parents: Sequence[int], threads: int, may_begin: Callable[[int], bool] = lambda _: True) -> Parts:
    """The division with which the thread that has most to do has least.

    Args:
        parents: of the bodies.
        threads: that share the work.
        may_begin: whether a body has the inverse inertia that it needs where two parts are joined.
    """
    tree = Tree(parents)
    shares: set[float] = set()
    count = threads
    while count > 1:
        # A path for so many threads, whose last part is a subtree; and subtrees alone.
        shares |= {finer * share for share in (1 + (count - 1) / ALONG_PATH, float(count)) for finer in FINER}
        count = (count + 1) // 2 if count > 2 else 1
    found: list[tuple[bool, float, int, Parts]] = []
    for share in sorted(shares):
        for shortest in (ENDING, 0.0):
            parts = Division(tree, max(1.0, tree.count / share), shortest, may_begin).shared(threads)
            # More than one part, whatever it costs: somebody asks for threads.
            found.append((len(parts.tasks) < 2, tree.cost(parts, threads), len(found), parts))
    return min(found)[-1]


class Tree:
    """Children and sizes of the bodies of a tree."""

    def __init__(self, parents: Sequence[int]) -> None:
        self.count = len(parents)
        self.children: list[list[int]] = [[] for _ in range(self.count + 1)]
        for body, parent in enumerate(parents, start=1):
            self.children[parent].append(body)
        self.size = [1] * (self.count + 1)
        for body in range(self.count, 0, -1):
            self.size[parents[body - 1]] += self.size[body]

    def subtree(self, root: int, but: int = 0) -> list[int]:
        """A body and all outboard of it, but for one subtree."""
        found = [root]
        for body in found:
            found += [child for child in self.children[body] if child != but]
        return found

    def on_path(self, path: Sequence[int], end: int) -> list[float]:
        """What the bodies of a path cost with all that they carry besides."""
        return [ALONG_PATH - 1 + self.size[a] - self.size[b] for a, b in pairwise((*path, end))]

    def cost(self, parts: Parts, threads: int) -> float:
        """What the thread that has most to do costs, round by round."""
        along = {body for segment in parts.segments for body in segment}
        total = max((sum(ALONG_PATH if body in along else 1 for body in task) for task in parts.tasks), default=0.0)
        for items in parts.rounds:
            costs = [sum(map(_cost, item)) for item in items]
            total += max(*costs, sum(costs) / threads) if len(costs) > 1 else costs[0]
        return total


def _cost(each: Join | int) -> float:
    if isinstance(each, int):
        return 1
    return JOINING if each.outer else ENDING


@dataclass(frozen=True, slots=True)
class _Piece:
    """A path from a body outward.

    Attributes:
        bodies: of it.
        end: the body that its segments end at; 0 where one thread eliminates all its bodies.
        outboard: the first bodies of the pieces that it carries.
    """

    bodies: tuple[int, ...]
    end: int
    outboard: tuple[int, ...]


class Division:
    """A tree in parts up to a size; of size one they need the fewest rounds, and the most operations."""

    def __init__(self, tree: Tree, largest: float, shortest: float, may_begin: Callable[[int], bool]) -> None:
        self._tree, self._largest, self._shortest, self._may_begin = tree, largest, shortest, may_begin
        self._segments: dict[int, list[tuple[int, ...]]] = {}
        self._between: list[int] = []
        self._parts: list[tuple[float, list[int]]] = []
        self._rounds: dict[int, list[Item]] = {}
        pieces: list[_Piece] = []
        waiting = [*tree.children[0]]
        while waiting:
            root = waiting.pop()
            piece = self._piece(root)
            if piece is None:
                self._parts.append((tree.size[root], tree.subtree(root)))
            else:
                pieces.append(piece)
                waiting += piece.outboard
        self._assemble(pieces)

    def shared(self, threads: int) -> Parts:
        """The parts, put together so that each thread has about as much to do."""
        tasks: list[list[int]] = []
        loads: list[tuple[float, int]] = []
        for cost, bodies in sorted(self._parts, key=lambda part: (-part[0], part[1][0])):
            if len(tasks) < threads:
                tasks.append([])
                heappush(loads, (0.0, len(tasks) - 1))
            load, least = heappop(loads)
            tasks[least] += bodies
            heappush(loads, (load + cost, least))
        return Parts(
            tuple(sorted(segment for own in self._segments.values() for segment in own)),
            tuple(tuple(sorted(task)) for task in tasks),
            tuple(sorted(self._between)),
            tuple(tuple(self._rounds[time]) for time in sorted(self._rounds)),
        )

    # ---- apart -------------------------------------------------------------------------------------------------------

    def _piece(self, root: int) -> _Piece | None:
        """The path from a body as far as it has one large subtree; None where the body's own is small enough."""
        tree = self._tree
        if tree.size[root] <= self._largest:
            return None
        path = [root]
        while True:
            outboard = sorted(tree.children[path[-1]], key=lambda child: -tree.size[child])
            large = sum(tree.size[child] > self._largest for child in outboard)
            if large != 1:
                break
            path.append(outboard[0])
        besides = sum(tree.size[child] for child in outboard[1:])
        if not large and 4 * besides <= self._largest:
            # A path that ends in one small subtree.
            end = outboard[0]
            while path and not self._may_begin(end):
                end = path.pop()
            if not path:
                return None
            return self._cut(path, end, ()) or self._left_between(path)
        end = path.pop()
        cut = self._cut(path, end, tree.children[end]) if path and self._may_begin(end) else None
        return cut or self._left_between([*path, end])

    def _left_between(self, path: Sequence[int]) -> _Piece:
        self._between += path
        inner = set(path)
        outboard = tuple(child for body in path for child in self._tree.children[body] if child not in inner)
        return _Piece(tuple(path), 0, outboard)

    def _cut(self, path: Sequence[int], end: int, outboard: Sequence[int]) -> _Piece | None:
        """The path in segments; None where it is too short."""
        tree = self._tree
        costs = tree.on_path(path, end)
        done = list(accumulate(costs))
        if done[-1] < self._shortest:
            return None
        count = min(len(path), max(1, ceil(done[-1] / self._largest - 0.1)))
        starts = [0]
        for place in range(1, count):
            start = bisect_left(done, place * done[-1] / count - ALONG_PATH / 2) + 1
            while start < len(path) and not self._may_begin(path[start]):
                start += 1
            if starts[-1] < start < len(path):
                starts.append(start)
        segments = [tuple(path[a:b]) for a, b in pairwise((*starts, len(path)))]
        self._segments[path[0]] = segments
        for segment, following in zip(segments, [*(own[0] for own in segments[1:]), end], strict=True):
            self._parts.append((sum(tree.on_path(segment, following)), tree.subtree(segment[0], following)))
        if outboard:
            self._between.append(end)
        else:
            self._parts.append((tree.size[end], tree.subtree(end)))
        return _Piece(tuple(path), end, tuple(outboard))

    # ---- together ----------------------------------------------------------------------------------------------------

    def _assemble(self, pieces: Sequence[_Piece]) -> None:
        """When what is joined and eliminated, pieces behind those that they carry."""
        known: dict[int, tuple[int, list[int]]] = {}
        for piece in reversed(pieces):
            outboard = [known[root] for root in piece.outboard if root in known]
            time = max((ready for ready, _ in outboard), default=0)
            waiting = [body for _, bodies in outboard for body in bodies]
            if piece.end:
                time = self._joined(self._segments[piece.bodies[0]], piece.end, self._at(time, waiting))
                known[piece.bodies[0]] = time, [piece.bodies[0]]
            else:
                known[piece.bodies[0]] = time, [*waiting, *reversed(piece.bodies)]
        for root in self._tree.children[0]:
            if root in known:
                self._at(*known[root])

    def _at(self, time: int, item: Iterable[Join | int]) -> int:
        """The time at which an item is done that follows a time."""
        own = tuple(item)
        if own:
            self._rounds.setdefault(time + 1, []).append(own)
        return time + bool(own)

    def _joined(self, segments: Sequence[tuple[int, ...]], end: int, time: int) -> int:
        """The time at which segments and what they end at have become one part, neighbours two by two."""
        ends = [*((segment[0], segment[-1]) for segment in segments), (end, 0)]
        while len(ends) > 1:
            pairs = list(zip(ends[::2], ends[1::2], strict=False))
            for (inner, _), (body, outer) in pairs:
                self._at(time, [Join(body, inner, outer)])
            ends = [(inner, outer) for (inner, _), (_, outer) in pairs] + ends[2 * len(pairs) :]
            time += 1
        return time
