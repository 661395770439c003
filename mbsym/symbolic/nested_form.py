"""Polynomials as nested sums and products that take few operations to write.

Each operation is counted as often as it is printed. A sum gives up what all its terms share; then it is split, again
and again, at a factor of some terms, or at a sum that several terms hold as a factor (a kernel), whichever promises
the shortest text. Quadratic forms that are products of two linear forms become them, so that a square is seen.

Source: A. Hosangadi, F. Fallah, R. Kastner, Optimizing polynomial expressions by algebraic factorization and common
subexpression elimination, 2006.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Final, Generic, TypeAlias, TypeVar

from mbsym.symbolic.printed_size import is_written_as_decimal, number_size
from mbsym.symbolic.quadratic_form import linear_factors

_MOST_TERMS_WEIGHED: Final = 60
"""Sums above it are split at their most frequent factor, without a look at what follows."""

_MOST_TERMS_FACTORED: Final = 15
_LARGEST_SIMPLE: Final = 12
"""What numerators and denominators may be where 9.81 (a/2 + b) is written for 4.905 a + 9.81 b."""

_MOST_SPLITS: Final = 10
_MOST_KERNELS: Final = 8

Terms: TypeAlias = dict[int, int]
"""Coefficients by the set of factors, a bit each; a square has two bits."""

G = TypeVar("G")


@dataclass(frozen=True, slots=True)
class Product(Generic[G]):
    """coefficient * generators * sums."""

    coefficient: Fraction
    generators: tuple[G, ...]
    sums: tuple[tuple[Product[G], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class NestedForm(Generic[G]):
    """A sum of products, and how many operations its text has."""

    products: tuple[Product[G], ...]
    cost: int


def nested_form(polynomial: Mapping[tuple[G, ...], Fraction], weights: Mapping[G, int]) -> NestedForm[G]:
    """A short way to write a polynomial.

    Args:
        polynomial: coefficients by monomial, a power as repetition.
        weights: operations in the text of each generator, none for a symbol; its order breaks ties.
    """
    planner, terms, scale = _prepared(polynomial, weights)
    products = planner.plan(terms, scale)
    return NestedForm(products, _cost(products, weights))


def estimated_cost(polynomial: Mapping[tuple[G, ...], Fraction], weights: Mapping[G, int]) -> int:
    """About what the nested form costs, in a fraction of the time."""
    planner, terms, scale = _prepared(polynomial, weights)
    return planner.guess(terms, scale) if terms else 0


def _prepared(polynomial: Mapping[tuple[G, ...], Fraction], weights: Mapping[G, int]) -> tuple[_Planner[G], Terms, int]:
    powers: dict[G, int] = {}
    for monomial in polynomial:
        for generator in monomial:
            powers[generator] = max(powers.get(generator, 0), monomial.count(generator))
    generators = [generator for generator in weights for _ in range(powers.get(generator, 0))]
    first = {generator: generators.index(generator) for generator in powers}
    scale = lcm(*(coefficient.denominator for coefficient in polynomial.values()))
    terms: Terms = {}
    for monomial, coefficient in polynomial.items():
        mask = 0
        for generator in dict.fromkeys(monomial):
            mask |= ((1 << monomial.count(generator)) - 1) << first[generator]
        terms[mask] = int(coefficient * scale)
    terms = dict(sorted(terms.items()))
    planner = _Planner(
        generators,
        [first[generator] for generator in generators],
        [weights[generator] for generator in generators],
        [(first[generator], power) for generator, power in powers.items() if power > 1],
    )
    return planner, terms, scale


def _cost(products: tuple[Product[G], ...], weights: Mapping[G, int]) -> int:
    """Operations in the text of a sum."""
    total = len(products) - 1
    for product in products:
        factors = len(product.generators) + len(product.sums)
        total += sum(weights[generator] for generator in dict.fromkeys(product.generators))
        total += sum(_cost(parts, weights) for parts in dict.fromkeys(product.sums))
        total += max(factors - 1, 0) + _cost_of_number(product.coefficient, factors)
    return total


@dataclass(slots=True)
class _Planner(Generic[G]):
    """A sum is its terms over ``scale``. The bits of a generator follow each other; a higher one comes with the lower.

    Attributes:
        generators: that the bits stand for.
        firsts: the first bit of each bit's generator.
        weights: operations in the text of each bit's generator.
        powers: first bit and number of bits of the generators that have several.
    """

    generators: list[G]
    firsts: list[int]
    weights: list[int]
    powers: list[tuple[int, int]]
    planned: dict[tuple[frozenset[tuple[int, int]], int], tuple[Product[G], ...]] = field(default_factory=dict)
    guessed: dict[tuple[frozenset[tuple[int, int]], int], int] = field(default_factory=dict)
    numbers: dict[tuple[int, int, bool], int] = field(default_factory=dict)
    taken: dict[tuple[int, ...], int] = field(default_factory=dict)

    # ---- what a sum would cost ----

    def guess(self, terms: Terms, scale: int) -> int:
        """Operations after splitting at the most frequent factor each time."""
        if len(terms) == 1:
            ((mask, coefficient),) = terms.items()
            return self._monomial_cost(mask, coefficient, scale)
        key = frozenset(terms.items()), scale
        if key not in self.guessed:
            self.guessed[key] = self._guess_sum(terms, scale)
        return self.guessed[key]

    def _guess_sum(self, terms: Terms, scale: int) -> int:
        content = _common(terms)
        if content:
            number, inner, within = self._divided(terms, scale, content)
            return self._monomial_cost(content, 1, 1) + number_size(number) + 1 + self.guess(inner, within)
        factors = self._linear_factors(terms, scale)
        if factors is not None:
            number, one, other = factors
            written = self.guess(one, 1) + (self.guess(other, 1) if other != one else 0)
            return written + 1 + number_size(number)
        count = _counts(terms)
        best = max(count, key=lambda bit: (count[bit], -bit), default=-1)
        if best < 0 or count[best] < 2:
            total = len(terms) - 1
            for mask, coefficient in terms.items():
                total += self._monomial_cost(mask, coefficient, scale)
            return total
        return self._guess_split(terms, scale, best)

    def _guess_split(self, terms: Terms, scale: int, bit: int) -> int:
        group, rest = _split(terms, bit)
        return self.guess(group, scale) + (1 + self.guess(rest, scale) if rest else 0)

    def _monomial_cost(self, mask: int, coefficient: int, scale: int) -> int:
        count = total = 0
        while mask:
            low = mask & -mask
            bit = low.bit_length() - 1
            count += 1
            if self.firsts[bit] == bit:
                total += self.weights[bit]
            mask ^= low
        total += max(count - 1, 0)
        if scale == 1:
            return total + (count > 0 and coefficient not in (1, -1))
        key = abs(coefficient), scale, count > 0
        if key not in self.numbers:
            self.numbers[key] = _cost_of_number(Fraction(coefficient, scale), count)
        return total + self.numbers[key]

    # ---- the sum as it will be written ----

    def plan(self, terms: Terms, scale: int) -> tuple[Product[G], ...]:
        """Products whose sum the terms are."""
        if not terms:
            return ()
        if len(terms) == 1:
            ((mask, coefficient),) = terms.items()
            return (Product(Fraction(coefficient, scale), self._named(mask)),)
        key = frozenset(terms.items()), scale
        if key not in self.planned:
            self.planned[key] = self._plan_sum(terms, scale)
        return self.planned[key]

    def _plan_sum(self, terms: Terms, scale: int) -> tuple[Product[G], ...]:
        content = _common(terms)
        if content:
            number, inner, within = self._divided(terms, scale, content)
            return (_multiplied(Product(number, self._named(content)), self.plan(inner, within)),)
        factors = self._linear_factors(terms, scale)
        if factors is not None:
            number, one, other = factors
            return (Product(number, (), (self.plan(one, 1), self.plan(other, 1))),)
        count = {bit: times for bit, times in _counts(terms).items() if times > 1}
        if not count:
            return tuple(product for term in terms.items() for product in self.plan(dict([term]), scale))
        best = max(count, key=lambda bit: (count[bit], -bit))
        if len(terms) > _MOST_TERMS_WEIGHED:
            return self._plan_split(terms, scale, best)
        kernels = self._kernels(terms, count)
        for kernel in kernels:
            quotient, rest = _held(terms, kernel)
            if not rest and len(quotient) > 1:
                return (self._product(kernel, quotient, scale),)
        return self._plan_shortest(terms, scale, count, kernels)

    def _plan_shortest(
        self, terms: Terms, scale: int, count: Mapping[int, int], kernels: list[Terms]
    ) -> tuple[Product[G], ...]:
        """Split where the guess is shortest: at a factor, or at a sum that is one."""
        frequent = sorted(count, key=lambda bit: (-count[bit], bit))[:_MOST_SPLITS]
        shortest, _, bit = min((self._guess_split(terms, scale, bit), -count[bit], bit) for bit in frequent)
        found: tuple[Terms, Terms, Terms] | None = None
        for kernel in kernels:
            quotient, rest = _held(terms, kernel)
            if len(quotient) < 2:
                continue
            price = self.guess(kernel, 1) + self.guess(quotient, scale) + 1
            price += 1 + self.guess(rest, scale) if rest else 0
            if price < shortest:
                shortest, found = price, (kernel, quotient, rest)
        if found is None:
            return self._plan_split(terms, scale, bit)
        kernel, quotient, rest = found
        return (self._product(kernel, quotient, scale), *self.plan(rest, scale))

    def _plan_split(self, terms: Terms, scale: int, bit: int) -> tuple[Product[G], ...]:
        group, rest = _split(terms, bit)
        return (*self.plan(group, scale), *self.plan(rest, scale))

    def _product(self, kernel: Terms, quotient: Terms, scale: int) -> Product[G]:
        of_kernel = 1
        whole = gcd(*quotient.values())
        multiple = {mask: c * whole for mask, c in kernel.items()}
        if scale > 1 and self._taken_out(multiple, scale) == scale:
            kernel = multiple
            quotient = {mask: c // whole for mask, c in quotient.items()}
            of_kernel, scale = scale, 1
        number, quotient, within = self._divided(quotient, scale, 0)
        return _multiplied(_multiplied(Product(number, ()), self.plan(kernel, of_kernel)), self.plan(quotient, within))

    def _kernels(self, terms: Terms, count: Mapping[int, int]) -> list[Terms]:
        """Sums without common factor that are coefficients of a factor; distinct, long ones first."""
        found: dict[frozenset[tuple[int, int]], Terms] = {}
        for bit in sorted(count):
            group, rest = _split(terms, bit)
            if rest:
                number = _primitive(group)
                content = _common(group)
                kernel = self._lowered({mask & ~content: factor // number for mask, factor in group.items()})
                found.setdefault(frozenset(kernel.items()), kernel)
        return sorted(found.values(), key=lambda kernel: -len(kernel))[:_MOST_KERNELS]

    def _linear_factors(self, terms: Terms, scale: int) -> tuple[Fraction, Terms, Terms] | None:
        """A number and two linear forms whose product the terms are, where a generator occurs squared."""
        if not 3 <= len(terms) <= _MOST_TERMS_FACTORED:
            return None
        form: dict[tuple[int, int], int] = {}
        for mask, coefficient in terms.items():
            if mask.bit_count() > 2:
                return None
            places = [self.firsts[bit] for bit in _bits(mask)]
            low, high = sorted([-1] * (2 - len(places)) + places)
            form[low, high] = coefficient
        found = linear_factors(form)
        if found is None:
            return None
        number, *factors = found
        one, other = ({1 << bit if bit >= 0 else 0: c for bit, c in linear.items()} for linear in factors)
        return (number / scale, one, other) if len(one) > 1 and len(other) > 1 else None

    # ---- parts of sums ----

    def _divided(self, terms: Terms, scale: int, content: int) -> tuple[Fraction, Terms, int]:
        """The number taken out, and the terms with their scale without it and the common factors.

        The number leaves coefficients that take few operations to write, most of them positive.
        """
        positive = sum(coefficient > 0 for coefficient in terms.values())
        majority = 2 * positive - len(terms)
        sign = 1 if majority > 0 or (not majority and next(iter(terms.values())) > 0) else -1
        taken = self._taken_out(terms, scale)
        whole = gcd(*terms.values()) if taken != scale else 1
        divisor, within = sign * whole, taken // whole if taken != scale else scale
        inner = self._lowered({mask & ~content: c // divisor for mask, c in terms.items()})
        return Fraction(sign * taken, scale), inner, within

    def _taken_out(self, terms: Terms, scale: int) -> int:
        sizes = sorted(map(abs, terms.values()))
        if sizes[0] == sizes[-1]:
            return sizes[0]
        key = (scale, *sizes)
        if key not in self.taken:
            self.taken[key] = _taken_out(sizes, scale)
        return self.taken[key]

    def _lowered(self, terms: Terms) -> Terms:
        """The bits of each power moved down to the generator's first one."""
        if not self.powers:
            return terms
        used = 0
        for mask in terms:
            used |= mask
        for first, length in self.powers:
            own = (used >> first) & ((1 << length) - 1)
            if own and not own & 1:
                shift = (own & -own).bit_length() - 1
                window = ((1 << length) - 1) << first
                terms = {(mask & ~window) | ((mask & window) >> shift): c for mask, c in terms.items()}
        return terms

    def _named(self, mask: int) -> tuple[G, ...]:
        return tuple(self.generators[bit] for bit in _bits(mask))


