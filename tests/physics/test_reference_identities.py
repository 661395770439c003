"""Identities that hold for any tree: the reference against itself by derivatives and energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.reference import Reference, central_difference, complex_difference, derivative_columns
from mbsym.verification.random_state import random_state
from mechanisms.energy import energy_balance
from mechanisms.random_mechanisms import random_tree

# Rounding of sums over up to 30 bodies, relative to the size of what is summed.
ROUNDING = 1e-12
# Sixth-order differences of energies that are up to 1e3 times larger than the power.
DIFFERENCE = 1e-8
TIME = 0.3
SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=12)


def drawn(seed: int) -> tuple[Reference, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    model = random_tree(seed)
    reference = Reference(model)
    rng = np.random.default_rng(seed)
    q, v, tau = random_state(model, model.label(), rng, reference=reference)
    return reference, q, v, tau, rng.uniform(-1, 1, len(model.inputs))


@FEW
@given(seed=SEEDS)
def test_inverse_dynamics_undoes_forward_dynamics(seed: int) -> None:
    """Forward dynamics solves for all bodies and wrenches at once, inverse dynamics sums virtual power."""
    reference, q, v, tau, u = drawn(seed)
    vdot = reference.forward_dynamics(q, v, tau, TIME, u)
    M, h = reference.mass_matrix(q), reference.bias_force(q, v, TIME, u)
    size = max(1.0, np.abs(M @ vdot).max(initial=0), np.abs(h).max(initial=0))
    assert reference.inverse_dynamics(q, v, vdot, TIME, u) == pytest.approx(tau, abs=ROUNDING * size)
    assert M @ vdot + h == pytest.approx(tau, abs=ROUNDING * size)


@FEW
@given(seed=SEEDS)
def test_velocities_are_derivatives_of_the_poses(seed: int) -> None:
    reference, q, v, _, _ = drawn(seed)
    poses = reference.poses(q)
    rate = complex_difference(reference.mechanism, reference.poses, q, v)
    turned_back = np.transpose(poses[:, :3, :3], (0, 2, 1))
    spin = turned_back @ rate[:, :3, :3]
    found = np.column_stack(
        [spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0], np.einsum("bij,bj->bi", turned_back, rate[:, :3, 3])]
    )
    velocities = reference.velocities(q, v)
    assert found == pytest.approx(velocities, abs=ROUNDING * max(1, np.abs(velocities).max()))
    assert reference.jacobians(q) @ v == pytest.approx(velocities, abs=ROUNDING * max(1, np.abs(velocities).max()))


@FEW
@given(seed=SEEDS)
def test_the_rate_of_energy_is_the_power(seed: int) -> None:
    reference, q, v, tau, u = drawn(seed)
    balance = energy_balance(reference, q, v, tau, TIME, u)
    assert balance.rate == pytest.approx(balance.power, abs=DIFFERENCE * balance.scale)


@FEW
@given(seed=SEEDS)
def test_static_forces_are_the_gradient_of_the_potential(seed: int) -> None:
    model = random_tree(seed, forces=False, bodies=(1, 12))
    reference = Reference(model)
    q, _, _ = random_state(model, model.label(), np.random.default_rng(seed), reference=reference)
    gradient = derivative_columns(reference.mechanism, central_difference, reference.potential_energy, q)
    assert reference.gravity_force(q) == pytest.approx(gradient, abs=1e-9 * np.abs(gradient).max(initial=1))
    assert reference.bias_force(q, np.zeros(reference.nv)) == pytest.approx(reference.gravity_force(q), abs=1e-11)


@FEW
@given(seed=SEEDS)
def test_mass_matrix_is_the_hessian_of_the_kinetic_energy(seed: int) -> None:
    reference, q, v, _, _ = drawn(seed)
    M = reference.mass_matrix(q)
    assert pytest.approx(M.T, abs=1e-13 * np.abs(M).max(initial=1)) == M
    assert np.all(np.linalg.eigvalsh(M) > 0)
    assert 0.5 * v @ M @ v == pytest.approx(reference.kinetic_energy(q, v), rel=ROUNDING)


@FEW
@given(seed=SEEDS)
def test_linear_momentum_is_mass_times_the_velocity_of_the_centre(seed: int) -> None:
    reference, q, v, _, _ = drawn(seed)
    mass = sum(body.mass for body in reference.mechanism.bodies)
    velocity = central_difference(reference.mechanism, reference.center_of_mass, q, v)
    momentum = reference.momentum(q, v)
    assert momentum[3:] == pytest.approx(mass * velocity, abs=1e-9 * max(1, np.abs(momentum).max()))


@FEW
@given(seed=SEEDS)
def test_joint_forces_keep_the_momentum_of_a_floating_tree(seed: int) -> None:
    tree = random_tree(seed, bodies=(1, 8), forces=False, couplings=False, free_roots=False)
    hull = Body("hull", 3, (0.1, 0, 0.2), (0.3, 0.4, 0.5, 0.01, 0, -0.02))
    on_hull = {tree.ground: "hull"}
    joints = tuple(
        replace(
            joint,
            predecessor=on_hull.get(joint.predecessor, joint.predecessor),
            successor=on_hull.get(joint.successor, joint.successor),
        )
        for joint in tree.joints
    )
    floating = Joint("floating", "free", tree.ground, "hull")
    model = replace(tree, bodies=(*tree.bodies, hull), joints=(*joints, floating), gravity=(0, 0, 0))
    reference = Reference(model)
    q, v, tau = random_state(model, model.label(), np.random.default_rng(seed), reference=reference)
    tau[reference.mechanism.joints[reference.mechanism.joint_labels["floating"] - 1].speeds] = 0
    vdot = reference.forward_dynamics(q, v, tau)

    def momentum(h: float) -> np.ndarray:
        return reference.momentum(reference.integrate_position(q, v, h), v + h * vdot)

    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    rate = sum(weight * (momentum(k * 1e-3) - momentum(-k * 1e-3)) for k, weight in weights) / 1e-3
    assert rate == pytest.approx(np.zeros(6), abs=DIFFERENCE * max(1, np.abs(vdot).max()))


def test_energy_is_kept_over_a_short_integration() -> None:
    """RK4 on the coordinates themselves; the error of one second falls with the fourth power of the step."""
    model = random_tree(12, bodies=4, forces=False, joint_types=("revolute", "spherical", "free", "planar", "helical"))
    reference = Reference(model)
    q0, v0, _ = random_state(model, model.label(), np.random.default_rng(3), reference=reference)
    still = np.zeros(reference.nv)

    def drift(steps: int) -> float:
        h = 0.25 / steps
        state = np.concatenate([q0, v0])

        def rate(x: np.ndarray) -> np.ndarray:
            q, v = x[: reference.nq], x[reference.nq :]
            return np.concatenate([reference.position_rate(q, v), reference.forward_dynamics(q, v, still)])

        for _ in range(steps):
            k1 = rate(state)
            k2 = rate(state + h / 2 * k1)
            k3 = rate(state + h / 2 * k2)
            k4 = rate(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        q, v = state[: reference.nq], state[reference.nq :]
        energy = reference.kinetic_energy(q, v) + reference.potential_energy(q)
        return float(abs(energy - reference.kinetic_energy(q0, v0) - reference.potential_energy(q0)))

    coarse, fine = drift(50), drift(100)
    assert fine < 1e-6
    assert fine < coarse / 8
