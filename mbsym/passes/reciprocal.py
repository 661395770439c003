"""Several divisions by one value become one division and products."""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.passes.rebuild import copied, rebuild
from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import ONE, Graph, Reference
from mbsym.symbolic.program import Program


def reciprocal(program: Program) -> Program:
    """An equal program in which every value is a divisor at most once.

    Two or more quotients x/d, y/d become r = 1/d, x*r, y*r. A division costs several times what a product costs; the
    number of operations grows by at most one for each such divisor. Results may change in the last digit. The
    reciprocal of a value named d is named d_inv.
    """
    while shared := _shared_divisors(program):
        program = rebuild(program, _Inversion(program.graph, shared))
    return program


@dataclass(frozen=True, slots=True)
class _Inversion:
    """The rule that multiplies by the reciprocals of some divisors."""

    source: Graph
    shared: frozenset[int]

    def __call__(self, target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        source = self.source
        if source.kinds[node] != "div" or source.arguments[node][1] not in self.shared:
            return copied(source, target, node, images)
        numerator, divisor = source.arguments[node]
        inverse = target.div(ONE, image(images, divisor))
        if divisor in source.names:
            name, sign = source.names[divisor]
            target.name(sign * inverse, f"{name}_inv")
        return target.mul(image(images, numerator), inverse)


def _shared_divisors(program: Program) -> frozenset[int]:
    graph = program.graph
    count: dict[int, int] = {}
    for node in program.nodes():
        if graph.kinds[node] == "div":
            divisor = graph.arguments[node][1]
            count[divisor] = count.get(divisor, 0) + 1
    return frozenset(divisor for divisor, times in count.items() if times > 1)
