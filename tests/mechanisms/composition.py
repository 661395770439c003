"""Programs put one into another, and into closed form: what a test holds against another derivation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from mbsym.errors import SymbolicError
from mbsym.symbolic.compose import transplant
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mbsym.symbolic.sympy_bridge import to_sympy


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


def expand(
    program: Program, symbols: Mapping[str, sympy.Expr] | None = None
) -> dict[str, sympy.Expr | sympy.Matrix | sympy.NDimArray]:
    """The outputs of a program in closed form.

    Returns:
        By output name: an expression for a scalar, a column matrix for one axis, a matrix for two, else an array.
    """
    flat = to_sympy(program.graph, program.output_references, symbols)
    results: dict[str, Any] = {}
    start = 0
    for output in program.outputs:
        entries = flat[start : start + len(output.values)]
        start += len(output.values)
        if not output.shape:
            results[output.name] = entries[0]
        elif len(output.shape) == 1:
            results[output.name] = sympy.Matrix(output.shape[0], 1, entries)
        elif len(output.shape) == 2:
            results[output.name] = sympy.Matrix(*output.shape, entries)
        else:
            results[output.name] = sympy.ImmutableDenseNDimArray(entries, output.shape)
    return results
