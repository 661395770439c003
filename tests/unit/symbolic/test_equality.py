"""Exact equality: what it proves, what it refutes, and what it says it cannot decide."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbsym.errors import SymbolicError
from mbsym.symbolic.equality import Verdict, compare, is_zero
from mbsym.symbolic.finite_field import PRIME, evaluate, root
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mbsym.symbolic.scalar import Scalar, symbol
from mechanisms.programs import program_of


def _verdict(a: str, b: str) -> Verdict:
    return compare(program_of(a), program_of(b, reverse=True))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("(a + b)**2", "a**2 + 2*a*b + b**2"),
        ("a/b + c/d", "(a*d + c*b)/(b*d)"),
        ("1/(1 - 1/(1 + x))", "(1 + x)/x"),
        ("sin(x)**2 + cos(x)**2", "1"),
        ("sin(a + b)", "sin(a)*cos(b) + cos(a)*sin(b)"),
        ("cos(a - b/2)", "cos(a)*cos(b/2) + sin(a)*sin(b/2)"),
        ("sin(2*a)", "2*sin(a)*cos(a)"),
        ("cos(a/3)**3*4 - 3*cos(a/3)", "cos(a)"),
        ("sin(x + 0.1)", "sin(x)*cos(0.1) + cos(x)*sin(0.1)"),
        ("sin(0.3)", "3*sin(0.1) - 4*sin(0.1)**3"),
        ("tan(x)", "sin(x)/cos(x)"),
        ("tan(x + pi/4)", "(1 + tan(x))/(1 - tan(x))"),
        ("sin(pi/8)**2", "(1 - cos(pi/4))/2"),
        ("cos(pi/4)", "sqrt(1/2)"),
        ("sin(x + 3*pi/2)", "-cos(x)"),
        ("sin(a*(b + c))", "sin(a*b)*cos(c*a) + cos(a*b)*sin(a*c)"),
        ("cos((a + b)*(a - b))", "cos(b*b - a*a)"),
        ("sin(1/a + x)", "sin(1/a)*cos(x) + cos(1/a)*sin(x)"),
        ("sin(1/(a - b))", "-sin(1/(b - a))"),
        ("sqrt(a)*sqrt(b)", "sqrt(a*b)"),
        ("1/sqrt(a + b)", "sqrt(a + b)/(a + b)"),
        ("(sqrt(a) + sqrt(b))*(sqrt(a) - sqrt(b))", "a - b"),
        ("exp(x*x - y*y)", "exp((x + y)*(x - y))"),
        ("abs(a - b)", "abs(b - a)"),
        ("sign(a - b)*tanh(c - d)", "sign(b - a)*tanh(d - c)"),
        ("min(a, b) + max(b, a)", "max(a, b) + min(b, a)"),
        ("x if a > b else y", "x if b < a else y"),
        ("atan2(2*a - a, b)", "atan2(a, b)"),
        ("sqrt(3)*x", "x*sqrt(3)"),
    ],
)
def test_identities_are_proved(a: str, b: str) -> None:
    verdict = _verdict(a, b)
    assert verdict.kind == "equal"
    assert verdict
    assert verdict.failure_probability < 1e-12
    assert "equal at" in str(verdict)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("(a + b)**2", "a**2 + b**2"),
        ("a/b", "b/a"),
        ("sin(x)", "cos(x)"),
        ("sin(a + b)", "sin(a) + sin(b)"),
        ("sin(x)", "sin(x + 0.000000001)"),
        ("x", "x*1.0000000000000000000000000001"),
        ("pi", "3.141592653589793"),
        ("sin(x)", "x"),
        ("sin(pi/8)", "cos(pi/8)"),
        ("tan(x)", "tan(2*x)"),
    ],
)
def test_differences_are_found(a: str, b: str) -> None:
    verdict = _verdict(a, b)
    assert verdict.kind == "different"
    assert not verdict
    assert (verdict.output, verdict.index) == ("y", (0,))
    assert "different in y[0]" in str(verdict)


@pytest.mark.parametrize(
    ("a", "b", "function"),
    [
        ("sqrt(x*x)", "x", "sqrt"),
        ("exp(a)*exp(b)", "exp(a + b)", "exp"),
        ("abs(x)*abs(x)", "x*x", "abs"),
        ("sin(asin(x))", "x", "asin"),
        ("sin(pi/6)", "0.5", "sin of 1/6*pi"),
        ("x if x > 0 else -x", "abs(x)", "select"),
        ("tanh(x)", "x", "tanh"),
        ("sin(1/a - 1/b)", "sin((b - a)/(a*b))", "sin of no polynomial"),
        ("sin(1/(1 + a) + a/(1 + a))", "sin(1)", "sin of no polynomial"),
    ],
)
def test_what_the_field_does_not_know_is_undecided(a: str, b: str, function: str) -> None:
    verdict = _verdict(a, b)
    assert verdict.kind == "undecided"
    assert function in verdict.functions
    assert function in str(verdict)


def test_a_decided_difference_goes_before_a_doubtful_one() -> None:
    verdict = compare(program_of("exp(x)", "x", "x"), program_of("1 + x", "x", "x + 1"))
    assert verdict.kind == "different"
    assert verdict.index == (2,)


def test_the_counterexample_is_one() -> None:
    verdict = _verdict("a*b + sin(a)", "a + b + sin(a)")
    (a,), (b,) = verdict.point["a"], verdict.point["b"]
    first, second = verdict.values
    assert first - second == pytest.approx(a * b - a - b, rel=1e-12)
    assert abs(first - second) > 1e-3


def _rotation(norm: bool) -> Program:
    """|R v|^2 for a quaternion, whose unit length is known or not."""
    graph = Graph()
    w, x, y, z = q = [symbol(graph, f"q{k}") for k in range(4)]
    v = [symbol(graph, f"v{k}") for k in range(3)]
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    turned = [row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in rows]
    length: Scalar = sum((c * c for c in turned), Scalar(graph, 0))
    length = length + (w * w + x * x + y * y + z * z).apply("sqrt")
    inputs = (
        Input("q", (4,), tuple(c.ref for c in q), quaternions=(0,) if norm else ()),
        Input("v", (3,), tuple(c.ref for c in v)),
    )
    return Program("rotate", graph, inputs, (Output("square", (), (length.ref,)),))


def test_quaternion_inputs_have_unit_length() -> None:
    expected = program_of("v0**2 + v1**2 + v2**2 + 1")
    names = {item.name: item.symbols[0] for item in expected.inputs}
    right = Program(
        "length",
        expected.graph,
        (Input("v", (3,), (names["v0"], names["v1"], names["v2"])),),
        (Output("square", (), expected.outputs[0].values),),
    )
    assert compare(_rotation(True), right).kind == "equal"
    assert compare(_rotation(False), right).kind == "undecided"


def test_a_counterexample_is_a_state() -> None:
    """Its quaternions have unit length, whatever coordinates follow them."""
    graph = Graph()
    q = [symbol(graph, f"q{k}") for k in range(9)]

    def program(value: Scalar) -> Program:
        given = Input("q", (9,), tuple(each.ref for each in q), quaternions=(0, 4))
        return Program("f", graph, (given,), (Output("y", (), (value.ref,)),))

    squares = sum((each * each for each in q), Scalar(graph, 0))
    point = compare(program(squares), program(squares + q[8])).point["q"]
    assert sum(x * x for x in point[:4]) == pytest.approx(1.0, rel=1e-12)
    assert sum(x * x for x in point[4:8]) == pytest.approx(1.0, rel=1e-12)


def test_parameters_are_matched_by_name() -> None:
    def program(first: str, second: str) -> Program:
        graph = Graph()
        made = {name: symbol(graph, name) for name in (first, second)}
        value = made["m"] * made["g"]
        return Program(
            "weight",
            graph,
            (),
            (Output("w", (), (value.ref,)),),
            tuple(ParameterInput(name, made[name].ref, Fraction(1)) for name in (first, second)),
        )

    assert compare(program("m", "g"), program("g", "m"))


def test_is_zero() -> None:
    graph = Graph()
    a, b = symbol(graph, "a"), symbol(graph, "b")
    square = (a + b) * (a + b) - a * a - 2 * a * b - b * b
    assert is_zero(graph, square.ref)
    assert is_zero(graph, square.ref, 0)
    assert not is_zero(graph, square.ref, a.ref)
    assert not is_zero(graph, (a.apply("exp") * b.apply("exp") - (a + b).apply("exp")).ref)


def test_many_roots_are_evaluated_all_the_same() -> None:
    squares = [f"sqrt(x{k})*sqrt(x{k} + y)" for k in range(4)]
    products = [f"sqrt(x{k}*(y + x{k}))" for k in range(4)]
    assert compare(program_of(*squares), program_of(*products))


def test_roots_and_their_signs() -> None:
    assert root(4) == 2
    assert root(9) == PRIME - 3
    assert root(3) is None


def test_evaluation_is_reproducible_and_shared() -> None:
    a, b = evaluate([program_of("x + y"), program_of("y + x", reverse=True)], seed=3)
    assert a == b
    assert evaluate([program_of("x + y")], seed=3) == [a]
    assert evaluate([program_of("x + y")], seed=4) != [a]


def test_programs_that_do_not_match_are_refused() -> None:
    with pytest.raises(SymbolicError, match="outputs"):
        compare(program_of("x"), program_of("x", "y"))
    graph = Graph()
    x, y = symbol(graph, "x"), symbol(graph, "y")
    array = Program("array", graph, (Input("x", (2,), (x.ref, y.ref)),), (Output("y", (1,), (x.ref,)),))
    with pytest.raises(SymbolicError, match="shape"):
        compare(program_of("x"), array)
    with pytest.raises(SymbolicError, match="zero everywhere"):
        compare(program_of("1/(sin(2*x) - 2*sin(x)*cos(x))"), program_of("x"))


def test_degree_bound_grows_with_the_problem() -> None:
    chain = "x"
    for k in range(8):
        chain = f"(1/({chain} + a{k}))"
    verdict = compare(program_of(chain), program_of(chain, reverse=True), trials=1)
    assert 1e-19 < verdict.failure_probability < 1e-15
