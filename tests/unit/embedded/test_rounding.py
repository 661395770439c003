"""Operations rounded at random: as far as single precision rounds, and where single precision shows nothing."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import get_args

import numpy as np
import pytest

from mbsym.codegen.description import ModuleDescription, Real
from mbsym.codegen.interface import render
from mbsym.codegen.load import numpy_module
from mbsym.codegen.lowered_module import ModuleFunction, lower_module
from mbsym.embedded.results import GROWTH, frozen_function
from mbsym.embedded.rounding import rounded
from mbsym.embedded.states import State
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program

HALF = float(np.finfo(np.float32).eps) / 2
ROWS = 40_000


class _Nothing:
    """A generator of roundings that are none."""

    def uniform(self, low: float, high: float, shape: tuple[int, ...]) -> np.ndarray:
        return np.zeros(shape)


def program() -> Program:
    """A difference of equal products; one of each operation."""
    graph = Graph()
    a, b, c, d = (graph.symbol(f"x[{k}]") for k in range(4))
    gain = graph.symbol("gain")
    cancelled = graph.sub(graph.mul(a, b), graph.mul(c, d))
    values = (
        cancelled,
        graph.mul(a, b),
        graph.add(graph.mul(gain, a), graph.const(3)),
        graph.div(a, graph.add(b, graph.const(Fraction(1, 3)))),
        graph.function("sin", c),
        -graph.function("max", a, graph.function("abs", d)),
        graph.select(a, b, c),
        graph.function("atan2", a, b),
    )
    outputs = (Output("y", (len(values),), values), Output("z", (), (a,)))
    return Program("f", graph, (Input("x", (4,), (a, b, c, d)),), outputs, (ParameterInput("gain", gain, 2),))


def function() -> ModuleFunction:
    return lower_module(ModuleDescription("m", (program(),))).functions[0]


def exact(x: np.ndarray) -> np.ndarray:
    a, b, c, d = x.T
    largest = -np.maximum(a, abs(d))
    chosen = np.where(a > 0, b, c)
    return np.stack(
        (a * b - c * d, a * b, 2 * a + 3, a / (b + 1 / 3), np.sin(c), largest, chosen, np.arctan2(a, b)), -1
    )


def test_without_roundings_it_is_the_function() -> None:
    x = np.random.default_rng(1).uniform(0.5, 2.0, (50, 4))
    y, z = rounded(function(), {"x": x}, {"gain": 2.0}, _Nothing())  # type: ignore[arg-type]
    np.testing.assert_allclose(y, exact(x), rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(z, x[:, :1])


def test_roundings_are_as_large_as_those_of_single_precision() -> None:
    """A uniform error of half a unit at most has a third of its square in the mean; two products add their squares."""
    x = np.tile([1.5, 0.7, 0.7, 1.5], (ROWS, 1))
    y, z = rounded(function(), {"x": x}, {"gain": 2.0}, np.random.default_rng(2))
    found = np.sqrt(np.mean((y - exact(x)) ** 2, axis=0)) / HALF
    once = 1 / np.sqrt(3)
    expected = (
        np.sqrt(2) * 1.05 * once,
        1.05 * once,
        np.hypot(3.0, 6.0) * once,
        np.sqrt(2) * 1.5 / (0.7 + 1 / 3) * once,
        np.sin(0.7) * once,
        0.0,
        0.0,
        np.arctan2(1.5, 0.7) * once,
    )
    # Of 40 000 draws the mean square is known to one or two per cent.
    assert found == pytest.approx(expected, rel=0.05)
    assert np.abs(y[:, 1] - 1.05).max() <= 1.05 * HALF * (1 + 1e-7)
    np.testing.assert_array_equal(z[:, 0], 1.5)


def test_what_is_exact_by_chance_is_allowed_what_fused_products_leave() -> None:
    """a b and |a| b are one number; fused, what rounding left of one of them is the result."""
    graph = Graph()
    a, b = graph.symbol("a"), graph.symbol("b")
    value = graph.sub(graph.mul(a, b), graph.mul(graph.function("abs", a), b))
    inputs = (Input("a", (), (a,)), Input("b", (), (b,)))
    chance = Program("chance", graph, inputs, (Output("y", (), (value,)),))
    double, single = (
        numpy_module(*render(ModuleDescription("m", (chance,), real=real), ("numpy",))).functions["chance"]
        for real in get_args(Real)
    )
    own = lower_module(ModuleDescription("m", (chance,))).functions[0]
    at_random = partial(rounded, own, parameters={}, generator=np.random.default_rng(4))
    first, second = np.float32(1.9), np.float32(1.3)
    state = State({"a": np.array(float(first)), "b": np.array(float(second))})
    plain, more = (
        frozen_function(double, single, [state], np.random.default_rng(5), rounded=each).results[0].allowed[0, 0]
        for each in (None, at_random)
    )
    fused = abs(float(first) * float(second) - float(first * second)) / np.finfo(np.float32).eps
    assert plain == 0 < fused < more
    # Roundings of two numbers of size 2.47, times what the mean of errors is allowed to grow.
    assert more == pytest.approx(GROWTH * np.sqrt(2) * 2.47 / 2 / np.sqrt(3), rel=0.3)
