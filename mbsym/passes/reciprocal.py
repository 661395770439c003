"""Several divisions by one value become one division and products."""

from __future__ import annotations

from mbsym.passes.rebuild import rebuild
from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import ONE, Graph, Reference
from mbsym.symbolic.program import Program


def reciprocal(program: Program) -> Program:
    """An equal program in which every value is a divisor at most once.

    Two or more quotients x/d, y/d become r = 1/d, x*r, y*r. A division costs several times what a product costs; the
    number of operations grows by at most one for each such divisor. Results may change in the last digit. The
    reciprocal of a value named d is named d_inv.
    """
    while quotients := _quotients(program):
        program = _inverted(program, quotients)
    return program


def _inverted(program: Program, quotients: set[int]) -> Program:
    """The program that multiplies by reciprocals in place of some divisions."""
    source = program.graph

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        numerator, divisor = source.arguments[node]
        inverse = target.div(ONE, image(images, divisor))
        if divisor in source.names:
            name, sign = source.names[divisor]
            target.name(sign * inverse, f"{name}_inv")
        return target.mul(image(images, numerator), inverse)

    return rebuild(program, rule, quotients)


def _quotients(program: Program) -> set[int]:
    """Divisions by values that are divisors more than once."""
    graph = program.graph
    quotients: dict[int, list[int]] = {}
    for node in program.nodes():
        if graph.kinds[node] == "div":
            quotients.setdefault(graph.arguments[node][1], []).append(node)
    return {node for group in quotients.values() if len(group) > 1 for node in group}
