"""The sparse factor of a mass matrix: exact, without fill, on trees that branch."""

from __future__ import annotations

import pytest

from mbsym.errors import DerivationError
from mbsym.formulations.recursive.composite_body import mass_matrix, solve
from mbsym.formulations.recursive.sparse_factor import factorised, product, weighted_product
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import kinetic_energy
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.scalar import Scalar, symbol
from mechanisms.exact import equal
from mechanisms.mechanism import mechanism_of
from mechanisms.trees import binary, chain, comb, tree_model

TREES = {"chain": chain(4), "binary": binary(5), "comb": comb(5)}


@pytest.fixture(params=TREES)
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    parents = TREES[request.param]
    kinds = [("revolute", "prismatic", "helical")[k % 3] for k in range(len(parents))]
    return mechanism_of(tree_model(parents, kinds))  # type: ignore[arg-type]


def vector(mechanism: Mechanism, name: str) -> list[Scalar]:
    return [symbol(mechanism.graph, f"{name}{k}") for k in range(mechanism.nv)]


def test_the_mass_matrix_is_the_hessian_of_the_kinetic_energy(mechanism: Mechanism) -> None:
    M = mass_matrix(mechanism)
    graph, speeds = mechanism.graph, mechanism.v.symbols
    for k, row in enumerate(M):
        momentum = gradient(graph, kinetic_energy(mechanism).ref, speeds)[k]
        assert equal(row, [Scalar(graph, ref) for ref in gradient(graph, momentum, speeds)])


def test_the_factors_multiply_to_the_matrix(mechanism: Mechanism) -> None:
    """M = L^T D L entry by entry."""
    M = mass_matrix(mechanism)
    factor = factorised(mechanism, M)
    n = mechanism.nv
    one, zero = Scalar(mechanism.graph, 1), Scalar(mechanism.graph, 0)
    L = [[factor.lower[i].get(k, one if i == k else zero) for k in range(n)] for i in range(n)]
    for i in range(n):
        found = [sum((L[m][i] * L[m][k] / factor.inverses[m] for m in range(n)), zero) for k in range(n)]
        assert equal(found, M[i])


def test_there_is_no_fill(mechanism: Mechanism) -> None:
    """L has an entry only where one body carries the other, as the mass matrix has."""
    M = mass_matrix(mechanism)
    for i, row in enumerate(factorised(mechanism, M).lower):
        assert all(M[i][k].ref for k in row)


def test_both_halves_solve_together(mechanism: Mechanism) -> None:
    M, x = mass_matrix(mechanism), vector(mechanism, "x")
    factor = factorised(mechanism, M)
    right = [product(row, x) for row in M]
    assert equal(factor.outward(factor.inward(right)), x)
    assert equal(solve(mechanism, M, right), x)


def test_weighted_products_are_those_of_the_inverse(mechanism: Mechanism) -> None:
    M = mass_matrix(mechanism)
    factor = factorised(mechanism, M)
    a, b = vector(mechanism, "a"), vector(mechanism, "b")
    found = weighted_product(factor, factor.inward(a), factor.inward(b))
    assert equal([found], [product(a, solve(mechanism, M, b))])


def test_a_singular_matrix_names_its_row() -> None:
    mechanism = mechanism_of(tree_model((0, 1), ("revolute", "revolute")))
    one = Scalar(mechanism.graph, 1)
    with pytest.raises(DerivationError, match="row 1") as caught:
        factorised(mechanism, [[one, one], [one, one]], "test matrix")
    assert "test matrix is singular" in str(caught.value)
    with pytest.raises(DerivationError, match="joint J1"):
        solve(mechanism, [[one, one], [one, one]], [one, one])
