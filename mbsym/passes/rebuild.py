"""The one way in which passes make programs: a copy into a new graph with a rule for each operation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import TypeAlias

from mbsym.symbolic.compose import image, rebound
from mbsym.symbolic.graph import LEAVES, Graph, Reference
from mbsym.symbolic.program import Program

Rule: TypeAlias = Callable[[Graph, int, dict[int, Reference]], Reference]
"""(new graph, node of the old graph, images of the nodes before it) -> value of the node in the new graph."""


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
        nodes: the program's nodes, if the caller has them already.
        without: nodes that are left out, since the rule makes all that uses them.
    """
    source, target = program.graph, Graph()
    target.adopt_sections(source)
    kinds, arguments, names, section_of = source.kinds, source.arguments, source.names, source.section_of
    symbols = {ref for item in program.inputs for ref in item.symbols} | {item.symbol for item in program.parameters}
    images: dict[int, Reference] = {}
    section = 0
    for node in sorted(symbols.union(program.nodes() if nodes is None else nodes)):
        if node in without:
            continue
        if section_of[node] != section:
            section = section_of[node]
            target.continue_section(section)
        kind = kinds[node]
        operands = arguments[node]
        if node in special:
            made = rule(target, node, images)
        elif kind == "add":
            first, second = operands
            made = target.add(images[first], images[second] if second > 0 else -images[-second])
        elif kind == "mul":
            made = target.mul(images[operands[0]], images[operands[1]])
        elif kind == "const":
            made = target.const(operands[0])
        elif kind == "symbol":
            made = target.symbol(operands[0])
        elif kind == "pi":
            made = target.pi()
        else:
            made = target.make(kind, [image(images, operand) for operand in operands])
        images[node] = made
        if node in names:
            name, sign = names[node]
            target.name(sign * made, name)
        if node in source.never_zero:
            target.never_zero.add(abs(made))
        if node in source.may_vanish:
            target.may_vanish.add(abs(made))
    target.continue_section(0)
    return rebound(program, target, images)


def use_counts(program: Program, nodes: Sequence[int]) -> dict[int, int]:
    """How often the value of each node is an operand or an output entry."""
    kinds, arguments = program.graph.kinds, program.graph.arguments
    uses = dict.fromkeys(nodes, 0)
    for node in nodes:
        if kinds[node] not in LEAVES:
            for operand in arguments[node]:
                uses[operand if operand > 0 else -operand] += 1
    for ref in program.output_references:
        uses[abs(ref)] += 1
    return uses


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