def _multiplied(product: Product[G], parts: tuple[Product[G], ...]) -> Product[G]:
    """A product times a sum."""
    if len(parts) > 1:
        return Product(product.coefficient, product.generators, (*product.sums, parts))
    (one,) = parts
    return Product(
        product.coefficient * one.coefficient, (*product.generators, *one.generators), (*product.sums, *one.sums)
    )


def _taken_out(sizes: list[int], scale: int) -> int:
    """Which multiple of 1/scale is best written in front of a sum of these; ``scale`` itself for nothing.

    Decimals such as 9.81 are taken out whole or not at all.
    """
    whole = gcd(*sizes)
    if scale == 1:
        return whole if 1 + sum(size != whole for size in sizes) <= sum(size != 1 for size in sizes) else 1
    numbers = [Fraction(size, scale) for size in sizes]
    kept = sum(map(number_size, numbers))
    if any(map(is_written_as_decimal, numbers)):
        # Of two terms the larger number is taken out, so that 9.81 is seen; of more, what leaves integers.
        taken = max(sizes) if len(sizes) == 2 else whole
        within = [Fraction(size, taken) for size in sizes]
        if any(max(number.numerator, number.denominator) > _LARGEST_SIMPLE for number in within):
            return scale
        return taken if 1 + sum(map(number_size, within)) <= kept else scale
    return whole if number_size(Fraction(whole, scale)) + sum(size != whole for size in sizes) <= kept else scale


