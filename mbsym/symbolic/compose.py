"""Substitution, copies between graphs, and programs put one into another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input, Output, ParameterInput, Program


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


def copy_nodes(source: Graph, nodes: Iterable[int], target: Graph, images: dict[int, Reference]) -> None:
    """Makes the nodes of one graph in another, with their names and sections.

    Args:
        source: where the nodes are.
        nodes: in topological order and closed under operands, as ``Graph.reachable`` gives them.
        target: where copies are made; symbols of equal name become one.
        images: filled with the copy of each node; nodes already in it keep the image they have.
    """
    offset = target.adopt_sections(source)
    for node in nodes:
        if node in images:
            continue
        kind = source.kinds[node]
        section = source.section_of[node]
        target.continue_section(section + offset if section else 0)
        images[node] = copied = _copy(source, node, kind, target, images)
        if node in source.names:
            name, sign = source.names[node]
            target.name(sign * copied, name)
        if node in source.never_zero:
            target.never_zero.add(abs(copied))
        if node in source.may_vanish:
            target.may_vanish.add(abs(copied))
    target.continue_section(0)


def _copy(source: Graph, node: int, kind: str, target: Graph, images: Mapping[int, Reference]) -> Reference:
    arguments = source.arguments[node]
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


def compose(outer: Program, inner: Program, binding: Mapping[str, str]) -> Program:
    """The program that feeds outputs of ``inner`` into inputs of ``outer``.

    The result has the outputs of ``outer``, the inputs of ``inner`` and those inputs of ``outer`` that are neither
    bound nor inputs of ``inner``; equal names are one argument, and so are parameters of equal name.

    Args:
        outer: evaluated second.
        inner: evaluated first; it may live in another graph.
        binding: name of an input of ``outer`` -> name of the output of ``inner`` that it receives.

    Raises:
        SymbolicError: a name is unknown, or sizes or parameters disagree.
    """
    graph = Graph()
    first = transplant(inner, graph)
    wanted = [item.name for item in outer.inputs]
    for name in binding:
        if name not in wanted:
            raise SymbolicError(f"{outer.name} has no input {name}", remedy=f"it has {wanted}")
    known: dict[str, tuple[Sequence[Reference], str]] = {
        item.name: (item.symbols, f"input {item.name}") for item in first.inputs
    }
    for name, output in binding.items():
        known[name] = first.output(output).values, f"output {output}"
    images: dict[int, Reference] = {}
    for item in outer.inputs:
        values, where = known.get(item.name, (item.symbols, ""))
        if len(values) != len(item.symbols):
            raise SymbolicError(
                f"input {item.name} of {outer.name} has {len(item.symbols)} entries and {where} of {inner.name} has"
                f" {len(values)}",
                remedy="bind arrays of one size",
            )
        if where:
            images.update(zip(item.symbols, values, strict=True))
    remaining = [item for item in outer.inputs if item.name not in known]
    _require_own_symbols(outer, remaining, first)
    parameters: dict[str, ParameterInput] = {item.name: item for item in first.parameters}
    for parameter in outer.parameters:
        if parameter.name in parameters:
            images[parameter.symbol] = parameters[parameter.name].symbol
    second = transplant(outer, graph, images)
    for parameter in second.parameters:
        parameters.setdefault(parameter.name, parameter)
    return Program(
        f"{outer.name}_of_{inner.name}",
        graph,
        first.inputs + tuple(item for item in second.inputs if item.name not in known),
        second.outputs,
        tuple(parameters.values()),
    )


def _require_own_symbols(outer: Program, inputs: Sequence[Input], inner: Program) -> None:
    """Inputs share no symbols with those of another program."""
    taken = {inner.graph.arguments[ref][0] for item in inner.inputs for ref in item.symbols}
    for item in inputs:
        if not taken.isdisjoint(outer.graph.arguments[ref][0] for ref in item.symbols):
            raise SymbolicError(
                f"input {item.name} of {outer.name} and an input of {inner.name} share symbols",
                remedy="give both inputs one name, or their symbols different ones",
            )


def selection(program: Program, outputs: Mapping[str, str]) -> Program:
    """The program that returns some of its inputs unchanged: the right-hand side of an identity such as tau = tau.

    Args:
        program: whose inputs and parameters the result has.
        outputs: output name -> input name.
    """
    inputs = {item.name: item for item in program.inputs}
    for name in outputs.values():
        if name not in inputs:
            raise SymbolicError(f"{program.name} has no input {name}", remedy=f"it has {list(inputs)}")
    return Program(
        f"{program.name}_inputs",
        program.graph,
        program.inputs,
        tuple(Output(name, inputs[source].shape, inputs[source].symbols) for name, source in outputs.items()),
        program.parameters,
    )
