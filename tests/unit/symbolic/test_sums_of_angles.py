"""An angle written as a sum that occurs less the others: the same function, shorter where people write it so."""

from __future__ import annotations

import pytest
import sympy as sp

import mbsym
from mbsym.symbolic.equality import is_zero
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.nested_form import nested_form
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.scalar import Scalar, cos, sin, symbol
from mbsym.symbolic.trigonometric_polynomial import in_sums, merged_terms
from mbsym.symbolic.trigonometry import _emitted, _Simplifier, simplify_all_trigonometric


def angles(graph: Graph) -> tuple[Scalar, Scalar, Scalar]:
    return symbol(graph, "a"), symbol(graph, "b"), symbol(graph, "c")


def polynomials(graph: Graph, ref: Reference) -> list[Reference]:
    """All forms in sums of a value, as values."""
    simplifier = _Simplifier(graph)
    for node in graph.reachable([ref]):
        simplifier.expand(node)
    polynomial = simplifier.polynomials[abs(ref)]
    return [
        _emitted(graph, simplifier.atoms, nested_form(each, simplifier._weights(each)).products)
        for each in in_sums(polynomial, merged_terms(polynomial))
    ]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("turned", [sin, cos])
def test_each_form_is_the_same_function(sign: int, turned: object) -> None:
    graph = Graph()
    a, b, c = angles(graph)
    # A sum that stays, beside products in which each of its angles stands with either sign and with another one.
    value = turned(a + sign * b) * cos(c) + sin(b - c) * cos(b) ** 2 - sin(a) * cos(c - a) * turned(b) + cos(a + b + c)  # type: ignore[operator]
    found = polynomials(graph, value.ref)
    assert len(found) >= 2
    assert all(is_zero(graph, graph.add(value.ref, -each)) for each in found)


def test_the_shoulder_of_the_puma_needs_no_angle_of_the_elbow_alone() -> None:
    equations = mbsym.derive("puma560", symbolic_parameters="none")
    entry = equations.mass_matrix[0, 0]
    elbow = sp.Symbol("q_joint3")
    assert not any(found.args[0] == elbow for found in entry.atoms(sp.sin, sp.cos))
    form = equations.form("mass_matrix")
    # Its authors wrote 51 operations by hand.
    assert PrintedSizes(form.program.graph, letters=True).of(form.references[0]) == 46


def test_what_is_shorter_without_stays() -> None:
    graph = Graph()
    a, b, _ = angles(graph)
    value = cos(a + b) + cos(b)
    assert simplify_all_trigonometric(graph, [value.ref]) == [value.ref]
