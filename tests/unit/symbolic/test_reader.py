"""The safe expression reader: what it takes, what it refuses and where it points."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.reader import free_names, read_expression
from mbsym.symbolic.scalar import Scalar, symbol


def _read(text: str) -> tuple[Graph, Scalar, dict[str, Scalar]]:
    graph = Graph()
    names = {name: symbol(graph, name) for name in ("x", "y", "stiffness", "arm.q", "u[0]", "φ")}
    return graph, read_expression(text, graph, names), names


def test_arithmetic() -> None:
    _, value, names = _read("  2*x - y**2/(1 - stiffness)*+x + -y")
    x, y, k = names["x"], names["y"], names["stiffness"]
    assert value == 2 * x - y * y / (1 - k) * x + -y


def test_numbers_are_the_decimals_in_the_text() -> None:
    assert _read("0.1")[1].constant == Fraction(1, 10)
    assert _read("1000.25e-2")[1].constant == Fraction("10.0025")
    assert _read("0.10000000000000000000001")[1].constant == Fraction("0.10000000000000000000001")
    assert _read("2**-3")[1].constant == Fraction(1, 8)


def test_functions_names_and_choice() -> None:
    graph, value, names = _read("sin(x + pi/2) + atan2(y, x) + min(x, y, 3) + arm.q*u[0] + φ**0.5")
    x, y = names["x"], names["y"]
    expected = x.apply("cos") + y.apply("atan2", x) + x.apply("min", y).apply("min", Scalar(graph, graph.const(3)))
    assert value == expected + names["arm.q"] * names["u[0]"] + names["φ"].apply("sqrt")
    graph, value, names = _read("x if x > y else -y")
    x, y = names["x"], names["y"]
    assert value.ref == graph.select((x - y).ref, x.ref, (-y).ref)
    graph, value, names = _read("x if x <= 1 else 1")
    x = names["x"]
    assert value.ref == graph.select((x - 1).ref, 1, x.ref)


def test_powers() -> None:
    _, value, names = _read("x**2 + pow(x, y) + x**(1/3)")
    x, y = names["x"], names["y"]
    third = Scalar(x.graph, x.graph.const(Fraction(1, 3)))
    assert value == x * x + x**y + x.apply("pow", third)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "empty"),
        ("1 +", None, "no expression"),
        ("x + stifness", 5, "did you mean stiffness"),
        ("x + φ*sim(x)", 7, "did you mean sin"),
        ("__import__('os')", 12, "has no place"),
        ("open(x)", 1, "unknown function open"),
        ("x.__class__", 1, "unknown name x.__class__"),
        ("sin.__call__(x)", 1, "is no function"),
        ("(lambda: x)()", 2, "is no function"),
        ("x > y", 1, "comparison"),
        ("x if x > y > 1 else y", 6, "single comparison"),
        ("x if x == y else y", 6, "not known"),
        ("x if y else 1", 6, "single comparison"),
        ("[x]", 1, "no arithmetic"),
        ("x if x > 0 and y > 0 else 1", 6, "single comparison"),
        ("x // 2", 1, "operator '//'"),
        ("x @ y", 1, "operator '@'"),
        ("not x", 1, "no arithmetic"),
        ("1j", 1, "no decimal"),
        ("0x10", 1, "no decimal"),
        ("True", 1, "no decimal"),
        ("1_000", 1, "1_000 is no decimal"),
        ("2*\u0661", 3, "no "),  # one in Arabic
        ("1e999999999", 1, "out of range"),
        ("2**10**10", 4, "exponent is too large"),
        ("2**99999", 4, "exponent is too large"),
        ("((10**64)**64)**64", 12, "power is out of range"),
        ("x/(y - y)", 4, "division by zero"),
        ("0**-1", 4, "zero to a negative power"),
        ("sqrt(-1)", 1, "no real value"),
        ("(-1)**0.5", 7, "no real value"),
        ("sin(x, y)", 1, "give it 1 argument"),
        ("sin(*x)", 1, "plain arguments"),
        ("sin(x=1)", 1, "plain arguments"),
        ("atan2(x)", 1, "give it 2 arguments"),
        ("sin", 1, "lacks its argument"),
        ("u[x]", 3, "whole number"),
        ("f'{x}'", 2, "has no place"),
        ("x; y", 2, "has no place"),
        ("(x := 3)", 2, "no arithmetic"),
        ("x\ny", 2, "has no place"),
        ("(" * 61 + "x" + ")" * 61, 61, "nested too deeply"),
        ("-" * 500 + "x", None, "nested too deeply"),
        ("x**" * 400 + "x", None, "nested too deeply"),
        ("x" * 10_001, 1, "10001 characters"),
        ("x y", None, "no expression"),
    ],
)
def test_refusals_say_where_and_why(text: str, column: int | None, words: str) -> None:
    with pytest.raises(SymbolicError) as caught:
        _read(text)
    assert words in str(caught.value)
    if column is not None:
        assert caught.value.where == f"column {column}"
    assert caught.value.where.startswith("column ")


def test_a_long_sum_is_not_deep() -> None:
    _, value, names = _read(" + ".join(["x*y"] * 400))
    assert value == 400 * (names["x"] * names["y"])


def test_free_names() -> None:
    assert free_names("sin(b)*a + pi*c.d + u[1] - a") == ("a", "b", "c.d", "u[1]")
    with pytest.raises(SymbolicError):
        free_names("import os")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="xy01.e+-*/()[] ,<>=:if_lsn&|~@%^", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        _read(text)
    except SymbolicError as error:
        assert error.where


def test_names_that_only_look_alike_are_two() -> None:
    graph = Graph()
    micro, mu = "\u00b5" * 50, "\u03bc" * 50
    assert free_names(f"{micro} + 2*{mu}") == (micro, mu)
    names = {name: Scalar(graph, graph.symbol(f"s{k}")) for k, name in enumerate((micro, mu))}
    assert read_expression(f"1*{micro}", graph, names) == names[micro]
    assert read_expression(f"1*{mu}", graph, names) == names[mu]
