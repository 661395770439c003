"""A bound of the degree of a program's values as rational functions, for the failure probability of equality tests.

A value is written as n * f1^e1 * f2^e2 ..., n a polynomial of known degree and the f the polynomials that were divided
by, the same f wherever the same node is the divisor. A sum takes the common power of each f out, so that denominators
which cancel by construction do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from mbsym.symbolic.angles import is_opaque
from mbsym.symbolic.finite_field import Prepared, Sampler
from mbsym.symbolic.graph import Reference

_ENOUGH: Final = 1 << 80
"""Degrees beyond this are all the same: the bound is no bound."""

_Factor: TypeAlias = tuple[str, object]
_Powers: TypeAlias = tuple[tuple[_Factor, int], ...]


def degree_of_difference(sampler: Sampler, pairs: Sequence[tuple[Reference, Reference]]) -> int:
    """A bound of the degree of the numerator of x - y, over all pairs of values x and y of the sampler's two programs.

    It is doubled for each square root, whose conjugates multiply, and raised by the chance that two unknown functions
    collide.
    """
    estimate = _Estimate(sampler)
    left, right = (estimate.degrees(item, side) for item, side in zip(sampler.prepared, "ab", strict=True))
    largest = max((estimate.numerator(estimate.sum(left[abs(x)], right[abs(y)])) for x, y in pairs), default=0)
    return min((largest << min(estimate.roots, 100)) + estimate.collisions(), _ENOUGH)


class _Estimate:
    """Degrees of nodes as (degree of n, number of the powers of the f), the powers interned."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self.powers: list[_Powers] = [()]
        self.numbers: dict[_Powers, int] = {(): 0}
        self.degree: dict[_Factor, int] = {}
        self.products: dict[tuple[int, int], int] = {}
        self.common: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.roots = 0
        self.unknown = 0
        self.largest_argument = 0

    def degrees(self, item: Prepared, side: str) -> dict[int, tuple[int, int]]:
        graph = item.program.graph
        quaternions = {
            ref: start
            for argument in item.program.inputs
            for start in argument.quaternions
            for ref in argument.symbols[start : start + 4]
        }
        known: dict[int, tuple[int, int]] = {}
        for node in (*item.radicands, *item.rest):
            kind = graph.kinds[node]
            arguments = graph.arguments[node]
            if kind == "add":
                known[node] = self.sum(known[arguments[0]], known[abs(arguments[1])])
            elif kind == "mul":
                known[node] = self.product(known[arguments[0]], known[arguments[1]])
            elif kind == "div":
                known[node] = self.quotient(known[arguments[0]], known[arguments[1]], (side, arguments[1]))
            elif kind == "const":
                known[node] = (0, 0)
            elif kind in ("symbol", "pi"):
                quaternion = quaternions.get(node)
                known[node] = (1, 0) if quaternion is None else (2, self.single(("quaternion", quaternion), 2))
            elif kind in ("sin", "cos", "tan"):
                known[node] = self.circle(item, arguments[0], (side, node), kind)
            elif kind == "sqrt":
                self.roots += 1
                known[node] = known[abs(arguments[0])]
            else:
                self.note([known[abs(operand)] for operand in arguments])
                known[node] = (1, 0)
        return known

    def circle(self, item: Prepared, angle: Reference, factor: _Factor, kind: str) -> tuple[int, int]:
        """sin and cos of k times an angle are of degree 2k over (1 + t^2)^k; a tangent divides once more."""
        powers: dict[_Factor, int] = {}
        degree = 0
        for monomial, coefficient in item.angles[angle]:
            atom: _Factor = ("circle", monomial)
            if is_opaque(monomial):
                atom = (factor[0], monomial)
                self.unknown += 1
            steps = abs(self.sampler.steps(monomial, coefficient))
            degree += 2 * steps
            powers[atom] = -steps
            self.degree[atom] = 2
        if kind == "tan":
            powers = {factor: -1}
            self.degree[factor] = degree
        return degree, self.number(_ordered(powers))

    def single(self, factor: _Factor, degree: int) -> int:
        """The number of the powers f^-1."""
        self.degree[factor] = degree
        return self.number(((factor, -1),))

    def number(self, powers: _Powers) -> int:
        if powers not in self.numbers:
            self.numbers[powers] = len(self.powers)
            self.powers.append(powers)
        return self.numbers[powers]

    def product(self, x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
        degree = min(x[0] + y[0], _ENOUGH)
        if x[1] == 0 or y[1] == 0:
            return degree, x[1] or y[1]
        key = (x[1], y[1])
        if key not in self.products:
            total = dict(self.powers[x[1]])
            for factor, power in self.powers[y[1]]:
                total[factor] = total.get(factor, 0) + power
            self.products[key] = self.number(_ordered(total))
        return degree, self.products[key]

    def quotient(self, x: tuple[int, int], y: tuple[int, int], factor: _Factor) -> tuple[int, int]:
        inverse = {each: -power for each, power in self.powers[y[1]]}
        if y[0]:
            self.degree[factor] = y[0]
            inverse[factor] = -1
        return self.product(x, (0, self.number(_ordered(inverse))))

    def sum(self, x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
        if x[1] == y[1]:
            return max(x[0], y[0]), x[1]
        key = (x[1], y[1])
        if key not in self.common:
            first, second = dict(self.powers[x[1]]), dict(self.powers[y[1]])
            shared = {each: min(first.get(each, 0), second.get(each, 0)) for each in {**first, **second}}
            left, right = (
                sum((powers.get(each, 0) - power) * self.degree[each] for each, power in shared.items())
                for powers in (first, second)
            )
            self.common[key] = (left, right, self.number(_ordered(shared)))
        left, right, number = self.common[key]
        return min(max(x[0] + left, y[0] + right), _ENOUGH), number

    def numerator(self, x: tuple[int, int]) -> int:
        return x[0] + sum(power * self.degree[factor] for factor, power in self.powers[x[1]] if power > 0)

    def note(self, operands: Sequence[tuple[int, int]]) -> None:
        self.unknown += 1
        for operand in operands:
            poles = sum(-power * self.degree[factor] for factor, power in self.powers[operand[1]] if power < 0)
            self.largest_argument = max(self.largest_argument, self.numerator(operand) + poles)

    def collisions(self) -> int:
        """Pairs of unknown values that could have equal arguments by chance, times the degree of their difference."""
        return min(self.unknown * self.unknown * 2 * self.largest_argument, _ENOUGH)


def _ordered(powers: dict[_Factor, int]) -> _Powers:
    return tuple(sorted(((each, power) for each, power in powers.items() if power), key=repr))
