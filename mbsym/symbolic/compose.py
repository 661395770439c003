"""Substitution, and copies of values and programs between graphs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program

Rule: TypeAlias = Callable[[Graph, int, dict[int, Reference]], Reference]
"""(new graph, node of the old graph, images of the nodes before it) -> value of the node in the new graph."""


def image(images: Mapping[int, Reference], ref: Reference) -> Reference:
    """The value that a signed reference becomes when its node becomes ``images[node]``."""
    return images[ref] if ref >= 0 else -images[-ref]


def substitute(graph: Graph, refs: Iterable[Reference], mapping: Mapping[int, Reference]) -> list[Reference]:
    """The values with each node of ``mapping`` replaced, in the same graph and with all foldings.

    Args:
        graph: where the values live and the new ones are made.
        refs: values to rewrite.
        mapping: replacement of each node (usually a symbol); replacements are not themselves rewritten.
    """
    values = list(refs)
    if any(node < 0 for node in mapping):
        raise SymbolicError("substitution for a negated value", remedy="give nodes, which are positive, as keys")
    images: dict[int, Reference] = dict(mapping)
    changed = set(mapping)
    for node in graph.reachable(values):
        if node in changed:
            continue
        operands = graph.operands(node)
        if any(abs(operand) in changed for operand in operands):
            images[node] = graph.make(graph.kinds[node], [image(images, operand) for operand in operands])
            changed.add(node)
        else:
            images[node] = node
    return [image(images, ref) for ref in values]


def copy_nodes(
    source: Graph,
    nodes: Iterable[int],
    target: Graph,
    images: dict[int, Reference],
    rule: Rule | None = None,
    special: Container[int] = (),
) -> None:
    """Makes the nodes of one graph in another, with their names and sections.

    Args:
        source: where the nodes are.
        nodes: in topological order and closed under operands, as ``Graph.reachable`` gives them.
        target: where copies are made; symbols of equal name become one.
        images: filled with the copy of each node; nodes already in it keep the image they have.
        rule: makes the values of special nodes; what it makes for a node goes into the node's section.
        special: nodes that the rule is asked for.
    """
    offset = target.adopt_sections(source)
    for node in nodes:
        if node in images:
            continue
        section = source.section_of[node]
        target.continue_section(section + offset if section else 0)
        asked = rule if node in special else None
        images[node] = made = asked(target, node, images) if asked else _copied(source, node, target, images)
        if node in source.names:
            name, sign = source.names[node]
            target.name(sign * made, name)
        if node in source.never_zero:
            target.never_zero.add(abs(made))
        if node in source.may_vanish:
            target.may_vanish.add(abs(made))
    target.continue_section(0)


def _copied(source: Graph, node: int, target: Graph, images: Mapping[int, Reference]) -> Reference:
    kind, arguments = source.kinds[node], source.arguments[node]
    # The most frequent kinds come first, and without detours.
    if kind == "add":
        first, second = arguments
        return target.add(images[first], images[second] if second > 0 else -images[-second])
    if kind == "mul":
        return target.mul(images[arguments[0]], images[arguments[1]])
    if kind == "const":
        return target.const(arguments[0])
    if kind == "symbol":
        return target.symbol(arguments[0])
    if kind == "pi":
        return target.pi()
    return target.make(kind, [image(images, operand) for operand in arguments])


def transplant(program: Program, target: Graph, images: dict[int, Reference] | None = None) -> Program:
    """The same program in another graph; ``images`` may hold values that replace some of its nodes."""
    copies = {} if images is None else images
    symbols = {ref for item in program.inputs for ref in item.symbols} | {item.symbol for item in program.parameters}
    nodes = sorted(symbols.union(program.nodes()))
    copy_nodes(program.graph, nodes, target, copies)
    return rebound(program, target, copies)


def rebound(program: Program, target: Graph, images: Mapping[int, Reference]) -> Program:
    """The program whose inputs, parameters and outputs are the images of the given one's."""
    return replace(
        program,
        graph=target,
        inputs=tuple(replace(item, symbols=tuple(images[ref] for ref in item.symbols)) for item in program.inputs),
        outputs=tuple(
            replace(item, values=tuple(image(images, ref) for ref in item.values)) for item in program.outputs
        ),
        parameters=tuple(replace(item, symbol=images[item.symbol]) for item in program.parameters),
    )
