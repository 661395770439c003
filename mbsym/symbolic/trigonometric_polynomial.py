"""Polynomials in symbols, other values, and sines and cosines of angles that are linear combinations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Final, TypeAlias

from mbsym.symbolic.graph import ONE, Graph, Reference

MOST_TERMS: Final = 400
"""Longer polynomials are not made."""

_LARGEST_FOURIER_DEGREE: Final = 6

Angle: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Nodes and their factors, sorted, the first factor positive; node 1 stands for one radian."""

Generator: TypeAlias = tuple[str, int | Angle]
"""("node", node), ("sin", angle) or ("cos", angle)."""

Monomial: TypeAlias = tuple[Generator, ...]
"""Sorted, with repetition."""

Polynomial: TypeAlias = dict[Monomial, Fraction]


def accumulate(total: Polynomial, other: Mapping[Monomial, Fraction], factor: Fraction) -> None:
    for monomial, coefficient in other.items():
        value = total.get(monomial, Fraction(0)) + factor * coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)


def product(
    first: Polynomial, second: Polynomial, reciprocals: Mapping[Generator, Generator] | None = None
) -> Polynomial:
    result: Polynomial = {}
    for left, factor in first.items():
        row: Polynomial = {}
        for right, other in second.items():
            monomial = sorted_monomial(left + right)
            if reciprocals and not reciprocals.keys().isdisjoint(monomial):
                monomial = _cancelled(monomial, reciprocals)
            row[monomial] = row.get(monomial, Fraction(0)) + other
        accumulate(result, row, factor)
    return result


def _cancelled(monomial: Monomial, reciprocals: Mapping[Generator, Generator]) -> Monomial:
    rest = list(monomial)
    for generator in monomial:
        inverse = reciprocals.get(generator)
        if inverse in rest and generator in rest:
            rest.remove(generator)
            rest.remove(inverse)
    return tuple(rest)


def sorted_monomial(monomial: Iterable[Generator]) -> Monomial:
    return tuple(sorted(monomial, key=generator_order))


def generator_order(generator: Generator) -> tuple[bool, str, tuple[tuple[int, Fraction], ...]]:
    """Nodes before sines and cosines."""
    kind, what = generator
    return (kind != "node", kind, ((what, Fraction(0)),) if isinstance(what, int) else what)


def linear_angle(graph: Graph, ref: Reference) -> tuple[Angle, Fraction]:
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


def _of_sum(kind: str, first: Angle, second: Angle, sign: int) -> tuple[Monomial, Fraction]:
    """sin or cos of first +- second as monomial and factor, which is zero for the sine of nothing."""
    factors = dict(first)
    for node, factor in second:
        factors[node] = factors.get(node, Fraction(0)) + sign * factor
    angle, direction = _directed(factors)
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


def merged_terms(polynomial: Polynomial) -> Polynomial:
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
                accumulate(terms, pair, Fraction(-1))
                accumulate(terms, {merge.result: merge.coefficient}, Fraction(1))


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
            partner = sorted_monomial([*rest, (_other(kind), a), (_other(other_kind), b)])
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
            result = sorted_monomial([*rest, *made])
            found.append(_Merge((size, len(result), place), monomial, partner, result, factor * coefficient))
    return found


def _other(kind: str) -> str:
    return "cos" if kind == "sin" else "sin"


def reduced_squares(polynomial: Polynomial) -> Polynomial:
    """The polynomial with sin^2 = 1 - cos^2 or cos^2 = 1 - sin^2 applied to each angle where that shortens it."""
    best = polynomial
    squares = {
        generator
        for monomial in polynomial
        for generator, following in pairwise(monomial)
        if generator == following and generator[0] != "node"
    }
    for square in sorted(squares, key=generator_order):
        candidate = _without_square(best, square, [(_other(square[0]), square[1])])
        if _length(candidate) < _length(best):
            best = candidate
    return best


