"""Closed forms that can be read: squares and products of sines and cosines merged by the addition theorems.

A value is expanded into a polynomial in symbols, other functions, and the sines and cosines of angles that are linear
combinations. Pairs of terms are then merged, as long as there are any, by

    sin a cos b +- cos a sin b = sin(a +- b),    cos a cos b -+ sin a sin b = cos(a +- b),    sin^2 a + cos^2 a = 1,

and what remains is compared with the Fourier form, in which every product of sines and cosines is a sum. The shortest
of these, written as nested sums and products, is the result, unless the value was shorter as it stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Final, TypeAlias

from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import ONE, ZERO, Graph, Reference
from mbsym.symbolic.nested_form import Product, estimated_cost, nested_form
from mbsym.symbolic.printed_size import PrintedSizes

_MOST_TERMS: Final = 400
_MOST_TERMS_OF_WAVES: Final = 150
_MOST_TERMS_COMPARED: Final = 20
"""Above it, the form that looks shortest is written out without comparison."""

_LARGEST_FOURIER_DEGREE: Final = 6

Angle: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Nodes and their factors, sorted, the first factor positive; node 1 stands for one radian."""

Generator: TypeAlias = tuple[str, int | Angle]
"""("node", node), ("sin", angle) or ("cos", angle)."""

Monomial: TypeAlias = tuple[Generator, ...]
"""Sorted, with repetition."""

Polynomial: TypeAlias = dict[Monomial, Fraction]


def simplify_trigonometric(graph: Graph, ref: Reference) -> Reference:
    """An equal value whose text has at most as many operations."""
    return simplify_all_trigonometric(graph, [ref])[0]


def simplify_all_trigonometric(graph: Graph, refs: Sequence[Reference]) -> list[Reference]:
    """Each value simplified for itself; values of more than 400 terms keep their outer operations."""
    simplifier = _Simplifier(graph)
    for node in graph.reachable(refs):
        simplifier.expand(node)
    return [simplifier.best(ref) for ref in refs]


@dataclass(slots=True)
class _Simplifier:
    graph: Graph
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
            angle, sign = _angle(self.graph, arguments[0])
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
            _accumulate(result, second, Fraction(1 if arguments[1] > 0 else -1))
        else:
            if kind == "div":
                if len(second) != 1:
                    return None
                second = self._reciprocal(second)
            if len(first) * len(second) > 4 * _MOST_TERMS:
                return None
            result = _product(first, second, self.reciprocals)
        return result if len(result) <= _MOST_TERMS else None

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
        return {_sorted(inverse): factor}

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
        merged = _merged(self.polynomials[node])
        polynomials = [merged, _merged(_reduced(merged))]
        fourier = _fourier(self.polynomials[node]) if len(merged) <= _MOST_TERMS_OF_WAVES else None
        if fourier is not None:
            polynomials.append(fourier)
        distinct = list({frozenset(each.items()): each for each in polynomials}.values())
        if len(merged) > _MOST_TERMS_COMPARED:
            distinct = [min(distinct, key=lambda each: estimated_cost(each, self._weights(each)))]
        best = min((nested_form(each, self._weights(each)) for each in distinct), key=lambda form: form.cost)
        return self._cheaper([node, _emitted(self.graph, self.atoms, best.products)])

    def _cheaper(self, refs: Iterable[Reference]) -> Reference:
        return min(refs, key=lambda ref: self.sizes.of(ref))

    def _weights(self, polynomial: Polynomial) -> dict[Generator, int]:
        generators = sorted({generator for monomial in polynomial for generator in monomial}, key=_order)
        values = {each: _value(self.graph, self.atoms, each) for each in generators}
        # A reciprocal costs the division that stands for a multiplication.
        return {each: self.sizes.of(ref) - self.sizes.is_reciprocal(ref) for each, ref in values.items()}


# ---- polynomials ----------------------------------------------------------------------------------------------------


def _accumulate(total: Polynomial, other: Mapping[Monomial, Fraction], factor: Fraction) -> None:
    for monomial, coefficient in other.items():
        value = total.get(monomial, Fraction(0)) + factor * coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)


def _product(
    first: Polynomial, second: Polynomial, reciprocals: Mapping[Generator, Generator] | None = None
) -> Polynomial:
    result: Polynomial = {}
    for left, factor in first.items():
        row: Polynomial = {}
        for right, other in second.items():
            monomial = _sorted(left + right)
            if reciprocals and not reciprocals.keys().isdisjoint(monomial):
                monomial = _cancelled(monomial, reciprocals)
            row[monomial] = row.get(monomial, Fraction(0)) + other
        _accumulate(result, row, factor)
    return result


