"""Derivatives against SymPy, complex steps, and each other."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from mbsym.symbolic.differentiate import forward, gradient, jacobian
from mbsym.symbolic.equality import compare, is_zero
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.reader import read_expression
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.symbolic.sympy_bridge import from_sympy, to_sympy

NAMES = ("x", "y", "z")
SMOOTH = (
    "x*y - z*x + 3",
    "-(x*y)/(z - x) + y/3",
    "1/x/y",
    "sin(x*y)*cos(z - y)",
    "tan(x/2)*y",
    "sqrt(x*x + y*y)",
    "asin(x/2) - acos(y*z/3)",
    "exp(x*y)/z",
    "log(x + y)*z",
    "tanh(x - 2*z)",
    "atan2(x*y, z)",
    "x**(1/3) + y**2.5",
    "pow(x, y*z)",
    "2**z",
)
BRANCHES = ("abs(x - y)*z", "sign(x - y)*x", "min(x*y, z)", "max(x, y*z)", "x*x if x > y else y*z*x")


def _graph() -> tuple[Graph, dict[str, Scalar]]:
    graph = Graph()
    return graph, {name: symbol(graph, name) for name in NAMES}


def _program(graph: Graph, refs: list[int]) -> Program:
    inputs = tuple(Input(name, (), (graph.symbol(name),)) for name in NAMES)
    return Program("p", graph, inputs, (Output("y", (len(refs),), tuple(refs)),))


@pytest.mark.parametrize("text", SMOOTH)
def test_smooth_functions_against_sympy(text: str) -> None:
    graph, names = _graph()
    value = read_expression(text, graph, names).ref
    symbols = [names[name].ref for name in NAMES]
    (expression,) = to_sympy(graph, [value])
    table = {sympy.Symbol(name): names[name].ref for name in NAMES}
    expected = [from_sympy(graph, sympy.diff(expression, sympy.Symbol(name)), table) for name in NAMES]
    rows = gradient(graph, value, symbols)
    columns = [forward(graph, [value], {each: 1})[0] for each in symbols]
    point = {"x": 0.37, "y": 0.81, "z": 1.31}
    reference = interpret(_program(graph, expected), point)["y"]
    for derivative in (rows, columns):
        np.testing.assert_allclose(interpret(_program(graph, derivative), point)["y"], reference, rtol=1e-12)


@pytest.mark.parametrize("text", BRANCHES)
@pytest.mark.parametrize("point", [(0.3, 0.8, 1.2), (0.9, 0.2, 0.5), (0.4, 0.7, 0.1)])
def test_branches_against_differences(text: str, point: tuple[float, ...]) -> None:
    graph, names = _graph()
    value = read_expression(text, graph, names).ref
    symbols = [names[name].ref for name in NAMES]
    at = dict(zip(NAMES, point, strict=True))
    step = 1e-6
    for name, derivative in zip(NAMES, gradient(graph, value, symbols), strict=True):
        ahead, behind = ({**at, name: at[name] + sign * step} for sign in (1, -1))
        program = _program(graph, [value])
        # Central differences: truncation step^2, rounding 1e-16/step.
        slope = (interpret(program, ahead)["y"][0] - interpret(program, behind)["y"][0]) / (2 * step)
        (other,) = forward(graph, [value], {names[name].ref: 1})
        exact = interpret(_program(graph, [derivative, other]), at)["y"]
        np.testing.assert_allclose(exact, [slope, slope], rtol=1e-8, atol=1e-8)


def test_forward_and_reverse_are_equal_exactly() -> None:
    graph, names = _graph()
    texts = ("sin(x)*y/(z + cos(y))", "x*y*z - tan(x + y)", "1/(x*x + y*y + z*z)", "x")
    refs = [read_expression(text, graph, names).ref for text in texts]
    symbols = [names[name].ref for name in NAMES]
    wide = jacobian(graph, refs[:2], symbols)
    tall = jacobian(graph, refs, symbols)
    differences = [graph.sub(wide[i][j], tall[i][j]) for i in range(2) for j in range(3)]
    assert is_zero(graph, *differences)
    assert tall[3] == [1, 0, 0]
    assert jacobian(graph, refs, []) == [[], [], [], []]


def test_signs_and_seeds() -> None:
    graph, names = _graph()
    x, y = names["x"], names["y"]
    value = -(x * y) - x
    assert gradient(graph, value.ref, [x.ref, y.ref]) == [(-y - 1).ref, (-x).ref]
    rate = forward(graph, [value.ref, -value.ref], {x.ref: names["z"].ref})
    assert is_zero(graph, (Scalar(graph, rate[0]) - (-y - 1) * names["z"]).ref)
    assert rate[1] == -rate[0]
    inner = (x * y).ref
    assert forward(graph, [value.ref], {inner: 1}) == [-1]


def test_time_derivative_of_a_rotation() -> None:
    graph, names = _graph()
    angle, rate = names["x"], names["y"]
    c, s = angle.apply("cos"), angle.apply("sin")
    matrix = ((c, -s), (s, c))
    flat = [entry.ref for row in matrix for entry in row]
    moved = [Scalar(graph, ref) for ref in forward(graph, flat, {angle.ref: rate.ref})]
    spin = [moved[0] * c + moved[1] * matrix[0][1], moved[2] * c + moved[3] * -s]
    assert is_zero(graph, spin[0].ref, (spin[1] - rate).ref)


def test_gradients_cost_little() -> None:
    graph = Graph()
    symbols = [symbol(graph, f"x{k}") for k in range(40)]
    product = symbols[0]
    for each in symbols[1:]:
        product = product * each + each.apply("sin")
    before = len(graph)
    rows = gradient(graph, product.ref, [each.ref for each in symbols])
    assert len(graph) - before < 6 * before
    inputs = tuple(Input(f"x{k}", (), (each.ref,)) for k, each in enumerate(symbols))
    reverse = Program("r", graph, inputs, (Output("g", (40,), tuple(rows)),))
    columns = [forward(graph, [product.ref], {each.ref: 1})[0] for each in symbols]
    assert compare(reverse, Program("f", graph, inputs, (Output("g", (40,), tuple(columns)),))).kind == "equal"
