"""Common factors of sums are taken out: a*b + a*c becomes a*(b + c), and a/d + b/d becomes (a + b)/d."""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.passes.rebuild import copied, rebuild, use_counts
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
    before = program.operation_count().arithmetic
    while True:
        candidate = _factored(program)
        after = candidate.operation_count().arithmetic
        if after >= before:
            return program
        program, before = candidate, after


@dataclass(slots=True)
class _Term:
    """A product of old nodes and of new sums, over a product of old nodes."""

    negative: bool
    factors: list[int | _Sum]
    divisors: list[int]


@dataclass(slots=True)
class _Sum:
    terms: list[_Term]


def _factored(program: Program) -> Program:
    source = program.graph
    nodes = program.nodes()
    plans, consumed = _plans(program, nodes)

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        if node in plans:
            return _sum(target, plans[node], images)
        return copied(source, target, node, images)

    return rebuild(program, rule, without=frozenset(consumed))


def _plans(program: Program, nodes: list[int]) -> tuple[dict[int, _Sum], set[int]]:
    """The sums that factoring shortens, and the nodes that they replace."""
    graph = program.graph
    uses = use_counts(program, nodes)
    inner = _Inner(graph, frozenset(node for node in nodes if uses[node] == 1 and node not in graph.names))
    plans: dict[int, _Sum] = {}
    consumed: set[int] = set()
    absorbed: set[int] = set()
    for node in reversed(nodes):
        if graph.kinds[node] != "add" or node in absorbed:
            continue
        parts: list[int] = []
        terms = inner.terms(node, parts)
        absorbed.update(part for part in parts if graph.kinds[part] == "add")
        plan = _Sum(terms)
        if _take_out(plan):
            plans[node] = plan
            consumed.update(parts)
    return plans, consumed


@dataclass(frozen=True, slots=True)
class _Inner:
    """Reads sums and products apart as far as their parts are used only there."""

    graph: Graph
    free: frozenset[int]

    def terms(self, top: int, parts: list[int]) -> list[_Term]:
        """The terms of a sum, in order; nodes read apart are added to ``parts``."""
        kinds, arguments = self.graph.kinds, self.graph.arguments
        terms: list[_Term] = []
        stack: list[Reference] = [*reversed(arguments[top])]
        while stack:
            ref = stack.pop()
            node = abs(ref)
            if kinds[node] == "add" and node in self.free:
                parts.append(node)
                first, second = arguments[node]
                stack += (second, first) if ref > 0 else (-second, -first)
            else:
                term = _Term(ref < 0, [], [])
                self._split(node, term, parts)
                terms.append(term)
        return terms

    def _split(self, top: int, term: _Term, parts: list[int]) -> None:
        kinds, arguments = self.graph.kinds, self.graph.arguments
        stack = [top]
        while stack:
            node = stack.pop()
            if kinds[node] == "mul" and node in self.free:
                parts.append(node)
                stack += reversed(arguments[node])
            elif kinds[node] == "div" and node in self.free:
                parts.append(node)
                stack.append(arguments[node][0])
                term.divisors.append(arguments[node][1])
            elif node != ONE:
                term.factors.append(node)


def _take_out(total: _Sum) -> bool:
    """Takes common factors out of the sum while that saves a product or a division; true if it did."""
    changed = False
    while (best := _most_shared(total)) is not None:
        factor, divides = best
        group: list[_Term] = []
        rest: list[_Term] = []
        for term in total.terms:
            where = term.divisors if divides else term.factors
            if factor in where and (divides or len(term.factors) > 1 or term.divisors):
                where.remove(factor)
                group.append(term)
            else:
                rest.append(term)
        bracket = _Sum(group)
        _take_out(bracket)
        taken = _Term(False, [bracket], [factor]) if divides else _Term(False, [factor, bracket], [])
        if not rest:
            total.terms = [taken]
            return True
        total.terms = [taken, *rest]
        changed = True
    return changed


def _most_shared(total: _Sum) -> tuple[int, bool] | None:
    """The factor, or divisor (true), of most terms; None if no two terms share one."""
    count: dict[tuple[int, bool], int] = {}
    for term in total.terms:
        if len(term.factors) > 1 or term.divisors:
            for each in dict.fromkeys(each for each in term.factors if isinstance(each, int)):
                count[each, False] = count.get((each, False), 0) + 1
        for divisor in dict.fromkeys(term.divisors):
            count[divisor, True] = count.get((divisor, True), 0) + 1
    best = max(count, key=lambda each: (count[each], each[1], -each[0]), default=None)
    return best if best is not None and count[best] > 1 else None


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
