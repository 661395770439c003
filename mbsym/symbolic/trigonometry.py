"""Closed forms that can be read: squares and products of sines and cosines merged by the addition theorems.

A value is expanded into a polynomial in symbols, other functions, and the sines and cosines of angles that are linear
combinations. Pairs of terms are then merged, as long as there are any, by

    sin a cos b +- cos a sin b = sin(a +- b),    cos a cos b -+ sin a sin b = cos(a +- b),    sin^2 a + cos^2 a = 1,

and what remains is compared with the Fourier form, in which every product of sines and cosines is a sum, and with forms
in which an angle is a sum that occurs less the other angles of it, as q2 = q12 - q1. The shortest of these, written as
nested sums and products, is the result, unless the value was shorter as it stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import ONE, ZERO, Graph, Reference
from mbsym.symbolic.nested_form import Product, estimated_cost, nested_form
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.program import Program
from mbsym.symbolic.trigonometric_polynomial import (
    MOST_TERMS,
    Generator,
    Polynomial,
    accumulate,
    fourier_form,
    generator_order,
    in_sums,
    linear_angle,
    merged_terms,
    of_unit_length,
    product,
    reduced_squares,
    sorted_monomial,
)

_MOST_TERMS_OF_WAVES: Final = 150
"""Longer sums are not tried in Fourier form."""

_MOST_TERMS_OF_SUMS: Final = 60
"""Likewise with angles as differences of sums."""

_MOST_TERMS_COMPARED: Final = 20
"""Above it, the form that looks shortest is written out without comparison."""


def simplify_all_trigonometric(
    graph: Graph, refs: Sequence[Reference], units: Sequence[Sequence[Reference]] = ()
) -> list[Reference]:
    """Equal values whose texts have at most as many operations.

    Each is simplified for itself; values of more than 400 terms keep their outer operations.

    Args:
        graph: where the values live.
        refs: the values.
        units: groups of symbols whose squares add up to one, as those of unit quaternions.
    """
    simplifier = _Simplifier(graph, tuple(tuple(unit) for unit in units))
    for node in graph.reachable(refs):
        simplifier.expand(node)
    return [simplifier.best(ref) for ref in refs]


def unit_quaternions(program: Program) -> list[tuple[Reference, ...]]:
    """The components of each unit quaternion among a program's inputs, as groups for simplification."""
    return [item.symbols[first : first + 4] for item in program.inputs for first in item.quaternions]


