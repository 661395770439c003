"""All functions as SymPy: closed forms, steps as ``sympy.cse`` has them, short symbols, fragments for papers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym.errors import DerivationError
from mbsym.report.document import document
from mbsym.report.equations import Equations
from mbsym.symbolic.interpret import interpret


@pytest.fixture(scope="module")
def equations() -> Equations:
    return mbsym.derive("double_pendulum")


def test_lagrange_of_the_lagrangian_gives_the_equations(equations: Equations) -> None:
    q, v, a = equations.coordinates, equations.speeds, equations.rates
    momentum = sp.Matrix([equations.lagrangian.diff(each) for each in v])
    rate = momentum.jacobian(q) * v + momentum.jacobian(v) * a
    found = rate - sp.Matrix([equations.lagrangian.diff(each) for each in q])
    assert sp.simplify(found - (equations.mass_matrix * a + equations.bias_force)) == sp.zeros(2, 1)


@pytest.mark.parametrize("name", ["forward_dynamics", "body_jacobians", "kinetic_energy", "momentum"])
def test_steps_are_those_of_the_program(equations: Equations, name: str) -> None:
    """Replacements and reduced form, put in one after the other, are the numbers of the program."""
    program = equations.form(name).program
    numbers = np.random.default_rng(3).uniform(0.2, 1.0, 32)
    given = {item.name: numbers[4 * k : 4 * k + 2] for k, item in enumerate(program.inputs)}
    letters = {"q": equations.coordinates, "v": equations.speeds, "tau": equations.forces}
    values = {
        symbol: number
        for letter, column in letters.items()
        if letter in given
        for symbol, number in zip(column, given[letter], strict=True)
    }
    values |= {sp.Symbol(item.name): float(item.value) for item in equations.mechanism.model.parameters}
    replacements, reduced = equations.reduced(name)
    for symbol, value in replacements:
        values[symbol] = value.subs(values)
    found = np.array(reduced.subs(values).tolist(), dtype=float)
    wanted = np.asarray(interpret(program, given)[program.outputs[0].name], dtype=float)
    assert np.allclose(found.ravel(), wanted.ravel(), rtol=1e-12, atol=1e-12)


def test_large_results_stay_small() -> None:
    replacements, reduced = mbsym.derive("puma560").reduced("forward_dynamics")
    assert reduced.shape == (6, 1) and sum(sp.count_ops(value) for _, value in replacements) < 2000


def test_short_symbols(equations: Equations) -> None:
    m2, l1, l2 = sp.symbols("m2 l1 l2")
    c2, s1, s12 = sp.symbols("c_2 s_1 s_{12}")
    assert sp.expand(equations.short(equations.mass_matrix)[0, 1] - l2 * m2 * (c2 * l1 / 2 + l2 / 3)) == 0
    gravity = equations.short(equations.gravity_force)
    assert gravity.free_symbols == {s1, s12, *sp.symbols("m1 m2 l1 l2")}
    assert equations.short_names[equations.speeds[1]] == sp.Symbol("v_2")
    assert equations.short(sp.sin(2 * equations.coordinates[0])) == sp.sin(2 * sp.Symbol("q_1"))


def test_what_is_not_there_is_named(equations: Equations) -> None:
    with pytest.raises(DerivationError, match=r"no quantity is called 'mass'; known: mass_matrix, .*momentum"):
        equations.reduced("mass")


def test_a_fragment_stands_in_another_document(equations: Equations) -> None:
    fragment, whole = document(equations, "latex-fragment"), document(equations, "latex")
    assert r"\documentclass" not in fragment and r"\begin{document}" not in fragment
    assert r"\begin{align*}" in fragment and fragment.partition("\n")[2] in whole
