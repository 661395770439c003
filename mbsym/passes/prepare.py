"""What depends on parameters alone is computed once: programs are split into one that fills a workspace and the rest.

The workspace serves all functions of a module: a value that several need stands in it once. Parameters that functions
use as they are stand in it too, so that they need nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from mbsym.passes.rebuild import depending_on, rebuild, use_counts
from mbsym.symbolic.compose import copy_nodes, image
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input, Output, ParameterInput, Program, count_operations

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
    graph, nodes = program.graph, program.nodes()
    plans, consumed = _plans(program, nodes)
    if not plans:
        return program

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        kind = graph.kinds[node]
        return reduce(
            lambda first, other: target.make(kind, (first, other)), (image(images, ref) for ref in plans[node])
        )

    gathered = rebuild(program, rule, plans, nodes=nodes, without=consumed)
    return gathered if remaining_operations(gathered) < remaining_operations(program) else program


def _plans(program: Program, nodes: Sequence[int]) -> tuple[dict[int, list[Reference]], set[int]]:
    """Operands of sums and products in their new order, and the nodes inside these that go."""
    graph = program.graph
    pure, uses = depending_on_parameters(program), use_counts(program, nodes)
    inner = {node for node in nodes if uses[node] == 1 and node not in graph.names and node not in pure}
    plans: dict[int, list[Reference]] = {}
    consumed: set[int] = set()
    for node in reversed(nodes):
        if graph.kinds[node] not in ("add", "mul") or node in pure or node in consumed:
            continue
        parts: list[int] = []
        operands = _operands(graph, node, inner, parts)
        early = [ref for ref in operands if abs(ref) in pure]
        if parts and len(early) > 1:
            plans[node] = [*early, *(ref for ref in operands if abs(ref) not in pure)]
            consumed.update(parts)
    return plans, consumed


def _operands(graph: Graph, top: int, inner: set[int], parts: list[int]) -> list[Reference]:
    """The operands of a sum or product and of those inside it, which are added to ``parts``."""
    kind = graph.kinds[top]
    found: list[Reference] = []
    stack: list[Reference] = [*reversed(graph.arguments[top])]
    while stack:
        ref = stack.pop()
        node = abs(ref)
        if graph.kinds[node] == kind and node in inner:
            parts.append(node)
            first, second = graph.arguments[node]
            stack += (second, first) if ref > 0 else (-second, -first)
        else:
            found.append(ref)
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """A program with the entries of the workspace, by its nodes, that take the place of what it computed."""

    program: Program
    entries: Mapping[int, Reference]


def prepared(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The program that fills the workspace, then the given ones, which take it in place of their parameters.

    Args:
        programs: with parameters of equal order; at least one.
    """
    graph = Graph()
    parts = [_part(program, graph) for program in programs]
    places: dict[int, int] = {}
    for part in parts:
        for ref in part.entries.values():
            places.setdefault(abs(ref), len(places))
    parameters = tuple(
        ParameterInput(item.name, graph.symbol(item.name), item.default, item.unit) for item in programs[0].parameters
    )
    output = Output(WORKSPACE, (len(places),), tuple(places), "", "values that depend on parameters alone")
    first = Program(PREPARE, graph, (), (output,), parameters, DESCRIPTION)
    return first, *(_with_workspace(part, places) for part in parts)


def _part(program: Program, graph: Graph) -> _Part:
    pure = depending_on_parameters(program)
    source = program.graph
    needed = {abs(ref) for ref in program.output_references}
    for node in program.nodes():
        if node not in pure:
            needed.update(abs(operand) for operand in source.operands(node))
    edge = sorted(needed & pure)
    images: dict[int, Reference] = {}
    copy_nodes(source, source.reachable(edge), graph, images)
    return _Part(program, {node: images[node] for node in edge})


def _with_workspace(part: _Part, places: Mapping[int, int]) -> Program:
    program, entries = part.program, part.entries

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
