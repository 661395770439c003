"""Parts of a tree that threads can take at the same time: from all ends inward, ground among them.

A subtree is eliminated from its leaves and hands one inertia to the body that carries it. Ground is an end like the
leaves: along a path from ground outward each body hands on how it gives way to what pulls at it, up to a body in the
middle that has all else behind it. What is left between the parts is done by one thread. Everything here is integers:
joint j leads from body ``parents[j - 1]`` to body j.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate
from typing import Final

ALONG_PATH: Final = 2.8
"""What a body on the path from ground costs, by one that is eliminated from the leaves: counted operations."""

_FINER: Final = (1, 2, 4)
"""Subtrees are divided until none has more than this part of a thread's share."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A tree in parts.

    Attributes:
        path: bodies from ground outward, the last of which is the one in the middle; empty, or two and more.
        tasks: labels of the bodies of each part, ascending; a path's part holds its bodies but for the last one, and
            all that they carry besides.
        between: bodies of no part, ascending, the middle one left out.
    """

    path: tuple[int, ...]
    tasks: tuple[tuple[int, ...], ...]
    between: tuple[int, ...]

    def order(self) -> tuple[int, ...]:
        """Joints in an order of elimination without fill: parts inward, what is between them, the path, its end."""
        inner = set(self.path)
        rest = [body for task in self.tasks for body in reversed(task) if body not in inner]
        return (*rest, *reversed(self.between), *self.path)


def divided(parents: Sequence[int], threads: int, may_lie_on_path: Callable[[int], bool] = lambda _: True) -> Parts:
    """The division with which the thread that has most to do has least.

    Args:
        parents: of the bodies.
        threads: that share the work; as many parts at most.
        may_lie_on_path: whether a body has the inverse inertia that it needs there.
    """
    tree = _Tree(parents)
    walk: list[int] = []
    body = 0
    while tree.children[body]:
        body = max(tree.children[body], key=lambda child: tree.size[child])
        if not may_lie_on_path(body):
            break
        walk.append(body)
    best: tuple[float, Parts] | None = None
    for length in sorted({0, *_lengths(tree, walk, threads)}):
        path = tuple(walk[:length])
        for finer in _FINER:
            found = tree.cut(path, threads, finer)
            if best is None or found[0] < best[0]:
                best = found
    assert best is not None
    return best[1]


def _lengths(tree: _Tree, walk: Sequence[int], threads: int) -> Iterator[int]:
    """How many bodies a path may have, about where its part is as long as what is left for each other thread."""
    if len(walk) < 2:
        return
    costs = list(accumulate(tree.on_path(body) for body in walk))
    left = [(tree.count - done) / max(1, threads - 1) for done in accumulate(tree.carried(body) for body in walk)]
    place = bisect_left(range(len(walk)), True, key=lambda k: costs[k] >= left[k])
    for length in range(place - 1, place + 3):
        if 2 <= length <= len(walk):
            yield length


class _Tree:
    """Children and sizes of the bodies of a tree."""

    def __init__(self, parents: Sequence[int]) -> None:
        self.count = len(parents)
        self.children: list[list[int]] = [[] for _ in range(self.count + 1)]
        for body, parent in enumerate(parents, start=1):
            self.children[parent].append(body)
        self.size = [1] * (self.count + 1)
        for body in range(self.count, 0, -1):
            self.size[parents[body - 1]] += self.size[body]

    def carried(self, body: int) -> int:
        """The body and all outboard of it but for the heaviest subtree, along which a path goes on."""
        return self.size[body] - max((self.size[child] for child in self.children[body]), default=0)

    def on_path(self, body: int) -> float:
        """What the body costs on a path, with what it carries besides."""
        return ALONG_PATH + self.carried(body) - 1

    def cut(self, path: tuple[int, ...], threads: int, finer: int) -> tuple[float, Parts]:
        """Parts about a path, and what the thread that has most to do costs, with what one thread does alone."""
        middle = path[-1] if path else 0
        inner = set(path)
        roots = [body for body in self.children[0] if body not in inner]
        roots += self.children[middle] if path else []
        work = sum(self.size[body] for body in roots) + sum(map(self.on_path, path[:-1]))
        subtrees, between = self._smaller(roots, work / (threads * finer))
        tasks: list[list[int]] = []
        loads: list[tuple[float, int]] = []
        if path:
            tasks.append([body for own in path[:-1] for body in self._beside(own, inner)])
            loads.append((sum(map(self.on_path, path[:-1])), 0))
        for subtree in sorted(subtrees, key=lambda body: (-self.size[body], body)):
            if len(tasks) < threads:
                tasks.append([])
                heappush(loads, (0.0, len(tasks) - 1))
            load, least = heappop(loads)
            tasks[least] += self._subtree(subtree)
            heappush(loads, (load + self.size[subtree], least))
        cost = max((load for load, _ in loads), default=0.0) + len(between) + (ALONG_PATH if path else 0)
        return cost, Parts(path, tuple(tuple(sorted(task)) for task in tasks), tuple(sorted(between)))

    def _smaller(self, roots: Sequence[int], largest: float) -> tuple[list[int], list[int]]:
        """Subtrees up to a size where they branch, and the bodies that carry them."""
        found: list[int] = []
        between: list[int] = []
        waiting = list(roots)
        while waiting:
            root = body = waiting.pop()
            stem = [body]
            while len(self.children[body]) == 1:
                body = self.children[body][0]
                stem.append(body)
            if self.size[root] > largest and self.children[body]:
                between += stem
                waiting += self.children[body]
            else:
                found.append(root)
        return found, between

    def _beside(self, body: int, inner: set[int]) -> list[int]:
        """A body of the path, and what it carries besides."""
        own = [child for child in self.children[body] if child not in inner]
        return [body, *(each for child in own for each in self._subtree(child))]

    def _subtree(self, root: int) -> list[int]:
        found = [root]
        for body in found:
            found += self.children[body]
        return found
