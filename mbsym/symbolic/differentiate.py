"""Derivatives of graph values, forward and in reverse (Griewank, Walther: Evaluating Derivatives, chapters 3 and 7).

Derivatives are values of the same graph, so what a function and its derivatives share is computed once. Of abs, sign,
min, max, select and step functions the derivative is the one that holds almost everywhere: d|x| = sign(x) dx,
d sign(x) = 0, step functions are constant, and min, max and select follow the branch that is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mbsym.errors import SymbolicError
from mbsym.symbolic.given_functions import GivenFunction, StepFunction
from mbsym.symbolic.graph import ONE, ZERO, Graph, Reference


def forward(graph: Graph, refs: Sequence[Reference], seeds: Mapping[int, Reference]) -> list[Reference]:
    """Derivatives of the values along a direction.

    Args:
        graph: where the values live and the derivatives are made.
        refs: values to differentiate.
        seeds: derivative of each symbol (or other node) along the direction; that of all others is zero.

    Returns:
        The sum of d ref/d node * seed over all seeds, for each value. With the symbols' rates as seeds that is the time
        derivative.
    """
    tangents = dict(seeds)
    for step in differentials(graph, refs, seeds):
        tangents[step.node] = _tangent(graph, step, tangents)
    return [_signed(tangents, ref) for ref in refs]


def gradient(graph: Graph, ref: Reference, symbols: Sequence[Reference]) -> list[Reference]:
    """Derivatives of one value with respect to symbols, in reverse: about as much work for all as for one."""
    return _reverse(graph, ref, symbols, differentials(graph, [ref], {abs(symbol) for symbol in symbols}))


def jacobian(graph: Graph, refs: Sequence[Reference], symbols: Sequence[Reference]) -> list[list[Reference]]:
    """Matrix of the derivatives of the values (rows) with respect to the symbols (columns).

    It is made forward, all columns at a time, or by rows in reverse, whichever are fewer; either way only what depends
    on a symbol is visited, and entries that are zero by structure are the constant zero.
    """
    steps = differentials(graph, refs, {abs(symbol) for symbol in symbols})
    if len(refs) < len(symbols):
        return [_reverse(graph, ref, symbols, steps) for ref in refs]
    tangents: dict[int, dict[int, Reference]] = {}
    for place, symbol in enumerate(symbols):
        tangents.setdefault(abs(symbol), {})[place] = ONE if symbol >= 0 else -ONE
    nothing: dict[int, Reference] = {}
    for step in steps:
        below = [tangents.get(abs(operand), nothing) for operand in step.operands]
        places = sorted(set().union(*below))
        found = {
            place: _tangent(
                graph,
                step,
                {abs(operand): each.get(place, ZERO) for operand, each in zip(step.operands, below, strict=True)},
            )
            for place in places
        }
        tangents[step.node] = {place: ref for place, ref in found.items() if ref}
    rows: list[list[Reference]] = []
    for ref in refs:
        entries = tangents.get(abs(ref), nothing)
        rows.append([entries.get(place, ZERO) * (1 if ref >= 0 else -1) for place in range(len(symbols))])
    return rows


@dataclass(frozen=True, slots=True)
class Differential:
    """That of a node: the sum of partial times d operand, or the branch where ``condition`` > 0.

    Attributes:
        node: whose differential it is.
        operands: what it depends on, for a branch the value taken where the condition is positive and the other one.
        partials: derivative with respect to each operand as it is signed; empty for a branch.
        condition: of a branch.
    """

    node: int
    operands: tuple[Reference, ...]
    partials: tuple[Reference, ...]
    condition: Reference = ZERO


def _signed(values: Mapping[int, Reference], ref: Reference) -> Reference:
    return values.get(ref, ZERO) if ref >= 0 else -values.get(-ref, ZERO)


def _tangent(graph: Graph, step: Differential, tangents: Mapping[int, Reference]) -> Reference:
    if not step.partials:
        positive, otherwise = (_signed(tangents, operand) for operand in step.operands)
        return graph.select(step.condition, positive, otherwise)
    total = ZERO
    for operand, partial in zip(step.operands, step.partials, strict=True):
        total = graph.add(total, graph.mul(partial, _signed(tangents, operand)))
    return total


def _reverse(
    graph: Graph, ref: Reference, symbols: Sequence[Reference], steps: Sequence[Differential]
) -> list[Reference]:
    adjoints: dict[int, Reference] = {abs(ref): ONE if ref >= 0 else -ONE}
    for step in reversed(steps):
        adjoint = adjoints.get(step.node, ZERO)
        if adjoint == ZERO:
            continue
        if step.partials:
            changes = [graph.mul(adjoint, partial) for partial in step.partials]
        else:
            changes = [graph.select(step.condition, adjoint, ZERO), graph.select(step.condition, ZERO, adjoint)]
        for operand, change in zip(step.operands, changes, strict=True):
            below = abs(operand)
            adjoints[below] = graph.add(adjoints.get(below, ZERO), change if operand >= 0 else -change)
    return [adjoints.get(abs(symbol), ZERO) * (1 if symbol >= 0 else -1) for symbol in symbols]


def differentials(graph: Graph, refs: Sequence[Reference], variables: Collection[int]) -> list[Differential]:
    """The differentials of all nodes below the values that depend on the variables, in topological order."""
    active = set(variables)
    steps: list[Differential] = []
    for node in graph.reachable(refs):
        operands = graph.operands(node)
        if node in variables or not any(abs(operand) in active for operand in operands):
            continue
        kind = graph.kinds[node]
        active.add(node)
        if kind == "select":
            steps.append(Differential(node, operands[1:], (), operands[0]))
        elif kind in ("min", "max"):
            first, second = operands
            gap = graph.sub(second, first) if kind == "min" else graph.sub(first, second)
            steps.append(Differential(node, operands, (), gap))
        else:
            partials = _partials(graph, kind, node, operands, active)
            kept = [pair for pair in zip(operands, partials, strict=True) if pair[1] and abs(pair[0]) in active]
            if kept:
                steps.append(Differential(node, tuple(ref for ref, _ in kept), tuple(partial for _, partial in kept)))
    return steps


def _partials(
    graph: Graph, kind: str, node: int, operands: Sequence[Reference], active: Collection[int]
) -> tuple[Reference, ...]:
    """Derivatives of a node with respect to its operands as they are signed; zero for those that are not active."""
    if isinstance(kind, GivenFunction):
        return _of_given(kind)
    if kind == "add":
        return ONE, ONE
    if kind == "mul":
        return operands[1], operands[0]
    if len(operands) == 1:
        return (_derivative(graph, kind, node, operands[0]),)
    x, y = operands
    first, second = (abs(operand) in active for operand in operands)
    if kind == "div":
        return (graph.div(ONE, y) if first else ZERO), (-graph.div(node, y) if second else ZERO)
    if kind == "atan2":
        square = graph.add(graph.mul(x, x), graph.mul(y, y))
        return (graph.div(y, square) if first else ZERO), (-graph.div(x, square) if second else ZERO)
    return (_base(graph, x, y) if first else ZERO), (graph.mul(node, graph.function("log", x)) if second else ZERO)


def _of_given(function: GivenFunction) -> tuple[Reference, ...]:
    """That of a step function.

    Raises:
        SymbolicError: nothing more is known of it than its name.
    """
    if isinstance(function, StepFunction):
        return (ZERO,)
    raise SymbolicError(f"no derivative is known of {function}", remedy="give the formula that it stands for")


def _base(graph: Graph, x: Reference, y: Reference) -> Reference:
    """Derivative of x to the power y with respect to x."""
    exponent = graph.constant_value(y)
    if exponent is not None:
        return graph.mul(y, graph.power(x, exponent - 1))
    return graph.mul(y, graph.function("pow", x, graph.sub(y, ONE)))


def _derivative(graph: Graph, kind: str, node: int, x: Reference) -> Reference:
    """Derivative of a function of one argument."""
    if kind == "sin":
        return graph.function("cos", x)
    if kind == "cos":
        return -graph.function("sin", x)
    if kind == "sqrt":
        return graph.div(ONE, graph.mul(graph.const(2), node))
    if kind == "tan":
        return graph.add(ONE, graph.mul(node, node))
    if kind in ("asin", "acos"):
        root = graph.function("sqrt", graph.sub(ONE, graph.mul(x, x)))
        return graph.div(ONE if kind == "asin" else -ONE, root)
    if kind == "exp":
        return node
    if kind == "log":
        return graph.div(ONE, x)
    if kind == "tanh":
        return graph.sub(ONE, graph.mul(node, node))
    if kind == "abs":
        return graph.function("sign", x)
    return ZERO
