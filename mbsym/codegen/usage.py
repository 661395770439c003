"""How often a program uses its values, and which sines and cosines belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbsym.symbolic.program import Program


@dataclass(frozen=True, slots=True)
class Usage:
    """What lowering must know of a program's nodes before it begins.

    Attributes:
        nodes: that the outputs depend on, in topological order.
        counts: uses of each node as an operand or as an output entry.
        names: suggested names with their signs, in topological order, of the nodes that deserve a temporary by name.
        pairs: (sine, cosine) of one angle, under both nodes, where both occur.
    """

    nodes: list[int]
    counts: Mapping[int, int]
    names: Mapping[int, tuple[str, int]]
    pairs: Mapping[int, tuple[int, int]]


def usage(program: Program) -> Usage:
    """Counts uses, collects names and finds pairs."""
    graph = program.graph
    nodes = program.nodes()
    counts = dict.fromkeys(nodes, 0)
    operands, kinds = graph.operands, graph.kinds
    halves: dict[int, list[int]] = {}
    for node in nodes:
        refs = operands(node)
        for ref in refs:
            counts[ref if ref > 0 else -ref] += 1
        if kinds[node] in ("sin", "cos"):
            halves.setdefault(refs[0], []).append(node)
    results: dict[int, int] = {}
    for ref in program.output_references:
        results[abs(ref)] = results.get(abs(ref), 0) + 1
    # A name for a value that is used once, as a result, would only be copied into the result.
    names = {
        node: graph.names[node]
        for node in sorted(counts.keys() & graph.names.keys())
        if counts[node] > 0 or results[node] > 1
    }
    for node, count in results.items():
        counts[node] += count
    pairs: dict[int, tuple[int, int]] = {}
    for pair in halves.values():
        if len(pair) == 2:
            sine, cosine = pair if kinds[pair[0]] == "sin" else pair[::-1]
            pairs[sine] = pairs[cosine] = (sine, cosine)
    return Usage(nodes, counts, names, pairs)
