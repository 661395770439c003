"""Modules whose operations are rounded at random: as far as single precision rounds, and where it shows nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from mbsym.codegen.description import ModuleDescription, Real
from mbsym.codegen.interface import render
from mbsym.codegen.load import LoadedFunction, numpy_module
from mbsym.embedded.results import GROWTH, frozen_function
from mbsym.embedded.rounding import HALF, RoundedArray, RoundedNumpy
from mbsym.embedded.states import State
from mbsym.pipeline import GenerationOptions, derive, describe, express, read
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program

ROWS = 40_000
ONCE = 1 / np.sqrt(3)
"""The mean, by squares, of errors that are uniform up to one."""


class _Nothing:
    """A generator of roundings that are none."""

    def uniform(self, low: float, high: float, shape: tuple[int, ...]) -> np.ndarray:
        return np.zeros(shape)


def program() -> Program:
    """One of each operation."""
    graph = Graph()
    a, b, c, d = (graph.symbol(f"x[{k}]") for k in range(4))
    gain = graph.symbol("gain")
    values = (
        graph.sub(graph.mul(a, b), graph.mul(c, d)),
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


def loaded(of: Program, real: Real = "double", generator: object = None) -> LoadedFunction:
    arithmetic = None if generator is None else RoundedNumpy(generator)  # type: ignore[arg-type]
    python, manifest = render(ModuleDescription("m", (of,), real=real), ("numpy",))
    return numpy_module(python, manifest, arithmetic).functions[of.name]


def exact(x: np.ndarray) -> np.ndarray:
    a, b, c, d = x.T
    largest, chosen = -np.maximum(a, abs(d)), np.where(a > 0, b, c)
    return np.stack(
        (a * b - c * d, a * b, 2 * a + 3, a / (b + 1 / 3), np.sin(c), largest, chosen, np.arctan2(a, b)), -1
    )


def test_without_roundings_it_is_the_function() -> None:
    x = np.random.default_rng(1).uniform(0.5, 2.0, (50, 4))
    y, z = loaded(program(), generator=_Nothing())(x)
    np.testing.assert_allclose(y, exact(x), rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(z, x[:, 0])


def test_roundings_are_as_large_as_those_of_single_precision() -> None:
    x = np.tile([1.5, 0.7, 0.7, 1.5], (ROWS, 1))
    y, z = (np.asarray(item) for item in loaded(program(), generator=np.random.default_rng(2))(x))
    found = np.sqrt(np.mean((y - exact(x)) ** 2, axis=0)) / HALF
    quotient = 1.5 / (0.7 + 1 / 3)
    expected = (
        np.sqrt(2) * 1.05,
        1.05,
        np.hypot(3.0, 6.0),
        np.sqrt(2) * quotient,
        np.sin(0.7),
        0.0,
        0.0,
        np.arctan2(1.5, 0.7),
    )
    # Of 40 000 draws the mean square is known to one or two per cent.
    assert found == pytest.approx(np.multiply(ONCE, expected), rel=0.05)
    assert np.abs(y[:, 1] - 1.05).max() <= 1.05 * HALF * (1 + 1e-7)
    np.testing.assert_array_equal(z, 1.5)


def test_sums_of_products_and_changes_in_place_round_as_well() -> None:
    numpy = RoundedNumpy(np.random.default_rng(3))
    made = numpy.zeros((2, ROWS))
    assert not hasattr(made, "__dict__")
    assert isinstance(made, RoundedArray) and not isinstance(numpy.zeros(2, dtype=int), RoundedArray)
    made += 3.0
    errors = np.asarray(made) / 3.0 - 1.0
    assert np.sqrt(np.mean(errors**2)) / HALF == pytest.approx(ONCE, rel=0.05)
    ones = numpy.asarray(np.ones((2, 3, ROWS)))
    total = np.asarray(numpy.einsum("ij...,j...->i...", ones, numpy.asarray(np.ones((3, ROWS)))))
    # Three products, each of one, and the total of three.
    assert np.sqrt(np.mean((total - 3.0) ** 2)) / HALF == pytest.approx(ONCE * np.sqrt(3 + 9), rel=0.05)
    summed = np.asarray(ones.sum(axis=1))
    assert np.sqrt(np.mean((summed - 3.0) ** 2)) / HALF == pytest.approx(ONCE * np.sqrt(3 + 9), rel=0.05)
    chosen = numpy.where(np.asarray(ones) > 0, ones, 0.0)
    assert isinstance(chosen, RoundedArray) and (np.asarray(chosen) == 1.0).all()


def test_solvers_of_closed_loops_round_too() -> None:
    """Fixed text: accelerations differ from those of double precision by what single precision loses."""
    options = GenerationOptions(functions=("forward_dynamics",))
    derivation = derive(express(read("four_bar"), options), options)
    description = describe(derivation, options)
    python, manifest = render(description, ("numpy",))
    plain = numpy_module(python, manifest)
    rounded = numpy_module(python, manifest, RoundedNumpy(np.random.default_rng(4)))
    q = np.tile(plain.functions["project_position"](np.array([0.4, 1.2, -1.5])), (200, 1))
    v, tau = np.zeros((200, 3)), np.ones((200, 3))
    expected, found = (module.functions["forward_dynamics"](q, v, tau) for module in (plain, rounded))
    errors = np.abs(np.asarray(found) - expected).max(axis=1) / np.abs(expected).max()
    # Some ten operations deep, and a condition of the rows of some ten.
    assert HALF < errors.max() < 1e3 * HALF
    assert len(np.unique(errors)) > 150


def test_what_is_exact_by_chance_is_allowed_what_fused_products_leave() -> None:
    """a b and |a| b are one number; fused, what rounding left of one of them is the result."""
    graph = Graph()
    a, b = graph.symbol("a"), graph.symbol("b")
    value = graph.sub(graph.mul(a, b), graph.mul(graph.function("abs", a), b))
    inputs = (Input("a", (), (a,)), Input("b", (), (b,)))
    chance = Program("chance", graph, inputs, (Output("y", (), (value,)),))
    double, single = (loaded(chance, real) for real in get_args(Real))
    rounded = loaded(chance, generator=np.random.default_rng(4))
    first, second = np.float32(1.9), np.float32(1.3)
    state = State({"a": np.array(float(first)), "b": np.array(float(second))})
    plain, more = (
        frozen_function(double, single, way, [state], np.random.default_rng(5)).results[0].allowed[0, 0]
        for way in (single, rounded)
    )
    fused = abs(float(first) * float(second) - float(first * second)) / np.finfo(np.float32).eps
    assert plain == 0 < fused < more
    # Roundings of two numbers of size 2.47, times what the mean of errors is allowed to grow.
    assert more == pytest.approx(GROWTH * np.sqrt(2) * 2.47 / 2 * ONCE, rel=0.3)
