"""Programs made by hand: over a mechanism's graph, or of a few lines written as expressions."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.reader import free_names, read_expression
from mbsym.symbolic.scalar import Scalar, symbol


def make_program(
    mechanism: Mechanism,
    name: str,
    inputs: Sequence[Input],
    outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Scalar], str, str]],
    description: str,
) -> Program:
    """A Program of any values; outputs are (name, shape, entries, unit, description)."""
    return Program(
        name,
        mechanism.graph,
        tuple(inputs),
        tuple(Output(n, shape, tuple(x.ref for x in values), unit, text) for n, shape, values, unit, text in outputs),
        mechanism.parameters,
        description,
    )


def program_of(*texts: str, reverse: bool = False) -> Program:
    """A Program p whose inputs are the names in the texts, each a scalar, and whose output y holds a text an entry.

    Args:
        texts: The entries.
        reverse: The symbols are made in the other order, so that graphs of equal Programs differ.
    """
    graph = Graph()
    names = sorted({name for text in texts for name in free_names(text)}, reverse=reverse)
    symbols = {name: symbol(graph, name) for name in names}
    values = tuple(read_expression(text, graph, symbols).ref for text in texts)
    return Program(
        "p",
        graph,
        tuple(Input(name, (), (symbols[name].ref,)) for name in names),
        (Output("y", (len(values),), values),),
    )