def _cancelled(monomial: Monomial, reciprocals: Mapping[Generator, Generator]) -> Monomial:
    rest = list(monomial)
    for generator in monomial:
        inverse = reciprocals.get(generator)
        if inverse in rest and generator in rest:
            rest.remove(generator)
            rest.remove(inverse)
    return tuple(rest)


def _sorted(monomial: Iterable[Generator]) -> Monomial:
    return tuple(sorted(monomial, key=_order))


def _order(generator: Generator) -> tuple[bool, str, tuple[tuple[int, Fraction], ...]]:
    """Nodes before sines and cosines."""
    kind, what = generator
    return (kind != "node", kind, ((what, Fraction(0)),) if isinstance(what, int) else what)


def _angle(graph: Graph, ref: Reference) -> tuple[Angle, Fraction]:
    """An argument as linear combination with positive first factor, and the sign that was taken out."""
    factors: dict[int, Fraction] = {}
    stack = [ref]
    while stack:
        each = stack.pop()
        node = abs(each)
        sign = -1 if each < 0 else 1
        kind, arguments = graph.kinds[node], graph.arguments[node]
        if kind == "add":
            stack += (sign * arguments[1], sign * arguments[0])
            continue
        factor, term = Fraction(sign), node
        if kind == "const":
            factor, term = sign * arguments[0], ONE
        elif kind == "mul":
            for number, other in (arguments, arguments[::-1]):
                if graph.kinds[number] == "const":
                    factor, term = sign * graph.arguments[number][0], other
                    break
        factors[term] = factors.get(term, Fraction(0)) + factor
    return _directed(factors)


def _directed(factors: Mapping[int, Fraction]) -> tuple[Angle, Fraction]:
    angle = tuple(sorted((node, factor) for node, factor in factors.items() if factor))
    if angle and angle[0][1] < 0:
        return tuple((node, -factor) for node, factor in angle), Fraction(-1)
    return angle, Fraction(1)


def _sum_of_angles(first: Angle, second: Angle, sign: int) -> tuple[Angle, Fraction]:
    factors = dict(first)
    for node, factor in second:
        factors[node] = factors.get(node, Fraction(0)) + sign * factor
    return _directed(factors)


def _of_sum(kind: str, first: Angle, second: Angle, sign: int) -> tuple[Monomial, Fraction]:
    """sin or cos of first +- second as monomial and factor, which is zero for the sine of nothing."""
    angle, direction = _sum_of_angles(first, second, sign)
    if not angle:
        return (), Fraction(kind == "cos")
    return ((kind, angle),), direction if kind == "sin" else Fraction(1)


# ---- merging --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Merge:
    """Two terms and the one that they become; small ``order`` first."""

    order: tuple[int, int, int]
    first: Monomial
    second: Monomial
    result: Monomial
    coefficient: Fraction


def _merged(polynomial: Polynomial) -> Polynomial:
    """The polynomial after merging pairs of terms while there are any; the number of terms falls with each."""
    terms = dict(polynomial)
    while True:
        merges = sorted(_merges(terms), key=lambda merge: merge.order)
        if not merges:
            return terms
        before = dict(terms)
        for merge in merges:
            pair = {each: before[each] for each in (merge.first, merge.second)}
            if all(terms.get(each) == coefficient for each, coefficient in pair.items()):
                _accumulate(terms, pair, Fraction(-1))
                _accumulate(terms, {merge.result: merge.coefficient}, Fraction(1))


def _merges(terms: Polynomial) -> list[_Merge]:
    """All pairs of terms to which an addition theorem applies."""
    found: list[_Merge] = []
    for place, (monomial, coefficient) in enumerate(terms.items()):
        circular = [generator for generator in monomial if generator[0] != "node"]
        for (kind, a), (other_kind, b) in dict.fromkeys(combinations(circular, 2)):
            assert not isinstance(a, int) and not isinstance(b, int)
            rest = list(monomial)
            rest.remove((kind, a))
            rest.remove((other_kind, b))
            partner = _sorted([*rest, (_other(kind), a), (_other(other_kind), b)])
            change = terms.get(partner)
            if partner == monomial or change is None or abs(change) != abs(coefficient):
                continue
            same = change == coefficient
            if kind == other_kind:
                if kind == "sin":
                    continue  # found from the cosines
                made, factor = _of_sum("cos", a, b, -1 if same else 1)
            elif kind == "sin":
                made, factor = _of_sum("sin", a, b, 1 if same else -1)
            else:
                made, factor = _of_sum("sin", b, a, 1 if same else -1)
            size = len(made[0][1]) if made and not isinstance(made[0][1], int) else 0
            result = _sorted([*rest, *made])
            found.append(_Merge((size, len(result), place), monomial, partner, result, factor * coefficient))
    return found


