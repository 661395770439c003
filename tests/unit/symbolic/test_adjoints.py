"""Derivatives in numbers, in reverse, against those as values of the graph."""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.symbolic.adjoints import Adjoints
from mbsym.symbolic.differentiate import jacobian
from mbsym.symbolic.graph import BINARY_FUNCTIONS, UNARY_FUNCTIONS, Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mbsym.symbolic.scalar import Scalar, symbol


def program_of(graph: Graph, x: tuple[Scalar, ...], y: Scalar, results: dict[str, list[Scalar]]) -> Program:
    inputs = Input("x", (len(x),), tuple(each.ref for each in x)), Input("y", (), (y.ref,))
    outputs = tuple(Output(name, (len(values),), tuple(v.ref for v in values)) for name, values in results.items())
    return Program("tried", graph, inputs, outputs)


def everything() -> Program:
    """Each function of the graph of sums, products and quotients, signs and shared values among them."""
    graph = Graph()
    x, y = tuple(symbol(graph, f"x{k}") for k in range(3)), symbol(graph, "y")
    inside = (x[0] * x[1] - y / 4) / 3
    ones = [Scalar(graph, graph.function(name, (inside + 0.3).ref)) for name in sorted(UNARY_FUNCTIONS)]
    twos = [
        Scalar(graph, graph.function(name, (1 + x[2] * x[2]).ref, (-inside).ref)) for name in sorted(BINARY_FUNCTIONS)
    ]
    chosen = [
        Scalar(graph, graph.select((sign * inside).ref, (x[0] * y).ref, (-x[2]).ref)) for sign in (1, -1)
    ]  # fmt: skip
    return program_of(graph, x, y, {"ones": ones, "twos": twos, "rest": [*chosen, x[1], -x[1], x[0] - x[0], y * 0 + 2]})


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_derivatives_are_those_of_the_graph(sign: float) -> None:
    program = everything()
    given = {"x": np.array([0.7, 0.4 * sign, -0.9]), "y": np.array(0.3)}
    values, slopes = Adjoints(program, ("x", "y"))(given["x"], given["y"])
    own = interpret(program, given)
    for item in program.outputs:
        np.testing.assert_allclose(values[item.name], own[item.name], rtol=1e-14)
        for each in program.inputs:
            rows = jacobian(program.graph, item.values, each.symbols)
            flat = tuple(ref for row in rows for ref in row)
            exact = Program(
                "exact", program.graph, program.inputs, (Output("J", (len(rows), len(each.symbols)), flat),)
            )
            expected = interpret(exact, given)["J"]
            np.testing.assert_allclose(slopes[item.name, each.name], expected, rtol=1e-13, atol=1e-15)


def test_results_and_arguments_are_chosen() -> None:
    adjoints = Adjoints(everything(), ("y",), ("rest",))
    values, slopes = adjoints(np.ones(3), np.array(0.5))
    assert list(values) == ["ones", "twos", "rest"]
    assert list(slopes) == [("rest", "y")]
    assert slopes["rest", "y"].shape == (6, 1)
    assert list(adjoints.values(np.ones(3), np.array(0.5))) == list(values)


def test_where_there_is_no_derivative_there_is_no_number() -> None:
    graph = Graph()
    x = (symbol(graph, "x0"), symbol(graph, "x1"))
    root = Scalar(graph, graph.function("sqrt", (x[0] * x[0] + x[1] * x[1]).ref))
    found = Adjoints(program_of(graph, x, symbol(graph, "y"), {"r": [root]}), ("x",))
    assert np.isnan(found(np.zeros(2), np.array(0.0))[1]["r", "x"]).all()
    assert found(np.array([3.0, 4.0]), np.array(0.0))[1]["r", "x"][0] == pytest.approx([0.6, 0.8], rel=1e-15)


def test_parameters_have_their_defaults() -> None:
    graph = Graph()
    x, k = symbol(graph, "x"), symbol(graph, "k")
    program = Program(
        "spring", graph, (Input("x", (1,), (x.ref,)),), (Output("f", (1,), ((k * x * x).ref,)),),
        (ParameterInput("k", k.ref, 3),),
    )  # fmt: skip
    assert Adjoints(program, ("x",))(np.array([2.0]))[1]["f", "x"].tolist() == [[12.0]]