def _cost_of_number(number: Fraction, factors: int) -> int:
    """Operations that a coefficient adds to a product; a change of sign is none."""
    return number_size(number) if factors else int(number.denominator != 1 and not is_written_as_decimal(number))


def _primitive(terms: Terms) -> int:
    """The number that leaves coprime integers, the first positive."""
    whole = gcd(*terms.values())
    return -whole if next(iter(terms.values())) < 0 else whole


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _common(terms: Terms) -> int:
    common = -1
    for mask in terms:
        common &= mask
    return common


def _counts(terms: Terms) -> dict[int, int]:
    count: dict[int, int] = {}
    for mask in terms:
        while mask:
            low = mask & -mask
            count[low] = count.get(low, 0) + 1
            mask ^= low
    return {low.bit_length() - 1: times for low, times in count.items()}


def _split(terms: Terms, bit: int) -> tuple[Terms, Terms]:
    one = 1 << bit
    group: Terms = {}
    rest: Terms = {}
    for mask, coefficient in terms.items():
        (group if mask & one else rest)[mask] = coefficient
    return group, rest


def _held(terms: Terms, kernel: Terms) -> tuple[Terms, Terms]:
    """The monomials whose products with the kernel are among the terms, and the terms that remain."""
    (first, lead), *others = kernel.items()
    remaining = dict(terms)
    quotient: Terms = {}
    for mask, coefficient in terms.items():
        if mask & first != first or coefficient % lead or mask not in remaining:
            continue
        factor, ratio = mask & ~first, coefficient // lead
        if all(not factor & other and remaining.get(factor | other) == ratio * c for other, c in others):
            quotient[factor] = ratio
            for other in kernel:
                del remaining[factor | other]
    return quotient, remaining
