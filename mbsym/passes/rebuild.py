"""The one way in which passes make programs: a copy into a new graph with a rule for each operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mbsym.symbolic.compose import image, rebound
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program

Rule: TypeAlias = Callable[[Graph, int, dict[int, Reference]], Reference]
"""(new graph, node of the old graph, images of the nodes before it) -> value of the node in the new graph."""


def rebuild(program: Program, rule: Rule, *, without: frozenset[int] = frozenset()) -> Program:
    """A program in a new graph whose operations are what the rule makes of the old ones.

    Names and sections are kept; everything a rule makes for a node goes into the node's section.

    Args:
        program: what to copy.
        rule: called for every operation in topological order; ``copied`` makes the same operation.
        without: nodes that no rule will ask for; they are left out.
    """
    source, target = program.graph, Graph()
    target.adopt_sections(source)
    symbols = {ref for item in program.inputs for ref in item.symbols} | {item.symbol for item in program.parameters}
    images: dict[int, Reference] = {}
    for node in sorted(symbols.union(program.nodes())):
        if node in without:
            continue
        kind = source.kinds[node]
        if kind == "const":
            images[node] = target.const(source.arguments[node][0])
            continue
        if kind == "symbol":
            images[node] = target.symbol(source.arguments[node][0])
            continue
        target.continue_section(source.section_of[node])
        images[node] = made = rule(target, node, images)
        if node in source.names:
            name, sign = source.names[node]
            target.name(sign * made, name)
    target.continue_section(0)
    return rebound(program, target, images)


def copied(source: Graph, target: Graph, node: int, images: dict[int, Reference]) -> Reference:
    """The same operation of the images of its operands."""
    kind = source.kinds[node]
    if kind == "pi":
        return target.pi()
    return target.make(kind, [image(images, operand) for operand in source.operands(node)])


def use_counts(program: Program, nodes: Sequence[int]) -> dict[int, int]:
    """How often the value of each node is an operand or an output entry."""
    operands = program.graph.operands
    uses = dict.fromkeys(nodes, 0)
    for node in nodes:
        for operand in operands(node):
            uses[abs(operand)] += 1
    for ref in program.output_references:
        uses[abs(ref)] += 1
    return uses
