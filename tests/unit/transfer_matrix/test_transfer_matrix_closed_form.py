"""Closed forms of the elements: against numbers from their definition, generated code, the kernels, and each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray
from scipy.linalg import expm_frechet

from mbsym import examples
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import load_c
from mbsym.codegen.write import write_files
from mbsym.errors import DerivationError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import symbol
from mbsym.symbolic.sympy_bridge import from_sympy_many
from mbsym.transfer_matrix import closed_form
from mbsym.transfer_matrix.matrices import derive_transfer_matrices
from mbsym.transfer_matrix.module import kernel_programs
from mbsym.transfer_matrix.quantities import TRANSFER_QUANTITIES
from mbsym.transfer_matrix.stepper import Iteration, Scheme, TransferMatrixStepper
from mechanisms.stepped import at_rest

Array = NDArray[Any]
SYMBOLS = (
    "m", "J", "C", "D_x", "D_y", "D_theta", "rho_x", "rho_y", "beta_x", "beta_y",
    "theta_s", "f_x", "f_y", "m_ext", "kappa",
)  # fmt: skip


def values(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return dict(zip(SYMBOLS, rng.uniform(0.5, 2, len(SYMBOLS)), strict=True))


def printed_matrix(v: dict[str, float]) -> Array:
    """The matrix as printed: rows of x, y, theta, M, Qx, Qy, 1."""
    m, C, t = v["m"], v["C"], v["theta_s"]
    rho, beta = np.array([v["rho_x"], v["rho_y"]]), np.array([v["beta_x"], v["beta_y"]])
    d = beta - rho
    across = np.array([-rho[1], rho[0]])
    q0 = np.array([v["f_x"], v["f_y"]]) - m * (C * (rho - across * t) + np.array([v["D_x"], v["D_y"]]))
    last = -(d[0] * q0[1] - d[1] * q0[0]) - v["J"] * v["D_theta"] + v["m_ext"] - v["kappa"] * t
    return np.array(
        [
            [1, 0, -beta[1], 0, 0, 0, beta[0] + beta[1] * t],
            [0, 1, beta[0], 0, 0, 0, beta[1] - beta[0] * t],
            [0, 0, 1, 0, 0, 0, 0],
            [-m * C * d[1], m * C * d[0], C * (m * rho @ d - v["J"]) + v["kappa"], 1, beta[1], -beta[0], last],
            [-m * C, 0, m * C * rho[1], 0, 1, 0, q0[0]],
            [0, -m * C, -m * C * rho[0], 0, 0, 1, q0[1]],
            [0, 0, 0, 0, 0, 0, 1],
        ]
    )


def numeric(matrix: sp.Matrix, numbers: dict[str, float]) -> Array:
    return np.array(matrix.subs(numbers).evalf(30), dtype=float)


def test_rigid_body_in_sympy_numbers_and_compiled_c(tmp_path: Path, agreement: Callable[[object], None]) -> None:
    matrix = closed_form.planar_rigid_body().matrix
    graph = Graph()
    names = {name: symbol(graph, name) for name in SYMBOLS}
    entries = tuple(from_sympy_many(graph, list(matrix), {sp.Symbol(name): names[name].ref for name in SYMBOLS}))
    program = Program(
        "rigid_body",
        graph,
        tuple(Input(name, (), (names[name].ref,)) for name in SYMBOLS),
        (Output("U", (7, 7), entries),),
    )
    write_files(tmp_path, render(ModuleDescription("body", (program,))))
    compiled = load_c(tmp_path).functions["rigid_body"]
    for seed in range(5):
        numbers = values(seed)
        expected = printed_matrix(numbers)
        for got in (
            numeric(matrix, numbers),
            interpret(program, numbers)["U"],
            compiled(*(numbers[name] for name in SYMBOLS)),
        ):
            np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)
            agreement(np.abs(got - expected).max() / np.abs(expected).max())


def test_reduced_matrix_and_smooth_hinge() -> None:
    """Zero moment in gives zero moment out at the angle of the hinge."""
    body = sp.Matrix(printed_matrix(values(7)))
    hinge = np.array(closed_form.smooth_hinge(body).matrix, dtype=float)
    reduced = np.array(closed_form.reduced_rigid_body(body).matrix, dtype=float)
    U = np.array(body, dtype=float)
    state = np.array([0.3, -0.2, 99.0, 0.0, 1.5, -0.7, 1.0])
    behind = hinge @ state
    out = U @ behind
    assert out[3] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(reduced @ state[[0, 1, 4, 5, 6]], out[[0, 1, 4, 5, 6]], rtol=1e-12)


def test_body_hinged_at_its_centre_of_percussion_has_no_reduced_matrix() -> None:
    numbers = values(3) | {"kappa": 0.0, "rho_x": 0.5, "rho_y": 0.0, "beta_x": 1.0, "beta_y": 0.0, "m": 1.0, "J": 0.25}
    U = numeric(closed_form.planar_rigid_body().matrix, numbers)
    assert U[3, 2] == 0


def test_spatial_body_in_the_plane_is_the_planar_one(agreement: Callable[[object], None]) -> None:
    """Rotation about z alone, G = E, the inertia torque J (C theta + D) in base axes."""
    numbers = values(11)
    spatial = closed_form.spatial_rigid_body().matrix
    flat: dict[str, float] = {str(item): 0.0 for item in spatial.free_symbols}
    flat |= {f"G_{k}{k}": 1.0 for k in (1, 2, 3)}
    flat |= {key: numbers[key] for key in numbers if key in flat}
    flat |= {
        "theta3_s": numbers["theta_s"],
        "E_33": numbers["J"] * numbers["C"],
        "tau_z": numbers["J"] * (numbers["C"] * numbers["theta_s"] + numbers["D_theta"]),
        "kappa_33": numbers["kappa"],
        "m_ext_z": numbers["m_ext"],
    }
    keep = [0, 1, 5, 8, 9, 10, 12]
    got, expected = numeric(spatial, flat)[np.ix_(keep, keep)], printed_matrix(numbers)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    agreement(np.abs(got - expected).max() / np.abs(expected).max())


def test_ball_hinge_leaves_no_moment() -> None:
    rng = np.random.default_rng(2)
    body = sp.Matrix(rng.uniform(-1, 1, (13, 13)))
    body[12, :] = sp.Matrix([[0] * 12 + [1]])
    body[6:9, 6:9] = sp.eye(3)
    state = rng.uniform(-1, 1, 13)
    state[6:9], state[12] = 0, 1
    out = np.array(body * closed_form.ball_hinge(body).matrix, dtype=float) @ state
    np.testing.assert_allclose(out[6:9], 0, atol=1e-12)


def test_bushing_is_a_spring_between_two_points() -> None:
    """Interface Q = S r_O + s behind a bushing, seen from before it: eliminated from its transfer matrix."""
    rng = np.random.default_rng(4)
    stiffness = 350.0
    S = rng.uniform(-1, 1, (2, 2)) * 40
    S = S + S.T
    names = {"k": stiffness, "c": 0, "A": 0, "B_Ix": 0, "B_Ox": 0, "l0_x": 0, "B_Iy": 0, "B_Oy": 0, "l0_y": 0}
    U = numeric(closed_form.bushing().matrix, names)
    # r_O = r_I + U_rQ Q and Q = S r_O.
    got = np.linalg.solve(np.eye(2) - S @ U[np.ix_([0, 1], [4, 5])], S)
    springs = stiffness * np.eye(2)
    np.testing.assert_allclose(got, springs - springs @ np.linalg.solve(S + springs, springs), rtol=1e-12)


def test_a_coordinate_of_a_hinge_in_space_gives_way_to_its_force() -> None:
    """Loads L = S x + s beyond it, seen from before it: eliminated from its matrix, and by the force along the axis."""
    rng = np.random.default_rng(6)
    S, s, h = rng.uniform(-1, 1, (6, 6)) + 3 * np.eye(6), rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
    K, tau = 2.5, 0.7
    names = dict(zip(("a_x", "a_y", "a_z", "b_x", "b_y", "b_z"), h, strict=True)) | {"K": K, "tau": tau}
    U = numeric(closed_form.elastic_coordinate().matrix, names)
    turned_first = [3, 4, 5, 0, 1, 2]
    gives, moved = U[:6, 6:12][turned_first], U[:6, 12][turned_first]
    # x_O = x_I + gives L + moved and L = S x_O + s.
    solved = np.linalg.solve(np.eye(6) - S @ gives, np.column_stack([S, S @ moved + s]))
    # x_O = x_I + h dq with h.L = tau - K dq.
    dq = np.concatenate([-h @ S, [tau - h @ s]]) / (K + h @ S @ h)
    expected = np.column_stack([S, s]) + np.outer(S @ h, dq)
    np.testing.assert_allclose(solved, expected, rtol=1e-12)


def test_torsion_spring_gives_the_moment_of_its_definition() -> None:
    numbers = {"k": 5.0, "c": 2.0, "A": 30.0, "B_I": 0.7, "B_O": -0.4, "theta0": 0.2}
    U = numeric(closed_form.torsion_spring().matrix, numbers)
    inner, M = 0.3, 4.0
    outer = (U @ np.array([0, 0, inner, M, 0, 0, 1]))[2]
    rate_in, rate_out = 30 * inner + 0.7, 30 * outer - 0.4
    assert -5.0 * (outer - inner - 0.2) - 2.0 * (rate_out - rate_in) == pytest.approx(M, rel=1e-12)


@pytest.mark.parametrize("rotation", ["incremental", "cardan"])
def test_spatial_kernels_are_derivatives(rotation: Any) -> None:
    """G, and the derivative of the inertia torque in body axes, against central differences."""
    program = {item.name: item for item in kernel_programs(rotation)}["transfer_attitude"]
    rng = np.random.default_rng(5)
    base = rng.uniform(-1, 1, 4)
    arguments = {
        "base": base / np.linalg.norm(base),
        "body": np.array([1, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.02, 0.03, 0.01]),
        "A": 1.7,
        "C": 2.3,
        **{name: rng.uniform(-1, 1, 3) for name in ("B", "D", "B_past", "D_past")},
    }
    z = np.array([0.4, -0.3, 0.5])

    def parts(z: Array) -> tuple[Array, Array, Array, Array]:
        motion = interpret(program, {**arguments, "z": z})["motion"]
        R = motion[0:9].reshape(3, 3)
        G = np.linalg.inv(motion[9:18].reshape(3, 3))
        return R, G, R.T @ motion[27:30], R.T @ motion[30:39].reshape(3, 3) @ G

    R, G, _, E = parts(z)
    step = 1e-6
    for k in range(3):
        ahead, back = parts(z + step * np.eye(3)[k]), parts(z - step * np.eye(3)[k])
        turn = (ahead[0] - back[0]) @ R.T / (2 * step)
        np.testing.assert_allclose([turn[2, 1], turn[0, 2], turn[1, 0]], G[:, k], rtol=0, atol=1e-8)
        np.testing.assert_allclose((ahead[2] - back[2]) / (2 * step), E[:, k], rtol=0, atol=1e-7)


# ---- put together ----------------------------------------------------------------------------------------------------


def root_force(stepper: TransferMatrixStepper, state: Array, h: float) -> Array:
    """Force at the root by the overall equation at the predictor of a step, with the paper's iteration."""
    system, scheme = stepper.system, stepper.module.functions["generalised_alpha"](h, 0.8)
    C, D, predictor = scheme[1], scheme[8:14], scheme[14:20]
    of_scheme, angles = {"C": C}, [0.0]
    q = np.zeros(system.mechanism.nq)
    for number, body in enumerate(system.bodies, start=1):
        row = state[(number - 1) * system.body_state : number * system.body_state]
        history = row[1:19].reshape(6, 3)
        angles.append(row[0] + predictor @ history[:, 0])
        q[system.mechanism.body(number).q_range[0]] = angles[number] - angles[body.parent]
        # The state counts angles from the start of the step.
        turning, x, y = D @ history - [C * row[0], 0, 0]
        of_scheme |= {f"D_{body.name}_x": x, f"D_{body.name}_y": y, f"D_{body.name}_theta": turning}
    program = TRANSFER_QUANTITIES["overall"](system.mechanism)
    scheme_input = program.inputs[-1]
    names = [str(program.graph.arguments[ref][0]) for ref in scheme_input.symbols]
    point = {item.name: np.zeros(item.shape) for item in program.inputs}
    point |= {"q": q, "scheme": np.array([of_scheme.get(name, np.nan) for name in names])}
    (rows,) = interpret(program, point).values()
    return np.linalg.solve(rows[:, :2], -rows[:, 2])


