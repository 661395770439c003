"""Values are exact on the graph and correct as numbers."""

from __future__ import annotations

import contextlib
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import MbsymError, ModelError, SymbolicError
from mbsym.model.system import Model
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import symbol
from mbsym.values.numbers import evaluate, parameter_values, to_scalar, value_names
from mbsym.values.parameter import Parameter


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("0.1", Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (7, Fraction(7)),
        ("-9.81", Fraction(-981, 100)),
        ("+.5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e-3", Fraction(1, 1000)),
        ("1/3", Fraction(1, 3)),
        ("sin(pi/2) + cos(pi/3*3)", Fraction(0)),
    ],
)
def test_numbers_are_exact(value: object, exact: Fraction) -> None:
    assert to_scalar(value, Graph(), {}).constant == exact
    assert evaluate(value) == float(exact)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_and_its_shortest_decimal_are_the_same_number(number: float) -> None:
    assert evaluate(number) == evaluate(repr(number)) == number
    assert to_scalar(number, Graph(), {}).constant == to_scalar(repr(number), Graph(), {}).constant


def test_expressions_use_names() -> None:
    graph = Graph()
    names = {name: symbol(graph, name) for name in ("m", "l")}
    assert to_scalar("m*l**2/12", graph, names) == names["m"] * (names["l"] * names["l"]) / 12
    assert evaluate("m*l**2/12", {"m": 3.0, "l": 2.0}) == 1.0
    assert evaluate("atan2(1, -1) + sqrt(m)", {"m": 4.0}) == pytest.approx(3 * math.pi / 4 + 2, rel=1e-15)
    assert value_names("m*l**2/12 + sin(pi*m)") == ("l", "m")
    assert value_names("0.5") == value_names(3) == ()


def test_sympy_expressions_are_values() -> None:
    sympy = pytest.importorskip("sympy")
    pytest.importorskip("mbsym.symbolic.sympy_bridge")
    m, length = sympy.symbols("m l")
    value = m * length**2 / 12 + sympy.Rational(1, 3) + sympy.sin(length)
    assert value_names(value) == ("l", "m")
    assert evaluate(value, {"m": 3.0, "l": 2.0}) == pytest.approx(1 + 1 / 3 + math.sin(2), rel=1e-15)
    with pytest.raises(SymbolicError, match="did you mean l"):
        evaluate(sympy.Symbol("ll"), {"l": 1.0})


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        "nan",
        "inf",
        "1e999",
        "1e400",
        Decimal("NaN"),
        Decimal("1e999999999"),
        "1e999999999999",
        "9" * 1000,
        "",
        "1 +",
        "__import__('os').system('true')",
        "(lambda: 1)()",
        "[1, 2]",
        "x",
        "1/0",
        "sqrt(-1)",
        "log(0)",
        True,
        None,
        [1.0],
        (1, 2),
        object(),
    ],
)
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(SymbolicError):
        evaluate(value)


@pytest.mark.parametrize("text", ["1/x", "log(x)", "sqrt(x - 1)", "asin(x + 2)", "exp(1000 + x)", "pow(x - 1, 0.3)"])
def test_a_value_outside_the_domain_is_refused(text: str) -> None:
    with pytest.raises(SymbolicError):
        evaluate(text, {"x": 0.0})


@given(st.text(max_size=40))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    with contextlib.suppress(MbsymError):
        assert math.isfinite(evaluate(text, {"x": 0.5}))


def test_parameters_may_use_those_before_them() -> None:
    model = Model("m", parameters=(Parameter("a", "0.5"), Parameter("b", "2*a"), Parameter("c", "a + b")))
    assert parameter_values(model) == {"a": 0.5, "b": 1.0, "c": 1.5}
    assert parameter_values(model, {"a": 1.0}) == {"a": 1.0, "b": 2.0, "c": 3.0}
    with pytest.raises(ModelError, match="no parameter is named 'd'"):
        parameter_values(model, {"d": 1.0})
    with pytest.raises(ModelError, match="parameter a: unknown name b"):
        parameter_values(Model("m", parameters=(Parameter("a", "b"), Parameter("b", 1))))
