"""Closed forms of elements against their defining equations in numbers, with every term at work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray

from mbsym import examples
from mbsym.forces import JointDamper, JointSpring
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.transfer_matrix import closed_form
from mbsym.transfer_matrix.settings import LIMITS
from mbsym.transfer_matrix.stepper import Iteration, Scheme, TransferMatrixStepper
from mechanisms.stepped import at_rest

Array = NDArray[Any]


def numeric(matrix: sp.Matrix, numbers: dict[str, float]) -> Array:
    return np.array(matrix.subs(numbers).evalf(30), dtype=float)


def test_a_bushing_pulls_with_its_spring_and_its_damper() -> None:
    # Q = -k (r_O - r_I - l0) - c (rd_O - rd_I) with rd = A r + B at both ends.
    rng = np.random.default_rng(8)
    k, c, A = 350.0, 12.0, 40.0
    length, inner, outer, r, Q = (rng.uniform(-1, 1, 2) for _ in range(5))
    numbers = {"k": k, "c": c, "A": A}
    for n, axis in enumerate("xy"):
        numbers |= {f"B_I{axis}": inner[n], f"B_O{axis}": outer[n], f"l0_{axis}": length[n]}
    behind = numeric(closed_form.bushing().matrix, numbers) @ np.array([*r, 0.3, 0.2, *Q, 1])
    drift = A * (behind[:2] - r) + outer - inner
    np.testing.assert_allclose(-k * (behind[:2] - r - length) - c * drift, Q, rtol=1e-12)
    np.testing.assert_allclose(behind[2:6], [0.3, 0.2, *Q], rtol=0, atol=0)


def test_a_spatial_body_turns_its_levers_by_g() -> None:
    # phi = G (theta - theta*) turns rho and beta; G is no symmetric matrix.
    rng = np.random.default_rng(9)
    matrix = closed_form.spatial_rigid_body().matrix
    numbers = {str(item): float(rng.uniform(-1, 1)) for item in sorted(matrix.free_symbols, key=str)}

    def vector(name: str) -> Array:
        return np.array([numbers[f"{name}_{axis}"] for axis in "xyz"])

    def square(name: str) -> Array:
        return np.array([[numbers[f"{name}_{i}{k}"] for k in (1, 2, 3)] for i in (1, 2, 3)])

    r, theta, M, Q = (rng.uniform(-1, 1, 3) for _ in range(4))
    change = theta - np.array([numbers[f"theta{k}_s"] for k in (1, 2, 3)])
    turn, rho, beta = square("G") @ change, vector("rho"), vector("beta")
    center = r + rho + np.cross(turn, rho)
    force = Q - numbers["m"] * (numbers["C"] * center + vector("D")) + vector("f")
    moment = M - np.cross(rho, Q) - np.cross(beta - rho, force) - vector("tau")
    moment = moment - (square("E") - square("kappa")) @ change + vector("m_ext")
    expected = [*(r + beta + np.cross(turn, beta)), *theta, *moment, *force, 1]
    found = numeric(matrix, numbers) @ np.array([*r, *theta, *M, *Q, 1])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


# ---- elastic hinges in the code that is generated ------------------------------------------------------------------


def masses() -> Model:
    """Three masses on bushings; that on ground has dampers and a free displacement."""
    bodies = tuple(Body(f"m{k}", 1.5 - 0.2 * k, inertia=(0.1, 0.1, 0.1, 0, 0, 0)) for k in range(3))
    names = ("ground", "m0", "m1", "m2")
    joints = tuple(Joint(f"j{k}", "planar", names[k], names[k + 1]) for k in range(3))
    springs = tuple(
        JointSpring(f"s{k}{axis}", f"j{k}", 400 + 100 * k, 0 if k else 0.1, axis) for k in range(3) for axis in (0, 1)
    )
    dampers = tuple(JointDamper(f"d{axis}", "j0", 2, axis) for axis in (0, 1))
    return Model("masses", bodies, joints, forces=(*springs, *dampers), gravity=(0, -9.81, 0))


@pytest.fixture(scope="module", params=["c", "numpy"])
def stepper(request: pytest.FixtureRequest) -> TransferMatrixStepper:
    return TransferMatrixStepper(masses(), engine=request.param)


def random_start() -> tuple[Array, Array]:
    rng = np.random.default_rng(12)
    q, v = rng.uniform(-0.3, 0.3, 9), rng.uniform(-2, 2, 9)
    q[2::3] = v[2::3] = 0
    return q, v


def test_elastic_hinges_start_with_their_springs_and_dampers(stepper: TransferMatrixStepper) -> None:
    q, v = random_start()
    view = stepper.observe(stepper.start(q, v))
    vdot = Reference(masses()).forward_dynamics(q, v, np.zeros(9))
    absolute = np.cumsum(vdot.reshape(3, 3)[:, :2], axis=0)
    np.testing.assert_allclose(view.accelerations, absolute, rtol=0, atol=1e-9 * np.abs(absolute).max())


def test_elastic_hinges_count_their_energy(stepper: TransferMatrixStepper) -> None:
    q, v = random_start()
    reference = Reference(masses())
    energy = reference.kinetic_energy(q, v) + reference.potential_energy(q)
    assert stepper.observe(stepper.start(q, v)).energy == pytest.approx(energy, rel=1e-12)


def test_dampers_of_elastic_hinges_take_energy(stepper: TransferMatrixStepper) -> None:
    # To first order of the time, the power of both dampers.
    q, v = random_start()
    state, h = stepper.start(q, v), 1e-4
    after, _ = stepper.advance(state, h, 10)
    lost = stepper.observe(state).energy - stepper.observe(after).energy
    assert lost == pytest.approx(10 * h * 2.0 * float(v[:2] @ v[:2]), rel=0.05)


@pytest.mark.parametrize("real", LIMITS)
def test_what_is_taken_for_converged_hardly_changes(real: str) -> None:
    """Loose steps are a thousandth off, in float as in double, not as far as a step goes."""
    limits = LIMITS[real]
    assert 0 < limits.tolerance < limits.acceptable < 0.01
    assert 0 < limits.closure < 0.01


@pytest.mark.parametrize("engine", ["c", "numpy"])
def test_every_loose_step_is_counted_once(engine: Any) -> None:
    model = examples.load("rhombus_regular")
    stepper = TransferMatrixStepper(model, engine=engine)
    state = stepper.start(*at_rest(stepper.system))
    loose = Iteration(tolerance=1e-300, acceptable=1e-3, most=1)
    _, report = stepper.advance(state, 0.01, 7, Scheme(iteration=loose))
    assert (report.steps, report.loose_steps, report.iterations) == (7, 7, 7)
    _, report = stepper.advance(state, 0.01, 7, Scheme(iteration=replace(loose, tolerance=1e-9, most=20)))
    assert (report.steps, report.loose_steps) == (7, 0)