def test_product_of_matrices_is_the_recursion(agreement: Callable[[object], None]) -> None:
    """One iteration of the paper's kind: force at the root by the 2 x 2 system of the product, and by the sweeps."""
    model = examples.load("rhombus_regular")
    derived = derive_transfer_matrices(model)
    assert derived.overall is not None
    assert str(derived.overall.expression) == "U_body_8*U_body_6*B_body_9*U_body_4*B_body_10*U_body_2"
    stepper = TransferMatrixStepper(model, engine="numpy")
    state = stepper.start(*at_rest(stepper.system))
    h = 0.01
    force = root_force(stepper, state, h)
    once = Iteration(most=1, acceptable=1.0, newton=False)
    after, report = stepper.advance(state, h, 1, Scheme(iteration=once))
    assert report.loose_steps == 1
    expected = stepper.observe(after).forces[0]
    np.testing.assert_allclose(force, expected, rtol=1e-8)
    agreement(np.abs(force / expected - 1.0).max())


def test_an_open_chain_is_a_product_too() -> None:
    derived = derive_transfer_matrices(examples.load("planar_3r"))
    assert derived.overall is not None
    assert not derived.overall.is_loop
    assert len(derived.overall.bodies) == len(derived.bodies)
    assert derived.element("free end (plane)").is_boundary
    with pytest.raises(DerivationError, match="no element 'gear'"):
        derived.element("gear")


