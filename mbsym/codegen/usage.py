"""How often a program uses its values, which sines and cosines belong together, how many values are alive at once."""

from __future__ import annotations

from collections.abc import Container, Mapping
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


def most_live(program: Program, nodes: list[int], stated: Container[int]) -> int:
    """Largest number of temporaries that wait for their last use at the same time.

    Args:
        program: what is evaluated, node by node.
        nodes: in the order of evaluation.
        stated: the nodes whose values are kept in temporaries; all others are evaluated where they are used.
    """
    end = nodes[-1] + 1 if nodes else 0
    last = {abs(ref): end for ref in program.output_references}
    operands = program.graph.operands
    ends: dict[int, int] = {}
    for node in reversed(nodes):
        if node in stated:
            final = last.get(node, node)
            ends[final] = ends.get(final, 0) + 1
            place = node
        else:
            place = last.get(node, node)
        for ref in operands(node):
            operand = ref if ref > 0 else -ref
            if last.get(operand, 0) < place:
                last[operand] = place
    live = most = 0
    for node in nodes:
        if node in stated:
            live += 1
            most = max(most, live)
        live -= ends.get(node, 0)
    return most
