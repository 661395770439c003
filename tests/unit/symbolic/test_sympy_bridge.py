"""SymPy at both ends: conversion there and back is the identity, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

from mbsym.errors import SymbolicError
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.reader import read_expression
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.symbolic.sympy_bridge import from_sympy, from_sympy_many, to_sympy
from mechanisms.composition import expand

NAMES = ("x", "y", "z")


def _graph() -> tuple[Graph, dict[str, Scalar]]:
    graph = Graph()
    return graph, {name: symbol(graph, name) for name in NAMES}


def _program(graph: Graph, *refs: int) -> Program:
    inputs = tuple(Input(name, (), (graph.symbol(name),)) for name in NAMES)
    return Program("p", graph, inputs, (Output("y", (len(refs),), refs),))


@pytest.mark.parametrize(
    "text",
    [
        "x + y*z - 3/7",
        "-(x - y)/(z*x)",
        "x/y/z + 1/x - 2/(x + y)",
        "0.1*x**3 - x**-2",
        "sin(x)*cos(y - 0.3) + tan(z/2)",
        "sqrt(x)*y/sqrt(x*x + y*y)",
        "x**1.5 + x**(1/3) + pow(x, y)",
        "asin(x) + acos(y) - atan2(y, x)",
        "exp(-x*x)*log(y) + tanh(3*z)",
        "abs(x - y) + sign(z)",
        "min(x, y, z) - max(x, 2)",
        "pi*x + sin(pi/7)*y",
        "x*y if x > y else z",
        "x if x <= y*z else -x if y > 1 else 2",
        "2.5",
        "0",
    ],
)
@pytest.mark.parametrize("evaluate", [True, False])
def test_there_and_back(text: str, evaluate: bool) -> None:
    graph, names = _graph()
    value = read_expression(text, graph, names).ref
    (expression,) = to_sympy(graph, [value], evaluate=evaluate)
    other, others = _graph()
    back = from_sympy(other, expression, {sympy.Symbol(name): each.ref for name, each in others.items()})
    assert compare(_program(graph, value), _program(other, back)).kind == "equal"
    point = {"x": 0.3, "y": 0.4, "z": 0.7}
    expected = interpret(_program(graph, value), point)["y"][0]
    np.testing.assert_allclose(float(expression.subs(point).evalf()), expected, rtol=1e-13)


def test_without_evaluation_the_operations_stay() -> None:
    graph, names = _graph()
    x, y, z = names.values()
    value = (x + y) * (x + y + z) / (y - z).apply("sqrt") + 2 * (x + y)
    (expression,) = to_sympy(graph, [value.ref], evaluate=False)
    symbols = {sympy.Symbol(name): each.ref for name, each in names.items()}
    assert from_sympy(graph, expression, symbols) == value.ref
    (merged,) = to_sympy(graph, [value.ref])
    assert merged.has(2 * sympy.Symbol("x"))


def test_numbers_are_exact_both_ways() -> None:
    graph = Graph()
    assert to_sympy(graph, [graph.const(Fraction(-1, 3))]) == [sympy.Rational(-1, 3)]
    assert graph.constant_value(from_sympy(graph, sympy.Float(0.1), {})) == Fraction(1, 10)
    assert graph.constant_value(from_sympy(graph, sympy.Float("0.12345678901234567890", 20), {})) == Fraction(
        "0.12345678901234567890"
    )
    assert graph.constant_value(from_sympy(graph, 0.1, {})) == Fraction(1, 10)
    assert graph.constant_value(from_sympy(graph, sympy.Rational(22, 7), {})) == Fraction(22, 7)
    assert from_sympy(graph, sympy.pi / 2, {}) == graph.mul(graph.pi(), graph.const(Fraction(1, 2)))
    assert from_sympy(graph, sympy.E, {}) == graph.function("exp", 1)


def test_other_functions_of_sympy() -> None:
    graph, names = _graph()
    x, y, z = (sympy.Symbol(name) for name in NAMES)
    symbols = {sympy.Symbol(name): each.ref for name, each in names.items()}
    expressions = [
        *(f(x) for f in (sympy.atan, sympy.sec, sympy.csc, sympy.cot, sympy.sinh, sympy.cosh)),
        sympy.Heaviside(x - y) + sympy.Heaviside(y - x),
        sympy.conjugate(sympy.sqrt(x)),
        sympy.Piecewise((x, sympy.And(x > y, y < z)), (y, sympy.Or(x >= z, y <= 0)), (z, True)),
        sympy.Piecewise((x, sympy.Not(sympy.And(x > y, z > y))), (y, True)),
        sympy.Piecewise((x, sympy.Eq(x, y)), (y, sympy.Ne(y, z)), (z, True)),
        sympy.Min(x, y, z) * sympy.exp(2 * x) / sympy.exp(y),
    ]
    refs = from_sympy_many(graph, expressions, symbols)
    for point in ((0.2, 0.5, 0.9), (0.9, 0.5, 0.2), (0.6, 0.2, 0.4), (0.5, 0.7, 0.1)):
        values = interpret(_program(graph, *refs), dict(zip(NAMES, point, strict=True)))["y"]
        expected = [float(each.subs(dict(zip((x, y, z), point, strict=True))).evalf()) for each in expressions]
        np.testing.assert_allclose(values, expected, rtol=1e-14)


def test_dynamic_symbols_and_derivatives() -> None:
    graph, names = _graph()
    q = dynamicsymbols("q")
    t = dynamicsymbols._t
    lagrangian = q.diff(t) ** 2 / 2 + sympy.cos(q)
    ref = from_sympy(graph, lagrangian, {q: names["x"].ref, q.diff(t): names["y"].ref})
    x, y = names["x"], names["y"]
    assert ref == (y * y / 2 + x.apply("cos")).ref
    with pytest.raises(SymbolicError, match="Derivative"):
        from_sympy(graph, lagrangian, {q: names["x"].ref})


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (sympy.Symbol("w") + 1, "w has no value here; known are x, y, z"),
        (sympy.gamma(sympy.Symbol("x")), "cannot be computed"),
        (sympy.I * sympy.Symbol("x"), "cannot be computed"),
        (sympy.oo, "cannot be computed"),
        (sympy.nan, "cannot be computed"),
        (sympy.Integral(sympy.Symbol("x"), sympy.Symbol("x")), "cannot be computed"),
        (sympy.Piecewise((sympy.Symbol("x"), sympy.Symbol("x") > 0)), "without value elsewhere"),
    ],
)
def test_what_cannot_be_computed_is_named(expression: sympy.Expr, words: str) -> None:
    graph, names = _graph()
    symbols = {sympy.Symbol(name): each.ref for name, each in names.items()}
    with pytest.raises(SymbolicError, match=words):
        from_sympy(graph, expression, symbols)


def test_expand_gives_scalars_vectors_matrices_and_arrays() -> None:
    graph, names = _graph()
    x, y, z = (each.ref for each in names.values())
    program = Program(
        "p",
        graph,
        tuple(Input(name, (), (each.ref,)) for name, each in names.items()),
        (
            Output("s", (), (graph.add(x, y),)),
            Output("v", (2,), (x, -y)),
            Output("m", (2, 2), (x, y, z, 0)),
            Output("a", (1, 2, 2), (x, y, z, 1)),
            Output("empty", (0,), ()),
        ),
    )
    a, b, c = sympy.symbols("a b c")
    result = expand(program, {"x": a, "y": b, "z": c})
    assert result["s"] == a + b
    assert result["v"] == sympy.Matrix([a, -b])
    assert result["m"] == sympy.Matrix([[a, b], [c, 0]])
    assert result["a"] == sympy.Array([[[a, b], [c, 1]]])
    assert result["empty"].shape == (0, 1)


def test_deep_and_large_graphs_do_not_recurse() -> None:
    graph, names = _graph()
    value = names["x"]
    for k in range(5000):
        value = value.apply("sin") * value + k
    (expression,) = to_sympy(graph, [value.ref])
    assert from_sympy(graph, expression, {sympy.Symbol("x"): names["x"].ref}) == value.ref
