"""What depends on parameters alone is computed once: programs are split into one that fills a workspace and the rest.

The workspace serves all functions of a module: a value that several need stands in it once. Parameters that functions
use as they are stand in it too, so that they need nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from mbsym.passes.rebuild import (
    Relieved,
    depending_on,
    edge,
    flattened,
    inner_nodes,
    places_of_values,
    rebuild,
    relieved,
)
from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input, Output, Program, count_operations

PREPARE: Final = "prepare"
WORKSPACE: Final = "workspace"

DESCRIPTION: Final = "what depends on parameters alone, for the other functions to start from"


def depending_on_parameters(program: Program) -> frozenset[int]:
    """Nodes that depend on parameters and on nothing else that varies."""
    return depending_on(program, (item.symbol for item in program.parameters))


def remaining_operations(program: Program) -> int:
    """Additions, multiplications and divisions that a workspace does not save."""
    saved = depending_on_parameters(program)
    nodes = [node for node in program.nodes() if node not in saved]
    return count_operations(program.graph, nodes).arithmetic


def gather_parameters(program: Program) -> Program:
    """An equal program in which what depends on parameters alone is multiplied first, and added first.

    A product (or sum) is seen as all the operands of the nested ones that only it uses; named values stay whole.
    """
    graph = program.graph
    plans, consumed = _plans(program)
    if not plans:
        return program

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        kind = graph.kinds[node]
        return reduce(
            lambda first, other: target.make(kind, (first, other)), (image(images, ref) for ref in plans[node])
        )

    gathered = rebuild(program, rule, plans, without=consumed)
    return gathered if remaining_operations(gathered) < remaining_operations(program) else program


def _plans(program: Program) -> tuple[dict[int, list[Reference]], set[int]]:
    """Operands of sums and products in their new order, and the nodes inside these that go."""
    graph, pure = program.graph, depending_on_parameters(program)
    inner = inner_nodes(program).difference(pure)
    plans: dict[int, list[Reference]] = {}
    consumed: set[int] = set()
    for node in reversed(program.nodes()):
        if graph.kinds[node] not in ("add", "mul") or node in pure or node in consumed:
            continue
        operands, parts = flattened(graph, node, inner)
        early = [ref for ref in operands if abs(ref) in pure]
        if parts and len(early) > 1:
            plans[node] = [*early, *(ref for ref in operands if abs(ref) not in pure)]
            consumed.update(parts)
    return plans, consumed


def prepared(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The program that fills the workspace, then the given ones, which take it in place of their parameters.

    Args:
        programs: with parameters of equal order; at least one.
    """
    graph = Graph()
    parts = [relieved(program, edge(program, depending_on_parameters(program)), graph) for program in programs]
    places = places_of_values(parts)
    parameters = tuple(replace(item, symbol=graph.symbol(item.name)) for item in programs[0].parameters)
    output = Output(WORKSPACE, (len(places),), tuple(places), "", "values that depend on parameters alone")
    first = Program(PREPARE, graph, (), (output,), parameters, DESCRIPTION)
    return first, *(_with_workspace(part, places) for part in parts)


def _with_workspace(part: Relieved, places: Mapping[int, int]) -> Program:
    program, entries = part.program, part.values

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        ref = entries[node]
        symbol = target.symbol(f"{WORKSPACE}[{places[abs(ref)]}]")
        return symbol if ref > 0 else -symbol

    saved = depending_on_parameters(program).difference(entries)
    nodes = [node for node in program.nodes() if node not in saved]
    bare = replace(program, parameters=())
    made = rebuild(bare, rule, entries, nodes=nodes)
    symbols = tuple(made.graph.symbol(f"{WORKSPACE}[{place}]") for place in range(len(places)))
    given = Input(WORKSPACE, (len(places),), symbols, "", "what prepare made of the parameters")
    before, after = (each.operation_count().arithmetic for each in (program, made))
    note = f"{before} operations where nothing is prepared." if before != after else ""
    return replace(made, inputs=(given, *made.inputs), notes=(*made.notes, *filter(None, (note,))))
