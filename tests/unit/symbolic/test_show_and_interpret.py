"""The text and the floating-point oracle of a program."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.symbolic.show import show, show_number, show_value


def _pendulum() -> Program:
    graph = Graph()
    q, tau, m, length = (symbol(graph, name) for name in ("q", "tau", "m", "l"))
    with graph.section("gravity"):
        moment = (m * length * Fraction("9.81") * q.apply("sin")).named("moment")
    with graph.section("acceleration"):
        vdot = (tau - moment) / (m * length * length)
    return Program(
        "pendulum",
        graph,
        (Input("q", (), (q.ref,), unit="rad"), Input("tau", (1,), (tau.ref,))),
        (Output("vdot", (1,), (vdot.ref,)), Output("g", (), (-moment.ref,))),
        (ParameterInput("m", m.ref, Fraction(2), "kg"), ParameterInput("l", length.ref, Fraction("0.5"), "m")),
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", Fraction(3)),
        ("-0.5", Fraction(-1, 2)),
        ("1/3", Fraction(1, 3)),
        ("0.001", Fraction(1, 1000)),
        ("-12.75", Fraction(-51, 4)),
        ("0", Fraction(0)),
    ],
)
def test_numbers_are_shown_exactly(text: str, value: Fraction) -> None:
    assert show_number(value) == text
    assert Fraction(text) == value


def test_values_are_shown_with_the_brackets_they_need() -> None:
    graph = Graph()
    a, b, c = (symbol(graph, name) for name in "abc")
    assert repr(a - (b - c)) == "a - (b - c)"
    assert repr((a + b) * c) == "c*(a + b)"
    assert repr(-(a - b) * c) == "-c*(a - b)"
    assert repr(a / (b * c)) == "a/(b*c)"
    assert repr(a / (b / c)) == "a/(b/c)"
    assert repr((a / 3 + b).apply("sin")) == "sin(b + 1/3*a)"
    assert repr(Scalar(graph, graph.select((a - b).ref, a.ref, (-b).ref))) == "select(a - b > 0, a, -b)"


def test_shown_values_evaluate_to_themselves() -> None:
    graph = Graph()
    rng = np.random.default_rng(1)
    names = {name: symbol(graph, name) for name in "abcd"}
    pool = list(names.values())
    numbers = {name: Fraction(int(value), 7) for name, value in zip("abcd", rng.integers(1, 50, 4), strict=True)}
    for _ in range(200):
        x, y = (pool[int(k)] for k in rng.integers(0, len(pool), 2))
        operation = "+-*/"[int(rng.integers(0, 4))]
        if operation == "/" and not y:
            continue
        pool.append({"+": x + y, "-": x - y, "*": x * y}[operation] if operation != "/" else x / y)
        text = repr(pool[-1])
        if "#" in text or len(text) > 400:
            pool.pop()
            continue
        program = Program(
            "p", graph, tuple(Input(n, (), (s.ref,)) for n, s in names.items()), (Output("y", (), (pool[-1].ref,)),)
        )
        expected = interpret(program, {n: float(v) for n, v in numbers.items()})["y"]
        with np.errstate(all="ignore"):
            shown = eval(text, {n: np.float64(v) for n, v in numbers.items()})
        np.testing.assert_allclose(shown, expected, rtol=1e-9)


def test_huge_values_are_cut() -> None:
    graph = Graph()
    x = symbol(graph, "x")
    for _ in range(200):
        x = x * x + x
    assert len(show_value(graph, x.ref)) < 5000


def test_listing_of_a_program() -> None:
    text = show(_pendulum())
    assert text.splitlines()[0] == "pendulum(q, tau)"
    assert "  input q [rad]" in text
    assert "  parameter m = 2 [kg]" in text
    assert "  # gravity" in text
    assert "  moment = sin(q)*9.81*l*m" in text or "moment = " in text
    assert "  vdot[0] := (tau - moment)/" in text
    assert "  g := -moment" in text


def test_interpretation_of_single_states_and_defaults() -> None:
    result = interpret(_pendulum(), {"q": 0.3, "tau": [1.5]})
    moment = 2 * 0.5 * 9.81 * np.sin(0.3)
    assert result["g"].shape == ()
    assert result["vdot"].shape == (1,)
    np.testing.assert_allclose(result["g"], -moment, rtol=1e-15)
    np.testing.assert_allclose(result["vdot"], [(1.5 - moment) / 0.5], rtol=1e-14)
    other = interpret(_pendulum(), {"q": 0.3, "tau": [1.5]}, {"m": 1.0})
    np.testing.assert_allclose(other["g"], -moment / 2, rtol=1e-15)


def test_interpretation_broadcasts_batches() -> None:
    q = np.linspace(-1, 1, 5)
    tau = np.ones((3, 1, 1))
    result = interpret(_pendulum(), {"q": q, "tau": tau})
    assert result["vdot"].shape == (3, 5, 1)
    assert result["g"].shape == (3, 5)
    np.testing.assert_allclose(result["g"][1], -9.81 * np.sin(q), rtol=1e-14)


def test_complex_step() -> None:
    step = 1e-30
    result = interpret(_pendulum(), {"q": 0.3 + 1j * step, "tau": [0.0]})
    np.testing.assert_allclose(result["g"].imag / step, -9.81 * np.cos(0.3), rtol=1e-14)


def test_every_function_is_interpreted() -> None:
    graph = Graph()
    x, y = symbol(graph, "x"), symbol(graph, "y")
    unary = ("sqrt", "sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh", "abs", "sign")
    binary = ("atan2", "min", "max", "pow")
    values = [x.apply(name).ref for name in unary] + [x.apply(name, y).ref for name in binary]
    values.append(graph.select(graph.sub(x.ref, y.ref), x.ref, y.ref))
    values.append(graph.pi())
    program = Program(
        "all",
        graph,
        (Input("x", (), (x.ref,)), Input("y", (), (y.ref,))),
        (Output("f", (len(values),), tuple(values)),),
    )
    a, b = 0.3, 0.7
    expected = [
        *(np.sqrt(a), np.sin(a), np.cos(a), np.tan(a), np.arcsin(a), np.arccos(a), np.exp(a), np.log(a), np.tanh(a)),
        *(a, 1.0, np.arctan2(a, b), a, b, a**b, b, np.pi),
    ]
    np.testing.assert_allclose(interpret(program, {"x": a, "y": b})["f"], expected, rtol=1e-15)


def test_wrong_arguments_are_refused() -> None:
    program = _pendulum()
    with pytest.raises(SymbolicError, match="tau is missing"):
        interpret(program, {"q": 0.3})
    with pytest.raises(SymbolicError, match="unknown argument v"):
        interpret(program, {"q": 0.3, "tau": [1.0], "v": 1.0})
    with pytest.raises(SymbolicError, match=r"shape \(2,\)"):
        interpret(program, {"q": 0.3, "tau": [1.0, 2.0]})
    with pytest.raises(SymbolicError, match="unknown parameter g"):
        interpret(program, {"q": 0.3, "tau": [1.0]}, {"g": 1.0})
    with pytest.raises(SymbolicError, match="broadcast"):
        interpret(program, {"q": np.zeros(2), "tau": np.zeros((3, 1))})
    free = Program("free", program.graph, (), program.outputs)
    with pytest.raises(SymbolicError, match="has no value"):
        interpret(free, {})


def test_numbers_out_of_range_are_infinite() -> None:
    graph = Graph()
    program = Program("p", graph, (), (Output("y", (2,), (graph.const(10**400), -graph.const(10**400))),))
    assert interpret(program, {})["y"].tolist() == [np.inf, -np.inf]
