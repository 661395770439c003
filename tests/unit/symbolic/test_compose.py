"""Substitution, copies and composition."""

from __future__ import annotations

import pytest

from mbsym.errors import SymbolicError
from mbsym.symbolic.compose import substitute, transplant
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import symbol
from mbsym.symbolic.show import show
from mechanisms.composition import compose, selection


def test_substitution_folds() -> None:
    graph = Graph()
    x, y = symbol(graph, "x"), symbol(graph, "y")
    value = x * x + (x - y).apply("sin") - 3 * y
    (replaced, untouched) = substitute(graph, [-value.ref, y.ref], {x.ref: y.ref})
    assert replaced == -(y * y - 3 * y).ref
    assert untouched == y.ref
    (swapped,) = substitute(graph, [(x - 2 * y).ref], {x.ref: y.ref, y.ref: x.ref})
    assert swapped == (y - 2 * x).ref


def _cart(forward: bool) -> Program:
    """Cart and pendulum: M(q) a + h = tau, solved for a or read for tau."""
    graph = Graph()
    names = ("q", "v", "a0", "a1", "t0", "t1")
    q, v, a0, a1, t0, t1 = (symbol(graph, name) for name in names)
    m00, m01, m11 = 3 * (q / q), 2 * q.apply("cos"), 2 + 0 * q
    h0, h1 = -2 * q.apply("sin") * v * v, 20 * q.apply("sin")
    state = (Input("q", (), (q.ref,)), Input("v", (), (v.ref,)))
    if forward:
        with graph.section("solve"):
            determinant = (m00 * m11 - m01 * m01).named("det")
        r0, r1 = t0 - h0, t1 - h1
        values = ((m11 * r0 - m01 * r1) / determinant, (m00 * r1 - m01 * r0) / determinant)
        return Program(
            "forward",
            graph,
            (*state, Input("tau", (2,), (t0.ref, t1.ref))),
            (Output("vdot", (2,), tuple(value.ref for value in values)),),
        )
    with graph.section("force"):
        values = (m00 * a0 + m01 * a1 + h0, m01 * a0 + m11 * a1 + h1)
    return Program(
        "inverse",
        graph,
        (*state, Input("vdot", (2,), (a0.ref, a1.ref))),
        (Output("tau", (2,), tuple(value.ref for value in values)),),
    )


def test_inverse_of_forward_is_the_identity() -> None:
    forward, inverse = _cart(True), _cart(False)
    both = compose(inverse, forward, {"vdot": "vdot"})
    assert [item.name for item in both.inputs] == ["q", "v", "tau"]
    assert both.free_symbols() == ()
    assert compare(both, selection(forward, {"tau": "tau"})).kind == "equal"
    other = compose(forward, inverse, {"tau": "tau"})
    assert compare(other, selection(inverse, {"vdot": "vdot"})).kind == "equal"
    assert compare(both, selection(forward, {"tau": "tau"}), trials=1).failure_probability < 1e-15


def test_copies_keep_names_and_sections() -> None:
    forward = _cart(True)
    copied = transplant(forward, Graph())
    lines = show(copied).splitlines()
    assert any(line.startswith("  det = ") for line in lines)
    assert "  # solve" in lines
    assert copied.operation_count() == forward.operation_count()
    assert compare(copied, forward)


def test_composition_names_what_does_not_fit() -> None:
    forward, inverse = _cart(True), _cart(False)
    with pytest.raises(SymbolicError, match="no input acceleration"):
        compose(inverse, forward, {"acceleration": "vdot"})
    with pytest.raises(SymbolicError, match="no output tau"):
        compose(inverse, forward, {"vdot": "tau"})
    with pytest.raises(SymbolicError, match="entries"):
        compose(inverse, forward, {"q": "vdot"})
    with pytest.raises(SymbolicError, match="no input f"):
        selection(forward, {"tau": "f"})
