"""What becomes a temporary, under which name and with which sign; and how it prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.expressions import Negation, Product, Quotient, Sum, Variable
from mbsym.codegen.lower import LONGEST_EXPRESSION, lower
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.lowered_module import lower_module
from mbsym.codegen.numpy.bodies import NumpyPrinter
from mbsym.errors import CodegenError
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import WRITTEN, Call, For, Input, Output, ParameterInput, Program, Step

Build = Callable[[Graph, list[Reference]], "Reference | list[Reference]"]


def lowered(build: Build, size: int = 4) -> LoweredFunction:
    """A function of x[0..size-1] with the output y."""
    graph = Graph()
    symbols = [graph.symbol(f"x{i}") for i in range(size)]
    built = build(graph, symbols)
    values = built if isinstance(built, list) else [built]
    program = Program("f", graph, (Input("x", (size,), tuple(symbols)),), (Output("y", (len(values),), tuple(values)),))
    return lower(program, {"x": "x", "y": "y"}, {})


def printed(function: LoweredFunction) -> list[str]:
    """Statements of a body in C, without types."""
    printer = CPrinter("double")
    lines = []
    for block in function.blocks:
        lines += [f"# {block.title}"] if block.title else []
        lines += [f"{item.identifier} = {printer.expression(item.expression)}" for item in block.assignments]
    for result in function.results:
        lines += [f"{result.identifier}[{i}] = {printer.expression(entry)}" for i, entry in enumerate(result.entries)]
    return lines


def expression(build: Build, size: int = 4) -> str:
    """The one expression that a function consists of."""
    (line,) = printed(lowered(build, size))
    return line.removeprefix("y[0] = ")


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda g, x: g.sub(x[0], x[1]), "x[0] - x[1]"),
        (lambda g, x: -g.sub(x[0], x[1]), "x[1] - x[0]"),
        (lambda g, x: -g.add(x[0], x[1]), "-x[0] - x[1]"),
        (lambda g, x: g.sub(x[0], g.add(x[1], x[2])), "x[0] - x[1] - x[2]"),
        (lambda g, x: g.sub(x[0], g.sub(x[1], x[2])), "x[0] - x[1] + x[2]"),
        (lambda g, x: g.add(-x[0], g.sub(x[1], x[2])), "x[1] - x[0] - x[2]"),
        (lambda g, x: g.mul(g.sub(x[0], x[1]), x[2]), "x[2]*(x[0] - x[1])"),
        (lambda g, x: g.mul(-g.sub(x[0], x[1]), x[2]), "x[2]*(x[1] - x[0])"),
        (lambda g, x: -g.mul(x[0], x[1]), "-x[0]*x[1]"),
        (lambda g, x: g.mul(g.const(-2), x[0]), "-2.0*x[0]"),
        (lambda g, x: g.sub(x[1], g.mul(g.const(2), x[0])), "x[1] - 2.0*x[0]"),
        (lambda g, x: g.mul(g.mul(x[0], x[1]), g.mul(x[2], x[3])), "x[0]*x[1]*x[2]*x[3]"),
        (lambda g, x: g.power(x[0], 2), "x[0]*x[0]"),
        (lambda g, x: g.div(x[0], g.const(3)), "0.3333333333333333*x[0]"),
        (lambda g, x: g.div(x[0], g.mul(x[1], x[2])), "x[0]/(x[1]*x[2])"),
        (lambda g, x: g.mul(x[0], g.div(x[1], x[2])), "x[0]*(x[1]/x[2])"),
        (lambda g, x: g.div(g.mul(x[0], x[1]), x[2]), "x[0]*x[1]/x[2]"),
        (lambda g, x: g.div(g.div(x[0], x[1]), x[2]), "x[0]/x[1]/x[2]"),
        (lambda g, x: g.div(x[0], g.div(x[1], x[2])), "x[0]/(x[1]/x[2])"),
        (lambda g, x: g.div(g.sub(x[0], x[1]), -x[2]), "(x[1] - x[0])/x[2]"),
        (lambda g, x: g.div(1, g.add(x[1], x[2])), "1.0/(x[1] + x[2])"),
        (lambda g, x: g.function("sin", -x[0]), "-sin(x[0])"),
        (lambda g, x: g.function("sin", g.sub(x[1], x[0])), "sin(x[1] - x[0])"),
        (lambda g, x: g.function("cos", g.sub(x[0], x[1])), "cos(x[0] - x[1])"),
        (lambda g, x: g.function("exp", -x[0]), "exp(-x[0])"),
        (lambda g, x: g.function("exp", -g.mul(x[0], x[1])), "exp(-x[0]*x[1])"),
        (lambda g, x: g.function("atan2", -x[0], g.sub(x[2], x[1])), "atan2(-x[0], x[2] - x[1])"),
        (lambda g, x: g.function("abs", g.sub(x[0], x[1])), "fabs(x[0] - x[1])"),
        (lambda g, x: g.function("max", x[0], g.const(2)), "fmax(x[0], 2.0)"),
        (lambda g, x: g.function("sign", x[0]), "(x[0] > 0.0 ? 1.0 : x[0] < 0.0 ? -1.0 : x[0])"),
        (lambda g, x: g.select(-x[0], x[1], -x[2]), "(-x[0] > 0.0 ? x[1] : -x[2])"),
        (lambda g, x: g.pi(), "3.141592653589793"),
        (lambda g, x: g.mul(g.pi(), g.const(Fraction(-1, 2))), "-1.5707963267948966"),
        (lambda g, x: g.div(x[0], g.pi()), "0.3183098861837907*x[0]"),
        (lambda g, x: g.mul(g.const(2), g.mul(g.pi(), x[0])), "6.283185307179586*x[0]"),
        (lambda g, x: g.div(g.mul(g.const(3), x[0]), g.pi()), "0.954929658551372*x[0]"),
        (lambda g, x: g.add(g.pi(), g.const(2)), "5.141592653589793"),
        (lambda g, x: g.sub(g.const(2), g.pi()), "-1.1415926535897933"),
        (lambda g, x: g.add(g.sub(x[0], g.const(2)), g.sub(g.const(5), x[1])), "x[0] + 3.0 - x[1]"),
        (lambda g, x: g.add(g.sub(x[0], g.const(2)), g.sub(g.const(2), x[1])), "x[0] - x[1]"),
        (lambda g, x: g.sub(g.sub(x[0], g.const(2)), g.add(g.const(5), x[1])), "x[0] - 7.0 - x[1]"),
        (lambda g, x: g.mul(g.mul(g.const(3), x[0]), g.mul(g.const(5), x[1])), "15.0*x[0]*x[1]"),
        (lambda g, x: g.function("sin", g.const(Fraction(3, 10))), "sin(0.3)"),
        (lambda g, x: 0, "0.0"),
        (lambda g, x: -1, "-1.0"),
        (lambda g, x: -x[2], "-x[2]"),
        (lambda g, x: g.const(Fraction(1, 3) * 10**30), "3.333333333333333e+29"),
    ],
)
def test_expressions(build: Build, text: str) -> None:
    assert expression(build) == text


def test_a_value_used_twice_is_a_temporary_with_the_cheaper_sign() -> None:
    def build(g: Graph, x: list[Reference]) -> list[Reference]:
        t = -g.add(x[0], x[1])
        return [g.mul(t, x[2]), g.mul(t, x[3])]

    assert printed(lowered(build)) == ["t1 = x[0] + x[1]", "y[0] = -x[2]*t1", "y[1] = -x[3]*t1"]


def test_a_named_value_is_a_temporary_of_the_asked_sign() -> None:
    def build(g: Graph, x: list[Reference]) -> Reference:
        w = -g.sub(x[0], x[1])
        g.name(w, "w3_x")
        return g.sub(x[2], w)

    assert printed(lowered(build)) == ["w3_x = x[1] - x[0]", "y[0] = x[2] - w3_x"]


def test_what_is_held_with_the_other_sign_is_put_right_where_it_is_read() -> None:
    def build(g: Graph, x: list[Reference]) -> list[Reference]:
        w = g.sub(x[0], x[1])
        g.name(-w, "w")
        return [*(g.function(name, w) for name in ("cos", "abs", "tanh", "exp")), g.div(w, g.pi()), g.div(x[2], w)]

    assert printed(lowered(build)) == [
        "w = x[1] - x[0]",
        "y[0] = cos(w)",
        "y[1] = fabs(w)",
        "y[2] = -tanh(w)",
        "y[3] = exp(-w)",
        "y[4] = -0.3183098861837907*w",
        "y[5] = -x[2]/w",
    ]


def test_a_pruned_body_has_what_the_rest_needs_and_no_more() -> None:
    def build(g: Graph, x: list[Reference]) -> list[Reference]:
        kept = g.add(x[0], x[1])
        read = g.mul(kept, kept)
        left = g.add(x[2], x[3])
        for node, name in ((kept, "kept"), (read, "read"), (left, "left")):
            g.name(node, name)
        return [g.mul(read, g.function("exp", read)), g.mul(left, left)]

    body = lowered(build)
    first = replace(body.results[0], entries=body.results[0].entries[:1])
    assert printed(replace(body, results=(first,)).pruned()) == [
        "kept = x[0] + x[1]",
        "read = kept*kept",
        "y[0] = read*exp(read)",
    ]


@pytest.mark.parametrize("printer", [CPrinter("double"), NumpyPrinter()])
def test_operands_stand_in_parentheses_where_they_must(printer: CPrinter | NumpyPrinter) -> None:
    a, b = Variable("a"), Variable("b")
    total, opposite, quotient = Sum(((False, a), (True, b))), Negation(a), Quotient(a, b)
    texts = {
        Negation(total): "-(a - b)",
        Negation(opposite): "-(-a)",
        Negation(quotient): "-a/b",
        Product((opposite, b)): "(-a)*b",
        Product((total, quotient)): "(a - b)*(a/b)",
        Product((quotient, total)): "a/b*(a - b)",
        Quotient(opposite, total): "(-a)/(a - b)",
        Quotient(total, quotient): "(a - b)/(a/b)",
        Quotient(quotient, Product((a, b))): "a/b/(a*b)",
    }
    assert {expression: printer.expression(expression) for expression in texts} == texts


def test_a_name_wins_over_an_automatic_one_and_collisions_are_numbered() -> None:
    def build(g: Graph, x: list[Reference]) -> list[Reference]:
        a, b, c = g.add(x[0], x[1]), g.add(x[1], x[2]), g.add(x[2], x[3])
        g.name(b, "t1")
        g.name(c, "x")
        return [g.mul(a, b), g.mul(b, c), g.mul(c, a)]

    assert printed(lowered(build))[:3] == ["t2 = x[0] + x[1]", "t1 = x[1] + x[2]", "x_2 = x[2] + x[3]"]


def test_a_name_for_a_mere_result_makes_no_temporary() -> None:
    def build(g: Graph, x: list[Reference]) -> Reference:
        y = g.add(x[0], x[1])
        g.name(y, "tau")
        return y

    assert expression(build) == "x[0] + x[1]"


def test_a_result_used_elsewhere_is_computed_once() -> None:
    def build(g: Graph, x: list[Reference]) -> list[Reference]:
        y = g.mul(x[0], x[1])
        return [y, g.add(y, x[2]), -y]

    assert printed(lowered(build)) == ["t1 = x[0]*x[1]", "y[0] = t1", "y[1] = x[2] + t1", "y[2] = -t1"]


def test_sine_and_cosine_of_one_angle_stand_together() -> None:
    def build(g: Graph, x: list[Reference]) -> list[Reference]:
        sine = g.function("sin", x[1])
        other = g.mul(sine, g.add(x[0], x[2]))
        return [other, g.function("cos", x[1]), g.function("sin", x[3])]

    assert printed(lowered(build)) == [
        "sin_x1 = sin(x[1])",
        "cos_x1 = cos(x[1])",
        "y[0] = sin_x1*(x[0] + x[2])",
        "y[1] = cos_x1",
        "y[2] = sin(x[3])",
    ]


def test_sections_become_titles_in_order() -> None:
    def build(g: Graph, x: list[Reference]) -> Reference:
        with g.section("body 1"):
            a = g.add(x[0], x[1])
            unused = g.add(x[0], x[3])
        with g.section("body 2"):
            b = g.mul(a, a)
        g.name(unused, "unused")
        return g.add(g.mul(b, b), a)

    assert printed(lowered(build)) == ["# body 1", "t1 = x[0] + x[1]", "# body 2", "t2 = t1*t1", "y[0] = t1 + t2*t2"]


def test_a_long_expression_is_split() -> None:
    def build(g: Graph, x: list[Reference]) -> Reference:
        total = 0
        for i in range(60):
            total = g.add(g.mul(x[i], x[i + 60]), total)
        return total

    lines = printed(lowered(build, 120))
    assert len(lines) > 3
    assert all(len(line) <= LONGEST_EXPRESSION + 40 for line in lines)


def test_a_deep_nest_of_functions_is_split() -> None:
    def build(g: Graph, x: list[Reference]) -> Reference:
        value = x[0]
        for _ in range(5000):
            value = g.function("tanh", g.function("sin", value))
        return value

    lines = printed(lowered(build))
    assert all(len(line) <= LONGEST_EXPRESSION + 40 for line in lines)
    assert sum(line.count("tanh(") for line in lines) == 5000


def test_a_shared_constant_stays_a_literal() -> None:
    def build(g: Graph, x: list[Reference]) -> list[Reference]:
        twice = g.mul(g.const(2), g.pi())
        return [g.mul(twice, x[0]), g.mul(twice, x[1])]

    assert printed(lowered(build)) == ["y[0] = 6.283185307179586*x[0]", "y[1] = 6.283185307179586*x[1]"]


def test_parameters_and_scalars_print_by_name() -> None:
    graph = Graph()
    t, m, q = graph.symbol("t"), graph.symbol("mass"), graph.symbol("q")
    program = Program(
        "f",
        graph,
        (Input("q", (1,), (q,)), Input("t", (), (t,))),
        (Output("y", (), (graph.mul(t, m),)),),
        (ParameterInput("m", m, Fraction(1)), ParameterInput("unused", graph.symbol("unused"), Fraction(1))),
    )
    function = lower(program, {"q": "q", "t": "t", "y": "y"}, {"m": "m_2", "unused": "unused"})
    assert printed(function) == ["y[0] = t*m_2"]
    assert function.used == {"t", "m_2"}


def test_an_unbound_symbol_is_an_error() -> None:
    graph = Graph()
    program = Program("f", graph, (), (Output("y", (1,), (graph.symbol("lost"),)),))
    with pytest.raises(CodegenError, match="nothing provides the symbol lost"):
        lower(program, {"y": "y"}, {})


def test_single_precision_literals() -> None:
    printer = CPrinter("float")
    texts = [printer.literal(Fraction(text)) for text in ("0", "2", "0.1", "1/3", "-1e10", "123456789.123", "1e-50")]
    assert texts == ["0.0f", "2.0f", "0.1f", "0.333333333f", "-1e+10f", "123456789.0f", "0.0f"]


@pytest.mark.parametrize(("real", "value"), [("float", "1e39"), ("double", "1e309")])
def test_a_constant_out_of_range_is_an_error(real: str, value: str) -> None:
    printer = CPrinter("float" if real == "float" else "double")
    with pytest.raises(CodegenError, match=f"exceeds the range of a {real}"):
        printer.literal(Fraction(value))


def test_single_precision_functions() -> None:
    def build(g: Graph, x: list[Reference]) -> Reference:
        return g.add(g.function("abs", x[0]), g.function("atan2", x[1], g.function("sign", x[2])))

    (result,) = lowered(build).results
    text = CPrinter("float").expression(result.entries[0])
    assert text == "fabsf(x[0]) + atan2f(x[1], (x[2] > 0.0f ? 1.0f : x[2] < 0.0f ? -1.0f : x[2]))"


def test_numpy_prints_functions_by_their_own_names() -> None:
    def build(g: Graph, x: list[Reference]) -> Reference:
        return g.select(x[0], g.function("asin", x[1]), g.function("min", x[2], x[3]))

    (result,) = lowered(build).results
    assert NumpyPrinter().expression(result.entries[0]) == "select(x[0], asin(x[1]), min(x[2], x[3]))"


def test_loops_whose_steps_may_fail_are_refused() -> None:
    graph = Graph()
    inner = graph.symbol("inner")
    step = Program(
        "inverse",
        graph,
        (Input("inner", (1,), (inner,)),),
        (Output("found", (1,), (graph.div(graph.const(1), inner),)),),
    )
    outer = Graph()
    x = tuple(outer.symbol(f"x{k}") for k in range(2))
    loop = For("inverses", (Call(0, (0,), (0,)), Call(0, (1,), (1,))))
    program = Program(
        "inverses",
        outer,
        (Input("x", (2,), x),),
        (Output("y", (2,), (WRITTEN, WRITTEN)),),
        body=(loop,),
        steps=(Step(step, ("x",), ("y",), 0),),
    )
    assert interpret(program, {"x": [2.0, 4.0]})["y"].tolist() == [0.5, 0.25]
    with pytest.raises(CodegenError, match="may fail"):
        lower_module(ModuleDescription("model", (program,)))
    assert lower_module(ModuleDescription("model", (replace(program, trusting=True),))).functions[0].steps
