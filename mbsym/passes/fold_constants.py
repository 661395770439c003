"""Constant subexpressions of irrational functions become the nearest double; for printing code only."""

from __future__ import annotations

from typing import Any

from mbsym.errors import SymbolicError
from mbsym.passes.rebuild import rebuild
from mbsym.symbolic.given_functions import StepFunction
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program
from mbsym.symbolic.show import show_value

_DIGITS = 50


def fold_constants(program: Program) -> Program:
    """A program in which no operation has only constant operands, and no circle number is left.

    Each largest constant subexpression, such as sin(0.3) or 2*pi, is evaluated to 50 digits and replaced by the double
    nearest to it. This is the one pass that is not exact, so it belongs after everything that decides equality.

    Raises:
        SymbolicError: a constant subexpression has no finite real value.
    """
    constant = _constant_nodes(program)
    if not constant:
        return program
    values = _Evaluation(program.graph)

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        return target.const(values.double(node))

    return fold_constants(rebuild(program, rule, constant))


def _constant_nodes(program: Program) -> frozenset[int]:
    """Nodes that are no rational constants and depend on no symbol."""
    graph = program.graph
    found: set[int] = set()
    for node in program.nodes():
        kind = graph.kinds[node]
        below = (abs(operand) for operand in graph.operands(node))
        if kind not in ("const", "symbol") and all(each in found or graph.kinds[each] == "const" for each in below):
            found.add(node)
    return frozenset(found)


class _Evaluation:
    """Values of constant nodes in multiple precision."""

    def __init__(self, graph: Graph) -> None:
        from mpmath import MPContext

        self.graph = graph
        self.context: Any = MPContext()
        self.context.dps = _DIGITS
        self.values: dict[int, Any] = {}

    def double(self, top: int) -> float:
        for node in self.graph.reachable([top]):
            if node not in self.values:
                self.values[node] = self._value(node)
        value = self.values[top]
        if self.context.isfinite(value) and not isinstance(value, self.context.mpc):
            return float(value)
        raise SymbolicError(
            f"{show_value(self.graph, top)} has no finite real value", remedy="check the constants it is made of"
        )

    def _value(self, node: int) -> Any:
        context, kind, arguments = self.context, self.graph.kinds[node], self.graph.arguments[node]
        if kind == "const":
            return context.mpf(arguments[0].numerator) / arguments[0].denominator
        if kind == "pi":
            return +context.pi
        x, *others = (self.values[abs(ref)] * (-1 if ref < 0 else 1) for ref in arguments)
        if kind == "select":
            return others[0] if x > 0 else others[1]
        try:
            return self._applied(kind, x, others)
        except (ZeroDivisionError, ValueError, TypeError):
            return context.nan

    def _applied(self, kind: str, x: Any, others: list[Any]) -> Any:
        context = self.context
        if isinstance(kind, StepFunction):
            return context.mpf(kind(float(x)))
        if kind == "add":
            return x + others[0]
        if kind == "mul":
            return x * others[0]
        if kind == "div":
            return x / others[0]
        if kind in ("min", "max"):
            return min(x, others[0]) if kind == "min" else max(x, others[0])
        names = {"abs": "fabs", "pow": "power"}
        return getattr(context, names.get(kind, kind))(x, *others)
