"""Sums and products are bracketed so that they share parts: a + b + c and a + d + b share a + b."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Final, TypeAlias

from mbsym.passes.rebuild import flattened, inner_nodes, rebuild, repeated
from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program

_LONGEST: Final = 40
"""Operands beyond this many are not paired: pairs grow with the square."""

Pair: TypeAlias = tuple[Reference, Reference]
"""Two operands, the first positive and no larger in magnitude; numbers beyond the graph's nodes are earlier pairs."""


def reassociate(program: Program) -> Program:
    """An equal program with at most as many operations, in which no round of sharing saves any more.

    A sum (or product) is seen as all the operands of the nested sums that only it uses; named values stay whole. The
    pair of operands that occurs in most of them is computed once, and so on (two-term common subexpressions, after
    Hosangadi, Fallah, Kastner: Optimizing polynomial expressions by algebraic factorization and common subexpression
    elimination). Results may change in the last digits.
    """
    return repeated(program, _shared_once)


@dataclass(slots=True)
class _Sharing:
    """The rule that makes sums and products from pairs.

    Attributes:
        kinds: of the old nodes.
        operations: operands of each sum or product that contains a shared pair, as far as they are not paired.
        pairs: what the numbers of pairs stand for.
        pair_kinds: "add" or "mul" for each pair.
        consumed: nodes that are no longer needed.
    """

    kinds: Sequence[str]
    operations: dict[int, list[Reference]] = field(default_factory=dict)
    pairs: dict[int, Pair] = field(default_factory=dict)
    pair_kinds: dict[int, str] = field(default_factory=dict)
    consumed: set[int] = field(default_factory=set)

    def __call__(self, target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        operands = self.operations[node]
        result = self._made(target, operands[0], images)
        for operand in operands[1:]:
            other = self._made(target, operand, images)
            result = target.add(result, other) if self.kinds[node] == "add" else target.mul(result, other)
        return result

    def _made(self, target: Graph, ref: Reference, images: dict[int, Reference]) -> Reference:
        stack = [abs(ref)]
        while stack:
            number = stack[-1]
            if number in images:
                stack.pop()
                continue
            first, second = self.pairs[number]
            missing = [abs(each) for each in (first, second) if abs(each) not in images]
            if missing:
                stack += missing
            else:
                images[number] = target.make(self.pair_kinds[number], [image(images, first), image(images, second)])
                stack.pop()
        return image(images, ref)


def _shared_once(program: Program) -> Program | None:
    graph, inner = program.graph, inner_nodes(program)
    sharing = _Sharing(graph.kinds)
    for kind in ("mul", "add"):
        flat, parts = _outermost(program, kind, inner)
        for node in _pair(sharing, flat, kind, len(graph)):
            sharing.operations[node] = flat[node]
            sharing.consumed.update(parts[node])
    if not sharing.operations:
        return None
    return rebuild(program, sharing, sharing.operations, without=sharing.consumed)


def _outermost(program: Program, kind: str, inner: set[int]) -> tuple[dict[int, list[Reference]], dict[int, list[int]]]:
    """The operands of each outermost sum or product, and the nodes inside it."""
    flat: dict[int, list[Reference]] = {}
    parts: dict[int, list[int]] = {}
    absorbed: set[int] = set()
    for top in reversed(program.nodes()):
        if program.graph.kinds[top] == kind and top not in absorbed:
            flat[top], parts[top] = flattened(program.graph, top, inner)
            absorbed.update(parts[top])
    return flat, parts


def _pair(sharing: _Sharing, flat: dict[int, list[Reference]], kind: str, size: int) -> list[int]:
    """Replaces shared pairs in ``flat`` by new numbers, most frequent first; returns the operations that changed."""
    where: dict[Pair, set[int]] = {}
    for node, operands in flat.items():
        if len(operands) <= _LONGEST:
            for pair in _pairs(operands):
                where.setdefault(pair, set()).add(node)
    heap = [(-len(users), pair) for pair, users in where.items() if len(users) > 1]
    heapify(heap)
    changed: set[int] = set()
    while heap:
        count, pair = heappop(heap)
        users = where.get(pair, set())
        if len(users) < 2:
            continue
        if -count != len(users):
            heappush(heap, (-len(users), pair))
            continue
        number = size + len(sharing.pairs)
        sharing.pairs[number] = pair
        sharing.pair_kinds[number] = kind
        for node in sorted(users):
            changed.add(node)
            _replace(flat, node, pair, number, where, heap)
    return sorted(changed)


def _replace(
    flat: dict[int, list[Reference]],
    node: int,
    pair: Pair,
    number: int,
    where: dict[Pair, set[int]],
    heap: list[tuple[int, Pair]],
) -> None:
    """Replaces one occurrence of a pair in an operation and brings the pairs' table up to date."""
    operands = flat[node]
    first, second = pair
    sign = 1 if first in operands and second in operands else -1
    rest = list(operands)
    rest.remove(sign * first)
    rest.remove(sign * second)
    kept = _pairs(rest) if sign * first in rest or sign * second in rest else set()
    for old in (pair, *(_pair_of(sign * taken, other) for taken in pair for other in rest)):
        if old not in kept:
            where[old].discard(node)
    flat[node] = [sign * number, *rest]
    for other in rest:
        new = _pair_of(sign * number, other)
        users = where.setdefault(new, set())
        users.add(node)
        if len(users) > 1:
            heappush(heap, (-len(users), new))


def _pair_of(x: Reference, y: Reference) -> Pair:
    """The pair up to a common sign."""
    low, high = (x, y) if abs(x) <= abs(y) else (y, x)
    return (low, high) if low > 0 else (-low, -high)


def _pairs(operands: Sequence[Reference]) -> set[Pair]:
    """All pairs of operands."""
    return {_pair_of(first, second) for place, first in enumerate(operands) for second in operands[place + 1 :]}
