"""Equations in independent speeds against the constrained forward dynamics: exactly in a finite field, and in motions.

Speeds are those that the constraints allow, v = N u; where the coordinates are is of no matter then, for the rows of
the constraints are the same on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import mbsym
from mbsym.codegen.load import load_numpy
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.independent_speeds import independent_speeds
from mbsym.loops.redundancy import analyse_loops
from mbsym.loops.wrenches import dense
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.report.equations import Equations
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import to_scalar
from mechanisms.examples import further, some
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.textbook_wheels import DISC, SLEIGH, SNAKEBOARD, UPSIDE_DOWN, read

FORWARD = ("u=velocity(sleigh, in=sleigh).x", "w=v_turn")
OF_SHAFT = ("u1=v_lean", "u2=v_yaw*sin(q_lean) + v_spin", "u3=v_yaw*cos(q_lean)")
ALONG_BOARD = ("u=velocity(board, in=board).x", "v_psi", "v_phi")


def model_of(tmp_path: Path, model: str | int) -> Model:
    if isinstance(model, int):
        return random_closed_loops(model, bodies=(3, 4), loops=1)[0]
    return read(tmp_path, model) if "\n" in model else mbsym.examples.load(model)


def wrong(of: Equations, root: str = "") -> list[str]:
    """What of the equations in independent speeds does not hold exactly."""
    mechanism, graph = of.mechanism, of.mechanism.graph
    loops = analyse_loops(mechanism)
    speeds = independent_speeds(mechanism, loops, of.independent)
    names = ("N", "Ndot_u", "reduced_mass_matrix", "reduced_bias", "reduced_forces", "reduced_equations")
    forms = {name: of.form(name) for name in names}
    found = {
        name: [Scalar(graph, ref) for ref in form.references or form.program.output_references]
        for name, form in forms.items()
    }
    n = len(speeds)
    motion = [found["N"][k : k + n] for k in range(0, len(found["N"]), n)]
    mass = [found["reduced_mass_matrix"][k : k + n] for k in range(0, n * n, n)]
    images = {
        speed: product(row, [own.symbol for own in speeds]).ref
        for speed, row in zip(mechanism.v.symbols, motion, strict=True)
    }
    rows = [(row.jacobian, row.bias) for row in loops.rows] + [(own.row, own.bias) for own in speeds]
    acting = LOOP_FUNCTIONS["forward_dynamics"](mechanism, loops).output_references
    refs = [*acting, *(bias.ref for _, bias in rows), *(x.ref for row, _ in rows for x in dense(mechanism, row))]
    refs = substitute(graph, refs, images)
    if root:
        # A root has two values in a finite field.
        roots = [node for node in graph.reachable(refs) if graph.kinds[node] == "sqrt"]
        refs = substitute(graph, refs, dict.fromkeys(roots, to_scalar(root, graph, mechanism.names).ref))
    values, nv = [Scalar(graph, ref) for ref in refs], mechanism.nv
    vdot, biases = values[:nv], values[nv : 2 * nv]
    matrix = [values[k : k + nv] for k in range(2 * nv, len(values), nv)]
    held = len(loops.rows)
    rates = [product(row, vdot) - bias for row, bias in zip(matrix[held:], biases[held:], strict=True)]
    zero, columns = Scalar(graph, 0), list(zip(*motion, strict=True))
    pulls = [product(row, rates) + bias for row, bias in zip(mass, found["reduced_bias"], strict=True)]
    in_rates = {own.rate.ref: rate.ref for own, rate in zip(speeds, rates, strict=True)}
    sides = [Scalar(graph, x) for x in substitute(graph, [x.ref for x in found["reduced_equations"]], in_rates)]
    tau = mechanism.entries(mechanism.tau)
    claims = {
        "G N = 0, Y N = 1": [
            (product(row, column), zero + int(r == held + k))
            for r, row in enumerate(matrix)
            for k, column in enumerate(columns)
        ],
        "vdot = N udot + c": [
            (product(row, rates) + carried, rate)
            for row, carried, rate in zip(motion, found["Ndot_u"], vdot, strict=True)
        ],
        "tau_r = N^T tau": list(
            zip([product(column, tau) for column in columns], found["reduced_forces"], strict=True)
        ),
        "M_r udot + h_r = tau_r": list(zip(pulls, found["reduced_forces"], strict=True)),
        "equations": list(zip(sides, found["reduced_forces"], strict=True)),
    }
    return [claim for claim, pairs in claims.items() if not same(of, pairs)]


def same(of: Equations, pairs: Sequence[tuple[Scalar, Scalar]]) -> bool:
    m = of.mechanism
    first, second = (
        Program("claim", m.graph, (m.q,), (Output("x", (len(pairs),), tuple(x.ref for x in side)),), m.parameters)
        for side in zip(*pairs, strict=True)
    )
    return bool(compare(first, second))


@pytest.mark.parametrize(
    ("model", "independent", "root"),
    [
        (SLEIGH, (), ""),
        (SLEIGH, ("v_y", "q_turn"), ""),
        (SLEIGH, FORWARD, ""),
        *further(
            (DISC, (), "cos(q_lean)"),
            (DISC, ("v_yaw", "v_lean", "v_spin"), "cos(q_lean)"),
            (DISC, OF_SHAFT, "cos(q_lean)"),
        ),
        (UPSIDE_DOWN, ("v_yaw", "v_lean", "v_spin"), "-cos(q_lean)"),
        *further((SNAKEBOARD, (), "")),
        (SNAKEBOARD, ALONG_BOARD, ""),
        ("four_bar", (), ""),
        *further(("four_bar", ("v_B",), ""), ("slider_crank", (), ""), ("rolling_disc", (), "")),
        ("rolling_disc", ("v_flight_wx", "v_flight_wy", "v_flight_wz"), ""),
    ],
)
def test_motion_is_that_of_the_constrained_forward_dynamics(
    tmp_path: Path, model: str, independent: Sequence[str], root: str
) -> None:
    assert wrong(mbsym.derive(model_of(tmp_path, model), "kane", independent=independent), root) == []


@pytest.mark.parametrize("seed", some(range(10), (0,)))
def test_of_random_loops_too(tmp_path: Path, seed: int) -> None:
    assert wrong(mbsym.derive(model_of(tmp_path, seed), "kane")) == []


# ---- in numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "independent"),
    [
        ("four_bar", ()),
        *further(("slider_crank", ())),
        ("rolling_disc", ()),
        *further((DISC, OF_SHAFT), (SNAKEBOARD, ALONG_BOARD)),
    ],
)
def test_numbers_are_those_of_the_module(tmp_path: Path, model: str, independent: Sequence[str]) -> None:
    """Where the loops are closed, at random states."""
    system = model_of(tmp_path, model)
    of = mbsym.derive(system, "kane", symbolic_parameters="none", independent=independent)
    graph, nv = of.mechanism.graph, of.mechanism.nv
    (_, u, *_) = of.form("reduced_bias").program.inputs
    symbols = [sp.Symbol(str(graph.arguments[ref][0])) for ref in u.symbols]
    names = ("reduced_mass_matrix", "reduced_bias", "reduced_forces", "N", "Ndot_u")
    of_v = sp.lambdify([of.coordinates, of.speeds], of.matrix("independent_speeds"), "numpy")
    matrices = [of.matrix(name) for name in names]
    reduced = sp.lambdify([of.coordinates, symbols, of.forces], matrices, "numpy", cse=True)
    mbsym.generate(system, tmp_path / "build", languages=["numpy"], symbolic_parameters="none")
    module = load_numpy(tmp_path / "build" / f"{system.name}.py").functions
    reference, rng = Reference(system), np.random.default_rng(3)
    start = np.array(analyse_loops(of.mechanism).configuration)
    for _ in range(3):
        q = reference.closed_position(reference.integrate_position(start, 0.1 * rng.normal(size=nv), 1.0))
        v = reference.consistent_velocity(q, rng.normal(size=nv))
        tau = rng.normal(size=nv)
        vdot = module["constrained_dynamics"](q, v, tau)[0]
        chosen = of_v(q, v)
        mass, bias, force, motion, carried = reduced(q, chosen.ravel(), tau)
        udot = np.linalg.solve(mass, force - bias)
        assert np.abs(motion @ chosen - v[:, None]).max() < 1e-8
        assert np.abs(motion @ udot + carried - vdot[:, None]).max() < 1e-8 * max(1.0, np.abs(vdot).max())


def test_a_sleigh_moves_as_its_equations_say(tmp_path: Path) -> None:
    """u and w alone are integrated, beside where they lead."""
    model = read(tmp_path, SLEIGH)
    of = mbsym.derive(model, "kane", symbolic_parameters="none", independent=FORWARD)
    u, w, turn = sp.symbols("u w q_turn")
    mass, bias, motion = map(of.matrix, ("reduced_mass_matrix", "reduced_bias", "N"))
    rates = sp.lambdify([turn, u, w], [*(motion * sp.Matrix([u, w])), *mass.LUsolve(-bias)])
    found = solve_ivp(lambda t, y: rates(*y[2:]), (0, 2), [0, 0, 0.3, 1.0, 0.5], rtol=1e-11, atol=1e-12).y[:, -1]
    initial = {"q_turn": 0.3, "v_x": np.cos(0.3), "v_y": np.sin(0.3), "v_turn": 0.5}
    moved = mbsym.simulate(model, 2.0, initial=initial, accuracy=mbsym.Accuracy(rtol=1e-11, atol=1e-12))
    assert np.abs(found[:3] - moved.q[-1]).max() < 1e-8
    speeds = [found[3] * np.cos(found[2]), found[3] * np.sin(found[2]), found[4]]
    assert np.abs(speeds - moved.v[-1]).max() < 1e-8
