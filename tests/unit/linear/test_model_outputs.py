"""Outputs of a model as outputs of its linear system: against differences of the reference, and by their names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym import NamedExpression, examples
from mbsym.cli.application import main
from mbsym.errors import AnalysisError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.linear.equations import State
from mbsym.model.system import Model
from mbsym.reference import Reference
from mechanisms.definitions import slope

CRANE = """name: crane
parameters: {l: {value: 0.4, unit: m, symbolic: true}}
inputs: {idle: N, pull: N}
bodies:
  boom: {mass: 2, center_of_mass: [0.2, 0, 0], inertia: [0.1, 0.2, 0.2]}
  hook: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  slew: {type: spherical, from: ground, to: boom}
  rope: {type: prismatic, from: boom, to: hook, axis: x, at: [0.3, 0, 0], coordinates: s}
frames:
  top: {body: boom, at: [l, 0, 0.1]}
forces:
  motor: {type: actuator, joint: rope, input: pull}
  fan: {type: actuator, joint: rope, input: idle}
outputs:
  height: {expression: position(top).z, unit: m}
  reach: "distance(hook, ground)/l"
  push: {expression: pull*velocity(hook).x + t*angular_velocity(boom).y*s, unit: W}
"""
NAMES = ("push", "s", "height", "reach", "hook.z")


def crane() -> Model:
    return read_native(TextSource("crane.yaml", CRANE))


def four_bar() -> Model:
    """With an output of dependent coordinates and speeds."""
    model = examples.load("four_bar")
    lever = NamedExpression("lever", "sin(q_C)*v_B + position(coupler).x*t", "m/s")
    return replace(model, outputs=(NamedExpression("swing", "velocity(rocker, in=coupler).x + v_C**2"), lever))


def moving_crane() -> tuple[Model, Reference, State]:
    model = crane()
    rng, reference = np.random.default_rng(6), Reference(model, model.label())
    q = reference.integrate_position(np.array([1.0, 0, 0, 0, 0.2]), rng.uniform(-1, 1, 4), 0.7)
    return model, reference, State(q, rng.uniform(-1, 1, 4), np.zeros(4), rng.uniform(1, 2, 2), 0.6)


def test_rows_of_a_tree_are_differences_of_the_reference() -> None:
    """About a motion with a ball joint; inputs of other kinds, and in another order, go through as they should."""
    model, reference, state = moving_crane()
    found = mbsym.linearise(model, state, outputs=NAMES, inputs=["v_rope", "pull", "idle"])
    assert found.outputs == NAMES and found.inputs == ("tau_rope", "pull", "idle")

    def told(q: Any = state.q, v: Any = state.v, u: Any = state.u) -> Any:
        height, reach, push = reference.outputs(q, v, state.t, u)
        return np.array([push, height, reach])

    rng, rows = np.random.default_rng(7), [0, 2, 3]
    dq, dv, du = rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 2)
    along = slope(lambda h: told(reference.integrate_position(state.q, dq, h)))
    np.testing.assert_allclose(found.C[rows, :4] @ dq, along, atol=1e-10)
    np.testing.assert_allclose(found.C[rows, 4:] @ dv, slope(lambda h: told(v=state.v + h * dv)), atol=1e-10)
    np.testing.assert_allclose(found.D[rows, 1:] @ du[::-1], slope(lambda h: told(u=state.u + h * du)), atol=1e-10)
    assert found.D[0, 1] and not found.D[:, 0].any()


def test_rows_of_closed_loops_are_differences_between_motions_that_close_them() -> None:
    """Each with dependent coordinates and speeds of its own, about a moving crank."""
    model, at = four_bar(), {"q_A": 0.9, "v_A": 2.0, "t": 0.7}
    found = mbsym.linearise(model, at, outputs=["lever", "swing"], independent=["q_A"])
    reference = Reference(model, model.label())

    def told(**change: float) -> Any:
        given = {name: value + change.get(name, 0.0) for name, value in at.items()}
        state = mbsym.linearise(model, given, independent=["q_A"]).state
        return reference.outputs(state.q, state.v, state.t, state.u)[::-1]

    h = 1e-4
    for column, name in enumerate(("q_A", "v_A")):
        difference = (told(**{name: h}) - told(**{name: -h})) / (2 * h)
        assert np.abs(difference).min() > 1e-2
        np.testing.assert_allclose(found.C[:, column], difference, rtol=1e-6)
    assert not found.D.any()


def test_symbols_are_the_numbers() -> None:
    for model, at, names in (
        (crane(), {"s": 0.3, "v_rope": 0.5, "v_slew_y": 0.2, "pull": 1.5, "t": 0.5}, NAMES),
        (four_bar(), {"q_A": 0.9, "v_A": 2.0, "t": 0.7}, ("lever", "swing")),
    ):
        found = mbsym.linearise(model, at, outputs=names)
        exact = found.symbolic(general=True, shared=True)
        known = {item.name: float(item.value) for item in model.parameters}
        groups = found.equations.by_name(found.state)
        for group in ("q", "v", "u"):
            known |= groups[group]
        values = {sp.Symbol(name): value for name, value in {**known, "t": found.state.t}.items()}
        for symbol, expression in exact.replacements:
            values[symbol] = sp.lambdify(list(values), expression, "math")(*values.values())
        for matrix, number in ((exact.C, found.C), (exact.D, found.D)):
            shown = sp.lambdify(list(values), matrix.tolist(), "math")(*values.values())
            np.testing.assert_allclose(np.array(shown), number, rtol=1e-9, atol=1e-9)


def test_responses_take_them() -> None:
    model = replace(examples.load("cart_pole"), outputs=(NamedExpression("twice", "2*q_hinge + 3*push"),))
    hertz = [0.3, 2.0]
    found = mbsym.frequency_response(model, hertz, outputs=["twice", "q_hinge"], inputs="push").values[:, :, 0]
    np.testing.assert_allclose(found[:, 0], 2 * found[:, 1] + 3, rtol=1e-12)


def test_equations_take_no_outputs_that_nobody_asks_for() -> None:
    found = mbsym.linearise(crane(), outputs=["s", "hook"])
    assert found.equations.outputs == ()


def test_one_name_of_two_things_is_refused_with_what_to_write() -> None:
    outputs = [NamedExpression(name, "2*q_hinge") for name in ("pole", "vdot_hinge", "tip")]
    model = replace(examples.load("cart_pole"), outputs=tuple(outputs))
    for name, complaint in (
        (
            "pole",
            "'pole' is an output of the model and a body; write output:pole for the output, body:pole for its place",
        ),
        (
            "vdot_hinge",
            "is an output of the model and an acceleration; write output:vdot_hinge for the output, or give",
        ),
        ("output:cart", "no coordinate, speed, acceleration, output, frame or body is called 'output:cart'"),
        ("tpi", "did you mean tip?"),
    ):
        with pytest.raises(AnalysisError) as caught:
            mbsym.linearise(model, outputs=[name])
        assert complaint in str(caught.value)
    found = mbsym.linearise(model, outputs=["output:pole", "output:vdot_hinge", "output:tip", "tip", "body:pole"])
    assert found.outputs[:4] == ("output:pole", "output:vdot_hinge", "output:tip", "tip") and len(found.outputs) == 7
    assert np.array_equal(found.C[:4], [[0, 2, 0, 0]] * 4)


def test_where_an_output_has_no_derivative_it_is_told() -> None:
    """The rope drawn in to where the boom turns."""
    with pytest.raises(AnalysisError, match=r"outputs has no derivative at this state: .*; take another state"):
        mbsym.linearise(crane(), {"s": -0.3}, outputs=["reach"])


def test_the_command_line_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "crane.yaml"
    file.write_text(dump_native(crane()))
    assert main(["linearise", str(file), "--outputs", "height,push", "--at", "v_rope=2"]) == 0
    assert "y           height, push" in capsys.readouterr().out
    assert main(["response", str(file), "--from", "1", "--to", "2", "--outputs", "pushing", "--at", "s=0"]) == 2
    assert "did you mean push?" in capsys.readouterr().err
