"""Faults planted in a body: what it returns without one is right, and each fault alone is what it is said to be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mbsym.codegen.lower import lower
from mbsym.embedded.planted import judged, with_faults
from mbsym.symbolic.domains import Guard, Need
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program

X = np.array([[0.3, -0.7, 1.9], [1.1, 0.4, -0.2], [-2.0, 0.6, 0.8]])
MASS, OFF = 2.5, 0.01


def test_each_fault_stands_alone() -> None:
    graph = Graph()
    a, b, c = (graph.symbol(f"x[{k}]") for k in range(3))
    mass = graph.symbol("mass")
    values = (
        graph.div(graph.sub(a, graph.mul(graph.const(Fraction(7, 5)), b)), graph.add(c, mass)),
        graph.select(a, graph.function("atan2", b, c), graph.function("max", b, c)),
        -graph.mul(graph.const(3), graph.function("abs", graph.mul(a, mass))),
    )
    inputs, outputs = (Input("x", (3,), (a, b, c)),), (Output("y", (3,), values),)
    program = Program("f", graph, inputs, outputs, (ParameterInput("mass", mass, Fraction(5, 2)),))
    body = lower(program, {"x": "x", "y": "y"}, {"mass": "mass"})
    found = with_faults(body, {"x": X}, {"mass": MASS}, OFF)

    def expected(constant: float = 1.4, sign: int = -1, plus: int = 1, three: float = 3.0) -> np.ndarray:
        x, y, z = X.T
        chosen = np.where(x > 0, np.arctan2(y, z), np.maximum(y, z))
        return np.stack(((x + sign * constant * y) / (z + plus * MASS), chosen, -three * np.abs(x * MASS)), axis=-1)

    # A few roundings of numbers of size one.
    np.testing.assert_allclose(found.right["y"], expected(), rtol=1e-14)
    faulty = [expected(constant=1.4 * (1 + OFF)), expected(three=3 * (1 + OFF)), expected(sign=1)]
    # Of mass + z and z + mass the second term is turned.
    denominators = [expected(plus=-1), -expected(plus=-1)]
    for each in faulty:
        assert sum(np.allclose(each, wrong, rtol=1e-12) for wrong in found.wrong["y"]) == 1
    shown = [wrong[:, 0] for wrong in found.wrong["y"]]
    assert any(np.allclose(each[:, 0], wrong, rtol=1e-12) for each in denominators for wrong in shown)
    assert found.is_sign.tolist().count(False) == 2 and len(found.is_sign) == len(found.wrong["y"]) == 4


def test_one_over_a_mass_of_nothing_is_infinite() -> None:
    """As in compiled code, though it is of parameters alone, which are numbers of Python."""
    graph = Graph()
    mass = graph.symbol("mass")
    values = (graph.mul(graph.symbol("x[0]"), graph.div(graph.const(1), mass)),)
    inputs, outputs = (Input("x", (1,), (graph.symbol("x[0]"),)),), (Output("y", (1,), values),)
    program = Program("f", graph, inputs, outputs, (ParameterInput("mass", mass, Fraction(0)),))
    body = lower(program, {"x": "x", "y": "y"}, {"mass": "mass"})
    assert np.isinf(with_faults(body, {"x": X[:, :1]}, {"mass": 0.0}, OFF).right["y"]).all()


def test_statuses_are_those_of_the_printed_text() -> None:
    """A divisor vanishes below 1024 epsilon of its size; what lies outside a domain takes precedence."""
    needs: tuple[tuple[Need, float], ...] = (
        ("nonzero", 1.0),
        ("nonzero", 0.25),
        ("not negative", 1.0),
        ("positive", 1.0),
        ("within one", 1.0),
    )
    guards = [Guard(1, need, size, "") for need, size in needs]
    rows = {
        (1.0, -1.0, 0.0, 1.0, -1.0): 0,
        (1e-9, 1.0, 0.0, 1.0, 1.0): 0,
        (1e-13, 1.0, 0.0, 1.0, 1.0): 1,
        (1.0, 1e-13, 0.0, 1.0, 1.0): 0,
        (1.0, 1.0, -1e-30, 1.0, 1.0): 3,
        (0.0, 1.0, 0.0, 0.0, 1.0): 3,
        (1.0, 1.0, 0.0, 1.0, 1.0 + 1e-15): 3,
        (np.nan, 1.0, 0.0, 1.0, 1.0): 1,
    }
    assert judged(guards, np.array(list(rows)), "double").tolist() == list(rows.values())
    assert judged(guards[:1], np.array([[1e-9], [1e-3]]), "float").tolist() == [1, 0]