def in_sums(polynomial: Polynomial, merged: Polynomial) -> Iterator[Polynomial]:
    """The polynomial with one angle written as a sum that occurs in it, less the other angles of the sum.

    Angles of parallel axes are known by their sums: where q1 + q2 occurs, q2 = (q1 + q2) - q1 is one angle less, as in
    formulas that people write.

    Args:
        polynomial: before anything was merged.
        merged: the same after merging, which tells what sums there are.
    """
    angles = {angle for monomial in merged for _, angle in monomial if not isinstance(angle, int) and len(angle) > 1}
    for angle in sorted(angles):
        for node, factor in angle:
            if node == ONE:
                continue
            found: Polynomial = {}
            images: dict[Generator, Polynomial] = {}
            for monomial, coefficient in polynomial.items():
                image: Polynomial = {(): coefficient}
                for generator in monomial:
                    if generator not in images:
                        images[generator] = _about_sum(generator, angle, node, factor)
                    image = product(image, images[generator])
                accumulate(found, image, Fraction(1))
                if len(found) > MOST_TERMS:
                    break
            else:
                yield _without_squares(found)


def _about_sum(generator: Generator, total: Angle, node: int, factor: Fraction) -> Polynomial:
    """A generator with its angle as a sum, plus or minus, and a rest without a node of the sum."""
    kind, angle = generator
    own = Fraction(0) if isinstance(angle, int) else dict(angle).get(node, Fraction(0))
    if isinstance(angle, int) or abs(own) != abs(factor) or angle == total:
        return {(generator,): Fraction(1)}
    sign = own / factor
    rest = dict(angle)
    for each, part in total:
        rest[each] = rest.get(each, Fraction(0)) - sign * part
    other, direction = _directed(rest)
    sine, cosine = Fraction(sign) * (1 if kind == "sin" else -direction), Fraction(direction if kind == "sin" else 1)
    first = sorted_monomial((("sin", total), ("cos" if kind == "sin" else "sin", other)))
    second = sorted_monomial((("cos", total), (kind, other)))
    return {first: sine, second: cosine}


def _without_squares(polynomial: Polynomial) -> Polynomial:
    """The polynomial with squares of the sine or of the cosine of each angle alone, of whichever makes it shorter."""
    angles = {angle for monomial in polynomial for _, angle in monomial if not isinstance(angle, int)}
    for angle in sorted(angles):
        both = (("sin", angle), ("cos", angle))
        polynomial = min((_without_square(polynomial, a, [b]) for a, b in (both, both[::-1])), key=_length)
    return polynomial


def of_unit_length(polynomial: Polynomial, nodes: Sequence[int]) -> Polynomial:
    """The polynomial with x^2 = 1 - y^2 - ... applied to the first of some nodes whose squares add up to one."""
    first, *others = (("node", node) for node in nodes)
    return _without_square(polynomial, first, others)


def _without_square(polynomial: Polynomial, square: Generator, others: Sequence[Generator]) -> Polynomial:
    """The polynomial with x^2 = 1 - y^2 - ... for a generator x and others, as often as x^2 occurs."""
    while any(monomial.count(square) > 1 for monomial in polynomial):
        replaced: Polynomial = {}
        for monomial, coefficient in polynomial.items():
            if monomial.count(square) < 2:
                accumulate(replaced, {monomial: coefficient}, Fraction(1))
                continue
            rest = list(monomial)
            rest.remove(square)
            rest.remove(square)
            accumulate(replaced, {tuple(rest): coefficient}, Fraction(1))
            for other in others:
                accumulate(replaced, {sorted_monomial([*rest, other, other]): coefficient}, Fraction(-1))
        polynomial = replaced
    return polynomial


def _length(polynomial: Polynomial) -> tuple[int, int]:
    return len(polynomial), sum(len(monomial) for monomial in polynomial)


def fourier_form(polynomial: Polynomial) -> Polynomial | None:
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
                accumulate(following, _two_waves(wave, kind, angle), factor)
            waves = following
        accumulate(result, {rest + wave: factor for wave, factor in waves.items()}, coefficient)
        if len(result) > MOST_TERMS:
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
        accumulate(result, {made: direction}, factor)
    return result
