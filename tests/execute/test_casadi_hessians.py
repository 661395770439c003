"""Exact Hessians in CasADi: against differences of its own gradients, and IPOPT needs fewer steps with them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.codegen.build import WARNINGS

ca = pytest.importorskip("casadi")

NAME = "double_pendulum"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("casadi")
    mbsym.export(NAME, "casadi", directory, symbolic_parameters="none", settings={"hessians": "yes"})
    sources = [str(directory / f"{NAME}_casadi.c"), str(directory / f"{NAME}.c")]
    made = directory / "made.so"
    command = ["gcc", *WARNINGS, "-Wmissing-prototypes", "-O0", "-shared", "-fPIC", *sources, "-o", str(made), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    return made


@pytest.mark.parametrize("function", ["forward_dynamics", "inverse_dynamics"])
def test_they_are_exact(library: Path, function: str) -> None:
    external = ca.external(f"{NAME}_casadi_{function}", str(library))
    given, weights = [ca.MX.sym(name, 2) for name in external.name_in()], ca.MX.sym("weights", 2)
    hessian, gradient = ca.hessian(ca.dot(weights, external(*given)), ca.vertcat(*given))
    both = ca.Function("both", [*given, weights], [hessian, gradient])
    rng = np.random.default_rng(3)
    place, numbers = rng.standard_normal(6), rng.standard_normal(2)
    exact = np.array(both(*np.split(place, 3), numbers)[0])
    step = 1e-5
    for k in range(6):
        ahead, behind = (np.split(place + sign * step * np.eye(6)[k], 3) for sign in (1, -1))
        slope = (np.array(both(*ahead, numbers)[1]) - np.array(both(*behind, numbers)[1])) / (2 * step)
        # Differences of 1e-5 are good to 1e-10 of the largest entry.
        np.testing.assert_allclose(exact[:, k], slope[:, 0], rtol=0, atol=1e-8 * np.abs(exact).max())
    adjoint = ca.external(f"adj1_{NAME}_casadi_{function}", str(library))
    assert np.array_equal(exact, exact.T) and adjoint.n_out() == 3


def steps_of(dynamics: Any, exact: bool) -> tuple[int, np.ndarray]:
    """Iterations of IPOPT from rest to rest in twelve steps of the trapezoidal rule, and the states."""
    problem, h = ca.Opti(), 0.1
    x, torque = problem.variable(4, 13), problem.variable(2, 13)
    rate = ca.vertcat(x[2:, :], dynamics.map(13)(x[:2, :], x[2:, :], torque))
    problem.subject_to(ca.vec(x[:, 1:] - x[:, :-1] - h / 2 * (rate[:, 1:] + rate[:, :-1])) == 0)
    problem.subject_to(x[:, 0] == [0.1, 0.2, 0, 0])
    problem.subject_to(x[:, -1] == [1.2, -0.4, 0, 0])
    problem.minimize(ca.sumsqr(torque) / 100 + ca.sumsqr(x[2:, :]))
    options = {"print_level": 0, "sb": "yes", "tol": 1e-10, "max_iter": 500}
    options |= {} if exact else {"hessian_approximation": "limited-memory"}
    problem.solver("ipopt", {"print_time": False}, options)
    found = problem.solve()
    return int(found.stats()["iter_count"]), np.array(found.value(x))


def test_an_optimisation_takes_fewer_steps(library: Path) -> None:
    dynamics = ca.external(f"{NAME}_casadi_forward_dynamics", str(library))
    few, states = steps_of(dynamics, True)
    many, same = steps_of(dynamics, False)
    np.testing.assert_allclose(states, same, rtol=0, atol=1e-6)
    assert 2 * few < many


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cart_pole"], "there are no second derivatives by t, u"),
        (["spinning_top"], "second derivatives are along speeds, which are no rates of quaternions"),
        (["four_bar"], "there are no second derivatives of closed loops"),
        ([NAME, "--function", "mass_matrix"], "second derivatives are those of forward and inverse dynamics"),
    ],
)
def test_where_there_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    asked = ["export", "casadi", *arguments, "--set", "hessians=yes", "-o", str(tmp_path / "out")]
    assert main(asked) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
