"""Each pass against the oracles, on programs of a few lines and on random ones."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbsym.errors import SymbolicError
from mbsym.passes.factor import factor
from mbsym.passes.fold_constants import fold_constants
from mbsym.passes.pass_manager import run
from mbsym.passes.reassociate import reassociate
from mbsym.passes.reciprocal import reciprocal
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.symbolic.show import show
from mechanisms.programs import program_of

EXACT = (factor, reassociate, reciprocal)
ALL = (*EXACT, fold_constants)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("a*b + a*c",), 2),
        (("a*b - c*a + d*a",), 3),
        (("a*b*c + b*c*d + e",), 4),
        (("a/d + b/d",), 2),
        (("a*b/d - c*b/d",), 3),
        (("a*x + a*y + b*x + b*y",), 3),
        (("a + a*b",), 2),
        (("2*a + 2*b",), 2),
        (("x**3*a + x**2*b + x*c",), 6),
        (("a*b + a*c", "a*b"), 3),
        (("a*b + c*d",), 3),
        (("-(a*b) - a*c + d",), 3),
    ],
)
def test_factoring_saves_what_it_should(texts: tuple[str, ...], expected: int) -> None:
    program = program_of(*texts)
    result = factor(program)
    assert result.operation_count().arithmetic == expected
    assert compare(program, result).kind == "equal"


def test_values_used_elsewhere_are_not_taken_apart() -> None:
    program = program_of("a*b + a*c", "a*b", "a*c")
    assert factor(program) is program


def test_named_values_stay() -> None:
    graph = Graph()
    a, b, c = (symbol(graph, name) for name in "abc")
    with graph.section("moments"):
        first = -(a * b).named("first")
    total = a * c - first
    inputs = tuple(Input(name, (), (value.ref,)) for name, value in zip("abc", (a, b, c), strict=True))
    program = Program("p", graph, inputs, (Output("y", (), (total.ref,)),))
    for each in ALL:
        listing = show(each(program)).splitlines()
        assert "  # moments" in listing
        assert "  first = a*b" in listing


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("a + b + c", "a + d + b"), 3),
        (("a - b + c", "d + b - a"), 3),
        (("a*b*c", "a*d*b"), 3),
        (("a*c*b + 1", "a*d*b*e", "b*e*a"), 5),
        (("a + b + c + d", "d + c + b + e", "d + b"), 4),
        (("a + b", "c + d"), 2),
        (("(a + b) + (c + d)", "(a + c) + (b + d)", "(a + d) + (b + c)"), 3),
        (("a*a*b", "a*b*b"), 3),
        (("x*(a + b + c)*y", "y*(a + d + c)*x"), 6),
    ],
)
def test_reassociation_shares_parts(texts: tuple[str, ...], expected: int) -> None:
    program = program_of(*texts)
    result = reassociate(program)
    assert result.operation_count().arithmetic == expected
    assert compare(program, result).kind == "equal"
    assert reassociate(result) is result


def test_reciprocals() -> None:
    program = program_of("a/d", "b/d", "c/d", "a/e")
    result = reciprocal(program)
    count = result.operation_count()
    assert (count.div, count.mul) == (2, 3)
    assert compare(program, result).kind == "equal"
    single = program_of("a/d", "b/e")
    assert reciprocal(single) is single


def test_reciprocals_are_named_after_the_divisor() -> None:
    graph = Graph()
    a, b, c = (symbol(graph, name) for name in "abc")
    mass = (b + c).named("mass")
    inputs = tuple(Input(name, (), (value.ref,)) for name, value in zip("abc", (a, b, c), strict=True))
    program = Program("p", graph, inputs, (Output("y", (2,), ((a / mass).ref, (b / mass).ref)),))
    assert "mass_inv = 1/mass" in show(reciprocal(program))


def test_constants_become_doubles() -> None:
    program = program_of("sin(0.3)*x + sqrt(2)", "x*(2*pi)", "pi", "cos(x + pi/3)", "x/tan(0.2)", "max(sqrt(2), 1.5)")
    result = fold_constants(program)
    assert result.graph.constant_value(result.outputs[0].values[2]) is not None
    assert result.operation_count().other == 0
    assert result.operation_count().sqrt == 0
    assert result.operation_count().sincos == 1
    x = 0.7
    before, after = (interpret(each, {"x": x})["y"] for each in (program, result))
    # One unit in the last place of an operand, magnified by cos(1.75) being small.
    np.testing.assert_allclose(after, before, rtol=4e-15)
    assert after[0] == sin(0.3) * x + sqrt(2)
    assert after[2] == pi


def test_every_function_of_constants_is_folded() -> None:
    texts = [f"{name}(0.6)" for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh")]
    texts += [f"{name}(0.6 - pi)" for name in ("abs", "sign")]
    texts += [f"{name}(0.6, pi)" for name in ("atan2", "min", "max", "pow")]
    texts += ["pi/0.6", "2 + sin(0.6)", "sin(0.6)*pi", "1/(1 - pi)"]
    program = program_of(*texts, "x", "1 if sin(1) > cos(1) else x")
    result = fold_constants(program)
    assert result.operation_count().arithmetic + result.operation_count().other == 0
    before, after = (interpret(each, {"x": 0.5})["y"] for each in (program, result))
    np.testing.assert_allclose(after, before, rtol=1e-15)


@pytest.mark.parametrize("text", ["asin(2)", "log(sin(0))", "log(sin(3) - 1)", "sqrt(-pi)"])
def test_constants_without_a_value_are_reported(text: str) -> None:
    with pytest.raises(SymbolicError, match=r"no (finite )?real value"):
        fold_constants(program_of(text + " + x"))


_LEAVES = ("a", "b", "c", "d", "2", "0.5", "sin(a)", "sqrt(3)")


@st.composite
def _texts(draw: Callable[..., object]) -> tuple[str, ...]:
    pool = list(_LEAVES)
    for _ in range(int(draw(st.integers(3, 25)))):  # type: ignore[call-overload]
        x, y = (str(draw(st.sampled_from(pool))) for _ in range(2))
        pool.append(f"({x} {draw(st.sampled_from('+-***/'))} {y})")
    return tuple(text for text in pool[-4:] if len(text) < 1000) or ("a",)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(_texts())
def test_passes_on_random_programs(texts: tuple[str, ...]) -> None:
    try:
        program = program_of(*texts)
    except SymbolicError:
        return
    if not program.nodes():
        return
    optimised, report = run(program, EXACT)
    try:
        verdict = compare(program, optimised)
    except SymbolicError:
        return
    assert verdict.kind == "equal"
    for step in report.steps[:2]:
        assert step.after.arithmetic <= step.before.arithmetic
    for each in ALL:
        once = each(program)
        assert each(once) is once
        assert program.operation_count() == report.steps[0].before


def test_the_report_is_a_table() -> None:
    program = program_of("a*b + a*c", "b/d", "c/d")
    result, report = run(program, ALL)
    assert [step.name for step in report.steps] == ["factor", "reassociate", "reciprocal", "fold_constants"]
    assert (report.steps[0].before.mul, report.steps[0].after.mul) == (2, 1)
    lines = str(report).splitlines()
    assert lines[0].split() == ["p", "add", "mul", "div", "sqrt", "sincos", "other", "ms"]
    assert "2 -> 1" in lines[1]
    assert "2 -> 1" in lines[3]
    assert compare(program, result).kind == "equal"


def test_programs_are_left_as_they_are() -> None:
    program = program_of("a*b + a*c", "sin(1)/d", "c/d")
    size, text = len(program.graph), show(program)
    run(program, ALL)
    assert len(program.graph) == size
    assert show(program) == text


def test_unused_inputs_survive() -> None:
    graph = Graph()
    a, b = symbol(graph, "a"), symbol(graph, "b")
    program = Program(
        "p", graph, (Input("a", (), (a.ref,)), Input("b", (), (b.ref,))), (Output("y", (), ((a / 3 + a * 0).ref,)),)
    )
    result, _ = run(program, [factor, reciprocal, fold_constants])
    assert [item.name for item in result.inputs] == ["a", "b"]
    assert isinstance(Scalar(result.graph, result.inputs[1].symbols[0]), Scalar)
    assert interpret(result, {"a": 3.0, "b": 0.0})["y"] == 1.0
