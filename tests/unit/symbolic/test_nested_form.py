"""Short ways to write polynomials: what is taken out, and that the value stays."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
import sympy

from mbsym.symbolic.graph import Graph
from mbsym.symbolic.nested_form import NestedForm, Product, estimated_cost, nested_form
from mbsym.symbolic.printed_size import PrintedSizes, is_written_as_decimal, number_size
from mbsym.symbolic.quadratic_form import linear_factors
from mbsym.symbolic.reader import free_names, read_expression
from mbsym.symbolic.scalar import symbol


def polynomial(text: str) -> dict[tuple[str, ...], Fraction]:
    expanded = sympy.Poly(sympy.expand(sympy.sympify(text, rational=True)))
    names = [str(generator) for generator in expanded.gens]
    return {
        tuple(name for name, power in zip(names, powers, strict=True) for _ in range(power)): Fraction(
            int(c.p), int(c.q)
        )
        for powers, c in expanded.terms()
    }


def weights(terms: Mapping[tuple[str, ...], Fraction]) -> dict[str, int]:
    return dict.fromkeys(sorted({name for monomial in terms for name in monomial}), 0)


def text(products: tuple[Product[str], ...]) -> str:
    return " + ".join(
        "*".join([f"({each.coefficient})", *each.generators, *(f"({text(parts)})" for parts in each.sums)])
        for each in products
    )


def short(source: str) -> NestedForm[str]:
    terms = polynomial(source)
    found = nested_form(terms, weights(terms))
    assert sympy.expand(sympy.sympify(text(found.products), rational=True) - sympy.sympify(source, rational=True)) == 0
    return found


@pytest.mark.parametrize(
    ("source", "cost"),
    [
        ("a*b + a*c", 2),
        ("(a + b)*(c + d)", 3),
        ("(a + b + c)**2", 3),
        ("3*a*(x + y)**2*z", 5),
        ("a*(x + y)**2 + b*(x + y + z)**2", 8),
        ("x*(x + 2*y)/2", 3),  # x*(x/2 + y)
        ("(x + y)*(x + 2*z + y)", 5),
        ("(x - y)*(x + y)", 3),
        ("(a*b + c*d)*u*(u + 2*w)", 7),
        ("a*x**2 + 2*a*x*y + a*y**2 + b*x**2 + 2*b*x*y + b*y**2", 4),
        ("4.905*a*s + 9.81*b*s", 4),
        ("a + b", 1),
        ("x**2/3 + x*y/2", 4),
        ("7*x*x + 14*x", 3),
        ("x + 1", 1),
    ],
)
def test_shortest_texts_are_found(source: str, cost: int) -> None:
    assert short(source).cost == cost


@pytest.mark.parametrize(
    "source", ["9.81*a + b/3", "a + 1/3", "a + 0.37*b + 2*c*d/7", "9.81*a*b + c*d", "5*a/2 + b/2 + 1/7"]
)
def test_what_shares_nothing_is_estimated_as_it_is_written(source: str) -> None:
    terms = polynomial(source)
    assert estimated_cost(terms, weights(terms)) == short(source).cost


def test_decimals_are_never_multiplied_up() -> None:
    """A number such as 9.81 stays as it is beside other terms."""
    assert "981/100" in text(short("m*(l*a + 9.81*s)").products)
    assert "981/100" in text(short("(m + n)*(l*a + 9.81*s)*b").products)


def test_random_polynomials_keep_their_value_and_do_not_grow() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        names = list("abcdxy")[: int(rng.integers(2, 7))]
        terms: dict[tuple[str, ...], Fraction] = {}
        for _ in range(int(rng.integers(1, 30))):
            monomial = tuple(sorted(names[int(k)] for k in rng.integers(0, len(names), int(rng.integers(0, 5)))))
            terms[monomial] = Fraction(int(rng.integers(1, 9)) * (-1) ** int(rng.integers(2)), int(rng.integers(1, 4)))
        source = " + ".join("*".join([f"({c})", *monomial]) for monomial, c in terms.items())
        found = nested_form(terms, weights(terms))
        difference = sympy.sympify(text(found.products), rational=True) - sympy.sympify(source, rational=True)
        assert sympy.expand(difference) == 0
        plain = sum(max(len(each) - 1, 0) + number_size(c) * bool(each) + 1 for each, c in terms.items()) - 1
        assert found.cost <= plain + sum(not each and c.denominator != 1 for each, c in terms.items())


def test_hundreds_of_terms_take_a_moment_only() -> None:
    found = short("(a + 2*b + c*d + e)**2*(x*y + z)*(u + v + w)")
    assert found.cost <= 45  # of some 60 terms with six factors each


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({(0, 0): 1, (0, 1): 2, (1, 1): 1}, (1, {0: 1, 1: 1}, {0: 1, 1: 1})),
        ({(0, 0): 2, (1, 1): -8}, (2, {0: 1, 1: 2}, {0: 1, 1: -2})),
        ({(0, 0): 3, (-1, 0): 5, (-1, -1): -2}, (1, {0: 1, -1: 2}, {0: 3, -1: -1})),
        ({(0, 0): 1, (1, 1): 1}, None),
        ({(0, 0): 1, (1, 1): -2}, None),
        ({(0, 1): 1}, None),
    ],
)
def test_linear_factors(
    form: dict[tuple[int, int], int], expected: tuple[int, dict[int, int], dict[int, int]] | None
) -> None:
    found = linear_factors(form)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        number, first, second = found
        product: dict[tuple[int, int], Fraction] = {}
        for i, a in first.items():
            for j, b in second.items():
                product[min(i, j), max(i, j)] = product.get((min(i, j), max(i, j)), Fraction(0)) + number * a * b
        assert {key: value for key, value in product.items() if value} == form
        assert {frozenset(first.items()), frozenset(second.items())} == {
            frozenset(each.items()) for each in expected[1:]
        }


@pytest.mark.parametrize(
    ("source", "size"),
    [
        ("a + b*c", 2),
        ("-a", 0),
        ("2*(a + b)", 3),  # written 2*a + 2*b
        ("x*x", 1),
        ("sin(a + b)", 2),
        ("a/3", 1),
        ("2*a/3", 2),
        ("9.81*a", 1),
        ("sqrt(a)/b", 2),
        ("(a + b)*(a + b)", 3),
    ],
)
def test_printed_size(source: str, size: int) -> None:
    graph = Graph()
    ref = read_expression(source, graph, {name: symbol(graph, name) for name in free_names(source)}).ref
    assert PrintedSizes(graph).of(ref) == size


def test_numbers_that_are_written_as_decimals() -> None:
    decimals = ["9.81", "0.05", "1.635", "12.5", "0.2"]
    fractions = ["1/2", "3/4", "1/3", "5/8", "7", "0", "981/700", "1/12"]
    assert all(is_written_as_decimal(Fraction(each)) for each in decimals)
    assert not any(is_written_as_decimal(Fraction(each)) for each in fractions)