@dataclass(slots=True)
class _Simplifier:
    graph: Graph
    units: tuple[tuple[int, ...], ...] = ()
    polynomials: dict[int, Polynomial] = field(default_factory=dict)
    simplified: dict[int, Reference] = field(default_factory=dict)
    atoms: dict[int, Reference] = field(default_factory=dict)
    reciprocals: dict[Generator, Generator] = field(default_factory=dict)
    sizes: PrintedSizes = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = PrintedSizes(self.graph)

    def expand(self, node: int) -> None:
        """Makes the polynomial of a node from those of its operands."""
        kind, arguments = self.graph.kinds[node], self.graph.arguments[node]
        known = self.polynomials
        if kind == "const":
            known[node] = {(): arguments[0]} if arguments[0] else {}
        elif kind in ("symbol", "pi"):
            known[node] = {(("node", node),): Fraction(1)}
        elif kind in ("sin", "cos"):
            angle, sign = linear_angle(self.graph, arguments[0])
            known[node] = {((kind, angle),): sign if kind == "sin" else Fraction(1)}
        else:
            expanded = self._combined(kind, arguments)
            if expanded is None:
                self.atoms[node] = self.graph.make(kind, [self.best(operand) for operand in arguments])
                expanded = {(("node", node),): Fraction(1)}
            known[node] = expanded

    def _combined(self, kind: str, arguments: Sequence[Reference]) -> Polynomial | None:
        """The polynomial of a sum, product or quotient by a product, None if it is neither or too long."""
        if kind not in ("add", "mul", "div"):
            return None
        first, second = (self.polynomials[abs(operand)] for operand in arguments)
        if kind == "add":
            result = dict(first)
            accumulate(result, second, Fraction(1 if arguments[1] > 0 else -1))
        else:
            if kind == "div":
                if len(second) != 1:
                    return None
                second = self._reciprocal(second)
            if len(first) * len(second) > 4 * MOST_TERMS:
                return None
            result = product(first, second, self.reciprocals)
            for unit in self.units:
                result = of_unit_length(result, unit)
        return result if len(result) <= MOST_TERMS else None

    def _reciprocal(self, polynomial: Polynomial) -> Polynomial:
        """One over a polynomial of one term; a generator and its reciprocal cancel from now on."""
        ((monomial, coefficient),) = polynomial.items()
        factor = 1 / coefficient
        inverse: list[Generator] = []
        for generator in monomial:
            if generator not in self.reciprocals:
                ref = self.graph.div(ONE, _value(self.graph, self.atoms, generator))
                found: Generator = ("node", abs(ref))
                self.polynomials[abs(ref)] = {(found,): Fraction(1)}
                self.reciprocals[generator], self.reciprocals[found] = found, generator
            if _value(self.graph, self.atoms, generator) < 0:
                factor = -factor
            inverse.append(self.reciprocals[generator])
        return {sorted_monomial(inverse): factor}

    def best(self, ref: Reference) -> Reference:
        """The shortest form of a value whose polynomial is known."""
        node = abs(ref)
        if node not in self.simplified:
            self.simplified[node] = self._shortest(node)
        return image(self.simplified, ref)

    def _shortest(self, node: int) -> Reference:
        if node in self.atoms:
            return self._cheaper([node, self.atoms[node]])
        if self.graph.kinds[node] not in ("add", "mul", "div"):
            return node
        merged = merged_terms(self.polynomials[node])
        polynomials = [merged, merged_terms(reduced_squares(merged))]
        if len(merged) <= _MOST_TERMS_OF_WAVES:
            fourier = fourier_form(self.polynomials[node])
            polynomials += [fourier] if fourier is not None else []
        if len(merged) <= _MOST_TERMS_OF_SUMS:
            others = in_sums(self.polynomials[node], merged)
            polynomials += (each for each in others if len(each) < len(merged))
        distinct = list({frozenset(each.items()): each for each in polynomials}.values())
        if len(merged) > _MOST_TERMS_COMPARED:
            distinct = [min(distinct, key=lambda each: estimated_cost(each, self._weights(each)))]
        best = min((nested_form(each, self._weights(each)) for each in distinct), key=lambda form: form.cost)
        return self._cheaper([node, _emitted(self.graph, self.atoms, best.products)])

    def _cheaper(self, refs: Iterable[Reference]) -> Reference:
        return min(refs, key=lambda ref: self.sizes.of(ref))

    def _weights(self, polynomial: Polynomial) -> dict[Generator, int]:
        generators = sorted({generator for monomial in polynomial for generator in monomial}, key=generator_order)
        values = {each: _value(self.graph, self.atoms, each) for each in generators}
        # A reciprocal costs the division that stands for a multiplication.
        return {each: self.sizes.of(ref) - self.sizes.is_reciprocal(ref) for each, ref in values.items()}


def _emitted(graph: Graph, atoms: Mapping[int, Reference], products: Sequence[Product[Generator]]) -> Reference:
    """A nested form as a value; numbers are multiplied last, so that no writer distributes them over sums."""
    total = ZERO
    for each in products:
        value = ONE
        for generator in each.generators:
            value = graph.mul(value, _value(graph, atoms, generator))
        for parts in each.sums:
            value = graph.mul(value, _emitted(graph, atoms, parts))
        total = graph.add(total, graph.mul(graph.const(each.coefficient), value))
    return total


def _value(graph: Graph, atoms: Mapping[int, Reference], generator: Generator) -> Reference:
    kind, what = generator
    if isinstance(what, int):
        return atoms.get(what, what)
    angle = ZERO
    for node, factor in what:
        angle = graph.add(angle, graph.mul(graph.const(factor), node))
    return graph.function(kind, angle)