def test_spatial_systems_show_elements_and_rotations() -> None:
    derived = derive_transfer_matrices(examples.load("rhombus_spatial"))
    assert derived.overall is None
    assert "recursion" in derived.overall_remark
    assert derived.element("rigid body (space)").matrix.shape == (13, 13)
    R, H = derived.rotation["R (Cardan angles)"], derived.rotation["H (Cardan angles)"]
    a, b, c = sp.symbols("alpha beta gamma")
    t = sp.Symbol("t")
    paths = {a: 0.3 + 0.5 * t, b: -0.2 + 0.7 * t, c: 0.4 - 0.9 * t}
    moving = R.subs(paths)
    spin = (moving.T * moving.diff(t)).subs(t, 0).evalf()
    rates = H.subs({a: 0.3, b: -0.2, c: 0.4}) * sp.Matrix([0.5, 0.7, -0.9])
    np.testing.assert_allclose(
        np.array([spin[2, 1], spin[0, 2], spin[1, 0]], dtype=float), np.array(rates, dtype=float)[:, 0], atol=1e-12
    )


def test_turns_of_the_incremental_rotation() -> None:
    """T takes rates of psi to the turning of exp(psi~) in its own axes, found by differentiating the exponential."""
    psi, rate = np.array([0.4, -0.7, 0.5]), np.array([0.3, 0.2, -0.8])
    numbers = {f"psi_{axis}": value for axis, value in zip("xyz", psi, strict=True)} | {"q": np.linalg.norm(psi)}
    matrix = closed_form.incremental_rotation()
    T = np.array(matrix.subs({symbol: numbers[symbol.name] for symbol in matrix.free_symbols}), dtype=float)
    turned, change = expm_frechet(tilde(psi), tilde(rate))
    np.testing.assert_allclose(tilde(T @ rate), turned.T @ change, rtol=0, atol=1e-14)


def tilde(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def test_ends_hold_what_they_say() -> None:
    """Entries of the state vector that are zero there."""
    held = {
        item.name: "".join(item.state[k] for row in item.matrix.tolist() for k, entry in enumerate(row) if entry == 1)
        for item in closed_form.boundaries()
        if item.matrix.shape[0] != 2
    }
    assert held["pinned end (space)"] == "xyzMxMyMz"
    assert held["free end (space)"] == "MxMyMzQxQyQz"
    assert len(held) == 5
