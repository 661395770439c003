"""The spanning tree in regular labels: parents, paths, subtrees, levels.

A regular tree is its parent array c(1..nb) with c(i) < i, so a sweep over ascending labels meets every parent before
its children and needs no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mbsym.errors import TopologyError


@dataclass(frozen=True)
class SpanningTree:
    """A rooted tree of the bodies 0..nb in regular labels; body 0 is the base.

    Derived arrays are made when first asked for. Every tuple below is indexed by body label, the base included.

    Attributes:
        parents: parent of each body; the base has -1.
    """

    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.parents or self.parents[0] != -1:
            raise TopologyError("the base has no parent", where="parents", remedy="begin the parents with -1")
        for body, parent in enumerate(self.parents[1:], start=1):
            if not 0 <= parent < body:
                raise TopologyError(
                    f"the parent of body {body} is {parent}",
                    where="parents",
                    remedy="label the bodies regularly, so that every parent is less than its child",
                )

    @classmethod
    def from_inboard(cls, inboard: Sequence[int]) -> SpanningTree:
        """Returns the tree of the incidence array i+(1..nb)."""
        return cls((-1, *inboard))

    @property
    def nb(self) -> int:
        """Number of bodies, the base not counted."""
        return len(self.parents) - 1

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of each body, ascending."""
        found: list[list[int]] = [[] for _ in self.parents]
        for body in range(1, self.nb + 1):
            found[self.parents[body]].append(body)
        return tuple(map(tuple, found))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Number of joints between each body and the base."""
        depths = [0] * (self.nb + 1)
        for body in range(1, self.nb + 1):
            depths[body] = depths[self.parents[body]] + 1
        return tuple(depths)

    @cached_property
    def levels_by_depth(self) -> tuple[tuple[int, ...], ...]:
        """Bodies of depth 1, 2, ..., ascending: each level can be processed at once on the way outward."""
        levels: list[list[int]] = [[] for _ in range(max(self.depths))]
        for body, depth in enumerate(self.depths[1:], start=1):
            levels[depth - 1].append(body)
        return tuple(map(tuple, levels))

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """Position of each body in preorder (depth-first, children ascending)."""
        sizes = self.subtree_sizes
        entries = [0] * (self.nb + 1)
        following = [1] * (self.nb + 1)
        for body in range(1, self.nb + 1):
            parent = self.parents[body]
            entry = following[parent]
            entries[body] = entry
            following[body] = entry + 1
            following[parent] = entry + sizes[body]
        return tuple(entries)

    @cached_property
    def subtree_sizes(self) -> tuple[int, ...]:
        """Number of bodies in the subtree of each body, itself counted."""
        sizes = [1] * (self.nb + 1)
        for body in range(self.nb, 0, -1):
            sizes[self.parents[body]] += sizes[body]
        return tuple(sizes)

    @cached_property
    def preorder(self) -> tuple[int, ...]:
        """Bodies in depth-first order, the base first; every subtree is a range of it."""
        preorder = [0] * (self.nb + 1)
        for body, entry in enumerate(self.entries):
            preorder[entry] = body
        return tuple(preorder)

    def subtree(self, body: int) -> tuple[int, ...]:
        """Returns the body and all bodies outboard of it, in preorder."""
        entry = self.entries[body]
        return self.preorder[entry : entry + self.subtree_sizes[body]]

    def path(self, body: int) -> tuple[int, ...]:
        """Returns the bodies (and so the joints) from ``body`` inward, the base left out, in O(depth)."""
        path = []
        while body > 0:
            path.append(body)
            body = self.parents[body]
        return tuple(path)

    def loop(self, inboard: int, outboard: int) -> dict[int, int]:
        """Returns the tree joints between two bodies with their signs: a column of T S_cut, sparse, in O(depth).

        The relative motion over a cut joint that points from ``inboard`` to ``outboard`` is the sum of sign times
        joint motion over these joints. Keys ascend.
        """
        signs: dict[int, int] = {}
        while inboard != outboard:
            if inboard > outboard:
                signs[inboard] = -1
                inboard = self.parents[inboard]
            else:
                signs[outboard] = 1
                outboard = self.parents[outboard]
        return dict(sorted(signs.items()))
