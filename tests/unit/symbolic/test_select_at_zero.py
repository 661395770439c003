"""``select`` takes its second branch where the condition is exactly 0, in every place where values are computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import load_c, load_numpy
from mbsym.codegen.write import write_files
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.sympy_bridge import from_sympy_many, to_sympy

VALUES = {-1.0: 20.0, -1e-300: 20.0, 0.0: 20.0, 1e-300: 10.0, 1.0: 10.0}


def program() -> Program:
    """10 where x > 0, else 20; of a constant 0 as well."""
    graph = Graph()
    x, a, b = graph.symbol("x"), graph.symbol("a"), graph.symbol("b")
    inputs = tuple(Input(name, (), (ref,)) for name, ref in (("x", x), ("a", a), ("b", b)))
    return Program("choose", graph, inputs, (Output("y", (), (graph.select(x, a, b),)),))


@pytest.mark.parametrize("x", VALUES)
def test_interpreted(x: float) -> None:
    assert interpret(program(), {"x": x, "a": 10.0, "b": 20.0})["y"] == VALUES[x]
    batch = interpret(program(), {"x": np.full(3, x), "a": np.full(3, 10.0), "b": np.full(3, 20.0)})["y"]
    assert np.array_equal(batch, np.full(3, VALUES[x]))


@pytest.mark.parametrize("x", VALUES)
def test_evaluated_at_derivation(x: float) -> None:
    assert Evaluator(program())([x], [10.0], [20.0])["y"] == VALUES[x]


@pytest.mark.parametrize("language", ["c", "numpy"])
def test_generated(language: str, tmp_path: Path) -> None:
    paths = write_files(tmp_path, render(ModuleDescription("module", (program(),)), (language,)))
    module = load_c(tmp_path) if language == "c" else load_numpy(next(p for p in paths if p.suffix == ".py"))
    for x, expected in VALUES.items():
        assert module.functions["choose"](x, 10.0, 20.0) == expected, x


def test_folded_as_a_constant() -> None:
    graph = Graph()
    a, b = graph.symbol("a"), graph.symbol("b")
    assert [graph.select(graph.const(k), a, b) for k in (-1, 0, 1)] == [b, b, a]


@pytest.mark.parametrize(
    ("condition", "at_zero"), [(sp.Gt, "b"), (sp.Ge, "a"), (sp.Lt, "b"), (sp.Le, "a"), (sp.Eq, "a"), (sp.Ne, "b")]
)
def test_piecewise_keeps_its_value_at_the_border(condition: type[sp.Rel], at_zero: str) -> None:
    x, a, b = sp.symbols("x a b", real=True)
    graph = Graph()
    names = {symbol: graph.symbol(symbol.name) for symbol in (x, a, b)}
    (ref,) = from_sympy_many(graph, [sp.Piecewise((a, condition(x, 0)), (b, True))], names)
    inputs = tuple(Input(symbol.name, (), (names[symbol],)) for symbol in (x, a, b))
    whole = Program("choose", graph, inputs, (Output("y", (), (ref,)),))
    assert interpret(whole, {"x": 0.0, "a": 10.0, "b": 20.0})["y"] == {"a": 10.0, "b": 20.0}[at_zero]
    (back,) = to_sympy(graph, [ref])
    assert back.subs(sp.Symbol("x"), 0) == sp.Symbol(at_zero)
