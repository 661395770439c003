"""The graph itself: exact numbers, foldings, signs, names, sections and counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import BINARY_FUNCTIONS, UNARY_FUNCTIONS, Graph, exact
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, constant, cos, sin, sqrt, symbol


def test_numbers_are_taken_exactly() -> None:
    assert exact(0.1) == Fraction(1, 10)
    assert exact(np.float64(0.1)) == Fraction(1, 10)
    assert exact(np.int64(3)) == 3
    assert exact(Decimal("1e-3")) == Fraction(1, 1000)
    for bad in (math.nan, math.inf, Decimal("nan"), Decimal("-inf")):
        with pytest.raises(SymbolicError, match="no number"):
            exact(bad)
    with pytest.raises(SymbolicError, match="a str is no number"):
        exact("1")  # type: ignore[arg-type]
    with pytest.raises(SymbolicError, match="complex"):
        exact(1j)  # type: ignore[arg-type]


def test_equal_subexpressions_are_one_node() -> None:
    graph = Graph()
    a, b, c = (symbol(graph, name) for name in "abc")
    assert a + b == b + a
    assert a * b == b * a
    assert a - b == -(b - a)
    assert (-a) * b == -(a * b)
    assert (-a) / (-b) == a / b
    assert sin(-a) == -sin(a)
    assert cos(b - a) == cos(a - b)
    assert a + a == 2 * a
    assert 2 * a - 5 * a == -3 * a
    assert a - a == 0
    assert (a + b) - b == a
    assert (a * b) / b == a
    assert (a / b) * b == a
    assert sqrt(a) * sqrt(a) == a
    assert (a + 1) + 2 == a + 3
    assert 2 * (3 * a) == 6 * a
    assert 1 / (a / b) == b / a
    assert sin(a) ** 2 * c + c * cos(a) * cos(a) != c
    assert sin(a) ** 2 + cos(a) ** 2 == 1
    assert 3 * sin(a) ** 2 + 3 * cos(a) ** 2 == 3
    assert a**0 == 1
    assert a**-1 == 1 / a
    assert a ** Fraction(3, 2) == a * sqrt(a)
    assert len({a, b, a + b, b + a}) == 3


def test_quarter_turns_are_exact() -> None:
    graph = Graph()
    a, turn = symbol(graph, "a"), Scalar(graph, graph.pi())
    assert sin(turn / 2) == 1
    assert cos(turn) == -1
    assert sin(turn) == 0
    assert cos(a + turn / 2) == -sin(a)
    assert sin(a - turn / 2) == -cos(a)
    assert cos(a - 3 * turn) == -cos(a)
    assert sin(turn / 3).constant is None


def test_functions_fold_only_where_that_is_exact() -> None:
    graph = Graph()
    zero, one, four, two = (constant(graph, value) for value in (0, 1, 4, 2))
    assert sqrt(four) == 2
    assert sqrt(two).constant is None
    assert zero.apply("exp") == 1
    assert one.apply("log") == 0
    assert one.apply("acos") == 0
    assert (-two).apply("abs") == 2
    assert (-two).apply("sign") == -1
    assert two.apply("min", four) == 2
    assert two.apply("max", four) == 4
    assert zero.apply("atan2", two) == 0
    assert Scalar(graph, graph.select(two.ref, one.ref, four.ref)) == 1
    assert Scalar(graph, graph.select(zero.ref, one.ref, four.ref)) == 4


def test_impossible_operations_are_refused() -> None:
    graph = Graph()
    a = symbol(graph, "a")
    with pytest.raises(SymbolicError, match="division by zero"):
        a / (a - a)
    with pytest.raises(SymbolicError, match="no real value"):
        sqrt(constant(graph, -1))
    with pytest.raises(SymbolicError, match="no real value"):
        constant(graph, 0).apply("log")
    with pytest.raises(SymbolicError, match="no function sinh"):
        a.apply("sinh")
    with pytest.raises(SymbolicError, match="no function atan2 of 1"):
        a.apply("atan2")
    with pytest.raises(SymbolicError, match="two graphs"):
        a + symbol(Graph(), "b")


def test_names_and_sections() -> None:
    graph = Graph()
    a, b = symbol(graph, "a"), symbol(graph, "b")
    with graph.section("first"):
        total = (a + b).named("total").named("other")
    product = -(a * b)
    product.named("negative")
    a.named("leaf")
    assert graph.names == {total.ref: ("total", 1), abs(product.ref): ("negative", -1)}
    assert graph.sections[graph.section_of[total.ref]] == "first"
    assert graph.section_of[abs(product.ref)] == 0


def test_operation_counts() -> None:
    graph = Graph()
    a, b = symbol(graph, "a"), symbol(graph, "b")
    value = sin(a) * cos(a) + cos(b) / a - sqrt(b) + a.apply("exp") + -(a * b)
    program = Program("p", graph, (), (Output("y", (), (value.ref,)),))
    assert program.operation_count().as_dict() == {"add": 4, "mul": 2, "div": 1, "sqrt": 1, "sincos": 2, "other": 1}
    assert program.operation_count().arithmetic == 7
    assert program.free_symbols() == (a.ref, b.ref)
    assert program.output("y").values == (value.ref,)
    with pytest.raises(SymbolicError, match="no output z"):
        program.output("z")
    with pytest.raises(SymbolicError, match="2 entries"):
        Output("y", (3,), (1, 2))


def test_reachable_is_in_topological_order() -> None:
    graph = Graph()
    a, b = symbol(graph, "a"), symbol(graph, "b")
    unused = a * 7
    value = (a + b) * a - sin(b)
    nodes = graph.reachable([-value.ref])
    assert nodes == sorted(nodes)
    assert unused.ref not in nodes
    for node in nodes:
        assert all(abs(operand) in nodes and abs(operand) < node for operand in graph.operands(node))


@st.composite
def _expressions(draw: Callable[..., object]) -> tuple[Program, float]:
    """A program with folding at every step, and its value computed beside it in floats."""
    graph = Graph()
    point = {"a": 0.7, "b": -1.3, "c": 0.4}
    pool: list[tuple[int, float]] = [(graph.symbol(name), value) for name, value in point.items()]
    pool += [(0, 0.0), (1, 1.0), (graph.const(Fraction(1, 2)), 0.5), (graph.const(-2), -2.0), (graph.pi(), math.pi)]
    numeric: dict[str, Callable[..., float]] = {
        "asin": math.asin,
        "acos": math.acos,
        "abs": abs,
        "sign": lambda x: float(np.sign(x)),
        "min": min,
        "max": max,
    }
    for _ in range(int(draw(st.integers(1, 12)))):  # type: ignore[call-overload]
        (x, u), (y, v), (z, w) = (draw(st.sampled_from(pool)) for _ in range(3))  # type: ignore[misc]
        kind = str(draw(st.sampled_from(("add", "sub", "mul", "div", "select", *UNARY_FUNCTIONS, *BINARY_FUNCTIONS))))
        try:
            if kind == "add":
                made, value = graph.add(x, y), u + v
            elif kind == "sub":
                made, value = graph.sub(x, y), u - v
            elif kind == "mul":
                made, value = graph.mul(x, y), u * v
            elif kind == "div":
                made, value = graph.div(x, y), u / v
            elif kind == "select":
                made, value = graph.select(x, y, z), v if u > 0 else w
            else:
                arguments, values = ((x,), (u,)) if kind in UNARY_FUNCTIONS else ((x, y), (u, v))
                function = numeric.get(kind) or getattr(math, kind)
                value = function(*values)
                made = graph.function(kind, *arguments)
        except (SymbolicError, ValueError, ZeroDivisionError, OverflowError):
            continue
        # Values near a jump or a pole, and large ones, would only compare rounding errors.
        if 1e-3 < abs(value) < 1e3:
            pool.append((made, value))
    inputs = tuple(Input(name, (), (graph.symbol(name),)) for name in point)
    return Program("p", graph, inputs, (Output("y", (), (pool[-1][0],)),)), pool[-1][1]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(_expressions())
def test_foldings_keep_the_value(case: tuple[Program, float]) -> None:
    program, expected = case
    value = interpret(program, {"a": 0.7, "b": -1.3, "c": 0.4})["y"]
    # Twelve operations on numbers up to 1e3, with cancellation.
    np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-8)