def _other(kind: str) -> str:
    return "cos" if kind == "sin" else "sin"


def _reduced(polynomial: Polynomial) -> Polynomial:
    """The polynomial with sin^2 = 1 - cos^2 or cos^2 = 1 - sin^2 applied to each angle where that shortens it."""
    best = polynomial
    squares = {
        generator
        for monomial in polynomial
        for generator, following in pairwise(monomial)
        if generator == following and generator[0] != "node"
    }
    for square in sorted(squares, key=_order):
        other: Generator = (_other(square[0]), square[1])
        candidate = best
        while any(monomial.count(square) > 1 for monomial in candidate):
            replaced: Polynomial = {}
            for monomial, coefficient in candidate.items():
                if monomial.count(square) < 2:
                    _accumulate(replaced, {monomial: coefficient}, Fraction(1))
                    continue
                rest = list(monomial)
                rest.remove(square)
                rest.remove(square)
                _accumulate(replaced, {tuple(rest): coefficient}, Fraction(1))
                _accumulate(replaced, {_sorted([*rest, other, other]): coefficient}, Fraction(-1))
            candidate = replaced
        if _length(candidate) < _length(best):
            best = candidate
    return best


def _length(polynomial: Polynomial) -> tuple[int, int]:
    return len(polynomial), sum(len(monomial) for monomial in polynomial)


def _fourier(polynomial: Polynomial) -> Polynomial | None:
    """Every product of sines and cosines as a sum of them; None if that is long."""
    result: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        rest = tuple(generator for generator in monomial if generator[0] == "node")
        circular = monomial[len(rest) :]
        if len(circular) > _LARGEST_FOURIER_DEGREE:
            return None
        waves: Polynomial = {circular[:1]: Fraction(1)}
        for kind, angle in circular[1:]:
            assert not isinstance(angle, int)
            following: Polynomial = {}
            for wave, factor in waves.items():
                _accumulate(following, _two_waves(wave, kind, angle), factor)
            waves = following
        _accumulate(result, {rest + wave: factor for wave, factor in waves.items()}, coefficient)
        if len(result) > _MOST_TERMS:
            return None
    return result


def _two_waves(wave: Monomial, kind: str, angle: Angle) -> Polynomial:
    """The product of a sine or cosine (or of nothing) and another one, as a sum."""
    if not wave:
        return {((kind, angle),): Fraction(1)}
    ((first, other),) = wave
    assert not isinstance(other, int)
    half = Fraction(1, 2)
    if first == kind:
        parts = (("cos", -1, half), ("cos", 1, half if kind == "cos" else -half))
    else:
        parts = (("sin", 1, half), ("sin", -1, half if first == "sin" else -half))
    result: Polynomial = {}
    for made_kind, sign, factor in parts:
        made, direction = _of_sum(made_kind, other, angle, sign)
        _accumulate(result, {made: direction}, factor)
    return result


# ---- back to the graph ----------------------------------------------------------------------------------------------


def _emitted(graph: Graph, atoms: Mapping[int, Reference], products: Sequence[Product[Generator]]) -> Reference:
    """A nested form as a value; numbers are multiplied last, so that no writer distributes them over sums."""
    total = ZERO
    for product in products:
        value = ONE
        for generator in product.generators:
            value = graph.mul(value, _value(graph, atoms, generator))
        for parts in product.sums:
            value = graph.mul(value, _emitted(graph, atoms, parts))
        total = graph.add(total, graph.mul(graph.const(product.coefficient), value))
    return total


def _value(graph: Graph, atoms: Mapping[int, Reference], generator: Generator) -> Reference:
    kind, what = generator
    if isinstance(what, int):
        return atoms.get(what, what)
    angle = ZERO
    for node, factor in what:
        angle = graph.add(angle, graph.mul(graph.const(factor), node))
    return graph.function(kind, angle)
