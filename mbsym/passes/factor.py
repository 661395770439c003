"""Common factors of sums are taken out: a*b + a*c becomes a*(b + c), and a/d + b/d becomes (a + b)/d."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from mbsym.passes.rebuild import flattened, inner_nodes, rebuild, repeated
from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import ONE, ZERO, Graph, Reference
from mbsym.symbolic.program import Program


def factor(program: Program) -> Program:
    """An equal program with at most as many operations, in which no round of factoring saves any more.

    A sum is seen as all the terms that only it uses, each term as all the factors that only it uses; named values stay
    whole. The factor that most terms share is taken out first (greedy, after Hosangadi, Fallah, Kastner: Optimizing
    polynomial expressions by algebraic factorization and common subexpression elimination). Results may change in
    the last digits.
    """
    return repeated(program, _factored_once)


@dataclass(slots=True)
class _Term:
    """A product of old nodes and of new sums, over a product of old nodes."""

    negative: bool
    factors: list[int | _Sum]
    divisors: list[int]


@dataclass(slots=True)
class _Sum:
    terms: list[_Term]


def _factored_once(program: Program) -> Program | None:
    plans, consumed = _plans(program)
    if not plans:
        return None

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        return _sum(target, plans[node], images)

    return rebuild(program, rule, plans, without=consumed)


def _plans(program: Program) -> tuple[dict[int, _Sum], set[int]]:
    """The sums that factoring shortens, and the nodes that they replace."""
    graph, inner = program.graph, inner_nodes(program)
    kinds = graph.kinds
    plans: dict[int, _Sum] = {}
    consumed: set[int] = set()
    absorbed: set[int] = set()
    for node in reversed(program.nodes()):
        if kinds[node] != "add" or node in absorbed:
            continue
        operands, parts = flattened(graph, node, inner)
        plan = _Sum([_split(graph, operand, inner, parts) for operand in operands])
        if len(parts) < 2:
            continue
        absorbed.update(parts)
        if _take_out(plan):
            plans[node] = plan
            consumed.update(parts)
    return plans, consumed


def _split(graph: Graph, ref: Reference, inner: Container[int], parts: list[int]) -> _Term:
    """The factors and divisors of a term; nodes read apart are added to ``parts``."""
    kinds, arguments = graph.kinds, graph.arguments
    term = _Term(ref < 0, [], [])
    stack = [abs(ref)]
    while stack:
        node = stack.pop()
        if kinds[node] == "mul" and node in inner:
            parts.append(node)
            stack += reversed(arguments[node])
        elif kinds[node] == "div" and node in inner:
            parts.append(node)
            stack.append(arguments[node][0])
            term.divisors.append(arguments[node][1])
        elif node != ONE:
            term.factors.append(node)
    return term


def _take_out(total: _Sum) -> bool:
    """Takes common factors out of the sum while that saves a product or a division; true if it did."""
    changed = False
    while best := _most_shared(total):
        group: list[_Term] = []
        rest: list[_Term] = []
        for term in total.terms:
            if best in _keys(term):
                if best > 0:
                    term.factors.remove(best)
                else:
                    term.divisors.remove(-best)
                group.append(term)
            else:
                rest.append(term)
        bracket = _Sum(group)
        _take_out(bracket)
        taken = _Term(False, [best, bracket], []) if best > 0 else _Term(False, [bracket], [-best])
        total.terms = [taken, *rest]
        changed = True
    return changed


def _keys(term: _Term) -> list[int]:
    """What can be taken out of a term: nodes that are factors, and negated nodes that are divisors."""
    keys = [-divisor for divisor in term.divisors]
    if keys or len(term.factors) > 1:
        keys += [each for each in term.factors if isinstance(each, int)]
    return keys


def _most_shared(total: _Sum) -> int:
    """The factor, or negated divisor, of most terms; zero if no two terms share one."""
    if len(total.terms) < 2:
        return 0
    count: dict[int, int] = {}
    shared: set[int] = set()
    for term in total.terms:
        for key in dict.fromkeys(_keys(term)):
            if key in count:
                shared.add(key)
                count[key] += 1
            else:
                count[key] = 1
    return min(shared, key=lambda key: (-count[key], key)) if shared else 0


def _sum(target: Graph, total: _Sum, images: dict[int, Reference]) -> Reference:
    result = ZERO
    for term in total.terms:
        value = ONE
        for each in term.factors:
            value = target.mul(value, image(images, each) if isinstance(each, int) else _sum(target, each, images))
        if term.divisors:
            divisor = ONE
            for each in term.divisors:
                divisor = target.mul(divisor, image(images, each))
            value = target.div(value, divisor)
        result = target.add(result, -value if term.negative else value)
    return result
