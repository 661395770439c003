"""The one way in which passes make programs: a copy into a new graph with a rule for each operation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mbsym.symbolic.compose import Rule, copy_nodes, rebound
from mbsym.symbolic.graph import LEAVES, Graph, Reference
from mbsym.symbolic.program import Program


def rebuild(
    program: Program,
    rule: Rule,
    special: Container[int],
    *,
    nodes: Sequence[int] | None = None,
    without: Container[int] = (),
) -> Program:
    """A program in a new graph in which a rule has replaced some operations.

    Names and sections are kept; everything the rule makes for a node goes into the node's section.

    Args:
        program: what to copy.
        rule: makes the value of a special node; the other operations are made again from the images of their operands.
        special: nodes that the rule is asked for.
        nodes: the program's nodes, or those of them that are wanted.
        without: nodes that are left out, since the rule makes all that uses them.
    """
    symbols = {ref for item in program.inputs for ref in item.symbols} | {item.symbol for item in program.parameters}
    every = sorted(symbols.union(program.nodes() if nodes is None else nodes))
    target, images = Graph(), dict[int, Reference]()
    copy_nodes(program.graph, (node for node in every if node not in without), target, images, rule, special)
    return rebound(program, target, images)


def repeated(program: Program, once: Callable[[Program], Program | None]) -> Program:
    """The program after rounds of a change, as long as there is something to change and each round saves operations."""
    while (candidate := once(program)) is not None:
        if candidate.operation_count().arithmetic >= program.operation_count().arithmetic:
            break
        program = candidate
    return program


def inner_nodes(program: Program) -> set[int]:
    """Nodes without a name whose value is used once, as an operand or an output entry."""
    kinds, arguments, names = program.graph.kinds, program.graph.arguments, program.graph.names
    nodes = program.nodes()
    uses = dict.fromkeys(nodes, 0)
    for node in nodes:
        if kinds[node] not in LEAVES:
            for operand in arguments[node]:
                uses[operand if operand > 0 else -operand] += 1
    for ref in program.output_references:
        uses[abs(ref)] += 1
    return {node for node, count in uses.items() if count == 1 and node not in names}


def flattened(graph: Graph, top: int, inner: Container[int]) -> tuple[list[Reference], list[int]]:
    """The operands of a sum or product and of all inner ones of its kind in it, in order, and these inner ones."""
    kinds, arguments = graph.kinds, graph.arguments
    operands: list[Reference] = []
    inside: list[int] = []
    stack: list[Reference] = [*reversed(arguments[top])]
    while stack:
        ref = stack.pop()
        node = abs(ref)
        if kinds[node] == kinds[top] and node in inner:
            inside.append(node)
            first, second = arguments[node]
            stack += (second, first) if ref > 0 else (-second, -first)
        else:
            operands.append(ref)
    return operands, inside


def depending_on(program: Program, symbols: Iterable[int], kinds: Collection[str] = ()) -> frozenset[int]:
    """Nodes that depend on some symbols and on nothing else that varies.

    Args:
        program: whose they are.
        symbols: themselves among them.
        kinds: operations that count; all, if none is named.
    """
    graph, found = program.graph, set(symbols)
    constant: set[int] = set()
    for node in program.nodes():
        kind, below = graph.kinds[node], [abs(operand) for operand in graph.operands(node)]
        if node in found or kind == "symbol" or (kinds and kind not in kinds):
            continue
        if constant.issuperset(below):
            constant.add(node)
        elif all(each in found or each in constant for each in below):
            found.add(node)
    return frozenset(found)


def edge(program: Program, nodes: Collection[int]) -> list[int]:
    """Those of some nodes that are returned or that other nodes use, in topological order."""
    used = {abs(ref) for ref in program.output_references}
    for node in program.nodes():
        if node not in nodes:
            used.update(abs(operand) for operand in program.graph.operands(node))
    return sorted(used.intersection(nodes))


# ---- values that another program computes ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Relieved:
    """A program, and some of its nodes with what they are in the graph of another program that computes them for it."""

    program: Program
    values: Mapping[int, Reference]


def relieved(program: Program, nodes: Sequence[int], graph: Graph) -> Relieved:
    """A program some of whose nodes are computed in another graph, where they are made."""
    images: dict[int, Reference] = {}
    copy_nodes(program.graph, program.graph.reachable(nodes), graph, images)
    return Relieved(program, {node: images[node] for node in nodes})


def places_of_values(parts: Iterable[Relieved]) -> dict[int, int]:
    """Where each value stands in the array that another program fills, by its node there: each once, as they come."""
    nodes = dict.fromkeys(abs(ref) for part in parts for ref in part.values.values())
    return {node: place for place, node in enumerate(nodes)}
