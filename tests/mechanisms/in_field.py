"""SymPy matrices of a model in the field of 2^61 - 1 elements, where they are put together exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from mbsym.report.equations import Equations
from mbsym.symbolic.finite_field import PRIME, evaluate
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.sympy_bridge import from_sympy_many

FIELD = sp.GF(PRIME, symmetric=False)


def at_one_point(
    equations: Equations, matrices: Mapping[str, Any], programs: Sequence[Program] = (), seed: int = 0
) -> dict[str, DomainMatrix]:
    """SymPy matrices by name, and the first results of programs, at one random point of the field.

    Args:
        equations: whose symbols the matrices hold.
        matrices: of expressions; each is read back from SymPy.
        programs: on the graph of the equations.
        seed: of the point.

    Returns:
        Matrices over the field by the same names and by the names of the programs; results without columns have one.
    """
    mechanism = equations.mechanism
    graph = mechanism.graph
    known: dict[Any, int] = {}
    inputs = (mechanism.q, mechanism.v, mechanism.vdot, mechanism.tau, *mechanism.extra_inputs)
    for column, item in zip(equations.columns.values(), inputs[:4], strict=True):
        known |= dict(zip(column, item.symbols, strict=True))
    for node, kind in enumerate(graph.kinds):
        if kind == "symbol":
            known.setdefault(sp.Symbol(str(graph.arguments[node][0])), node)
    outputs = tuple(
        Output(name, matrix.shape, tuple(from_sympy_many(graph, list(matrix), known)))
        for name, matrix in matrices.items()
    )
    read = Program("read", graph, inputs, outputs, mechanism.parameters)
    found, *others = evaluate((read, *programs), seed=seed)
    shapes = {name: matrix.shape for name, matrix in matrices.items()}
    for program, values in zip(programs, others, strict=True):
        first = program.outputs[0]
        found[program.name] = values[first.name]
        shapes[program.name] = (first.shape[0], prod(first.shape[1:])) if first.shape else (1, 1)
    return {
        name: DomainMatrix.from_list_flat([FIELD(x) for x in found[name]], shape, FIELD)
        for name, shape in shapes.items()
    }
