"""Relations along closed loops in fifty digits: they hold to forty, where rounding would leave sixteen.

With the singular values of floating-point rows, which count at least as many independent columns, this leaves no doubt
of how many base parameters there are. Configurations are closed by Newton steps in as many digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from mbsym import examples
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.own_units import Units, in_units
from mbsym.model.system import Model
from mbsym.regressors.base_parameters import base_parameters_of
from mbsym.regressors.columns import force_columns
from mbsym.regressors.sampled import sampled_program
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of

DIGITS = 50
HELD = mpf(10) ** -40


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mp.workdps(DIGITS):
        yield


def in_digits(program: Program, given: Mapping[str, Any]) -> dict[str, Any]:
    """Outputs of a program as matrices of mpmath."""
    graph, values = program.graph, {}
    for item in program.inputs:
        for ref, number in zip(item.symbols, given[item.name], strict=True):
            values[ref] = number
    for parameter in program.parameters:
        values[parameter.symbol] = mpf(parameter.default.numerator) / parameter.default.denominator

    def signed(ref: int) -> Any:
        return values[ref] if ref > 0 else -values[-ref] if ref else mpf(0)

    for node in program.nodes():
        kind, arguments = graph.kinds[node], graph.arguments[node]
        if kind == "const":
            values[node] = mpf(arguments[0].numerator) / arguments[0].denominator
        elif kind == "pi":
            values[node] = +mp.pi
        elif kind != "symbol":
            operands = [signed(ref) for ref in arguments]
            if kind == "add":
                values[node] = operands[0] + operands[1]
            elif kind == "mul":
                values[node] = operands[0] * operands[1]
            elif kind == "div":
                values[node] = operands[0] / operands[1]
            else:
                values[node] = getattr(mpmath, kind)(*operands)
    found = {}
    for output in program.outputs:
        rows = output.shape[0]
        entries = [signed(ref) for ref in output.values]
        width = len(entries) // rows
        found[output.name] = mpmath.matrix([entries[k * width : (k + 1) * width] for k in range(rows)])
    return found


def along_loops(mechanism: Mechanism, loops: LoopAnalysis) -> Program:
    """Residuals, G and gamma of the independent rows, and the regressor of all standard parameters."""
    zero, nv, count = Scalar(mechanism.graph, 0), mechanism.nv, len(loops.rows)
    jacobian = tuple(row.jacobian.get(k, zero).ref for row in loops.rows for k in range(nv))
    exact = tuple(row.residual_jacobian.get(k, zero).ref for row in loops.rows for k in range(nv))
    more = (
        Output("G", (count, nv), jacobian),
        Output("J", (count, nv), exact),
        Output("residual", (count, 1), tuple(row.residual.ref for row in loops.rows)),
        Output("gamma", (count, 1), tuple(row.bias.ref for row in loops.rows)),
    )
    columns = force_columns(mechanism)
    return sampled_program(mechanism, columns, more)


def in_size(name: str, length: str, mass: str = "1") -> Model:
    """A bundled mechanism with all lengths and masses multiplied, which weighs and moves as before but for its size."""
    model = in_units(examples.load(name), Units(1 / Fraction(length), 1 / Fraction(mass)))
    return replace(model, gravity=examples.load(name).gravity)


@pytest.mark.parametrize(
    ("name", "length"),
    [("four_bar", "1"), ("slider_crank", "1"), ("rhombus_planar", "1"), ("slider_crank", "1e-4"),
     ("slider_crank", "1000")],
)  # fmt: skip
def test_relations_hold_to_forty_digits(name: str, length: str) -> None:
    mechanism = mechanism_of(in_size(name, length))
    loops = analyse_loops(mechanism)
    found = base_parameters_of(mechanism, loops)
    program, nv = along_loops(mechanism, loops), mechanism.nv
    assert mechanism.nq == nv and not mechanism.extra_inputs
    zero = Scalar(mechanism.graph, 0)
    shares = tuple(item.terms.get(k, zero).ref for item in found.base for k in range(len(found.columns)))
    sums = Output("B", (len(found), len(found.columns)), shares)
    B = in_digits(Program("B", mechanism.graph, (), (sums,), mechanism.parameters), {})["B"]
    for trial in range(2):
        still = [mpf(0)] * nv
        q = [mpf(x) + mpf(trial * (k + 1)) / (10 * nv) for k, x in enumerate(loops.configuration)]
        given = {"q": q, "v": still, "vdot": still}
        for _ in range(8):
            values = in_digits(program, given)
            J = values["J"]
            step = J.T * mpmath.lu_solve(J * J.T, values["residual"])
            given["q"] = [a - b for a, b in zip(given["q"], step, strict=True)]
        values = in_digits(program, given)
        assert max(abs(x) for x in values["residual"]) < HELD * mpf(length)
        G = values["G"]
        inverse = G.T * mpmath.inverse(G * G.T)
        free = mpmath.eye(nv) - inverse * G
        wish = mpmath.matrix([mpf(k * k + trial + 1) / (nv + 1) for k in range(nv)])
        given["v"] = list(free * wish)
        gamma = in_digits(program, given)["gamma"]
        given["vdot"] = list(free * mpmath.matrix([mpf(3 * k - trial) / 7 for k in range(nv)]) + inverse * gamma)
        Y = free * in_digits(program, given)["Y"]
        kept = mpmath.matrix([[Y[i, item.column] for item in found.base] for i in range(nv)])
        # Each column by what its own largest entry is: those of inertias do not grow with the mechanism.
        sizes = [max(abs(Y[i, k]) for i in range(nv)) for k in range(len(found.columns))]
        left = Y - kept * B
        for k, size in enumerate(sizes):
            assert max(abs(left[i, k]) for i in range(nv)) <= HELD * max(size, max(sizes) * mpf(10) ** -9)
        assert max(sizes) > 0.1 * min(mpf(length), 1)


@pytest.mark.parametrize(("length", "mass"), [("1e-4", "1e-6"), ("1e-4", "1e6"), ("1000", "1e-6"), ("1000", "1e6")])
@pytest.mark.parametrize("name", ["slider_crank", "four_bar", *further("stewart_platform"), "cart_pole", "planar_3r"])
def test_small_and_large_mechanisms_have_the_same_base_parameters(name: str, length: str, mass: str) -> None:
    """The same ones, and coefficients by the powers of the length that their units have; masses change nothing."""
    units, found = [], []
    for model in (examples.load(name), in_size(name, length, mass)):
        mechanism = mechanism_of(model)
        closed = mechanism.cut_joints or model.constraints
        found.append(base_parameters_of(mechanism, analyse_loops(mechanism) if closed else None))
        units = [Units(Fraction(length)).of(column.unit) for column in found[-1].columns]
    plain, other = found
    kept = [item.column for item in plain.base]
    assert [item.column for item in other.base] == kept
    assert other.without_effect == plain.without_effect
    ratios = np.array([[float(units[k] / units[column]) for k in range(len(units))] for column in kept])
    before, after = plain.matrix(), other.matrix() * ratios
    # In units of the same size; what is in floating point has 12 digits of its sum.
    assert np.all(np.abs(after - before) <= 1e-11 * np.abs(before).max(axis=1, keepdims=True))
