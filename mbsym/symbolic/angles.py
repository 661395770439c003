"""Angles as rational combinations of monomials: what decides which sines and cosines are independent of each other."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from mbsym.symbolic.graph import Graph, Reference

_LARGEST_POLYNOMIAL: Final = 40

Monomial: TypeAlias = tuple[str, ...]
"""Sorted labels of the symbols multiplied; () is one radian; ``#k`` stands for the value of node k."""

Angle: TypeAlias = tuple[tuple[Monomial, Fraction], ...]


def linear_angle(
    graph: Graph, ref: Reference, labels: Mapping[int, str], polynomials: dict[int, dict[Monomial, Fraction]]
) -> Angle:
    """The linear combination that a value is.

    Args:
        graph: where the value lives.
        ref: the value.
        labels: names of the symbol nodes.
        polynomials: of nodes that are known already; filled.
    """
    for node in _polynomial_nodes(graph, abs(ref), polynomials):
        polynomials[node] = _polynomial(graph, node, labels, polynomials)
    sign = -1 if ref < 0 else 1
    return tuple(sorted((monomial, sign * factor) for monomial, factor in polynomials[abs(ref)].items()))


def _polynomial_nodes(graph: Graph, top: int, known: Mapping[int, Any]) -> list[int]:
    """Nodes below an angle down to leaves and to what is no sum or product, operands first."""
    seen: set[int] = set()
    stack = [top]
    while stack:
        node = stack.pop()
        if node in seen or node in known:
            continue
        seen.add(node)
        if graph.kinds[node] in ("add", "mul"):
            stack.extend(abs(operand) for operand in graph.operands(node))
    return sorted(seen)


def _polynomial(
    graph: Graph, node: int, labels: Mapping[int, str], known: Mapping[int, Mapping[Monomial, Fraction]]
) -> dict[Monomial, Fraction]:
    kind = graph.kinds[node]
    arguments = graph.arguments[node]
    if kind == "const":
        return {(): arguments[0]}
    if kind == "pi":
        return {("pi",): Fraction(1)}
    if kind == "symbol":
        return {(labels[node],): Fraction(1)}
    result: dict[Monomial, Fraction] = {}
    if kind == "add":
        for operand in arguments:
            sign = -1 if operand < 0 else 1
            for monomial, factor in known[abs(operand)].items():
                result[monomial] = result.get(monomial, Fraction(0)) + sign * factor
    elif kind == "mul":
        first, second = known[arguments[0]], known[arguments[1]]
        if len(first) * len(second) <= _LARGEST_POLYNOMIAL**2:
            for left, factor in first.items():
                for right, other in second.items():
                    monomial = tuple(sorted(left + right))
                    result[monomial] = result.get(monomial, Fraction(0)) + factor * other
    result = {monomial: factor for monomial, factor in result.items() if factor}
    return result if 0 < len(result) <= _LARGEST_POLYNOMIAL else {(f"#{node}",): Fraction(1)}


def is_opaque(monomial: Monomial) -> bool:
    """Whether an angle's part is no monomial of symbols, so that its sine is known by the part's value only."""
    return any(label.startswith("#") for label in monomial)


def lattice_key(monomial: Monomial) -> Monomial:
    """Under which the common denominator of a monomial's coefficients is kept; one for all that are opaque."""
    return ("#",) if is_opaque(monomial) else monomial
